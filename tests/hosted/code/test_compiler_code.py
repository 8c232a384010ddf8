"""The statements of docs/compiler.md about the character tests, checked in the machine code of each compiler at hand."""

import re

from commands import output_of
import pytest
from test_loops import COMPILERS, FLAGS, ROOT

SOURCE = "bench/suites/compiler/letters.c"
TO_OBJECT = [*FLAGS[: FLAGS.index("-S")], "-O2", "-I.", "-ffunction-sections", "-fdata-sections", "-c"]


@pytest.fixture(params=COMPILERS)
def code(request, tmp_path):
    """code(name): the lines of a function's disassembly, including relocations."""
    path = tmp_path / "letters.o"
    output_of(request.param, *TO_OBJECT, "-o", path, SOURCE, cwd=ROOT)
    said = output_of("objdump", "-dr", "--no-show-raw-insn", path)
    functions = dict(re.findall(r"<compiler_(\w+)>:\n((?:.+\n?)+)", said))
    return lambda name: functions[name].splitlines()


def tables(lines):
    return {m[1] for line in lines if (m := re.search(r"R_X86_64_PC32\s+(\.rodata\S*)", line))}


def test_cases_become_one_look_up_in_a_table(code):
    lines = code("to_table_trap")
    assert len(tables(lines)) == 1, lines
    # Into a table of data: neither a table of jumps nor one test per letter.
    assert not [line for line in lines if re.search(r"\bjmp +\*", line)], lines
    letters = [line for line in lines if re.search(r"\b(cmp|sub|add)\w* +\$0x([4-7][0-9a-f]|[9ab][0-9a-f]),", line)]
    assert len(letters) <= 4, letters
    assert len([line for line in code("to_table_cure") if re.search(r"\bcmp", line)]) >= 52


def test_cases_of_a_rule_become_arithmetic(code):
    lines = code("lower_trap")
    assert not tables(lines) and [line for line in lines if "cmov" in line], lines
    assert len([line for line in code("lower_cure") if re.search(r"\bcmp", line)]) >= 26


def test_a_known_letter_is_not_tested(code):
    assert not tables(code("known_trap")) and not [line for line in code("known_trap") if "cmov" in line]
    assert [line for line in code("known_cure") if "cmov" in line]
