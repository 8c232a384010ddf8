"""BARETICK_KEEP and BARETICK_HIDE accept any type, and add no instruction to values in registers. Types that they, or
BENCH_KEEP and BENCH_HIDE, do not accept do not compile, and the message says why.
"""

import re
import shutil

from commands import output_of, run_command
import pytest
from conftest import ROOT

WIDE = ["-march=x86-64-v4"]

COMPILERS = [("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++")]
BIT_FIELD = "bit-field"  # the compiler's wording


def compiled(compiler, language, name, made, *flags):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    standard = ["-std=c++17"] if language == "c++" else []
    return run_command(compiler, "-x", language, *standard, *flags, f"-I{ROOT}", "-c", "-o", made, ROOT / f"tests/objects/{name}.c")


@pytest.mark.parametrize("flags", [[], WIDE], ids=["sse", "avx512"])
@pytest.mark.parametrize("compiler, language", COMPILERS)
def test_a_value_in_a_register_stays_there(compiler, language, flags, tmp_path):
    made = tmp_path / "any_type.o"
    ran = compiled(compiler, language, "any_type", made, "-O2", "-Wall", "-Werror", *flags)
    assert ran.returncode == 0, ran.stderr
    dump = output_of("objdump", "-d", "--no-show-raw-insn", made)
    functions = dict(re.findall(r"^[0-9a-f]+ <(\w+)>:\n((?:.*\S.*\n?)+)", dump, re.MULTILINE))
    assert len(functions) == (15 if flags else 13)
    for name, body in functions.items():
        in_memory = any(kind in name for kind in ("struct", "long_double", "array", "short_vector"))
        lines = [line.partition("\t")[2] for line in body.splitlines()]
        touches = [line for line in lines if "(" in line and not re.search(r"\blea|nop", line)]
        assert bool(touches) == in_memory, (name, body)


@pytest.mark.parametrize("compiler, language", COMPILERS)
def test_the_examples_compile_without_optimisation(compiler, language, tmp_path):
    ran = compiled(compiler, language, "any_type", tmp_path / "any_type.o", "-O0", *WIDE)
    assert ran.returncode == 0, ran.stderr


OPERANDS = ["first", "constant", "real_constant", "constants", "changing", "bits.low", "several", "real", "array", "wide"]
CONST, SMALL = "a variable that is not const", "an integer or a pointer of at most 8 bytes"
IN_BOTH = {"BARETICK_HIDE": {**dict.fromkeys(("constant", "real_constant", "constants"), CONST), "bits.low": BIT_FIELD}}
NOT_SMALL = {**dict.fromkeys(("real_constant", "constants", "several", "real", "array", "wide"), SMALL), "bits.low": BIT_FIELD}
# A macro and operands that do not compile, and the message.
REFUSED = {
    "c": {**IN_BOTH, "BARETICK_KEEP": {"bits.low": BIT_FIELD}, "BENCH_KEEP": NOT_SMALL, "BENCH_HIDE": {"constant": "", **NOT_SMALL}},
    "c++": {"BARETICK_HIDE": {**IN_BOTH["BARETICK_HIDE"], "changing": "copy a volatile object"},
            "BARETICK_KEEP": {"changing": "copy a volatile object"}},
}


@pytest.mark.parametrize("compiler, language", COMPILERS)
def test_refused_types_do_not_compile_and_the_message_has_the_reason(compiler, language, tmp_path):
    for macro, refused in REFUSED[language].items():
        for operand in OPERANDS:
            ran = compiled(compiler, language, "refused_type", tmp_path / "refused.o", "-O2", f"-DOF={macro}", f"-DIT={operand}")
            assert (ran.returncode != 0) == (operand in refused), (macro, operand, ran.stderr)
            assert refused.get(operand, "") in ran.stderr, (macro, operand, ran.stderr)
