"""baretick install: an entry in the boot loader's menu, for systemd-boot and GRUB."""
import dataclasses
import os

from once import checks, command, loaders, prepare
from once import esp as disk
from once.system import System
from once.variables import Failed
from tools import help_text, places

IMAGE = "\\EFI\\baretick\\baretick.efi"
WORDS = ["takeover=borrow", "finish=reboot"]  # the report is written to the ESP, and the machine comes back
AFTER = {"systemd-boot": "bootctl set-oneshot baretick.conf", "GRUB": "grub-reboot baretick"}


@dataclasses.dataclass
class Place:
    """The files that are installed, and their places. found: the loaders, of AFTER; grub: GRUB's folder or None."""
    system: object
    esp: disk.Esp
    image: bytes
    source: str
    words: list
    found: list
    grub: str


def _place(args, system):
    """Returns the Place after all checks; nothing is changed."""
    checks.check_words(args.words)
    checks.check_firmware(system)
    checks.check_spelling(args.words, system.hosted)
    (image, _), esp = checks.read_image(system, args.image), disk.choose(system, args.esp)
    grub, systemd = loaders.grub_folder(system), loaders.has_systemd_boot(system, esp)
    found = [name for name, there in zip(AFTER, (systemd, grub)) if there]
    if not found:
        raise Failed(f"no boot loader that is known: neither systemd-boot on {esp}, nor GRUB in {' or '.join(loaders.GRUB_FOLDERS)}; "
                     "`baretick once` needs none")
    if systemd:
        loaders.check_default(system, esp)
    if grub:
        loaders.update_command(system, grub)
    place = Place(system, esp, image, args.image, [*WORDS, *args.words], found, grub)
    checks.check_space(system, esp.mount, 0 if prepare.is_there(disk.file_of(system, esp, IMAGE), image) else len(image))
    return place


def _write(system, name, data, mode=0o644):
    path = system.path(name)
    disk.write(path, data)
    os.chmod(path, mode)


def steps(place):
    """Returns [(text, function)]: what is done, in this order."""
    system, esp = place.system, place.esp
    todo = [prepare.copy_step(place, IMAGE)]
    if "systemd-boot" in place.found:
        text = loaders.entry_text(IMAGE, place.words)
        todo.append((f"write {loaders.ENTRY} on {esp}: options {' '.join(place.words)}",
                     lambda: disk.write(disk.file_of(system, esp, loaders.ENTRY), text.encode())))
    if "GRUB" in place.found:
        todo.append((f"write {loaders.DEFAULTS}", lambda: _write(system, loaders.DEFAULTS, loaders.defaults_text(esp, place.words).encode())))
        if loaders.owns_snippet(system):
            todo.append((f"write {loaders.SNIPPET}", lambda: _write(system, loaders.SNIPPET, loaders.snippet(), 0o755)))
        update = loaders.update_command(system, place.grub)
        todo.append((f"run {' '.join(update)}", lambda: system.run(update)))
    return todo


def _updated(system, update):
    """Writes GRUB's configuration without the entry. Returns what happened, because the entry is gone in any case as
    soon as GRUB's configuration is written again."""
    try:
        system.run(update)
    except Failed as e:
        return f"GRUB's menu may still have the entry: {e}"
    return f"ran {' '.join(update)}"


def undo(system):
    """Removes what `install` has written, except reports. Returns lines that say what was removed. loaders.DEFAULTS is last:
    as long as it is there, a repeated undo writes GRUB's menu again."""
    done = prepare.deleted(system, disk.mounted(system), [loaders.ENTRY, IMAGE])
    if loaders.owns_snippet(system):
        if loaders.is_changed(system):
            done.append(f"kept {loaders.SNIPPET}: it was changed; delete it yourself")
        elif disk.delete(system.path(loaders.SNIPPET)):
            done.append(f"deleted {loaders.SNIPPET}")
    menu = loaders.grub_folder(system)
    if menu and os.path.exists(system.path(loaders.DEFAULTS)):
        done.append(_updated(system, loaders.update_command(system, menu)))
    if disk.delete(system.path(loaders.DEFAULTS)):
        done.append(f"deleted {loaders.DEFAULTS}")
    return done


def _install(place):
    """Takes all steps; if one fails, removes what the others have made, and raises Failed."""
    try:
        for text, act in steps(place):
            print(text, flush=True)
            act()
    except (Failed, OSError) as e:
        for line in undo(place.system):
            print(line, flush=True)
        raise Failed(f"{e}; everything was reverted") from None


def run(args, system=None):
    system = system or System()
    if args.undo:
        if args.words:
            raise Failed(f"{args.words[0]}: --undo takes no words")
        checks.check_firmware(system)
        for line in undo(system) or ["Nothing to undo."]:
            print(line)
        return 0
    place = _place(args, system)
    if args.dry_run:
        for text, _ in steps(place):
            print(f"would {text}")
        return 0
    _install(place)
    for name in place.found:
        print(f"{name}: `{AFTER[name]}` selects it for the next start")
    return 0


def add(commands):
    p = commands.add_parser(
        "install", help="add it to the menu of systemd-boot or GRUB", formatter_class=help_text.Paragraphs,
        description="Copies baretick to the EFI system partition, and writes an entry for it into the menu of systemd-boot, GRUB, or "
                    "both. The entry is never the default. `bootctl set-oneshot baretick.conf` or `grub-reboot baretick` selects it for "
                    "the next start. It writes its report to the EFI system partition and restarts the machine: "
                    "docs/once.md, section Loaders.")
    p.add_argument("words", nargs="*", metavar="WORD", help="baretick's options, like suite=calls")
    what = p.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="print every step, change nothing")
    what.add_argument("--undo", action="store_true", help="remove the entries and the program")
    p.add_argument("--esp", metavar="FOLDER", help="where the EFI system partition is mounted, if there are several")
    p.add_argument("--image", metavar="FILE", default=command.IMAGE,
                   help=f"the program ({places.shown(command.IMAGE)})")
    p.set_defaults(command=run)
