"""Objects as each compiler at hand makes them, placed and run by lib/object; and objects that it refuses."""

import shutil

from commands import output_of, run_command
import pytest
from conftest import ROOT
from compilers import ALL as COMPILERS
from compilers import C

TOOL = ROOT / "build/hosted/object"
HIGH, LOW = "400000000000", "60000000"  # that of the code buffer; one within 31 bits, far from the heap

PROGRAM = """
typedef unsigned long u64;
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *, const void *, u64);
u64 outer(u64 x);
int number = 40;                  /* by the GOT in -fPIC code */
u64 outer(u64 x) { return x + (u64)number; }
static u64 calls, room[100];
static u64 one(void) { return ++calls; }
static u64 two(void) { return calls += 2; }
static u64 (*const table[])(void) = {one, two, one};
static u64 (*changed)(void) = one;
static const char *const texts[] = {"a", "bc", "def"};
static double half(u64 x) { return (double)x * 0.5; }
static u64 cases(u64 x)
{
    switch (x) {
    case 0: return outer(3);
    case 1: return calls + 1;
    case 2: return number;
    case 3: return room[7] + 9;
    case 4: return x * 3;
    case 5: return (u64)half(14);
    default: return 0;
    }
}
u64 f(void)
{
    volatile u64 n = 64, sum = 0;
    u64 copy[100];
    for (int i = 0; i < 100; i++)
        room[i] = (u64)i;
    memcpy(copy, room, n * 8);
    for (volatile int i = 0; i < 3; i++)
        sum += table[i]() + (u64)(unsigned char)texts[i][i];
    changed = two;
    for (volatile u64 i = 0; i < 7; i++)
        sum += cases(i);
    return sum + changed() + copy[63];
}
#ifdef __cplusplus
}
#endif
"""
# 1 + 3 + 4; a, c, f; 43, 5, 40, 16, 12, 7; 6; 63
RESULT = 8 + 97 + 99 + 102 + 43 + 5 + 40 + 16 + 12 + 7 + 6 + 63

FREE = "-ffreestanding -fno-stack-protector -fcf-protection=none"
FLAGS = [f"{level} {kind}" for level in ("-O0", "-O2", "-Os -ffunction-sections -fdata-sections")
         for kind in ("-fPIE", "-fPIC", "-fPIC -fno-plt", "-fno-pic")]  # fmt: skip


def compiled(tmp_path, compiler, flags, source=PROGRAM):
    text = tmp_path / ("a.cc" if "+" in compiler else "a.c")
    text.write_text(source)
    made = tmp_path / "a.o"
    output_of(compiler, "-c", *FREE.split(), *flags.split(), text, "-o", made)
    return made


def placed(made, address=HIGH, function="f", linked=()):
    return run_command(TOOL, made, function, address, *linked)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("flags", FLAGS)
def test_a_compilers_object_runs_wherever_it_is_placed(compiler, flags, tmp_path):
    """It returns the same result at each address, with its data reset. Code with fixed addresses only works below 2
    GiB."""
    made = compiled(tmp_path, compiler, flags)
    said = placed(made, LOW)
    assert said.stdout.split() == [str(RESULT)] * 3, said
    said = placed(made)
    if "-fno-pic" in flags and said.returncode:  # some compilers have no use for a fixed address
        assert "does not fit 32 bits" in said.stderr and not said.stdout, said
        assert "-fPIE" in said.stderr, said
    else:
        assert said.stdout.split() == [str(RESULT)] * 3, said
    said = placed(made, LOW, linked=["shared"])
    assert said.stdout.split() == [str(RESULT)] * 3, said


REFUSED = {
    "undefined": ("int printf(const char *, ...); long f(void) { return printf(\"\"); }", "", "printf"),
    "thread": ("static __thread long x; long f(void) { return ++x; }", "", "thread-local"),
    "common": ("long x; long f(void) { return ++x; }", "-fcommon", "-fno-common"),
    "ifunc": ("static volatile int which; static long g(void) { return 1; }"
              "static long k(void) { return 2; } static void *h(void) { return which ? k : g; }"
              "long i(void) __attribute__((ifunc(\"h\"))); long f(void) { return i(); }", "", "IFUNC"),
    "large": ("static long x; long *g(void); long f(void) { return *g() + x; }",
              "-mcmodel=large -fPIC", "R_X86_64_GOTPC64 to _GLOBAL_OFFSET_TABLE_: relocations of this type"),
    "constructor": ("static volatile long x; __attribute__((constructor)) static void g(void) { x++; }"
                    "long f(void) { return x; }", "", "constructors"),
}  # fmt: skip


@pytest.mark.parametrize("compiler", C)
@pytest.mark.parametrize("kind", REFUSED)
def test_features_of_objects_that_are_not_supported_are_refused_by_name(compiler, kind, tmp_path):
    source, flags, words = REFUSED[kind]
    said = placed(compiled(tmp_path, compiler, f"-O2 -fPIE {flags}", source))
    assert said.returncode == 1 and said.stdout == "", said
    assert words in said.stderr and said.stderr.startswith("object: "), said


def test_an_object_of_nasm_is_placed_and_runs(tmp_path):
    nasm = shutil.which("nasm")
    (tmp_path / "a.asm").write_text(
        "section .text\nglobal f\nf: mov rax, [rel x wrt ..got]\nmov rax, [rax]\nadd rax, [rel y]\n"
        "mov rcx, z\nadd rax, [rcx]\nret\nsection .data\nglobal x\nx: dq 1\ny: dq 2\nz: dq 4\n")  # fmt: skip
    output_of(nasm, "-f", "elf64", tmp_path / "a.asm", "-o", tmp_path / "a.o")
    said = placed(tmp_path / "a.o")
    assert said.stdout.split() == ["7"] * 3, said
