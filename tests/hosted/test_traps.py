"""What each compiler at hand makes of the traps of suite `compiler`: the code itself, where a count cannot tell."""

import re
import shlex
import subprocess

import pytest
from test_loops import COMPILERS, FLAGS, ROOT

SUITE = "bench/suites/compiler"


def own_flags(source):
    """What the Makefile compiles this file with besides."""
    found = re.search(rf"^CFLAGS_{SUITE}/{source} := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return shlex.split(found[1]) if found else []


def compiled(compiler, source, flags=None):
    """Its functions by name, each a list of instructions and labels."""
    words = [compiler, *FLAGS, "-O2", *(own_flags(source) if flags is None else flags), f"{SUITE}/{source}"]
    text = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    found, lines = {}, []
    for line in (re.sub(r"\s+", " ", re.sub(r"#.*", "", x)).strip() for x in text.splitlines()):
        if name := re.fullmatch(r"(\w[\w.]*):", line):
            lines = found[name[1]] = []
        elif re.fullmatch(r"\.L\w+:", line) or (line and not line.startswith(".")):
            lines.append(line)
    return {name: lines for name, lines in found.items() if lines}


def calls(lines):
    return {re.sub(r"@PLT$", "", x.split()[1]) for x in lines if x.startswith("call")}


def divides(lines):
    return any(x.startswith("div") for x in lines)


def loops(lines):
    """How many jumps go back."""
    back = 0
    for i, line in enumerate(lines):
        jump = re.fullmatch(r"j\w+ (\.L\w+)", line)
        back += bool(jump and f"{jump[1]}:" in lines[:i])
    return back


@pytest.mark.parametrize("compiler", COMPILERS)
def test_loops_over_bytes_become_calls_in_a_hosted_program(compiler):
    hosted, free = compiled(compiler, "memory.c"), compiled(compiler, "memory.c", [])
    assert calls(hosted["compiler_to_memset_trap"]) == {"memset"}
    assert calls(hosted["compiler_to_memcpy_trap"]) == {"memcpy"}
    for name in ("to_memset_cure", "to_memcpy_cure", "copy_trap", "copy_cure", "memset_trap", "memset_cure"):
        assert not calls(hosted[f"compiler_{name}"]), name
    for name in ("to_memset_trap", "to_memcpy_trap"):
        assert not calls(free[f"compiler_{name}"]), name


@pytest.mark.parametrize("compiler", COMPILERS)
def test_character_tests_become_a_look_up_or_nothing(compiler):
    made = compiled(compiler, "letters.c")
    tables = {n: any(re.search(r"CSWTCH|switch\.table", x) for x in lines) for n, lines in made.items()}
    assert [n for n, has in tables.items() if has] == ["compiler_merged_trap"]
    assert loops(made["compiler_known_trap"]) < loops(made["compiler_known_cure"])
    # 26 letters are a range; 22 digits, two to a letter, and each test that stays is a branch.
    tests = {n: sum(x.startswith("cmp") for x in lines) for n, lines in made.items()}
    assert tests["compiler_lower_trap"] < 10 and tests["compiler_merged_trap"] < 10
    assert tests["compiler_lower_cure"] >= 26 and tests["compiler_merged_cure"] >= 22


@pytest.mark.parametrize("compiler", COMPILERS)
def test_who_knows_the_divisor(compiler):
    apart, one = compiled(compiler, "noclone.c"), compiled(compiler, "body.c")
    copies = [n for n in apart if n.startswith("alone.")]
    assert divides(apart["alone"]) and divides(apart["together"]), "another caller passes any divisor"
    assert not any(n.startswith("together.") for n in apart)
    if "gcc" in compiler:
        assert len(copies) == 1 and not divides(apart[copies[0]]), list(apart)
        assert calls(apart["compiler_noclone_trap"]) == set(copies)
    else:
        assert not copies and calls(apart["compiler_noclone_trap"]) == {"alone"}, list(apart)
    assert calls(apart["compiler_noclone_cure"]) == {"together"}
    # Where all pass one divisor, the function itself knows it.
    assert calls(one["compiler_clone_range"]) == {"quotient_of_one"} and not divides(one["quotient_of_one"])
    assert divides(compiled(compiler, "callee.c")["compiler_quotient"])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_clang_makes_a_formula_of_a_loop(compiler):
    products = {n: sum("mul" in x for x in lines) for n, lines in compiled(compiler, "sum_body.c").items()}
    assert products["compiler_sum_cure"] == 0 and products["compiler_power_cure"] == 3
    if "clang" in compiler:
        assert products["compiler_sum_trap"] > 0
        assert products["compiler_power_trap"] > products["compiler_power_formula"] > 3, "more than a person's"
    else:
        assert products["compiler_sum_trap"] == 0 and products["compiler_power_trap"] == 3
