"""Snippets of assembly as rows of an object: Intel syntax, `;` parts instructions.

Each snippet becomes a body with twice as many copies of it as its empty twin (or some against none),
so that what is left of the two windows' difference is the copies and nothing else. This is what
nanoBench (Abel and Reineke, ISPASS 2020) does, and its registers are kept: R14, RDI, RSI, RSP and RBP
point into the middle of areas of 1 MiB each; R15 counts the loop's turns where there is a loop; all
others are the snippet's.
"""
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

AREA = 1 << 20
AREAS = ["r14", "rdi", "rsi", "rsp", "rbp"]
OPS_MOST = 1_000_000    # bench/objects/object_rows.h
NAME_MOST, WHAT_MOST = 40, 100
NAMED_COPIES = 2000     # more would make an object larger than what is taken


class Wrong(Exception):
    """What a person gave cannot be done; the message says what is allowed."""


@dataclass
class Snippet:
    """One row: what is measured, and how many copies of it."""
    text: str
    where: str = "the snippet"  # for messages
    name: str = ""
    init: str = ""
    late_init: str = ""
    unroll: int = 100
    loop: int = 0
    basic: bool = False
    raw: bytes = b""            # in place of text
    copies: list = field(default_factory=list)  # of one round each, where they differ
    notes: list = field(default_factory=list)   # what was added to it, in words

    @property
    def ops(self):
        return self.unroll * max(1, self.loop)

    def copy(self, k):
        """The k-th copy, in lines."""
        if self.raw:
            return ["db " + ", ".join(f"0x{byte:02x}" for byte in self.raw)]
        return instructions(self.copies[k % len(self.copies)] if self.copies else self.text)


def instructions(text):
    return [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]


def row_name(text):
    """A name for a row, of what a row's name can be made of."""
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:NAME_MOST] or "snippet"


def what(snippet):
    text = snippet.text.strip() or snippet.raw.hex(" ")
    text = " ".join(re.sub(r"[^ -~]", "?", text).split())
    return text if len(text) <= WHAT_MOST else text[:WHAT_MOST - 3] + "..."


def check(snippet):
    if not instructions(snippet.text) and not snippet.raw:
        raise Wrong(f"{snippet.where} is empty; instructions in Intel syntax are asked for, parted by ;")
    if not 1 <= snippet.unroll <= OPS_MOST or not 0 <= snippet.loop <= OPS_MOST:
        raise Wrong(f"--unroll takes 1 to {OPS_MOST}, --loop 0 to {OPS_MOST}")
    if snippet.ops > OPS_MOST:
        raise Wrong(f"--unroll {snippet.unroll} times --loop {snippet.loop} is more than {OPS_MOST}")


def named(snippets):
    """Gives each a name of its own."""
    taken = set()
    for s in snippets:
        base = name = s.name or row_name(s.text or s.raw.hex())
        number = 2
        while name in taken:
            name = f"{base[:NAME_MOST - 4]}_{number}"
            number += 1
        s.name = name
        taken.add(name)


# --- NASM ------------------------------------------------------------------------------------------

def _body(snippet, label, copies, name):
    """A function int (uint64_t n, struct baretick_object *o) with so many copies."""
    lines = [f"section .text.{label} progbits alloc exec nowrite align=64", f"{label}:"]
    lines += [f"push {register}" for register in ("rbx", "rbp", "r12", "r13", "r14", "r15")]
    lines += ["mov [rel saved], rsp", "mov rax, [rsi + 8]"]
    lines += [f"lea {register}, [rax + {i * AREA + AREA // 2}]" for i, register in enumerate(AREAS)]
    lines += [f"xor {r}, {r}" for r in ("eax", "ebx", "ecx", "edx", "r8d", "r9d", "r10d", "r11d",
                                        "r12d", "r13d", "r15d")]
    lines += [f"pxor xmm{i}, xmm{i}" for i in range(16)]
    lines += instructions(snippet.init)
    if snippet.loop:
        lines += [f"mov r15, {snippet.loop}", *instructions(snippet.late_init), "align 64", f"{label}.turn:"]
    else:
        lines += instructions(snippet.late_init)
    for k in range(copies):
        if copies <= NAMED_COPIES:  # for messages about faults
            lines.append(f"{name}.copy_{k + 1}:")
        lines += snippet.copy(k)
    if snippet.loop:
        lines += ["dec r15", f"jnz near {label}.turn"]
    lines += ["cld", "mov rsp, [rel saved]"]
    lines += [f"pop {register}" for register in ("r15", "r14", "r13", "r12", "rbp", "rbx")]
    return lines + ["xor eax, eax", "ret"]


def _quoted(text):
    return "`" + text.replace("\\", "\\\\").replace("`", "\\`") + "`"


