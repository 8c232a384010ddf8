"""baretick once: starts the program once from Linux, by the firmware, and fetches its report afterwards."""
import sys
import time

from once import checks, prepare, result
from once import esp as disk
from once.system import System
from once.variables import Failed
from tools import places

IMAGE = places.built("baretick.efi")


def _say(text):
    print(text, flush=True)


def _agrees():
    if not sys.stdin.isatty():
        raise Failed("nobody can be asked here: --yes restarts the machine without a question")
    try:
        return input("Take these steps and restart the machine now? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        print()
        return False


def _run(args, system):
    """Returns the Run that the words ask for, after all checks; nothing is changed."""
    checks.check_words(args.words)
    checks.check_firmware(system)
    checks.check_spelling(args.words, system.hosted)
    image, by_shim = checks.read_image(system, args.image)
    esp = disk.choose(system, args.esp)
    shim = checks.shim_on(system, esp) if by_shim else None
    token = prepare.free_token(system, int(time.time()))
    run = prepare.Run(system, esp, image, args.image, args.words, token, args.in_order, shim)
    checks.check_space(system, esp.mount, 0 if prepare.is_there(run.target, image) else len(image))
    return run


def _once(args, system):
    run = _run(args, system)
    if args.dry_run or not args.yes:
        for text, _ in prepare.steps(run):
            _say(f"would {text}" if args.dry_run else text)
    if args.dry_run:
        if not args.no_reboot:
            _say("would restart the machine")
        return 0
    if not args.yes and not args.no_reboot and not _agrees():
        _say("Nothing was changed.")
        return 1
    prepare.take(lambda: prepare.steps(run), lambda: prepare.undo(run.system, [run.esp]), _say)
    if args.no_reboot:
        _say("The next start of the machine runs the program once. `baretick once --undo` reverts this.")
        return 0
    _say("Restarting. Afterwards: baretick once --result")
    try:
        system.reboot()
    except Failed as e:
        raise Failed(f"{e}; the run is prepared: restart the machine yourself, or revert it by `baretick once --undo`") from None
    return 0


def _undo(args, system):
    checks.check_firmware(system)
    esps = disk.mounted(system)
    for line in prepare.undo(system, esps) or ["Nothing to undo."]:
        _say(line)
    if where := prepare.unmounted(system, esps):
        raise Failed(f"{prepare.IMAGE} is still on the EFI system partition that was mounted at {where}: mount it, and "
                     "repeat this")
    return 0


def _result(args, system):
    checks.check_firmware(system, changes=False)
    show = result.show_new if args.collect else result.show
    return show(system, disk.mounted(system), _say)


def run(args, system=None):
    system = system or System()
    if (args.undo or args.result or args.collect) and args.words:
        raise Failed(f"{args.words[0]}: --undo, --result and --collect take no words")
    return (_undo if args.undo else _result if args.result or args.collect else _once)(args, system)


def add(commands):
    p = commands.add_parser(
        "once", help="start it once on this machine, by UEFI, and come back to Linux",
        description="Starts baretick at the next start of this machine, once, and comes back to Linux with a report. "
                    "It copies the program to the EFI system partition and creates a boot entry for BootNext. The "
                    "program deletes the entry, measures, writes its report to that partition and resets the machine. "
                    "docs/once.md describes each step.\n\n"
                    "Exit status of --result: 0 every check passed; 1 a check failed, or there is no whole report; "
                    "2 no run was prepared, or it has not been started yet.")
    what = checks.add_options(p, "the entry, the program and the variable", IMAGE)
    what.add_argument("--result", action="store_true",
                      help=f"print the report, and move it from the EFI system partition to {prepare.STORE}")
    what.add_argument("--collect", action="store_true",
                      help="like --result, but only once for each run: what the service baretick-once does at boot")
    p.add_argument("--yes", action="store_true", help="do not ask before the restart")
    p.add_argument("--no-reboot", action="store_true", help="prepare the next start; do not restart now")
    p.add_argument("--in-order", action="store_true",
                   help="also put the entry at the end of BootOrder, for firmware that ignores others")
    p.set_defaults(command=run)
