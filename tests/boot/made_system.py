"""A folder with the files of a Linux that UEFI has started: what `baretick once` reads and changes."""

import struct
from pathlib import Path

import media
from once import entry, system, variables

SECTORS = 2 * 2048
GIB = 1 << 30
LINUX = 1  # the number of the entry that has started it


class Made(system.System):
    """A System in a folder. Its disk /dev/sda has one ESP, mounted at /boot/efi."""

    space = GIB  # bytes that are free on each volume
    hosted = "/nonexistent"  # so that a test can give wrong words to the bootable program

    def __init__(self, root):
        super().__init__(str(root))
        self.reboots = 0
        self.write("proc/sys/kernel/random/boot_id", "first\n")
        self.write("proc/self/mountinfo", "22 1 0:20 / /proc rw,nosuid shared:5 - proc proc rw\n")
        Path(self.variables.folder).mkdir(parents=True)
        self.mount("0:30", system.EFIVARS, "efivarfs")
        self.disk("sda", "8:1", "/boot/efi")
        self.variables.set("BootOrder", entry.order_bytes([LINUX, 0]))
        self.variables.set("BootCurrent", entry.order_bytes([LINUX]), attributes=6)
        self.add_entry(LINUX, "debian", self.esp(), "\\EFI\\debian\\shimx64.efi")
        self.add_entry(0, "Windows Boot Manager", self.esp(), "\\EFI\\Microsoft\\Boot\\bootmgfw.efi", b"WINDOWS\0")

    def write(self, name, content):
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def mount(self, device, where, kind, options="rw,relatime", root="/"):
        with open(self.path("/proc/self/mountinfo"), "a", encoding="utf-8") as f:
            f.write(f"40 22 {device} {root} {where} {options} shared:9 - {kind} none rw\n")

    def disk(self, name, device, where, kind=media.ESP_TYPE, guid=media.PART_GUID, file_system="vfat", **how):
        """Adds a disk with a GPT and one partition, which is mounted."""
        total = SECTORS + 2 * media.PARTITION_AT
        begin, _ = media.gpt(total, media.PARTITION_AT + SECTORS - 1, kind, guid)
        self.write(f"dev/{name}", begin)
        place = f"sys/devices/pci0/block/{name}"
        self.write(f"{place}/queue/logical_block_size", "512\n")
        self.write(f"{place}/{name}1/partition", "1\n")
        link = Path(self.path(f"sys/dev/block/{device}"))
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(self.path(f"{place}/{name}1"))
        Path(self.path(where)).mkdir(parents=True, exist_ok=True)
        self.mount(device, where, file_system, **how)

    @staticmethod
    def esp(guid=media.PART_GUID):
        return entry.Partition(1, media.PARTITION_AT, SECTORS, guid)

    def add_entry(self, number, description, partition, file, data=b""):
        raw = entry.encode(entry.Entry(description, entry.path_to(partition, file), data))
        self.variables.set(entry.name_of(number), raw)

    def entries(self):
        """Returns {number: Entry}."""
        return {n: entry.decode(self.variables.get(entry.name_of(n))) for n in self.variables.boot_numbers()}

    def content(self):
        """Returns {name: bytes} of all files that `once` may change."""
        top = Path(self.root)
        return {str(p.relative_to(top)): p.read_bytes() for p in sorted(top.rglob("*"))
                if p.is_file() and not p.is_symlink()}

    def free(self, mount):
        return self.space

    def reboot(self):
        self.reboots += 1


class FirmwareWithout(variables.Variables):
    """Variables of a firmware that has no space for one of them."""

    def __init__(self, folder, refused):
        super().__init__(folder)
        self.refused = refused

    def set(self, name, value, *how, **more):
        if name == self.refused:
            raise variables.Failed(f"variable {name}: cannot be written: the firmware has no space left for variables")
        super().set(name, value, *how, **more)


def program(signature=b""):
    """Returns the smallest image that is a program for scripts/tools/pe.py, with these bytes as its signature."""
    from tools import pe  # after conftest.py has set the path

    raw = bytearray(0x400)
    raw[:2], raw[0x80:0x84] = b"MZ", b"PE\0\0"
    struct.pack_into("<I", raw, 0x3C, 0x80)
    struct.pack_into("<HHIIIHH", raw, 0x84, pe.MACHINE_X86_64, 1, 0, 0, 0, 0xF0, 0x22)
    opt = 0x98
    struct.pack_into("<H", raw, opt, pe.MAGIC_PE32_PLUS)
    struct.pack_into("<H", raw, opt + 68, pe.SUBSYSTEM_EFI_APPLICATION)
    struct.pack_into("<I", raw, opt + pe.DIRECTORIES - 4, 16)
    if signature:
        struct.pack_into("<II", raw, opt + pe.DIRECTORIES + 8 * pe.CERTIFICATES, len(raw), len(signature))
        raw += signature
    struct.pack_into("<8sIIII", raw, opt + 0xF0, b".text", 16, 0x1000, 0x200, 0x200)
    struct.pack_into("<I", raw, opt + 64, pe.Image(raw).checksum())
    return bytes(raw)
