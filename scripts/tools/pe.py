"""A PE image as firmware loads it: reads and changes its fields, and checks that it is a program.

scripts/build/pe_check checks any file with it; scripts/build/pe_finish makes more checks of our image.

Offsets: Microsoft PE/COFF specification, "COFF File Header", "Optional Header", "Section Table".
"""
import struct

MACHINE_X86_64 = 0x8664
MAGIC_PE32_PLUS = 0x20B
SUBSYSTEM_EFI_APPLICATION = 10
DIRECTORIES = 112        # where the data directories begin in a PE32+ optional header
CERTIFICATES = 4         # the directory whose location is a file offset, not an address
SECTION_BYTES = 40


class Wrong(Exception):
    """The image is wrong; the message says what is wrong and what is allowed."""


class Image:
    """An image whose headers are completely inside the file; raises Wrong otherwise."""

    def __init__(self, raw):
        self.raw = bytearray(raw)
        self.must("is empty: no PE image", self.raw)
        self.must("is not a PE image: it does not begin with MZ", self.raw[:2] == b"MZ")
        self.pe = self.u32(0x3C)
        self.must(f"is not a PE image: no PE signature at {self.pe:#x}, where its header says",
                  self.raw[self.pe:self.pe + 4] == b"PE\0\0")
        self.coff = self.pe + 4
        self.opt = self.coff + 20
        header = self.u16(self.coff + 16)
        self.must(f"has an optional header of {header} bytes: {DIRECTORIES} or more are allowed",
                  header >= DIRECTORIES)
        self.table = self.opt + header
        end = self.table + SECTION_BYTES * self.u16(self.coff + 2)
        self.must(f"is cut: its headers end at {end:#x}, the file at {len(self.raw):#x}",
                  end <= len(self.raw))

    def must(self, what, is_so):
        if not is_so:
            raise Wrong(what)

    def _read(self, form, at):
        size = struct.calcsize(form)
        self.must(f"is cut: {size} bytes at {at:#x} are needed, the file ends at "
                  f"{len(self.raw):#x}", at + size <= len(self.raw))
        return struct.unpack_from(form, self.raw, at)[0]

    def u16(self, at):
        return self._read("<H", at)

    def u32(self, at):
        return self._read("<I", at)

    def put16(self, at, value):
        struct.pack_into("<H", self.raw, at, value)

    def put32(self, at, value):
        struct.pack_into("<I", self.raw, at, value)

    def sections(self):
        """Yields (offset of the header, name, size in memory, address, bytes in file, position in file)."""
        for i in range(self.u16(self.coff + 2)):
            at = self.table + SECTION_BYTES * i
            name = self.raw[at:at + 8].rstrip(b"\0").decode("ascii", "replace")
            yield (at, name, *struct.unpack_from("<4I", self.raw, at + 8))

    def directory(self, number):
        """Returns (address, size) of a data directory; (0, 0) if the header has fewer."""
        if number >= self.u32(self.opt + DIRECTORIES - 4):
            return 0, 0
        at = self.opt + DIRECTORIES + 8 * number
        return self.u32(at), self.u32(at + 4)

    def checksum(self):
        """Returns the sum of all 16-bit words except the checksum field, carries added, plus the file's length."""
        raw = bytearray(self.raw) + b"\0" * (len(self.raw) % 2)
        struct.pack_into("<I", raw, self.opt + 64, 0)
        total = sum(struct.unpack("<%dH" % (len(raw) // 2), raw))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        return total + len(self.raw)


def check_program(image):
    """Raises Wrong unless it is a complete EFI application for x86-64 with the checksum that it states."""
    must = image.must
    machine, magic = image.u16(image.coff), image.u16(image.opt)
    must(f"machine is {machine:#x}, not x86-64: {MACHINE_X86_64:#x} is allowed",
         machine == MACHINE_X86_64)
    must(f"is not PE32+: its magic is {magic:#x}, {MAGIC_PE32_PLUS:#x} is allowed",
         magic == MAGIC_PE32_PLUS)
    subsystem = image.u16(image.opt + 68)
    must(f"subsystem is {subsystem}: {SUBSYSTEM_EFI_APPLICATION}, an EFI application, is allowed",
         subsystem == SUBSYSTEM_EFI_APPLICATION)
    sections = list(image.sections())
    must("has no section: at least one is needed", sections)
    length = len(image.raw)
    for _, name, _, _, stored, place in sections:
        must(f"section {name} leaves the file: its {stored} bytes at {place:#x} end at "
             f"{place + stored:#x}, the file at {length:#x}", place + stored <= length)
    place, size = image.directory(CERTIFICATES)
    must(f"its signature leaves the file: {size} bytes at {place:#x} end at {place + size:#x}, "
         f"the file at {length:#x}", place + size <= length)
    stated, is_now = image.u32(image.opt + 64), image.checksum()
    must(f"checksum is {stated:#x}, its bytes give {is_now:#x}: it was changed or cut after it was made",
         stated == is_now)


def read_program(path):
    """Returns the image in this file; raises Wrong, or OSError, if it is not a program."""
    with open(path, "rb") as f:
        image = Image(f.read())
    check_program(image)
    return image
