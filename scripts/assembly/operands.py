"""Operands of one instruction, and the same instruction with other operands, by Zydis: hosted/tools/operands.c."""
import json
import os
import re
import subprocess
from dataclasses import dataclass, field

from assembly.snippet import Wrong
from launch import start
from tools import places

PROGRAM = places.built("hosted/operands")
SECONDS = 20  # it takes milliseconds

# General registers by their number: names of 64, 32, 16 and 8 bits.
_GENERAL = [["rax", "eax", "ax", "al"], ["rcx", "ecx", "cx", "cl"], ["rdx", "edx", "dx", "dl"],
            ["rbx", "ebx", "bx", "bl"], ["rsp", "esp", "sp", "spl"], ["rbp", "ebp", "bp", "bpl"],
            ["rsi", "esi", "si", "sil"], ["rdi", "edi", "di", "dil"]] + [
                [f"r{i}", f"r{i}d", f"r{i}w", f"r{i}b"] for i in range(8, 16)]
_BY_WHOLE = {names[0]: names for names in _GENERAL}
_HIGH = {"rax": "ah", "rcx": "ch", "rdx": "dh", "rbx": "bh"}


def kind_of(whole):
    """Returns the kind of a register, by its largest name. Registers of one kind can replace each other."""
    if whole in _BY_WHOLE:
        return "general"
    return {"zmm": "vector", "k": "mask", "mm": "MMX", "st": "x87", "tmm": "tile"}.get(whole.rstrip("0123456789"), "")


def named_like(whole, name):
    """Returns the name of register `whole` at the width of `name`, a register of its kind, or None."""
    if kind_of(whole) != "general":
        return name.rstrip("0123456789") + whole.lstrip("abcdefghijklmnopqrstuvwxyz")
    if name in _HIGH.values():
        return _HIGH.get(whole)
    width = next((names.index(name) for names in _GENERAL if name in names), None)
    return None if width is None else _BY_WHOLE[whole][width]


@dataclass
class Operand:
    """One operand; `number` is its position. An address that is not accessed, such as LEA's, has the kind "address"."""
    number: int
    kind: str                   # register, memory, address, number
    visibility: str             # explicit, implicit (fixed, and written in the text), hidden
    reads: bool
    writes: bool
    may_write: bool             # or keeps its value
    bits: int
    elements: int
    mask: bool                  # of AVX-512
    register: str = ""
    whole: str = ""
    base: str = ""
    index: str = ""
    segment: str = ""
    scale: int = 0
    disp: int = 0
    vectors: bool = False       # the index is a vector

    @property
    def visible(self):
        return self.visibility != "hidden"

    @property
    def no_mask(self):
        """Tests whether this is k0 in the position of an AVX-512 mask, which means no mask."""
        return self.mask and self.whole == "k0"

    def address(self):
        """Returns the registers of its address."""
        return [r for r in (whole_of(self.base), whole_of(self.index)) if r]

    def in_memory(self):
        """Returns its address in NASM's syntax, for messages."""
        sum_ = "+".join([*filter(None, [self.base, self.index and f"{self.index}*{self.scale}"])])
        return f"[{sum_}{self.disp:+d}]" if self.disp else f"[{sum_}]"


def whole_of(name):
    """Returns the largest register that contains this one, or "" for other registers."""
    for names in _GENERAL:
        if name in names:
            return names[0]
    match = re.fullmatch(r"[xyz]mm(\d+)", name)
    return f"zmm{match[1]}" if match else ""


@dataclass
class Instruction:
    code: bytes
    text: str
    mnemonic: str
    category: str
    encoding: str
    extension: str              # of the instruction set, by Zydis: AVX512_FP16_512
    repeats: bool
    jumps: bool
    privileged: bool
    reads_flags: list = field(default_factory=list)
    writes_flags: list = field(default_factory=list)
    operands: list = field(default_factory=list)


def _run(*words):
    if not os.path.isfile(PROGRAM):
        raise start.Failed(
            "--latency and --throughput need Zydis, a library that decodes instructions:\n"
            + places.get(f"{places.SETUP_TEST} (libzydis-dev, zydis-devel or zydis), `make hosted` builds "
                         f"{os.path.relpath(PROGRAM)}", "baretick-zydis"))
    try:
        return subprocess.run([PROGRAM, *words], capture_output=True, encoding="utf-8", errors="backslashreplace", check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise start.Failed(f"{PROGRAM} did not end within {SECONDS} s") from None


def _pointers(category, operands):
    """Returns operands for RSI and RDI of a string instruction, which moves them. Zydis omits them for CMPS, SCAS, INS
    and OUTS."""
    if not category.endswith("STRINGOP"):
        return []
    moved = [o.base for o in operands if o.kind == "memory" and not any(r.whole == o.base for r in operands if r.writes)]
    return [Operand(number=len(operands) + i, kind="register", visibility="hidden", reads=True, writes=True, may_write=False,
                    bits=64, elements=1, mask=False, register=base, whole=base) for i, base in enumerate(moved)]


# Zydis 4.1 reports that these read their destination, because they keep a part of it; 4.0 does not. Neither does for
# CVTSI2SD.
_MERGES = re.compile(r"(r?sqrt|rcp|round)s[sd]")


def describe(code, what_it_is="the machine code"):
    """Returns the one instruction that these bytes encode. Raises Wrong if they encode no instruction, or several."""
    ran = _run("describe", code.hex())
    if ran.returncode == 1:
        raise Wrong(f"{what_it_is}: {code.hex(' ')} is not one instruction that Zydis knows")
    if ran.returncode:
        raise start.Failed(f"{PROGRAM}: {ran.stderr.strip() or f'status {ran.returncode}'}")
    try:
        said = json.loads(ran.stdout)
        operands = [Operand(number=i, **o) for i, o in enumerate(said.pop("operands"))]
        if said["encoding"] == "legacy" and _MERGES.fullmatch(said["mnemonic"]):
            operands[0].reads = False
        return Instruction(code=code, operands=[*operands, *_pointers(said["category"], operands)], **said)
    except (ValueError, KeyError, TypeError) as e:
        raise start.Failed(f"{os.path.relpath(PROGRAM)} and the scripts are not of one version: run `make hosted` ({e})") from None


def rewrite(one, changes):
    """Returns [(bytes, text), or None if there is no such instruction]: the instruction with each of `changes`, which
    are dictionaries like {"0": "rax", "1.disp": 8}."""
    if not changes:
        return []
    ran = _run("rewrite", one.code.hex(), *(",".join(f"{k}={v}" for k, v in c.items()) for c in changes))
    if ran.returncode:
        raise start.Failed(f"{PROGRAM}: {ran.stderr.strip() or f'status {ran.returncode}'}")
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    return [None if "wrong" in s else (bytes.fromhex(s["bytes"]), s["text"]) for s in said]
