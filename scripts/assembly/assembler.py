"""Assembles snippets with NASM, within limits, and checks their machine code with ndisasm."""
import functools
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile

from assembly import snippet
from assembly.snippet import Wrong
from tools import places

ASSEMBLER_SECONDS = 4   # of CPU time; an object of the allowed size takes less than one
ASSEMBLER_FILE = 16 << 20   # bytes that it may write, and of memory
ASSEMBLER_MEMORY = 1 << 30


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
            # Without this a word that is not an instruction would be a label, and nothing would be measured.
            ran = limited([nasm, "-f", "elf64", "-w+error=label-orphan", "-o", made, asm], "NASM", what_it_is, encoding="utf-8", errors="backslashreplace")
        except FileNotFoundError:
            raise Wrong(f"{nasm} is not installed; {places.get(package='nasm')}") from None
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
    lines = tuple(snippet.instructions(text))
    return _try(lines, what_it_is, nasm).code if lines else b""


def machine_code(text, what_it_is, nasm="nasm"):
    """Returns the bytes of instructions, without labels. Raises Wrong if these depend on addresses of other code."""
    run = _try(tuple(snippet.instructions(text)), what_it_is, nasm)
    if not run.whole:
        raise Wrong(f'{what_it_is}: "{text}" names a place that is not in it')
    return run.code


def _check_size(s):
    """Raises Wrong if all copies of the snippet would make the object too large."""
    size = s.size
    copies = s.unroll if s.basic else 3 * s.unroll
    if size == 0:
        raise Wrong(f'{s.where}: "{snippet.what(s)}" has no instruction')
    if size * copies > snippet.OBJECT_MOST:
        raise Wrong(f"{s.where}: {copies} copies of {size} bytes take {size * copies >> 10} KiB; an object may have "
                    f"{snippet.OBJECT_MOST >> 10}: lower --unroll, or measure fewer instructions")


@functools.lru_cache(maxsize=1024)
def disassembled(code, what_it_is="the machine code"):
    """Returns the instructions, one per line, by ndisasm, which is part of NASM."""
    try:
        ran = limited(["ndisasm", "-b", "64", "-"], "ndisasm", what_it_is, input=code)
    except FileNotFoundError:
        raise Wrong(f"ndisasm is not installed; it comes with NASM: {places.get(package='nasm')}") from None
    return re.findall(r"^[0-9A-F]+ +[0-9A-F]+ +(.*)$", ran.stdout.decode(), re.MULTILINE)


def _check_calls(code, where):
    """Refuses instructions that call Linux: SYSCALL, SYSENTER, INT 0x80."""
    found = [re.fullmatch(r"(?:\w+ )*?(syscall|sysenter|int 0x80)", line) for line in disassembled(code, where)]
    if calls := dict.fromkeys(m[1] for m in found if m):
        raise Wrong(f"{where}: {', '.join(calls)} would make a real system call; --allow-syscalls allows it, without --hosted "
                    "it runs in QEMU")


# Instructions that write R15, in a line of disassembly: as the first operand, except those that only read it; or as another.
_WRITES_R15 = re.compile(r"^(?:lock )?(?!(?:cmp|test|push|bt|mul|i?div|jmp|call|wr[fg]sbase|nop) |imul \w+$)\w+ r15[dwb]?\b"
                         r"|^(?:lock )?(?:xchg|xadd|mulx) .*,r15[dwb]?\b")


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
    if bytes_ > snippet.AREA // 2 and "leave" not in lines:
        raise Wrong(f"{s.where}: {next(filter(frame, lines))}: the copies of a window take {bytes_ >> 10} KiB of the stack; "
                    f"{snippet.AREA // 2 >> 10} KiB are allowed: lower --unroll or the size, or add LEAVE")


# Directives of NASM that are refused, and why: those that name a symbol of another object, or change the section or the mode.
_OUTSIDE = (re.compile(r"\[?(extern|required|common)\b", re.IGNORECASE),
            ": a snippet cannot use a symbol of another object; write a row that calls it in an own object (docs/own-code.md)")
_MOVES = (re.compile(r"\[?(section|segment|absolute|bits|use16|use32|use64)\b(?!:)", re.IGNORECASE),
          " changes the section or the mode of all code after it: only 64-bit code in one section can be measured")


def _check_directives(s, pattern, why):
    for line in (line for text in (s.text, s.init, s.late_init) for line in snippet.instructions(text)):
        if pattern.match(line):
            raise Wrong(f'{s.where}: "{line}"{why}')


def verify(s, nasm="nasm", calls=True):
    """Assembles one snippet alone and notes its code. Raises Wrong with NASM's message and the line of the snippet.
    calls=False: refuses instructions that call Linux."""
    snippet.check(s)
    _check_directives(s, *_OUTSIDE)
    init = _code(s.init, f"{s.where}, --init", nasm)
    late_init = _code(s.late_init, f"{s.where}, --late-init", nasm)
    s.code = s.raw or _code(s.text, s.where, nasm)
    s.size = len(s.code)
    if s.copies:
        s.code = _try(tuple(line for copy in s.copies for line in snippet.instructions(copy)), s.where, nasm).code
        s.size = -(-len(s.code) // len(s.copies))
    _check_size(s)
    _check_directives(s, *_MOVES)
    for line in disassembled(s.code) if s.loop else ():
        if _WRITES_R15.search(line):
            raise Wrong(f"{s.where}: {line}: R15 counts the iterations of the loop around the copies; use another register")
    _check_frames(s)
    for part, where in ((s.code, ""), (init, ", --init"), (late_init, ", --late-init")):
        if part and not calls:
            _check_calls(part, s.where + where)


def assemble(snippets, path, include, nasm="nasm", calls=True):
    """Writes the object. Raises Wrong like verify()."""
    for s in snippets:
        verify(s, nasm, calls)
    snippet.named(snippets)
    run = _nasm(snippet.source(snippets, include), nasm, "all copies together", path)
    if run.returncode:
        # Each snippet assembles alone, so a label is defined twice. A local label belongs to its copy.
        texts = {text for _, text in _said(run)}
        raise Wrong("NASM: " + "\n".join(sorted(texts)) + "; all copies of a snippet are in one "
                    "function, so a label in it is defined more than once: begin its name with a dot, or jump by $+N")
