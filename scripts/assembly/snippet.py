"""Snippets of assembly as rows of an object. They are in Intel syntax; `;` separates instructions.

A snippet becomes a body with twice as many copies of it as its empty body, or some copies compared with none. The
difference of the two windows is the cost of the copies alone. nanoBench (Abel and Reineke, ISPASS 2020) does the same,
and this module uses its registers. R14, RDI, RSI, RSP and RBP point into the middle of areas of 1 MiB each. R15 counts
the iterations if there is a loop. All other registers are 0.
"""
import functools
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field

AREA = 1 << 20
AREAS = ["r14", "rdi", "rsi", "rsp", "rbp"]
REGISTERS = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{i}" for i in range(8, 16))]
KEPT = ["rbx", "rbp", "r12", "r13", "r14", "r15"]  # by a function, System V psABI 3.2.1
OPS_MOST = 1_000_000    # bench/objects/object_rows.h
NAME_MOST, WHAT_MOST = 40, 100
OBJECT_MOST = 1 << 20   # bench/objects/objects.h
ASSEMBLER_SECONDS = 4   # of CPU time; an object of the allowed size takes less than one
ASSEMBLER_FILE = 16 << 20   # bytes that it may write, and of memory
ASSEMBLER_MEMORY = 1 << 30
NAMED_COPIES = 2000     # more would make an object larger than baretick accepts


class Wrong(Exception):
    """The input cannot be measured; the message names it and says what is allowed."""


@dataclass
class Snippet:
    """One row: its instructions, and the number of copies."""
    text: str
    where: str = "the snippet"  # for messages
    name: str = ""
    suite: str = "asm"
    init: str = ""
    late_init: str = ""
    after: str = ""             # runs after the copies, to take back what init set
    unroll: int = 100
    loop: int = 0
    basic: bool = False
    raw: bytes = b""            # in place of text
    copies: list = field(default_factory=list)  # of one round each, where they differ
    notes: list = field(default_factory=list)   # what was added to it, in words
    extension: str = ""         # of the instruction set that it belongs to, where that was looked up
    size: int = 0               # bytes of one copy, once it was assembled; the mean where they differ
    code: bytes = b""           # of all copies that differ, or of one

    @property
    def ops(self):
        return self.unroll * max(1, self.loop)

    def copy(self, k):
        """The k-th copy, in lines."""
        if self.copies:
            return instructions(self.copies[k % len(self.copies)])
        return [as_bytes(self.raw)] if self.raw else instructions(self.text)


def as_bytes(code):
    """Machine code as a line of NASM."""
    return "db " + ", ".join(f"0x{byte:02x}" for byte in code)


def instructions(text):
    return [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]


def row_name(text):
    """Returns a name for a row, from the characters of the text that names allow."""
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:NAME_MOST] or "snippet"


def what(snippet):
    text = snippet.text.strip() or snippet.raw.hex(" ")
    text = " ".join(re.sub(r"[^ -~]", "?", text).split())
    return text if len(text) <= WHAT_MOST else text[:WHAT_MOST - 3] + "..."


def check(snippet):
    if not instructions(snippet.text) and not snippet.raw:
        raise Wrong(f"{snippet.where} is empty: it needs instructions, separated by ;")
    for text in (snippet.text, snippet.init, snippet.late_init):
        if any("\ud800" <= c <= "\udfff" for c in text):  # how Python passes bytes that are no UTF-8
            raise Wrong(f"{snippet.where} is not UTF-8: {ascii(text)}")
    if not 1 <= snippet.unroll <= OPS_MOST or not 0 <= snippet.loop <= OPS_MOST:
        raise Wrong(f"--unroll takes 1 to {OPS_MOST}, --loop 0 to {OPS_MOST}")
    if snippet.ops > OPS_MOST:
        raise Wrong(f"--unroll {snippet.unroll} times --loop {snippet.loop} is more than {OPS_MOST}")


