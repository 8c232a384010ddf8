"""Computes how many instructions lazy binding takes, from the names alone; runs nothing.

Walks the program's look-up in Python, by the definition of .gnu.hash. The result of each step determines which
conditional jumps of lazy.asm are taken, and the instructions on that path are counted in the disassembly of
lazy.asm.
"""

import re
import struct
import subprocess

from commands import output_of
import build

FOLDER = build.ROOT / "bench/suites/calls"
CALL, CALLEE = 1, 2  # ++*x and ret


def texts():
    """Returns {"imports", "program", "libm", "libc": [names]} of lazy.c."""
    found = re.findall(r'static const char (\w+)\[\] =\s*((?:"[^"]*"\s*)+);', (FOLDER / "lazy.c").read_text())
    return {name: "".join(re.findall(r'"([^"]*)"', text)).split() for name, text in found}


def wanted():
    """Returns the number of the slot that is called, and its symbol's name."""
    number = int(re.search(r"#define LAZY_CALLEE\s+(\d+)", (FOLDER / "lazy.h").read_text())[1])
    return number, texts()["imports"][number]


def gnu_hash(name):
    h = 5381
    for c in name.encode():
        h = (h * 33 + c) % 2**32
    return h


def search(section, hash_):
    """Returns the decisions of a look-up in one object (True for a jump that is taken), and whether the name is there."""
    buckets, first, words, shift = struct.unpack_from("<4I", section)
    word, = struct.unpack_from("<Q", section, 16 + 8 * (hash_ // 64 % words))
    at = 16 + 8 * words
    for bit in (hash_ % 64, (hash_ >> shift) % 64):
        if not word >> bit & 1:
            yield "jnc", True  # to the next object
            return False
        yield "jnc", False
    symbol, = struct.unpack_from("<I", section, at + 4 * (hash_ % buckets))
    yield "jz", symbol == 0
    while symbol:
        chain, = struct.unpack_from("<I", section, at + 4 * (buckets + symbol - first))
        yield "jbe", chain | 1 == hash_ | 1
        if chain | 1 == hash_ | 1:
            return True
        yield "jz", not chain & 1
        if chain & 1:
            break
        symbol += 1
    return False


def decisions(name, sections):
    """Yields the decisions of the whole look-up, in order. No two names of one object have the same hash."""
    yield "jz", False  # the name has a first character
    for i in range(len(name)):
        yield "jnz", i + 1 < len(name)
    for section in sections:
        if (yield from search(section, gnu_hash(name))):
            for i in range(len(name) + 1):
                yield "jne", False
                yield "jnz", i < len(name)
            return
        yield "jnz", True  # there is another object
    raise AssertionError(f"no object has {name}")


# objdump's names of the same jumps.
ALIKE = {"jnc": "jae", "jz": "je", "jnz": "jne"}


def disassembled(made):
    """Returns [[mnemonic, target or None]], {label: index}, for all sections in order."""
    lines, labels = [], {}
    for line in output_of("objdump", "-d", "-r", "--no-show-raw-insn", made).splitlines():
        if label := re.fullmatch(r"[0-9a-f]+ <(.+)>:", line):
            labels[label[1]] = len(lines)
        elif relocation := re.match(r"\s+[0-9a-f]+: R_X86_64_P\w+\s+(\S+?)(?:-0x4)?$", line):
            lines[-1][1] = relocation[1].removeprefix(".text.")
        elif code := re.match(r"\s+[0-9a-f]+:\s+(\w+)\s*(?:.*<(.+)>)?", line):
            lines.append([code[1], code[2]])
    return lines, labels


def walk(lines, labels, start, decide):
    """Returns the number of instructions from a label to the return, or to a jump through memory or a register,
    inclusive."""
    count, at = 0, labels[start]
    while True:
        what, target = lines[at]
        count += 1
        at += 1
        if what == "ret" or (what == "jmp" and target not in labels):
            return count
        if what == "jmp":
            at = labels[target]
        elif what == "call":
            count += walk(lines, labels, target, decide)
        elif what.startswith("j"):
            jump, taken = next(decide)
            assert ALIKE.get(jump, jump) == what, (jump, what, target)
            if taken:
                at = labels[target]


def hash_sections(tmp_path):
    """Returns the hash sections of the three objects, in search order, made by lib/object."""
    hasher = tmp_path / "gnu_hash"
    output_of("gcc", "-I", build.ROOT, build.ROOT / "tests/hosted/tools/gnu_hash.c",
         build.ROOT / "lib/object/gnu_hash.c", "-o", hasher)  # fmt: skip
    return [subprocess.run([hasher, *texts()[exports]], stdout=subprocess.PIPE, check=True, timeout=300).stdout
            for exports in ("program", "libm", "libc")]  # fmt: skip


def instructions(tmp_path):
    """Returns the instructions of one call by calls_lazy_plt, including the call and the function."""
    made = tmp_path / "lazy.o"
    output_of("nasm", "-f", "elf64", "-I", f"{build.ROOT}/", FOLDER / "lazy.asm", "-o", made)
    sections = hash_sections(tmp_path)
    lines, labels = disassembled(made)
    number, name = wanted()
    decide = decisions(name, sections)
    ways = ("calls_lazy_plt", f"unbound_{number}", "calls_lazy_resolve")
    count = sum(walk(lines, labels, way, decide) for way in ways)
    assert next(decide, None) is None, "the path ended before the look-up"
    return CALL + count + CALLEE
