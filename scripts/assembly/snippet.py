"""Snippets of assembly as rows of an object. They are in Intel syntax; `;` separates instructions.

A snippet becomes a body with twice as many copies of it as its empty body, or some copies compared with none. The
difference of the two windows is the cost of the copies alone. nanoBench (Abel and Reineke, ISPASS 2020) does the same,
and this module uses its registers. R14, RDI, RSI, RSP and RBP point into the middle of areas of 1 MiB each. R15 counts
the iterations if there is a loop. All other registers are 0.
"""
import os
import re
from dataclasses import dataclass, field

AREA = 1 << 20
AREAS = ["r14", "rdi", "rsi", "rsp", "rbp"]
REGISTERS = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{i}" for i in range(8, 16))]
KEPT = ["rbx", "rbp", "r12", "r13", "r14", "r15"]  # by a function, System V psABI 3.2.1
OPS_MOST = 1_000_000    # bench/objects/object_rows.h
NAME_MOST, WHAT_MOST = 40, 100
OBJECT_MOST = 1 << 20   # bench/objects/objects.h
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
        if any("\ud800" <= c <= "\udfff" for c in text):  # how Python passes bytes that are not a UTF-8
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
    lines += [f"{name}.after:", *instructions(snippet.after), "cld"]
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
