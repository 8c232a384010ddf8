"""What copies of an instruction wait for, with --latency and --throughput: which operands are changed, and what is refused.
Nothing is measured here. The cases are in data/said/waits.txt."""

from pathlib import Path

import golden
import pytest

from assembly import assembler, latency, operands, snippet, throughput
from wait_copies import code_of, texts

pytestmark = pytest.mark.skipif(not Path(operands.PROGRAM).exists(), reason="Zydis is not installed")

MAKE = {"latency": latency.chain, "throughput": throughput.part}
FIELDS = {"init": str, "late": str, "unroll": int, "loop": int}


def made_of(case):
    """Returns the copies that are made of a snippet, what is before each of them, and the notes; or the refusal."""
    wish, text, *more = case.split(" | ")
    fields = {key: FIELDS[key](value) for key, _, value in (field.partition(" ") for field in more)}
    s = snippet.Snippet(text, init=fields.pop("init", ""), late_init=fields.pop("late", ""), **fields)
    given = s.init, s.late_init
    try:
        MAKE[wish](s)
    except snippet.Wrong as wrong:
        assert (s.copies, s.init, s.late_init, s.notes) == ([], *given, [])
        return f"refused: {wrong}"
    assert s.text == text
    before = [list(before) for before in sorted({tuple(code_of(copy)[1]) for copy in s.copies})]
    for lines in before:
        assembler.machine_code("; ".join(lines) or "nop", "what is before it")
    found = {"copies": "; ".join(texts(s)), "before each": " or ".join("; ".join(lines) for lines in before),
             "init": s.init, "late init": s.late_init,
             "extension": s.extension if s.extension.startswith("AVX512_FP16") else "",  # others are named otherwise by each Zydis
             "note": "; ".join(s.notes)}
    return "\n".join(f"{key}: {value}" for key, value in found.items() if value)


def test_what_is_made_of_each_instruction_is_as_stored():
    golden.check_table("waits", made_of)


@pytest.mark.parametrize("text", ["vaddph zmm0, zmm1, zmm2", "vfmadd231ph ymm0, ymm1, ymm2", "vaddph zmm0{k1}, zmm1, [r14]"])
@pytest.mark.parametrize("make", MAKE.values())
def test_copies_are_of_the_extension_of_their_instruction(make, text):
    s = snippet.Snippet(text)
    make(s)
    assert {operands.describe(code_of(copy)[0]).extension for copy in s.copies} <= {s.extension}
