"""baretick install: an entry in the boot loader's menu, for systemd-boot and GRUB."""
import collections
import os
import re
import shlex

from once import checks, command, prepare, systemd_boot
from once import esp as disk
from once.system import System
from once.variables import Failed
from tools import places

IMAGE = "\\EFI\\baretick\\baretick.efi"
WORDS = ["takeover=borrow", "finish=reboot"]  # the report is written to the ESP, and the machine comes back
# The files that are installed, and their places. systemd: whether systemd-boot is there; menu: GRUB's folder or None.
Place = collections.namedtuple("Place", "system esp image source words systemd menu")

# GRUB, for which a snippet of its configuration is written. Source: Debian's grub2, grub-mkconfig.
FOLDERS = ("/boot/grub", "/boot/grub2")
SNIPPET, DEFAULTS = "/etc/grub.d/90_baretick", "/etc/default/baretick"
OWN_SNIPPET = os.path.join(places.ROOT, "packaging/90_baretick")
PACKAGE = "/var/lib/dpkg/info/baretick.list"  # there: the package owns the snippet
UPDATES = {"update-grub": "/usr/sbin/update-grub", "grub-mkconfig": "/usr/sbin/grub-mkconfig", "grub2-mkconfig": "/usr/sbin/grub2-mkconfig"}
ENTRIES = re.compile(r"^\s*(menuentry|submenu|blscfg)\b(?!.*--id baretick)", re.MULTILINE)


def _menu(system):
    """Returns GRUB's folder with its configuration, or None."""
    return next((f for f in FOLDERS if os.path.exists(system.path(f"{f}/grub.cfg")) and os.path.isdir(system.path("/etc/grub.d"))), None)


def _update_command(system, menu):
    """Returns the command that writes GRUB's configuration. Raises Failed."""
    for name, path in UPDATES.items():
        if os.path.exists(system.path(path)):
            return [path] if name == "update-grub" else [path, "-o", f"{menu}/grub.cfg"]
    raise Failed(f"{menu}/grub.cfg is there, and none of {', '.join(UPDATES.values())}: install GRUB's tools")


def _snippet():
    with open(OWN_SNIPPET, "rb") as f:
        return f.read()


def _place(args, system):
    """Returns the Place after all checks; nothing is changed."""
    checks.check_words(args.words)
    checks.check_firmware(system)
    checks.check_spelling(args.words, system.hosted)
    (image, _), esp = checks.read_image(system, args.image), disk.choose(system, args.esp)
    menu, systemd = _menu(system), systemd_boot.is_on(system, esp)
    if not systemd and not menu:
        raise Failed(f"no boot loader that is known: neither systemd-boot on {esp}, nor GRUB in {' or '.join(FOLDERS)}; "
                     "`baretick once` needs none")
    if systemd:
        systemd_boot.check_default(system, esp)
    if menu:
        _update_command(system, menu)
        if not ENTRIES.search(system.text(f"{menu}/grub.cfg") or ""):
            raise Failed(f"{menu}/grub.cfg has no entry: the new one would be the only one, which GRUB starts each time")
    place = Place(system, esp, image, args.image, [*WORDS, *args.words], systemd, menu)
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
    if place.systemd:
        text = systemd_boot.entry_text(IMAGE, place.words)
        todo.append((f"write {systemd_boot.ENTRY} on {esp}: options {' '.join(place.words)}",
                     lambda: disk.write(disk.file_of(system, esp, systemd_boot.ENTRY), text.encode())))
    if place.menu:
        defaults = (f"# Written by `baretick install`; read by {SNIPPET}.\nBARETICK_ESP={shlex.quote(esp.mount.where)}\n"
                    f"BARETICK_WORDS={shlex.quote(' '.join(place.words))}\n# GRUB_DISABLE_BARETICK=true\n")
        todo.append((f"write {DEFAULTS}", lambda: _write(system, DEFAULTS, defaults.encode())))
        if not os.path.exists(system.path(PACKAGE)):
            todo.append((f"write {SNIPPET}", lambda: _write(system, SNIPPET, _snippet(), 0o755)))
        update = _update_command(system, place.menu)
        todo.append((f"run {' '.join(update)}", lambda: system.run(update)))
    return todo


def _updated(system, menu):
    """Writes GRUB's configuration, which has no entry without the program. Returns what happened, because the entry is
    gone in any case as soon as GRUB's configuration is written again."""
    try:
        update = _update_command(system, menu)
        system.run(update)
    except Failed as e:
        return f"GRUB's menu may still have the entry: {e}"
    return f"ran {' '.join(update)}"


def undo(system):
    """Removes what `install` has written, except reports. Returns lines that say what was removed. DEFAULTS is last:
    as long as it is there, a repeated undo writes GRUB's menu again."""
    done = prepare.deleted(system, disk.mounted(system), [systemd_boot.ENTRY, IMAGE])
    is_in_menu = os.path.exists(system.path(DEFAULTS))
    if not os.path.exists(system.path(PACKAGE)):
        path = system.path(SNIPPET)
        if os.path.exists(path) and not prepare.is_there(path, _snippet()):
            done.append(f"kept {SNIPPET}: it was changed; delete it yourself")
        elif disk.delete(path):
            done.append(f"deleted {SNIPPET}")
            is_in_menu = True
    menu = _menu(system)
    if menu and is_in_menu:
        done.append(_updated(system, menu))
    if disk.delete(system.path(DEFAULTS)):
        done.append(f"deleted {DEFAULTS}")
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
    if place.systemd:
        print("systemd-boot: `bootctl set-oneshot baretick.conf` selects it for the next start")
    if place.menu:  # as GRUB's folder, its command is named grub or grub2
        print(f"GRUB: `{os.path.basename(place.menu)}-reboot baretick` selects it for the next start")
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