def source(snippets, include):
    """The NASM source of an object with a row for each; `include`: the folder of baretick.inc."""
    lines = ["bits 64", f"%include {_quoted(os.path.join(include, 'baretick.inc'))}",
             "section .bss", "align 8", "saved: resq 1"]
    for i, s in enumerate(snippets):
        fewer = 0 if s.basic else s.unroll
        lines += _body(s, f"copies_{i}", fewer + s.unroll, f"asm.{s.name}")
        lines += _body(s, f"fewer_{i}", fewer, f"asm.{s.name}.fewer")
        lines += [f"BARETICK_ROW asm, {s.name}, {_quoted(what(s))}, copies_{i}, empty, fewer_{i}, "
                  f"ops, {s.ops}, grain, {s.ops}, most_ops, {s.ops}, room, {len(AREAS) * AREA}, "
                  "flags, BARETICK_NOT_DOUBLED"]
    lines += ["section .note.GNU-stack noalloc noexec nowrite progbits"]
    return "\n".join(lines) + "\n"


def _nasm(text, nasm, out=None):
    """NASM removes what it was to write where it fails: never a device, nor a person's file."""
    with tempfile.TemporaryDirectory(prefix="baretick-nasm-") as folder:
        asm, made = (os.path.join(folder, name) for name in ("snippet.asm", "snippet.o"))
        with open(asm, "w", encoding="utf-8") as f:
            f.write(text)
        try:
            # A word that is no instruction would be a label, and measure nothing.
            ran = subprocess.run([nasm, "-f", "elf64", "-w+error=label-orphan", "-o", made, asm],
                                 capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise Wrong(f"{nasm} is not installed; ./scripts/setup installs it") from None
        if out and ran.returncode == 0:
            shutil.copyfile(made, out)
        return ran


def _said(run):
    """NASM's messages: (line, text)."""
    found = re.findall(r"^[^:\n]*:(\d+): (?:error: )?(.*)$", run.stderr, re.MULTILINE)
    return [(int(number), text) for number, text in found]


def _try(lines, what_it_is, nasm):
    """Assembles a few lines alone, so that what is wrong with them is told of them."""
    run = _nasm("bits 64\ndefault rel\n" + "\n".join(lines) + "\n", nasm)
    if run.returncode == 0:
        return
    problems = [f'{what_it_is}: "{lines[number - 3]}": {text}' for number, text in _said(run)
                if 0 <= number - 3 < len(lines)]
    raise Wrong("\n".join(problems) or f"{what_it_is}: NASM says: {run.stderr.strip()}")


def assemble(snippets, path, include, nasm="nasm"):
    """Writes the object. Raises Wrong with NASM's message and the snippet's own line."""
    for s in snippets:
        check(s)
        _try(instructions(s.init), f"{s.where}, --init", nasm)
        _try(instructions(s.late_init), f"{s.where}, --late-init", nasm)
        if not s.raw:
            _try(instructions(s.text), s.where, nasm)
    named(snippets)
    run = _nasm(source(snippets, include), nasm, path)
    if run.returncode:
        # What stands well alone and not twice is a label.
        texts = {text for _, text in _said(run)}
        raise Wrong("NASM: " + "\n".join(sorted(texts)) + "; each copy of a snippet stands in one "
                    "function: a label in it is there more than once, jump by $+N")


# --- what a snippet waits for ----------------------------------------------------------------------

# Registers by their number: names of 64, 32, 16 and 8 bits.
_GPR = [["rax", "eax", "ax", "al"], ["rcx", "ecx", "cx", "cl"], ["rdx", "edx", "dx", "dl"],
        ["rbx", "ebx", "bx", "bl"]] + [[f"r{i}", f"r{i}d", f"r{i}w", f"r{i}b"] for i in range(8, 14)]
_AREA_GPR = [["r14", "r14d", "r14w", "r14b"], ["rdi", "edi", "di", "dil"],
             ["rsi", "esi", "si", "sil"], ["rbp", "ebp", "bp", "bpl"], ["rsp", "esp", "sp", "spl"],
             ["r15", "r15d", "r15w", "r15b"]]
_VECTOR = [[f"{kind}{i}" for kind in ("xmm", "ymm", "zmm")] for i in range(16)]
_PLACE = {name: (kind, names, width)
          for kind, table in (("gpr", _GPR + _AREA_GPR), ("vector", _VECTOR))
          for names in table for width, name in enumerate(names)}
_WORD = re.compile(r"[A-Za-z_.$?][\w.$?]*")

# Instructions that write their first operand and do not read it, beside all with three operands and
# those of AVX (SDM vol. 2: operand encodings with ModRM:reg (w)).
_WRITES_ONLY = {
    "lea", "popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "blsi", "blsr", "blsmsk", "pop", "movbe",
    "sqrtps", "sqrtpd", "rcpps", "rsqrtps", "pshufd", "pshuflw", "pshufhw", "pabsb", "pabsw", "pabsd",
    "lddqu", "pmovmskb", "movmskps", "movmskpd", "roundps", "roundpd", "phminposuw", "aesimc",
}
_FLAGS_ONLY = {"cmp", "test", "bt", "comiss", "comisd", "ucomiss", "ucomisd", "ptest"}
# Registers that stand in no operand.
_FIXED = {"mul", "div", "idiv", "cpuid", "rdtsc", "rdtscp", "rdmsr", "wrmsr", "rdpmc", "xgetbv", "cdq",
          "cqo", "cdqe", "cwde", "cbw", "cwd", "lahf", "sahf", "xlat", "xlatb", "cmpxchg8b", "cmpxchg16b",
          "mulx", "push", "pop", "call", "ret", "leave", "pushf", "popf", "pushfq", "popfq"}


@dataclass
class _Parts:
    mnemonic: str
    operands: list

    def registers(self, i):
        return [w for w in _WORD.findall(self.operands[i]) if w.lower() in _PLACE]

    def is_register(self, i):
        return self.operands[i].lower() in _PLACE

    def writes_only(self):
        m = self.mnemonic
        return (m in _WRITES_ONLY or m.startswith(("mov", "cvt", "pmov")) or len(self.operands) > 2
                and m not in ("shld", "shrd", "pinsrb", "pinsrw", "pinsrd", "pinsrq") or m.startswith("v"))


def _parts(snippet, wish):
    given = instructions(snippet.text)
    if snippet.raw or len(given) != 1:
        raise Wrong(f"{wish} takes one instruction: write the registers of several yourself")
    match = re.fullmatch(r"(?:(?:lock|rep|repe|repne|repz|repnz)\s+)?([a-z]\w*)\s*(.*)", given[0],
                         re.IGNORECASE)
    if not match:
        raise Wrong(f'{wish}: "{given[0]}" is no instruction')
    operands = [part.strip() for part in match[2].split(",")] if match[2].strip() else []
    return given[0], _Parts(match[1].lower(), operands)


def _replace(text, names, to):
    """text with every name of a register, at any width, as the same width of another."""
    def one(match):
        place = _PLACE.get(match[0].lower())
        return to[place[2]] if place and place[1] is names else match[0]
    return _WORD.sub(one, text)


def _said_dependency(snippet, text, why):
    snippet.notes.append(f"latency: {why}: {text}")


def latency(snippet):
    """Makes each copy wait for the one before it, and notes how."""
    text, parts = _parts(snippet, "--latency")
    if parts.mnemonic in _FLAGS_ONLY:
        raise Wrong(f"--latency: {parts.mnemonic} writes flags only: say yourself what waits for them")
    if parts.mnemonic in ("mul", "div", "idiv") or (parts.mnemonic == "imul" and len(parts.operands) == 1):
        _said_dependency(snippet, text, "RAX and RDX are read and written by each copy")
        return
    if not parts.operands or not parts.is_register(0):
        raise Wrong(f'--latency: "{text}" writes no register that it names: say yourself what waits for it')
    kind, names, _ = _PLACE[parts.operands[0].lower()]
    read = [r for i in range(1, len(parts.operands)) for r in parts.registers(i)]
    if not parts.writes_only():
        _said_dependency(snippet, text, f"{parts.operands[0]} is read and written by each copy")
        return
    if any(_PLACE[r.lower()][1] is names for r in read):
        _said_dependency(snippet, text, f"{parts.operands[0]} is read by the next copy")
        return
    same = [r for r in read if _PLACE[r.lower()][0] == kind]
    if not same:
        raise Wrong(f'--latency: "{text}" reads no register of the kind that it writes: a way back takes '
                    "another instruction; write both, and subtract what the other takes")
    old = _PLACE[same[0].lower()][1]
    if "[" in text and old in _AREA_GPR:
        # The address is what the load gives: it has to stand at its own place.
        new, base = _replace(text, names, old), old[0]
        snippet.init = "; ".join([*instructions(snippet.init), f"mov [{base}], {base}"])
        _said_dependency(snippet, new, f"{base.upper()} is the address and the result, and stands at "
                                       f"[{base.upper()}]")
    else:
        operands = [parts.operands[0]] + [_replace(o, old, names) for o in parts.operands[1:]]
        new = f"{text[:len(text) - len(text.split(None, 1)[1])]}{', '.join(operands)}"
        _said_dependency(snippet, new, f"{old[0]} is now {names[0]}, which the copy before writes")
    snippet.text = new


def throughput(snippet):
    """Makes copies that do not wait for each other, by other registers in each, and notes which."""
    text, parts = _parts(snippet, "--throughput")
    if parts.mnemonic in _FIXED or len(parts.operands) == 1 and parts.mnemonic == "imul" or not parts.operands or not parts.is_register(0):
        snippet.notes.append(f"throughput: the registers of {parts.mnemonic} are fixed; copies stay as they are")
        return
    kind, names, _ = _PLACE[parts.operands[0].lower()]
    others = [_PLACE[r.lower()][1] for i in range(1, len(parts.operands)) for r in parts.registers(i)
              if _PLACE[r.lower()][1] is not names]
    pool = [r for r in (_GPR if kind == "gpr" else _VECTOR) if r not in others]
    if names in _AREA_GPR:
        raise Wrong(f"--throughput: {names[0]} points to an area: another register is needed")
    snippet.copies = [_replace(text, names, to) for to in pool]
    if parts.writes_only() or parts.mnemonic in _FLAGS_ONLY:
        why = "no copy reads what another writes"
    else:
        why = f"{len(pool)} chains side by side"
    snippet.notes.append(f"throughput: {names[0]} is in turn {', '.join(r[0] for r in pool)}: {why}")