def named(snippets):
    """Gives each snippet a name that is unique in its suite."""
    taken = set()
    for s in snippets:
        base = name = s.name or row_name(s.text or s.raw.hex())
        number = 2
        while (s.suite, name) in taken:
            name = f"{base[:NAME_MOST - 4]}_{number}"
            number += 1
        s.name = name
        taken.add((s.suite, name))


# --- NASM ------------------------------------------------------------------------------------------

def _section(label):
    return [f"section .text.{label} progbits alloc exec nowrite align=64", f"{label}:"]


def _setup():
    """Returns a function void (struct baretick_object *o) that finds which vector registers the CPU has and the system
    enables (SDM volume 1, 13.2 to 13.3, 14.3, 15.2)."""
    return [*_section("find_vectors"), "push rbx", "mov dword [rel vectors], 0", "mov eax, 1", "cpuid",
            "bt ecx, 27", "jnc .known",  # OSXSAVE
            "bt ecx, 28", "jnc .known",  # AVX
            "xor ecx, ecx", "xgetbv", "mov r8d, eax", "and eax, 6", "cmp eax, 6", "jne .known",
            "inc dword [rel vectors]", "mov eax, 7", "xor ecx, ecx", "cpuid", "bt ebx, 16", "jnc .known",  # AVX512F
            "and r8d, 0xe6", "cmp r8d, 0xe6", "jne .known", "inc dword [rel vectors]",
            ".known:", "pop rbx", "ret"]


def _zero_vectors():
    return ["mov eax, [rel vectors]", "test eax, eax", "jz .sse", "vzeroall", "dec eax", "jz .zeroed",
            *(f"vpxord zmm{i}, zmm{i}, zmm{i}" for i in range(16, 32)), *(f"kxorw k{i}, k{i}, k{i}" for i in range(8)),
            "jmp .zeroed", ".sse:", *(f"pxor xmm{i}, xmm{i}" for i in range(16)), ".zeroed:"]


def _before(snippet, label, name):
    """Returns a function void (struct baretick_object *o) that each window calls before its first reading. It prepares
    the registers for the copies: vector registers directly, the others in memory."""
    lines = [*_section(label), f"{name}:", *(f"push {register}" for register in KEPT), "mov [rel saved], rsp"]
    lines += [*_zero_vectors(), "mov rax, [rdi + 8]"]
    lines += [f"lea {register}, [rax + {i * AREA + AREA // 2}]" for i, register in enumerate(AREAS)]
    lines += [f"xor {r}, {r}" for r in ("eax", "ebx", "ecx", "edx", "r8d", "r9d", "r10d", "r11d",
                                        "r12d", "r13d", "r15d")]
    lines += instructions(snippet.init)
    lines += [f"mov [rel registers + {8 * i}], {register}" for i, register in enumerate(REGISTERS)]
    lines += ["cld", "mov rsp, [rel saved]", *(f"pop {register}" for register in reversed(KEPT))]
    return lines + ["ret"]


def _turns(unroll):
    """Returns code that computes the iterations of n operations. It does not change the flags. (SAHF sets all but OF;
    ADD sets OF: 1 + 127 overflows.)"""
    return ["lahf", "seto al", "mov r8, rax", "mov rax, rdi", "xor edx, edx", f"mov ecx, {unroll}", "div rcx",
            "mov [rel iterations], rax", "mov rax, r8", "add al, 127", "sahf"]


def _body(snippet, label, copies, name):
    """Returns a function int (uint64_t n, struct baretick_object *o) with this number of copies. Around the copies it
    only loads and stores registers. No flag changes between the last instruction of --init and the first copy."""
    lines = _section(label)
    lines += [f"mov [rel kept + {8 * i}], {register}" for i, register in enumerate((*KEPT, "rsp"))]
    if snippet.loop:
        lines += _turns(snippet.unroll)
    lines += [f"mov {register}, [rel registers + {8 * i}]" for i, register in enumerate(REGISTERS)]
    if snippet.loop:
        lines += [*instructions(snippet.late_init), "mov r15, [rel iterations]", "align 64", f"{label}.iteration:"]
    else:
        lines += instructions(snippet.late_init)
    for k in range(copies):
        if copies <= NAMED_COPIES:  # for messages about faults
            lines.append(f"{name}.copy_{k + 1}:")
        lines += snippet.copy(k)
    if snippet.loop:
        lines += ["dec r15", f"jnz near {label}.iteration"]
    lines += [f"{name}.behind:", *instructions(snippet.after), "cld"]
    lines += [f"mov {register}, [rel kept + {8 * i}]" for i, register in enumerate((*KEPT, "rsp"))]
    return lines + ["xor eax, eax", "ret"]


