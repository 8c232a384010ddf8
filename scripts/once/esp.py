"""The EFI system partition: which one is used, its free space, and files that are certainly on it."""
import collections
import contextlib
import os

from once import entry
from once.variables import Failed
from tools import places

PART = ".new"  # the end of a file's name while it is written


class Esp(collections.namedtuple("Esp", "mount partition")):
    def __str__(self):
        return f"{self.mount.where}, {self.partition}"


def _esp_of(system, mount, kind):
    """Returns the Esp on which a volume is, or None if it is on another kind of partition."""
    where = system.partition_of(mount)
    if not where:
        return None
    try:
        found, partition = entry.find(*where)
    except (entry.NoPartition, OSError):
        return None
    return Esp(mount, partition) if found == kind else None


def mounted(system, kind=entry.ESP):
    """Returns the mounted ESPs, or FAT partitions of another type, each once."""
    found = {}
    for mount in system.mounts():
        if mount.kind == "vfat" and mount.root == "/" and mount.device not in found:
            if esp := _esp_of(system, mount, kind):
                found[mount.device] = esp
    return list(found.values())


def current_entry(system):
    """Returns (number, Entry or None) of the entry that started this Linux; None if the firmware does not say."""
    numbers = entry.order(system.variables.get("BootCurrent") or b"")
    if not numbers:
        return None
    raw = system.variables.get(entry.name_of(numbers[0]))
    with contextlib.suppress(entry.Wrong):
        return numbers[0], entry.decode(raw or b"")
    return numbers[0], None


def choose(system, where=None):
    """Returns the Esp that is mounted at `where`, or without it the only one, or the one that Linux was started from.
    Raises Failed."""
    found = mounted(system)
    names = ", ".join(esp.mount.where for esp in found) or "none"
    if where:
        for esp in found:
            if esp.mount.where == os.path.normpath(where):
                return esp
        raise Failed(f"--esp {where}: no EFI system partition is mounted there; mounted: {names}")
    if not found:
        raise Failed("no EFI system partition is mounted: a vfat volume on a GPT partition of that type is needed, "
                     "usually at /boot/efi or /efi")
    current = current_entry(system)
    own = current and current[1] and current[1].partition
    started = [esp for esp in found if own and esp.partition.guid == own.guid]
    if len(started or found) > 1:
        raise Failed(f"several EFI system partitions are mounted ({names}), and the firmware does not say from which "
                     "one Linux was started: choose one with --esp")
    return (started or found)[0]


# --- files ----------------------------------------------------------------------------------------

def same_name(folder, name):
    """Returns the path of a name in a folder in any case, as FAT sees it; as given if there is no such name."""
    with contextlib.suppress(FileNotFoundError):
        for found in os.listdir(folder):
            if found.lower() == name.lower():
                return os.path.join(folder, found)
    return os.path.join(folder, name)


def file_of(system, esp, name):
    """Returns the path of a file on the ESP that is named as firmware does: "\\baretick\\0000.jsonl"."""
    path = system.path(esp.mount.where)
    for part in filter(None, name.split("\\")):
        if part in (".", ".."):
            raise Failed(f"{name}: is not a name of a file on the EFI system partition")
        path = same_name(path, part)
    return path


def read_back(path):
    """Returns the bytes of a file from its disk."""
    with open(path, "rb") as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return f.read()


def delete(path):
    """Deletes a file, and what is left of one whose writing a power cut interrupted. Returns whether it was there."""
    found = [name for name in (path, path + PART) if os.path.exists(name)]
    for name in found:
        os.unlink(name)
    if found:
        places.sync_folder(os.path.dirname(path))
    return bool(found)


def delete_folder(path):
    """Deletes a folder if it is empty. Returns whether it did."""
    if not os.path.isdir(path) or os.listdir(path) or os.path.ismount(path):
        return False
    os.rmdir(path)
    places.sync_folder(os.path.dirname(path))
    return True


def write(path, data):
    """Writes a file that is whole or, after a power cut, not there or as before; reads it back. Raises Failed."""
    def compare(part):
        if read_back(part.name) != data:
            raise Failed(f"{part.name}: the bytes that are read back differ from those that were written")

    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        places.replace(path, path + PART, data, compare)
    except OSError as e:
        raise Failed(f"{path}: cannot be written: {e.strerror or e}") from None
