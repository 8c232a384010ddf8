"""systemd-boot, for which `baretick install` writes an entry that is never started by itself.

Sources: the Boot Loader Specification (keys `title`, `efi`, `options`, `sort-key`; the order of entries); systemd 252,
src/boot/efi/boot.c (the order of entries, and the default); systemd.io/BOOT_LOADER_INTERFACE (the variables).
"""
import fnmatch
import os
import re

from once import entry
from once import esp as disk
from once.variables import Failed

LOADER, ENTRIES, CONF, UNIFIED = "\\loader", "\\loader\\entries", "\\loader\\loader.conf", "\\EFI\\Linux"
OWN = "baretick.conf"
ENTRY = f"{ENTRIES}\\{OWN}"
GUID = "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
SAVED = "@saved"
AUTOMATIC = ("auto-windows", "auto-osx", "auto-efi-shell", "auto-efi-default")  # without a file; being the first is not enough
EXHAUSTED, PLAIN, SORTED = range(3)  # the order of entries, the last group first: no tries left; without, with a sort-key
COUNTER = re.compile(r"\+(\d+)(-\d+)?(?=\.(conf|efi)$)")  # tries that are left


def is_on(system, esp):
    """Tests whether systemd-boot is installed on an ESP."""
    return os.path.isdir(disk.file_of(system, esp, LOADER)) and \
        os.path.exists(disk.file_of(system, esp, "\\EFI\\systemd\\systemd-bootx64.efi"))


def entry_text(image, words):
    """Returns the entry. It has no sort-key: so it is after all entries that have one."""
    return f"title baretick\nefi {image.replace(chr(92), '/')}\noptions {' '.join(words)}\n"


def _lines(path):
    """Returns {key: value} of a file of systemd-boot. The last line with a key applies."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            split = [line.split(None, 1) for line in f if line.strip() and not line.lstrip().startswith("#")]
    except OSError:
        return {}
    return {words[0]: words[1].strip() if len(words) > 1 else "" for words in split}


def _names(folder, end):
    return [name for name in (os.listdir(folder) if os.path.isdir(folder) else []) if name.lower().endswith(end)]


def entries(system, esp):
    """Returns the names of systemd-boot's entries in its order, ours among them. Those that have no file are in its own
    list, if it has started this Linux."""
    listed = (system.variables.get("LoaderEntries", GUID) or b"").decode("utf-16-le", "replace").lower()
    found = {name: PLAIN for name in listed.split("\0") if name in AUTOMATIC}

    def add(name, group):
        counter = COUNTER.search(name.lower())
        found[COUNTER.sub("", name.lower())] = EXHAUSTED if counter and int(counter[1]) == 0 else group

    for volume in (esp, *disk.mounted(system, entry.XBOOTLDR)):
        folder = disk.file_of(system, volume, ENTRIES)
        for name in _names(folder, ".conf"):
            lines = _lines(os.path.join(folder, name))
            if {"linux", "efi", "uki"} & lines.keys():
                add(name, SORTED if "sort-key" in lines else PLAIN)
        for name in _names(disk.file_of(system, volume, UNIFIED), ".efi"):
            add(name, SORTED)  # by the name of its system
    found[OWN] = PLAIN
    # In a group the greatest name is first, and a digit is greater than a letter.
    return sorted(found, key=lambda name: (found[name], name[0].isdigit(), name), reverse=True)


def check_default(system, esp):
    """Raises Failed if systemd-boot would ever start the new entry by itself."""
    names, conf = entries(system, esp), _lines(disk.file_of(system, esp, CONF))
    is_chosen, by_variable = False, entry.text(system.variables.get("LoaderEntryDefault", GUID) or b"").lower()
    for where, pattern in (("the variable LoaderEntryDefault (`bootctl set-default`)", by_variable),
                           (f"{CONF} on {esp}", conf.get("default", "").lower())):
        if pattern == SAVED:
            raise Failed(f"the default of systemd-boot is {SAVED}, in {where}: after baretick was selected in the menu, it would be "
                         "started each time; name the entry of Linux there, for example `default arch.conf`")
        selected = next((name for name in names if fnmatch.fnmatchcase(name, pattern)), None)
        if selected == OWN:
            raise Failed(f"the default of systemd-boot is {pattern}, in {where}: it would select the new entry, {OWN}; name the entry of "
                         "Linux there, for example `default arch.conf`")
        is_chosen = is_chosen or selected is not None
    if not is_chosen and next(name for name in names if name not in AUTOMATIC) == OWN:
        raise Failed(f"{CONF} on {esp} has no line `default` that names an entry, and the new entry would be the first one, which "
                     "systemd-boot starts: name the entry of Linux there, for example `default arch.conf`")