def _quoted(text):
    return "`" + text.replace("\\", "\\\\").replace("`", "\\`") + "`"


def source(snippets, include):
    """Returns the NASM source of an object with one row per snippet; `include`: the folder of baretick.inc."""
    lines = ["bits 64", f"%include {_quoted(os.path.join(include, 'baretick.inc'))}",
             "section .bss", "align 64", f"registers: resq {len(REGISTERS)}", f"kept: resq {len(KEPT) + 1}",
             "saved: resq 1", "iterations: resq 1", "vectors: resd 1", *_setup()]
    for i, s in enumerate(snippets):
        fewer = 0 if s.basic else s.unroll
        lines += _body(s, f"copies_{i}", fewer + s.unroll, f"{s.suite}.{s.name}")
        lines += _body(s, f"fewer_{i}", fewer, f"{s.suite}.{s.name}.fewer")
        lines += _before(s, f"before_{i}", f"{s.suite}.{s.name}.init")
        lines += [f"BARETICK_ROW {s.suite}, {s.name}, {_quoted(what(s))}, copies_{i}, empty, fewer_{i}, "
                  f"ops, {s.ops}, grain, {s.unroll}, most_ops, {s.ops}, room, {len(AREAS) * AREA}, "
                  f"flags, BARETICK_NOT_DOUBLED, setup, find_vectors, before, before_{i}"]
    lines += ["section .note.GNU-stack noalloc noexec nowrite progbits"]
    return "\n".join(lines) + "\n"


def text_section(path):
    """Returns (section .text of an ELF64 object, whether it has no relocations)."""
    with open(path, "rb") as f:
        elf = f.read()
    at, = struct.unpack_from("<Q", elf, 0x28)                # e_shoff
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", elf, at + i * size) for i in range(count)]
    found = {}
    for name, _, _, _, offset, length in sections:
        start = sections[names][4] + name
        found[elf[start:elf.index(b"\0", start)]] = elf[offset:offset + length]
    return found.get(b".text", b""), b".rela.text" not in found


def too_long(program, what_it_is, did):
    return Wrong(f"{what_it_is}: {program} {did}: too many instructions for one row; lower the "
                 "count of `times`, `%rep` or `.rept`, lower --unroll, or measure fewer instructions")


def limited(command, program, what_it_is, **how):
    """Runs an assembler with limits on time and memory. The limit is CPU time, so a busy machine does not exceed it;
    the limit of elapsed time is ten times as long."""
    late = f"did not end within {ASSEMBLER_SECONDS} s"
    limits = ((resource.RLIMIT_CPU, max(1, round(ASSEMBLER_SECONDS))), (resource.RLIMIT_FSIZE, ASSEMBLER_FILE),
              (resource.RLIMIT_AS, ASSEMBLER_MEMORY))
    try:
        ran = subprocess.run(command, capture_output=True, check=False, timeout=10 * ASSEMBLER_SECONDS,
                             preexec_fn=lambda: [resource.setrlimit(kind, (most, most)) for kind, most in limits], **how)
    except subprocess.TimeoutExpired:
        raise too_long(program, what_it_is, late) from None
    if ran.returncode == -signal.SIGKILL:
        raise too_long(program, what_it_is, late)
    if ran.returncode == -signal.SIGXFSZ:
        raise too_long(program, what_it_is, f"wrote more than {ASSEMBLER_FILE >> 20} MiB")
    return ran


