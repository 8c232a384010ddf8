"""Disks to boot from: GPT images with one FAT partition, and the loaders that may stand before baretick."""

import os
import shutil
import subprocess
from pathlib import Path

MIB = 1 << 20
PARTITION_AT = 2048  # sectors: 1 MiB, where every partitioning tool starts
FAT32_MIB = 40  # the least that mkfs.vfat makes a proper FAT32 of


def tool(*command):
    """Runs a command that must succeed; its output is the failure's message."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.stdout}"
    return done.stdout


def gpt_disk(path, files, mib=FAT32_MIB):
    """A disk image at `path` with an EFI system partition; files: {"EFI/BOOT/BOOTX64.EFI": bytes or Path}."""
    fat = Path(f"{path}.fat")
    fat.unlink(missing_ok=True)
    tool("mkfs.vfat", "-F", "32", "-C", fat, str(mib * 1024))
    made = set()
    for name, content in files.items():
        for folder in reversed(Path(name).parents[:-1]):
            if folder not in made:
                tool("mmd", "-i", fat, f"::/{folder}")
                made.add(folder)
        if not isinstance(content, Path):
            source = Path(f"{path}.file")
            source.write_bytes(content)
            content = source
        tool("mcopy", "-i", fat, content, f"::/{name}")
    with open(path, "wb") as disk:
        disk.truncate((mib + 2) * MIB)
    end = PARTITION_AT + mib * MIB // 512 - 1
    tool("sgdisk", "--clear", f"--new=1:{PARTITION_AT}:{end}", "--typecode=1:ef00", path)
    with open(path, "r+b") as disk:
        disk.seek(PARTITION_AT * 512)
        disk.write(fat.read_bytes())
    fat.unlink()
    Path(f"{path}.file").unlink(missing_ok=True)
    return Path(path)


def grub(path, arguments):
    """A standalone GRUB for UEFI whose only act is to chainload /baretick.efi with these arguments."""
    config = Path(f"{path}.cfg")
    config.write_text(
        "search --no-floppy --file --set=root /baretick.efi\n"
        f"chainloader /baretick.efi {arguments}\nboot\n"
    )
    modules = "normal part_gpt fat chain search search_fs_file"
    tool(
        shutil.which("grub2-mkstandalone") or "grub-mkstandalone",  # Fedora's name first
        "-O", "x86_64-efi", "-o", path, f"--modules={modules}",
        f"--install-modules={modules}", "--fonts=", "--locales=", f"boot/grub/grub.cfg={config}",
    )  # fmt: skip
    return Path(path)


def find(what, *candidates):
    """The first of these files that exists; the message says what was looked for, and where."""
    for candidate in candidates:
        if os.path.exists(candidate):
            return Path(candidate)
    raise FileNotFoundError(f"{what}: none of {', '.join(map(str, candidates))}")
