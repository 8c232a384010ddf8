"""BARETICK_KEEP and BARETICK_HIDE take any type, and add no instruction to what is in registers."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT

WIDE = ["-march=x86-64-v4"]


@pytest.mark.parametrize("flags", [[], WIDE], ids=["sse", "avx512"])
@pytest.mark.parametrize("compiler, language", [("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++")])
def test_a_value_in_a_register_stays_there(compiler, language, flags, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    made = tmp_path / "any_type.o"
    ran = subprocess.run([compiler, "-x", language, *(["-std=c++17"] if language == "c++" else []), "-O2", "-Wall", "-Werror", *flags, f"-I{ROOT}", "-c", "-o", made,
                          ROOT / "tests/objects/any_type.c"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    dump = subprocess.run(["objdump", "-d", "--no-show-raw-insn", made], capture_output=True, text=True, check=True).stdout
    functions = dict(re.findall(r"^[0-9a-f]+ <(\w+)>:\n((?:.*\S.*\n?)+)", dump, re.MULTILINE))
    assert len(functions) == (11 if flags else 9)
    for name, body in functions.items():
        in_memory = "struct" in name or "long_double" in name
        lines = [line.partition("\t")[2] for line in body.splitlines()]
        touches = [line for line in lines if "(" in line and not re.search(r"\blea|nop", line)]
        assert bool(touches) == in_memory, (name, body)


@pytest.mark.parametrize("compiler, language", [("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++")])
def test_they_compile_without_optimisation(compiler, language, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    ran = subprocess.run([compiler, "-x", language, *(["-std=c++17"] if language == "c++" else []), "-O0", *WIDE, f"-I{ROOT}", "-c", "-o", tmp_path / "any_type.o",
                          ROOT / "tests/objects/any_type.c"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