def _nasm(text, nasm, what_it_is, out=None):
    """Runs NASM. It writes into a temporary folder, because NASM removes its output file if it fails, and that could be
    a device or a user's file."""
    with tempfile.TemporaryDirectory(prefix="baretick-nasm-") as folder:
        asm, made = (os.path.join(folder, name) for name in ("snippet.asm", "snippet.o"))
        with open(asm, "w", encoding="utf-8") as f:
            f.write(text)
        try:
            # Without this a word that is no instruction would be a label, and nothing would be measured.
            ran = limited([nasm, "-f", "elf64", "-w+error=label-orphan", "-o", made, asm], "NASM", what_it_is, text=True)
        except FileNotFoundError:
            raise Wrong(f"{nasm} is not installed; ./scripts/setup installs it") from None
        ran.code, ran.whole = text_section(made) if ran.returncode == 0 else (b"", False)
        if out and ran.returncode == 0:
            shutil.copyfile(made, out)
        return ran


def _said(run):
    """Returns NASM's messages: [(line, text)]."""
    found = re.findall(r"^[^:\n]*:(\d+): (?:error: |fatal: )?(?!info: )(.*)$", run.stderr, re.MULTILINE)
    return [(int(number), text) for number, text in found]


@functools.lru_cache(maxsize=1024)
def _try(lines, what_it_is, nasm):
    """Assembles a few lines alone, so that messages belong to them. Returns NASM's run, which has their code. Cached,
    because a snippet is verified several times."""
    run = _nasm("bits 64\ndefault rel\n" + "\n".join(lines) + "\n", nasm, what_it_is)
    if run.returncode == 0:
        return run
    problems = [f'{what_it_is}: "{lines[number - 3]}": {text}' for number, text in _said(run)
                if 0 <= number - 3 < len(lines)]
    said = "\n".join(text for _, text in _said(run)) or run.stderr.strip()
    raise Wrong("\n".join(problems) or f"{what_it_is}: NASM says: {said}")


def _code(text, what_it_is, nasm):
    """Returns the bytes of instructions. Raises Wrong if these depend on addresses of other code."""
    lines = tuple(instructions(text))
    return _try(lines, what_it_is, nasm).code if lines else b""


def machine_code(text, what_it_is, nasm="nasm"):
    """The bytes of instructions. Raises Wrong where they depend on where other things are."""
    run = _try(tuple(instructions(text)), what_it_is, nasm)
    if not run.whole:
        raise Wrong(f'{what_it_is}: "{text}" names a place that is not in it')
    return run.code


def _check_size(s):
    """Raises Wrong if all copies of the snippet would make the object too large."""
    size = s.size
    copies = s.unroll if s.basic else 3 * s.unroll
    if size == 0:
        raise Wrong(f'{s.where}: "{what(s)}" has no instruction')
    if size * copies > OBJECT_MOST:
        raise Wrong(f"{s.where}: {copies} copies of {size} bytes take {size * copies >> 10} KiB; an object may have "
                    f"{OBJECT_MOST >> 10}: lower --unroll, or measure fewer instructions")


@functools.lru_cache(maxsize=1024)
def disassembled(code, what_it_is="the machine code"):
    """Returns the instructions, one per line, by ndisasm, which is part of NASM."""
    try:
        ran = limited(["ndisasm", "-b", "64", "-"], "ndisasm", what_it_is, input=code)
    except FileNotFoundError:
        raise Wrong("ndisasm is not installed; it comes with NASM, which ./scripts/setup installs") from None
    return re.findall(r"^[0-9A-F]+ +[0-9A-F]+ +(.*)$", ran.stdout.decode(), re.MULTILINE)


def system_calls(code, what_it_is="the machine code"):
    """Returns the instructions among these that call Linux: SYSCALL, SYSENTER, INT 0x80."""
    found = [re.fullmatch(r"(?:\w+ )*?(syscall|sysenter|int 0x80)", line) for line in disassembled(code, what_it_is)]
    return list(dict.fromkeys(m[1] for m in found if m))


def _check_calls(code, where):
    calls = system_calls(code, where)
    if calls:
        raise Wrong(f"{where}: {', '.join(calls)} would make a real system call; --allow-syscalls allows it, without --hosted "
                    "it runs in QEMU")


