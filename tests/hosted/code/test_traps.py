"""The machine code of the traps of suite `compiler` with each compiler at hand, where a count proves nothing."""

import re
import shlex

from commands import output_of
import pytest
from test_loops import COMPILERS, FLAGS, ROOT

SUITE = "bench/suites/compiler"


def own_flags(source):
    """Returns the Makefile's extra options for this file."""
    found = re.search(rf"^CFLAGS_{SUITE}/{source} := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    if found and (like := re.fullmatch(rf"\$\(CFLAGS_{SUITE}/(.*)\)", found[1])):
        return own_flags(like[1])
    return shlex.split(found[1]) if found else []


def compiled(compiler, source, flags=None):
    """Returns its functions by name, each a list of instructions and labels."""
    words = [compiler, *FLAGS, "-O2", *(own_flags(source) if flags is None else flags), f"{SUITE}/{source}"]
    text = output_of(*words, cwd=ROOT)
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
    """Returns the number of backward jumps."""
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
def test_character_tests_become_arithmetic_a_look_up_or_nothing(compiler):
    """docs/compiler.md: a rule becomes arithmetic, other cases one look-up in a table of data, a known letter nothing."""
    made = {n.removeprefix("compiler_"): lines for n, lines in compiled(compiler, "letters.c").items()}
    tables = {n: any(re.search(r"CSWTCH|switch\.table", x) for x in lines) for n, lines in made.items()}
    assert [n for n, has in tables.items() if has] == ["to_table_trap"]
    assert not any(re.match(r"jmp \*", x) for x in made["to_table_trap"]), "a table of jumps"
    assert loops(made["known_trap"]) < loops(made["known_cure"])
    chooses = {n: any(x.startswith("cmov") for x in lines) for n, lines in made.items()}
    assert chooses["lower_trap"] and chooses["known_cure"] and not chooses["known_trap"], chooses
    # 26 letters are a range; 22 digits, two for each letter, and each remaining test is a branch.
    tests = {n: sum(x.startswith("cmp") for x in lines) for n, lines in made.items()}
    assert tests["lower_trap"] < 10 and tests["to_table_trap"] < 10
    constants = [int(m[1]) & 0xFF for x in made["to_table_trap"] if (m := re.match(r"(?:cmp|sub|add)\w* \$(-?\d+),", x))]
    assert sum(0x40 <= c < 0x80 or 0x90 <= c < 0xC0 for c in constants) <= 4, "a test per letter"
    assert tests["lower_cure"] >= 26 and tests["to_table_cure"] >= 52


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_divisor_is_known_where_all_callers_pass_it(compiler):
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
    # If all callers pass one divisor, the compiler knows it inside the function.
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


@pytest.mark.parametrize("compiler", COMPILERS)
def test_clang_makes_a_formula_of_squares_and_a_division_of_subtractions(compiler):
    squares, numbers = compiled(compiler, "sum_body.c"), compiled(compiler, "loops.c")
    loops_of = {n: loops(lines) for n, lines in {**squares, **numbers}.items()}
    products = {n: sum("mul" in x for x in lines) for n, lines in numbers.items()}
    assert products["compiler_reduce_modulo"] == 1 and products["compiler_reduce_cure"] == 0
    assert loops_of["compiler_reduce_cure"] > loops_of["compiler_reduce_modulo"]
    if "clang" in compiler:
        assert loops_of["compiler_squares_trap"] < loops_of["compiler_squares_cure"]
        assert products["compiler_reduce_trap"] == 1
        assert loops_of["compiler_reduce_trap"] == loops_of["compiler_reduce_modulo"]
        assert any("xmm" in x for x in numbers["compiler_products_trap"]), "several values at once"
    else:
        assert loops_of["compiler_squares_trap"] == loops_of["compiler_squares_cure"]
        # gcc 14 does two iterations at once, after a multiplication that tells whether they are odd.
        assert loops_of["compiler_reduce_trap"] > loops_of["compiler_reduce_modulo"]
    for name in ("products_cure", "chain_trap", "chain_cure"):
        assert not any("xmm" in x for x in numbers[f"compiler_{name}"]), name
    assert products["compiler_chain_trap"] == products["compiler_chain_cure"] == 0


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_known_string_is_looked_up_once_a_letter(compiler):
    made = compiled(compiler, "ctype.c")
    places = {n: [m[1] for x in lines if (m := re.match(r"movl (\d+)\(%r\w+\), %\w+$", x))] for n, lines in made.items()}
    # 4 bytes per entry: U, P, E, R, the space, T and X, each once.
    assert sorted(places["compiler_ctype_trap"]) == sorted(str(4 * ord(c)) for c in set("UPPER TEXT"))
    assert not places["compiler_ctype_cure"]
    for name in ("ctype_trap", "ctype_cure"):
        assert calls(made[f"compiler_{name}"]) == {"compiler_tolower_table"}
    text = str(int.from_bytes(b"UPPER TE", "little"))
    stored = {n: any(f"${text}," in x for x in lines) for n, lines in made.items()}
    assert stored == {"compiler_ctype_trap": False, "compiler_ctype_cure": True}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_helper_is_inlined_when_its_other_caller_goes(compiler):
    """With both splitters in the file, one inlines the helper and the other calls it. Alone, each inlines it."""
    both = compiled(compiler, "split.c")
    quoted, plain = compiled(compiler, "split_quoted.c"), compiled(compiler, "split_plain.c")
    assert "field" in calls(both["compiler_split_quoted_trap"])
    assert not calls(quoted["compiler_split_quoted_cure"]) and "field" not in quoted
    # The plain splitter has at most one call: for a case that its text never has.
    for lines in (both["compiler_split_plain_trap"], plain["compiler_split_plain_cure"]):
        assert sum(x.startswith("call") for x in lines) <= 1


@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_unused_function_moves_a_loop_s_end_across_a_line(compiler, tmp_path):
    """The comparison and the jump of the measured loop are in one line of 64 bytes; with the unused function in two."""
    across = {}
    for source in ("moved.c", "moved_unused.c"):
        words = [*FLAGS[: FLAGS.index("-S")], "-O2", "-I.", *own_flags(source), "-c", "-o", tmp_path / "moved.o"]
        output_of(compiler, *words, f"{SUITE}/{source}", cwd=ROOT)
        said = output_of("objdump", "-d", tmp_path / "moved.o")
        for name, body in re.findall(r"<compiler_(\w+)>:\n((?:.+\n?)+)", said):
            code = [(int(m[1], 16), len(m[2].split()), m[3])
                    for m in re.finditer(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(.*)$", body, re.MULTILINE)]
            for (at, _, _), (jump_at, size, jump) in zip(code, code[1:]):
                if (to := re.match(r"jne +([0-9a-f]+)", jump)) and int(to[1], 16) < jump_at:
                    across[name] = at // 64 != (jump_at + size - 1) // 64
    assert across["moved_unused"] and not across["moved"], across
    assert across["still"] == across["still_unused"], across
