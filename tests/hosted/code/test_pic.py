"""The parts of suite `calls` that are compiled as a shared library: checks the flags of the build, and the object."""

import re

from commands import output_of, run_command
import pytest
from compilers import C as COMPILERS
from test_loops import ROOT, make_says

CALLS = "bench/suites/calls"
PIC = ["virtual_pic", "pic_plt", "pic_plt_endbr", "pic_got", "pic_symbolic", "pic_callee", "pic_callee_endbr",
       "pic_callee_symbolic"]
PROGRAM = ["virtual", "calls"]
TABLES = {"calls_table_pic": ["method_first", "method_empty"], "calls_table_pic_inc": ["method_first", "method_inc"]}


def flags(source, compiler):
    return make_says(f"$(call flags,{source})", compiler)


@pytest.mark.parametrize("name, pic", [*((n, True) for n in PIC), *((n, False) for n in PROGRAM)])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_files_of_a_library_are_compiled_as_pic(compiler, name, pic):
    source = f"{CALLS}/{name}.c"
    ran = run_command(compiler, *flags(source, compiler), "-dM", "-E", source, cwd=ROOT)
    macros = set(re.findall(r"^#define (__P\w+__) ", ran.stdout, re.MULTILINE))
    assert ran.returncode == 0 and "__PIC__" in macros and ("__PIE__" in macros) != pic, (macros, ran.stderr)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_virtual_pic_has_its_tables_and_methods_in_its_own_object(compiler, tmp_path):
    source, made = f"{CALLS}/virtual_pic.c", tmp_path / "virtual_pic.o"
    words = flags(source, compiler)
    output_of(compiler, *words, "-c", "-o", made, source, cwd=ROOT)
    relocations = output_of("readelf", "-rW", made)
    for table, methods in TABLES.items():
        there = re.search(rf"'\.rela\.data\.rel\.ro(?:\.local)?\.{table}'.*\n.*\n((?:[0-9a-f]+ .*\n)+)", relocations)
        assert there and re.findall(r"R_X86_64_64 .*?(method_\w+)", there[1]) == methods, relocations
    assert "'.rela.text" not in relocations  # no method refers to anything
    if "gcc" in compiler:  # which writes its options into the object
        (by,) = re.findall(r"DW_AT_producer .*: (GNU C.*)", output_of("readelf", "--debug-dump=info", made))
        assert "-fPIC" in by.split() and "-fPIE" not in by.split(), by


@pytest.mark.parametrize("compiler", COMPILERS)
def test_virtual_pic_compiles_with_no_flags_of_a_program(compiler, tmp_path):
    source = f"{CALLS}/virtual_pic.c"
    ran = run_command(compiler, *(w for w in flags(source, compiler) if w != "-fPIC"), "-c", "-o", tmp_path / "x.o", source, cwd=ROOT)
    assert ran.returncode != 0 and "-fPIC belongs here" in ran.stderr, ran.stderr