# Instructions that write R15, in a line of disassembly: as the first operand, except those that only read it; or as another.
_WRITES_R15 = re.compile(r"^(?:lock )?(?!(?:cmp|test|push|bt|mul|i?div|jmp|call|wr[fg]sbase|nop) |imul \w+$)\w+ r15[dwb]?\b"
                         r"|^(?:lock )?(?:xchg|xadd|mulx) .*,r15[dwb]?\b")


def _check_counter(s):
    if not s.loop:
        return
    for line in disassembled(s.code):
        if _WRITES_R15.search(line):
            raise Wrong(f"{s.where}: {line}: R15 counts the iterations of the loop around the copies; use another register")


_FRAME = re.compile(r"^enter (\w+),(\w+)$")


def frame(line):
    """Returns the bytes that an ENTER takes from the stack, in a line of disassembly; 0 for another instruction (SDM
    vol. 2)."""
    match = _FRAME.match(line)
    return int(match[1], 0) + 8 * (1 + int(match[2], 0) % 32) if match else 0


def _check_frames(s):
    """Raises Wrong if the frames of ENTER without LEAVE would leave RSP's area."""
    lines = disassembled(s.code)
    bytes_ = sum(map(frame, lines)) * (s.unroll if s.basic else 2 * s.unroll) * max(1, s.loop)
    if bytes_ > AREA // 2 and "leave" not in lines:
        raise Wrong(f"{s.where}: {next(filter(frame, lines))}: the copies of a window take {bytes_ >> 10} KiB of the stack; "
                    f"{AREA // 2 >> 10} KiB are allowed: lower --unroll or the size, or add LEAVE")


# Directives of NASM that name a symbol of another object, and directives that change the section or the mode.
_OUTSIDE = re.compile(r"\[?(extern|required|common)\b", re.IGNORECASE)
_MOVES = re.compile(r"\[?(section|segment|absolute|bits|use16|use32|use64)\b(?!:)", re.IGNORECASE)


def _lines(s):
    return [line for text in (s.text, s.init, s.late_init) for line in instructions(text)]


def _check_outside(s):
    for line in _lines(s):
        if _OUTSIDE.match(line):
            raise Wrong(f'{s.where}: "{line}": a snippet cannot use a symbol of another object; write a row that calls '
                        "it in an own object (docs/own-code.md)")


def _check_moves(s):
    for line in _lines(s):
        if _MOVES.match(line):
            raise Wrong(f'{s.where}: "{line}" changes the section or the mode of all code after it: only 64-bit code in one '
                        "section can be measured")


def verify(s, nasm="nasm", calls=True):
    """Assembles one snippet alone and notes its code. Raises Wrong with NASM's message and the line of the snippet.
    calls=False: refuses instructions that call Linux."""
    check(s)
    _check_outside(s)
    init = _code(s.init, f"{s.where}, --init", nasm)
    late_init = _code(s.late_init, f"{s.where}, --late-init", nasm)
    s.code = s.raw or _code(s.text, s.where, nasm)
    s.size = len(s.code)
    if s.copies:
        s.code = _try(tuple(line for copy in s.copies for line in instructions(copy)), s.where, nasm).code
        s.size = -(-len(s.code) // len(s.copies))
    _check_size(s)
    _check_moves(s)
    _check_counter(s)
    _check_frames(s)
    for part, where in ((s.code, ""), (init, ", --init"), (late_init, ", --late-init")):
        if part and not calls:
            _check_calls(part, s.where + where)


def assemble(snippets, path, include, nasm="nasm", calls=True):
    """Writes the object. Raises Wrong like verify()."""
    for s in snippets:
        verify(s, nasm, calls)
    named(snippets)
    run = _nasm(source(snippets, include), nasm, "all copies together", path)
    if run.returncode:
        # Each snippet assembles alone, so a label is defined twice. A local label belongs to its copy.
        texts = {text for _, text in _said(run)}
        raise Wrong("NASM: " + "\n".join(sorted(texts)) + "; all copies of a snippet are in one "
                    "function, so a label in it is there more than once: begin its name with a dot, or jump by $+N")
