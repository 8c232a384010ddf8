"""The copies that `baretick asm` makes of an instruction: for its tests."""
from assembly import operands
from assembly import snippet


def code_of(copy):
    """The measured instruction of a copy, and what stands before it."""
    *before, last = snippet.instructions(copy)
    assert last.startswith("db "), copy
    return bytes(int(b, 16) for b in last[3:].split(", ")), before


def texts(s):
    return [operands.describe(code_of(c)[0]).text for c in s.copies]
