"""Finds a partition in the GPT of a disk, or of a file that is one. Source: UEFI 2.10, sections 5.3.2 and 5.3.3."""
import struct
import uuid
import zlib

from once.entry import Partition

ESP = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b").bytes_le  # UEFI 2.10, table 5.7: EFI system partition
XBOOTLDR = uuid.UUID("bc13c2ff-59e6-4262-a352-b275fd6f7172").bytes_le  # Boot Loader Specification: its extension
SIGNATURE = b"EFI PART"
MOST_ENTRIES = 1024


class Wrong(ValueError):
    """The disk has no valid GPT, or not that partition; the message says why."""


def _header(disk, sector):
    """Returns the sector where the entries begin, their number, their size in bytes, and their CRC-32."""
    disk.seek(sector)
    raw = disk.read(92)
    if len(raw) < 92 or raw[:8] != SIGNATURE:
        raise Wrong("it has no GPT")
    size, crc = struct.unpack_from("<II", raw, 12)
    if size != len(raw) or zlib.crc32(raw[:16] + bytes(4) + raw[20:]) != crc:
        raise Wrong("the header of its GPT is damaged")
    return struct.unpack_from("<QIII", raw, 72)


def find(path, number, sector=512):
    """Returns (the GUID of its type as stored, Partition) of the partition with this number, from 1."""
    with open(path, "rb") as disk:
        at, count, size, crc = _header(disk, sector)
        if not (0 < count <= MOST_ENTRIES and 128 <= size <= 4096):
            raise Wrong(f"its GPT has {count} entries of {size} bytes")
        disk.seek(at * sector)
        entries = disk.read(count * size)
    if len(entries) < count * size or zlib.crc32(entries) != crc:
        raise Wrong("the entries of its GPT are damaged")
    if not 0 < number <= count:
        raise Wrong(f"its GPT has no partition {number}")
    kind, guid, first, last = struct.unpack_from("<16s16sQQ", entries, (number - 1) * size)
    return kind, Partition(number, first, last - first + 1, guid)
