"""A boot entry of UEFI: the variable Boot####, for a file on a partition of a GPT disk.

Source: UEFI 2.10, sections 3.1.3 (EFI_LOAD_OPTION), 3.3 (Boot####, BootOrder), 10.3.1 (nodes of a device path),
10.3.5.1 (hard drive), 10.3.5.4 (file path). Strings are UTF-16LE with a NUL.
"""
import collections
import struct
import uuid
import zlib

ACTIVE = 1  # an attribute of an entry: the firmware may start it
MEDIA, HARD_DRIVE, FILE_PATH = 4, 1, 4  # type and subtypes of nodes
END_OF_PATH = struct.pack("<BBH", 0x7F, 0xFF, 4)
GPT, BY_GUID = 2, 2  # format of the partition table, type of the signature


class Wrong(ValueError):
    """The bytes are not a boot entry; the message says why."""


class Partition(collections.namedtuple("Partition", "number start sectors guid")):
    """A partition of a GPT disk: its number, its first sector, its sectors, its GUID as the disk stores it."""

    def __str__(self):
        return f"HD({self.number},GPT,{uuid.UUID(bytes_le=self.guid)})"


class Entry(collections.namedtuple("Entry", "description path data attributes", defaults=(b"", ACTIVE))):
    """description: text; path: a device path with its end; data: the load options."""

    @property
    def partition(self):
        """Returns the Partition that the path names first, or None."""
        for kind, subtype, body in nodes(self.path):
            if (kind, subtype) == (MEDIA, HARD_DRIVE) and len(body) == 38 and body[36:] == bytes((GPT, BY_GUID)):
                return Partition(*struct.unpack("<IQQ16s", body[:36]))
        return None

    @property
    def file(self):
        """Returns the file that the path names, or an empty string."""
        for kind, subtype, body in nodes(self.path):
            if (kind, subtype) == (MEDIA, FILE_PATH):
                return text(body)
        return ""


def text(raw):
    """Returns the text of UTF-16LE bytes up to a NUL."""
    return raw[:len(raw) // 2 * 2].decode("utf-16-le", "replace").partition("\0")[0]


def wide(string):
    """Returns the bytes of a string with its NUL. Raises Wrong for characters that UCS-2 does not have."""
    if any(ord(c) > 0xFFFF for c in string):
        raise Wrong(f"{string!r}: a boot entry can only have characters up to U+FFFF")
    return (string + "\0").encode("utf-16-le")


def nodes(path):
    """Yields (type, subtype, body) of the nodes of a device path up to its end, or up to the first invalid one."""
    at = 0
    while at + 4 <= len(path):
        kind, subtype, length = struct.unpack_from("<BBH", path, at)
        if kind == 0x7F or length < 4 or at + length > len(path):
            return
        yield kind, subtype, path[at + 4:at + length]
        at += length


def node(kind, subtype, body):
    return struct.pack("<BBH", kind, subtype, 4 + len(body)) + body


def path_to(partition, file):
    """Returns the device path of a file, named as in "\\EFI\\a.efi", on a Partition."""
    drive = struct.pack("<IQQ16sBB", partition.number, partition.start, partition.sectors, partition.guid, GPT, BY_GUID)
    return node(MEDIA, HARD_DRIVE, drive) + node(MEDIA, FILE_PATH, wide(file)) + END_OF_PATH


def encode(entry):
    return struct.pack("<IH", entry.attributes, len(entry.path)) + wide(entry.description) + entry.path + entry.data


def decode(raw):
    """Returns the Entry in a variable's bytes; raises Wrong."""
    if len(raw) < 6:
        raise Wrong(f"it has {len(raw)} bytes; a boot entry has 8 or more")
    attributes, length = struct.unpack_from("<IH", raw)
    end = next((at for at in range(6, len(raw) - 1, 2) if raw[at:at + 2] == b"\0\0"), None)
    if end is None:
        raise Wrong("its description has no end")
    path = end + 2
    if path + length > len(raw):
        raise Wrong(f"its device path has {length} bytes, and {len(raw) - path} bytes are left in the variable")
    return Entry(text(raw[6:end]), raw[path:path + length], raw[path + length:], attributes)


def order(raw):
    """Returns the numbers in the bytes of BootOrder, BootNext or BootCurrent."""
    return list(struct.unpack(f"<{len(raw) // 2}H", raw[:len(raw) // 2 * 2]))


def order_bytes(numbers):
    return struct.pack(f"<{len(numbers)}H", *numbers)


def name_of(number):
    return f"Boot{number:04X}"


# --- the partition table --------------------------------------------------------------------------

ESP = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b").bytes_le  # UEFI 2.10, table 5.7: EFI system partition
XBOOTLDR = uuid.UUID("bc13c2ff-59e6-4262-a352-b275fd6f7172").bytes_le  # Boot Loader Specification: its extension
SIGNATURE = b"EFI PART"
MOST_ENTRIES = 1024


class NoPartition(ValueError):
    """The disk has no valid GPT, or not that partition; the message says why."""


def _header(disk, sector):
    """Returns the sector where the entries begin, their number, their size in bytes, and their CRC-32."""
    disk.seek(sector)
    raw = disk.read(92)
    if len(raw) < 92 or raw[:8] != SIGNATURE:
        raise NoPartition("it has no GPT")
    size, crc = struct.unpack_from("<II", raw, 12)
    if size != len(raw) or zlib.crc32(raw[:16] + bytes(4) + raw[20:]) != crc:
        raise NoPartition("the header of its GPT is damaged")
    return struct.unpack_from("<QIII", raw, 72)


def find(path, number, sector=512):
    """Returns (the GUID of its type as stored, Partition) of the partition with this number, from 1."""
    with open(path, "rb") as disk:
        at, count, size, crc = _header(disk, sector)
        if not (0 < count <= MOST_ENTRIES and 128 <= size <= 4096):
            raise NoPartition(f"its GPT has {count} entries of {size} bytes")
        disk.seek(at * sector)
        entries = disk.read(count * size)
    if len(entries) < count * size or zlib.crc32(entries) != crc:
        raise NoPartition("the entries of its GPT are damaged")
    if not 0 < number <= count:
        raise NoPartition(f"its GPT has no partition {number}")
    kind, guid, first, last = struct.unpack_from("<16s16sQQ", entries, (number - 1) * size)
    return kind, Partition(number, first, last - first + 1, guid)
