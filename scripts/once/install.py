"""baretick install: an entry in the boot loader's menu, for systemd-boot and GRUB."""
import collections
import os
import shlex

from once import checks, command, grub, prepare, systemd_boot
from once import esp as disk
from once.system import System
from once.variables import Failed

IMAGE = "\\EFI\\baretick\\baretick.efi"
WORDS = ["takeover=borrow", "finish=reboot"]  # the report is written to the ESP, and the machine comes back
LOADERS = ("systemd-boot", "GRUB")


# The files that are installed, and their places. found: of LOADERS; menu: GRUB's folder or None.
Place = collections.namedtuple("Place", "system esp image source words found menu")


def _place(args, system):
    """Returns the Place after all checks; nothing is changed."""
    checks.check_words(args.words)
    checks.check_firmware(system)
    checks.check_spelling(args.words, system.hosted)
    (image, _), esp = checks.read_image(system, args.image), disk.choose(system, args.esp)
    folder, systemd = grub.folder(system), systemd_boot.is_on(system, esp)
    found = [name for name, there in zip(LOADERS, (systemd, folder)) if there]
    if not found:
        raise Failed(f"no boot loader that is known: neither systemd-boot on {esp}, nor GRUB in {' or '.join(grub.FOLDERS)}; "
                     "`baretick once` needs none")
    if systemd:
        systemd_boot.check_default(system, esp)
    if folder:
        grub.update_command(system, folder)
        grub.check_default(system, folder)
    place = Place(system, esp, image, args.image, [*WORDS, *args.words], found, folder)
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
        text = systemd_boot.entry_text(IMAGE, place.words)
        todo.append((f"write {systemd_boot.ENTRY} on {esp}: options {' '.join(place.words)}",
                     lambda: disk.write(disk.file_of(system, esp, systemd_boot.ENTRY), text.encode())))
    if "GRUB" in place.found:
        defaults = (f"# Written by `baretick install`; read by {grub.SNIPPET}.\nBARETICK_ESP={shlex.quote(esp.mount.where)}\n"
                    f"BARETICK_WORDS={shlex.quote(' '.join(place.words))}\n# GRUB_DISABLE_BARETICK=true\n")
        todo.append((f"write {grub.DEFAULTS}", lambda: _write(system, grub.DEFAULTS, defaults.encode())))
        if grub.owns_snippet(system):
            todo.append((f"write {grub.SNIPPET}", lambda: _write(system, grub.SNIPPET, grub.snippet(), 0o755)))
        update = grub.update_command(system, place.menu)
        todo.append((f"run {' '.join(update)}", lambda: system.run(update)))
    return todo


def _updated(system, menu):
    """Writes GRUB's configuration, which has no entry without the program. Returns what happened, because the entry is
    gone in any case as soon as GRUB's configuration is written again."""
    try:
        update = grub.update_command(system, menu)
        system.run(update)
    except Failed as e:
        return f"GRUB's menu may still have the entry: {e}"
    return f"ran {' '.join(update)}"


def undo(system):
    """Removes what `install` has written, except reports. Returns lines that say what was removed. grub.DEFAULTS is last:
    as long as it is there, a repeated undo writes GRUB's menu again."""
    done = prepare.deleted(system, disk.mounted(system), [systemd_boot.ENTRY, IMAGE])
    is_in_menu = os.path.exists(system.path(grub.DEFAULTS))
    if grub.owns_snippet(system):
        path = system.path(grub.SNIPPET)
        if os.path.exists(path) and not prepare.is_there(path, grub.snippet()):
            done.append(f"kept {grub.SNIPPET}: it was changed; delete it yourself")
        elif disk.delete(path):
            done.append(f"deleted {grub.SNIPPET}")
            is_in_menu = True
    menu = grub.folder(system)
    if menu and is_in_menu:
        done.append(_updated(system, menu))
    if disk.delete(system.path(grub.DEFAULTS)):
        done.append(f"deleted {grub.DEFAULTS}")
    return done


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
    prepare.take(lambda: steps(place), lambda: undo(place.system), lambda text: print(text, flush=True))
    for name in place.found:
        # As GRUB's folder, its command is named grub or grub2.
        select = f"{os.path.basename(place.menu)}-reboot baretick" if name == "GRUB" else "bootctl set-oneshot baretick.conf"
        print(f"{name}: `{select}` selects it for the next start")
    return 0


def add(commands):
    p = commands.add_parser(
        "install", help="add it to the menu of systemd-boot or GRUB",
        description="Copies baretick to the EFI system partition, and writes an entry for it into the menu of systemd-boot, GRUB, or "
                    "both. The entry is never the default. `bootctl set-oneshot baretick.conf` or `grub-reboot baretick` selects it for "
                    "the next start. It writes its report to the EFI system partition and restarts the machine: "
                    "docs/once.md, section Loaders.")
    checks.add_options(p, "the entries and the program", command.IMAGE)
    p.set_defaults(command=run)
