"""The boot loaders for which `baretick install` writes an entry: systemd-boot and GRUB.

Sources: the Boot Loader Specification (keys `title`, `efi`, `options`, `sort-key`; the order of entries); systemd 252,
src/boot/efi/boot.c (without a default, the first entry is started); Debian's grub2, grub-mkconfig.
"""
import os
import shlex

from once import esp as disk
from once.variables import Failed
from tools import places

ENTRIES, ENTRY, CONF, UNIFIED = "\\loader\\entries", "\\loader\\entries\\baretick.conf", "\\loader\\loader.conf", "\\EFI\\Linux"
GRUB_FOLDERS = ("/boot/grub", "/boot/grub2")
SNIPPET, DEFAULTS = "/etc/grub.d/20_baretick", "/etc/default/baretick"
OWN_SNIPPET = os.path.join(places.ROOT, "packaging/20_baretick")
PACKAGE = "/var/lib/dpkg/info/baretick.list"  # there: the package owns the snippet
UPDATES = {"update-grub": "/usr/sbin/update-grub", "grub-mkconfig": "/usr/sbin/grub-mkconfig", "grub2-mkconfig": "/usr/sbin/grub2-mkconfig"}


# --- systemd-boot -------------------------------------------------------------------------------------

def has_systemd_boot(system, esp):
    return os.path.isdir(disk.file_of(system, esp, "\\loader")) and \
        os.path.exists(disk.file_of(system, esp, "\\EFI\\systemd\\systemd-bootx64.efi"))


def entry_text(image, words):
    """Returns the entry. It has no sort-key: so it is after all entries that have one."""
    return f"title baretick\nefi {image.replace(chr(92), '/')}\noptions {' '.join(words)}\n"


def _lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return [line.split(None, 1) for line in f if line.strip() and not line.startswith("#")]
    except OSError:
        return []


def check_default(system, esp):
    """Raises Failed if systemd-boot would start the new entry by itself. It starts the first entry if loader.conf names
    none; entries without a sort-key are ordered by their names, the greatest first, after the others."""
    if any(line[0] == "default" for line in _lines(disk.file_of(system, esp, CONF))):
        return
    unified, folder = disk.file_of(system, esp, UNIFIED), disk.file_of(system, esp, ENTRIES)
    names = [n for n in (os.listdir(folder) if os.path.isdir(folder) else []) if n.lower().endswith(".conf")]
    others = [n for n in names if n.lower() != os.path.basename(ENTRY.replace("\\", "/"))]
    sorted_first = [n for n in others if any(line[0] == "sort-key" for line in _lines(os.path.join(folder, n)))]
    greater = [n for n in others if n[0].isdigit() or n.lower() > "baretick"]
    if not (sorted_first or greater or (os.path.isdir(unified) and os.listdir(unified))):
        raise Failed(f"{CONF} on {esp} has no line `default`, and the new entry would be the first one, which systemd-boot starts: "
                     "name the entry of Linux there, for example `default arch.conf`")


# --- GRUB -----------------------------------------------------------------------------------------------

def grub_folder(system):
    """Returns GRUB's folder with its configuration, or None."""
    return next((f for f in GRUB_FOLDERS if os.path.exists(system.path(f"{f}/grub.cfg")) and os.path.isdir(system.path("/etc/grub.d"))), None)


def update_command(system, folder):
    """Returns the command that writes GRUB's configuration. Raises Failed."""
    for name, path in UPDATES.items():
        if os.path.exists(system.path(path)):
            return [path] if name == "update-grub" else [path, "-o", f"{folder}/grub.cfg"]
    raise Failed(f"{folder}/grub.cfg is there, and none of {', '.join(UPDATES.values())}: install GRUB's tools")


def defaults_text(esp, words):
    return (f"# Written by `baretick install`; read by {SNIPPET}.\nBARETICK_ESP={shlex.quote(esp.mount.where)}\n"
            f"BARETICK_WORDS={shlex.quote(' '.join(words))}\n# GRUB_DISABLE_BARETICK=true\n")


def snippet():
    with open(OWN_SNIPPET, "rb") as f:
        return f.read()


def is_changed(system):
    """Tests whether the snippet is there with another content than ours."""
    try:
        with open(system.path(SNIPPET), "rb") as f:
            return f.read() != snippet()
    except FileNotFoundError:
        return False


def owns_snippet(system):
    """Tests whether the snippet is `baretick install`'s, not the package's."""
    return not os.path.exists(system.path(PACKAGE))
