"""Disks to boot from: GPT images with one FAT partition, and loaders that start baretick."""

import os
import shutil
import struct
import uuid
import zlib
from pathlib import Path

from commands import output_of


MIB = 1 << 20
SECTOR = 512
PARTITION_AT = 2048  # sectors: 1 MiB, where every partitioning tool starts
HEADER_BYTES, TABLE_SECTORS = 92, 32  # of a GPT with 128 entries
ESP_TYPE = uuid.UUID("C12A7328-F81F-11D2-BA4B-00A0C93EC93B").bytes_le  # UEFI 2.10, table 5.7
DISK_GUID = uuid.UUID("B5B0F5A1-6D9C-4E0B-9C51-BA4E71C00003").bytes_le
PART_GUID = uuid.UUID("B5B0F5A1-6D9C-4E0B-9C51-BA4E71C00004").bytes_le
FAT32_MIB = 40  # smallest size of which mkfs.vfat makes a proper FAT32


def gpt(total, end, kind=ESP_TYPE, guid=PART_GUID):
    """Returns the begin and the end of a GPT (UEFI 2.10, 5.2.3 and 5.3) with one partition, an EFI system partition
    unless `kind` is another type, from PARTITION_AT to the sector `end`, on a disk of `total` sectors."""
    entry = struct.pack("<16s16sQQQ72s", kind, guid, PARTITION_AT, end, 0, b"")
    entries = entry.ljust(TABLE_SECTORS * SECTOR, b"\0")

    def header(own, other, table, crc=0):
        first, last = 2 + TABLE_SECTORS, total - 2 - TABLE_SECTORS
        raw = struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, HEADER_BYTES, crc, 0, own, other,
                          first, last, DISK_GUID, table, 128, 128, zlib.crc32(entries))
        return raw if crc else header(own, other, table, zlib.crc32(raw))

    whole = struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff" * 3, 1, total - 1)
    mbr = bytes(446) + whole.ljust(64, b"\0") + b"\x55\xaa"
    begin = mbr + header(1, total - 1, 2).ljust(SECTOR, b"\0") + entries
    return begin, entries + header(total - 1, 1, total - 1 - TABLE_SECTORS).ljust(SECTOR, b"\0")


def gpt_disk(path, files, mib=FAT32_MIB, guid=PART_GUID):
    """Makes a disk image at `path` with an EFI system partition of this GUID; files: {"EFI/BOOT/BOOTX64.EFI": bytes or Path}."""
    sectors = mib * MIB // SECTOR
    total = 2 * PARTITION_AT + sectors
    begin, end = gpt(total, PARTITION_AT + sectors - 1, guid=guid)
    with open(path, "wb") as disk:
        disk.write(begin)
        disk.seek(total * SECTOR - len(end))
        disk.write(end)
    at = PARTITION_AT * SECTOR
    output_of("mkfs.vfat", "-F", "32", "-h", str(PARTITION_AT), f"--offset={PARTITION_AT}", path, str(mib * 1024))
    volume = f"{path}@@{at}"
    folders, copies = [], {}
    for name, content in files.items():
        for folder in reversed(Path(name).parents[:-1]):
            if f"::/{folder}" not in folders:
                folders.append(f"::/{folder}")
        if not isinstance(content, Path):
            source = Path(f"{path}.file{len(copies)}")
            source.write_bytes(content)
            content = source
        copies[name] = content
    if folders:
        output_of("mmd", "-i", volume, *folders)
    for name, content in copies.items():
        output_of("mcopy", "-i", volume, content, f"::/{name}")
    return Path(path)


def grub_with(path, script, modules):
    """Makes a standalone GRUB for UEFI that runs a script, with these modules next to those for FAT on GPT."""
    config = Path(f"{path}.cfg")
    config.write_text(script)
    modules = f"normal part_gpt fat search search_fs_file {modules}"
    output_of(
        shutil.which("grub2-mkstandalone") or "grub-mkstandalone",  # Fedora's name first
        "-O", "x86_64-efi", "-o", path, f"--modules={modules}",
        f"--install-modules={modules}", "--fonts=", "--locales=", f"boot/grub/grub.cfg={config}",
    )  # fmt: skip
    return Path(path)


def find(what, *candidates):
    """Returns the first of these files that exists; the message lists what is missing, and where."""
    for candidate in candidates:
        if os.path.exists(candidate):
            return Path(candidate)
    raise FileNotFoundError(f"{what}: none of {', '.join(map(str, candidates))}")
