"""Snippets in other syntaxes than NASM's. GNU as assembles AT&T's syntax and its own Intel syntax; lines of `objdump
-d` contain their machine code."""
import os
import re
import tempfile

from assembly import assembler, snippet
from assembly.snippet import Wrong
from tools import places

SYNTAXES = ("auto", "nasm", "intel", "att")

_REGISTER = r"(?:r(?:[abcd]x|[sd]i|[sb]p|ip|\d+[dwb]?)|e?[abcd]x|e?[sd]i|e?[sb]p|[abcd][lh]|[sd]il|[sb]pl|[xyzt]?mm\d+|k\d|st|[c-gs]s|[cd]r\d+)"
_ATT = re.compile(rf"%{_REGISTER}\b", re.IGNORECASE)
_INTEL = re.compile(r"\b(byte|word|dword|fword|qword|tbyte|oword|[xyz]mmword)\s+(ptr|bcst)\b", re.IGNORECASE)
# objdump -d: address, bytes, text; a long instruction continues in a line without text.
_DUMPED = re.compile(r"\s*([0-9a-f]+):\s+((?:[0-9a-f]{2}\s)*[0-9a-f]{2})(?:\s+(\S.*))?\s*$")
# ... --no-show-raw-insn: no bytes.
_BARE = re.compile(r"\s*([0-9a-f]+):(?:\t|\s{2,})\s*(\S.*)$")
_AROUND = re.compile(r".*:\s+file format .*|Disassembly of section .*|[0-9a-f]+ <.*>:|\s*(\.\.\.)?\s*")
_TARGET = re.compile(r"(?:j\w+|call\w*|loop\w*|xbegin\w*)\s+(?:0x)?([0-9a-f]+)(?:\s|$)")
_LEAVES = re.compile(r"(?:(?:bnd|notrack|repz?) )*(?:j\w+|call\w*|ret\w*|loop\w*|syscall|sysenter|int[13o]?|hlt)\b")
_IN_PLACE = re.compile(r"\(%[re]ip\)|\[[re]ip[+-]")


def detect(text):
    """Returns nasm, intel or att, by features that only that syntax has."""
    if _ATT.search(text):
        return "att"
    return "intel" if _INTEL.search(text) else "nasm"


# --- objdump -----------------------------------------------------------------------------------------

def is_dump(lines):
    """Tests whether all lines are output of objdump -d: instructions, headings and blank lines."""
    return any(_DUMPED.match(line) or _BARE.match(line) for line in lines) and all(
        _DUMPED.match(line) or _BARE.match(line) or _AROUND.fullmatch(line) for line in lines)


def alone(lines, where):
    """Returns ([(line number, text, bytes)] of instructions that can be measured alone, [why one cannot])."""
    found, left_out = [], []
    for one in _dumped(lines):
        number, text, code, _ = one
        try:
            if _LEAVES.match(text):
                raise Wrong(f'{where}, line {number}: "{text}" leaves the copies')
            _check_places([one], where)
            found.append((number, text, code))
        except Wrong as wrong:
            left_out.append(f"{wrong}: left out")
    return found, left_out


def together(lines, where):
    """Returns the text and the machine code of all instructions; no code if objdump did not print it."""
    found = _dumped(lines)
    _check_places(found, where)
    codes = [code for _, _, code, _ in found]
    return "; ".join(text for _, text, _, _ in found), b"".join(codes) if all(codes) else b""


def _dumped(lines):
    """Returns [(line number, text, bytes, address)] of objdump's instructions."""
    found = []
    for number, line in enumerate(lines, 1):
        match = _DUMPED.match(line)
        if match:
            code, text = bytes.fromhex(match[2]), match[3] or ""
            if not text and found:
                begun = found.pop()
                found.append((*begun[:2], begun[2] + code, begun[3]))
            else:
                found.append((number, _plain(text), code, int(match[1], 16)))
        elif _BARE.match(line):
            match = _BARE.match(line)
            found.append((number, _plain(match[2]), b"", int(match[1], 16)))
    return found


def _plain(text):
    """Returns an instruction without objdump's comments and symbol names."""
    return re.sub(r"\s+<[^>]*>$", "", " ".join(text.partition("#")[0].split()))


def _check_places(found, where):
    """Refuses instructions that have another meaning at another address."""
    first, end = found[0][3], found[-1][3] + max(1, len(found[-1][2]))
    for number, text, code, _ in found:
        if text == "(bad)":
            raise Wrong(f"{where}, line {number}: objdump knows no such instruction: (bad)")
        target = _TARGET.search(text)
        if _IN_PLACE.search(text) or target and (not code or not first <= int(target[1], 16) < end):
            raise Wrong(f'{where}, line {number}: "{text}" means a place in the program that it comes from, which is not '
                        "here; name memory by an area's register, as R14")


# --- GNU as ------------------------------------------------------------------------------------------

def assembled(text, syntax, where, program="as"):
    """Returns the machine code of a text in AT&T's syntax ("att") or GNU as's Intel syntax ("intel")."""
    lines = snippet.instructions(text)
    head = ".intel_syntax noprefix" if syntax == "intel" else ".att_syntax prefix"
    with tempfile.TemporaryDirectory(prefix="baretick-as-") as folder:
        source, made = (os.path.join(folder, name) for name in ("snippet.s", "snippet.o"))
        with open(source, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write("\n".join([head, *lines]) + "\n")
        try:
            ran = assembler.limited([program, "--64", "-o", made, source], "GNU as", where, encoding="utf-8", errors="backslashreplace")
        except FileNotFoundError:
            raise Wrong(f"{program} (GNU binutils) is not installed; {places.get(package='binutils')}") from None
        if ran.returncode:
            raise Wrong(_said(ran.stderr, lines, where))
        code, whole = assembler.text_section(made)
    if not code and lines:
        raise Wrong(f'{where}: "{text}" has no instruction')
    if not whole:
        raise Wrong(f'{where}: "{text}" names a place that is not in it')
    return code


def _said(stderr, lines, where):
    """Returns GNU as's messages, each with the line of the snippet."""
    found = re.findall(r"^[^:\n]*:(\d+): (?:Error|Fatal error|Warning): (.*)$", stderr, re.MULTILINE)
    return "\n".join(f'{where}: "{lines[int(number) - 2]}": {text}' for number, text in found
                     if 0 <= int(number) - 2 < len(lines)) or f"{where}: GNU as says: {stderr.strip()}"


# --- snippets ----------------------------------------------------------------------------------------

def take(given, syntax):
    """Assembles those of the snippet, --init and --late-init that are not in NASM's syntax, each in its own."""
    lines = given.text.splitlines()
    some = [line for line in lines if line.strip()]
    if some and all(_AROUND.fullmatch(line) for line in some):
        raise Wrong(f'{given.where}: "{some[0].strip()}" is a heading of objdump -d; give the lines of instructions below it, too')
    if is_dump(lines):
        given.text, given.raw = together(lines, given.where)
    for name in ("text", "init", "late_init"):
        text = getattr(given, name)
        chosen = detect(text) if syntax == "auto" else syntax
        if chosen == "nasm" or not text.strip() or name == "text" and given.raw:
            continue
        code = assembled(text, chosen, given.where if name == "text" else f"{given.where}, --{name.replace('_', '-')}")
        if name == "text":
            given.raw = code
        else:
            setattr(given, name, snippet.as_bytes(code))
