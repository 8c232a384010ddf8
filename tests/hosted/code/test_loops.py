"""Measured loops as each compiler at hand makes them: one iteration after the other, whatever its options.

An unrolled loop costs less than one that is not unrolled, so the subtracted loop would differ from the measured one.
BENCH_KEEP, BENCH_HIDE and BENCH_CLOBBER must not add an instruction (bench/api/keep.h).
"""

import os
import re
import shlex
from functools import cache

from commands import output_of
import pytest
from conftest import ROOT
from compilers import C as COMPILERS

OPTIONS = ["-O1", "-O2", "-O3", "-O2 -funroll-loops", "-O3 -march=x86-64-v3 -funroll-loops"]
FLAGS = shlex.split(
    "-std=c11 -ffreestanding -fPIE -mno-red-zone -fno-stack-protector -fcf-protection=none "
    "-fvisibility=hidden -fomit-frame-pointer -fno-asynchronous-unwind-tables -S -o - -I.")


@cache
def make_says(text, compiler):
    """Returns the words into which the Makefile expands a text with its variables."""
    said = output_of("make", "-s", "--no-print-directory", "-f", "-", "say", cwd=ROOT,
                     env={**os.environ, "CC": compiler, "MAKEFLAGS": ""},
                     input=f"include Makefile\nsay: ; @printf '%s\\n' {text}\n")
    return shlex.split(said)


def own_flags(source, compiler):
    return make_says(f"$(CFLAGS_{source})", compiler)


@pytest.fixture(params=[(c, o) for c in COMPILERS for o in OPTIONS], ids=" ".join)
def functions(request):
    """functions(source): its functions by name, each a list of instructions and labels."""
    compiler, options = request.param

    def compile_to_text(source):
        own = own_flags(source, compiler)
        text = output_of(compiler, *FLAGS, *own, *options.split(), source, cwd=ROOT)
        found, lines = {}, []
        for line in (re.sub(r"\s+", " ", re.sub(r"#.*", "", line)).strip() for line in text.splitlines()):
            name = re.fullmatch(r"([a-z]\w*):", line)
            if name:
                lines = found[name[1]] = []
            elif re.fullmatch(r"\.L\w+:", line) or (line and not line.startswith(".")):
                lines.append(line)
        return found

    return compile_to_text


def loop(lines):
    """Returns the instructions of a function's only loop, including its backward jump."""
    loops = []
    for i, line in enumerate(lines):
        jump = re.fullmatch(r"j\w+ (\.L\w+)", line)
        if jump and f"{jump[1]}:" in lines[:i]:
            inside = lines[lines.index(f"{jump[1]}:"):i + 1]
            loops.append([x for x in inside if not x.endswith(":")])
    assert len(loops) == 1, f"{len(loops)} loops in {lines}"
    return loops[0]


def without_labels(lines):
    return [re.sub(r"\.L\w+", "L", x) for x in lines if not x.endswith(":")]


def test_the_instructions_of_a_body_are_its_work_plus_the_empty_loop(functions):
    """An increment is one more instruction; a call has one in addition that passes the object."""
    bodies = functions("bench/suites/calls/body.c")
    empty = len(loop(bodies.pop("calls_empty")))
    inc = bodies.pop("calls_inline_inc")
    assert len(loop(inc)) == empty + 1, inc
    for name, body in bodies.items():
        calls = [x for x in loop(body) if x.startswith("call")]
        assert len(calls) == 1 and len(loop(body)) == empty + 2, name


# How each file's calls are made: bench/suites/calls/pic.h.
BY_PLT, BY_SLOT = r"callq? calls_\w+@PLT", r"callq? \*calls_\w+@GOTPCREL\(%rip\)"
SHARED = {"plt": BY_PLT, "plt_endbr": BY_PLT, "symbolic": BY_PLT, "got": BY_SLOT}


@pytest.mark.parametrize("way", SHARED)
def test_a_shared_library_s_calls_are_its_compiler_s(functions, way):
    """-fPIC calls through the PLT, -fno-plt through the GOT slot, which each call loads; the loop is that of the
    others."""
    bodies = functions(f"bench/suites/calls/pic_{way}.c")
    assert list(bodies) == [f"calls_{way}", f"calls_{way}_inc"], list(bodies)
    empty = len(loop(functions("bench/suites/calls/body.c")["calls_empty"]))
    for name, body in bodies.items():
        (call,) = (x for x in loop(body) if x.startswith("call"))
        assert re.fullmatch(SHARED[way], call) and len(loop(body)) == empty + 2, (name, body)
        assert ("endbr64" in body) == (way == "plt_endbr"), (name, body)


def test_a_known_type_is_devirtualised(functions):
    """Its two virtual calls are direct calls; with an unknown type each goes through the table, loaded again."""
    bodies = functions("bench/suites/calls/virtual_both.c")
    known, unknown = (loop(bodies[f"calls_virtual_{name}"]) for name in ("known", "unknown"))
    calls = [x for x in known if x.startswith("call")]
    assert len(calls) == 2 and not any("*" in x for x in calls), known
    calls = [x for x in unknown if x.startswith("call")]
    assert len(calls) == 2 and all("*" in x for x in calls), unknown
    assert len(unknown) == len(known) + 2, (known, unknown)


def test_keeping_and_hiding_cost_nothing(functions):
    bodies = functions("bench/suites/compiler/body.c")
    iterations = without_labels(bodies["compiler_iterations"])
    assert len(loop(bodies["compiler_iterations"])) == 2, iterations
    for name in ("compiler_iterations_keep", "compiler_iterations_hide"):
        assert without_labels(bodies[name]) == iterations, name


def test_the_look_up_of_lazy_binding_calls_no_library(functions):
    """They call no library function, use no string instruction, and leave vector registers unchanged."""
    body = functions("bench/suites/calls/lazy_fixup.c")["calls_lazy_fixup_c"]
    for line in body:
        mnemonic = line.split()[0]
        assert not re.fullmatch(r"callq?|rep\w*|(mov|cmp|sto|lod|sca)s[bwlq]?", mnemonic), line
        assert "%xmm" not in line, line
    assert any(x.startswith("div") for x in body), body
