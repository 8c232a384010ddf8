"""Executes every form of lib/insn that this CPU has once, with the chain of each pair of its operands, in a separate
process, in memory between guard pages.
"""

import json

from commands import output_of
import pytest
from conftest import ROOT

TOOL = ROOT / "build/hosted/insn_run"


def run(*words):
    *lines, counts = output_of(TOOL, *words).splitlines()
    return [line.split("\t") for line in lines], json.loads(counts)


@pytest.fixture(scope="module")
def whole():
    return run()


def test_every_form_is_executed_or_its_reason_is_known(whole):
    lines, counts = whole
    tests = counts["ran"] + counts["faulted"]
    executed = counts["forms"] - counts["not_run"] - counts["lacking"]
    # There are four throughput tests of a form; some forms cannot use the same register everywhere, some have no
    # memory.
    assert 4 * executed == tests + counts["not_encodable"] + counts["no_memory"]
    assert len(lines) == counts["faulted"] + counts["pairs_faulted"] + counts["mixes_faulted"]
    assert counts["pairs"] == counts["pairs_ran"] + counts["pairs_faulted"] + counts["no_chain"]


@pytest.mark.parametrize("name", ["add r64, r64", "div m64", "mul r8", "rep movsb", "push r64", "bts m64, r64", "cpuid",
                                  "cmpxchg m64, r64", "loop rel8", "movaps xmm, m128", "fxsave*", "fdiv st0, st",
                                  "paddb mm, m64", "xlat", "lea r64, address"])  # fmt: skip
def test_forms_that_every_cpu_has_do_not_fault(name):
    lines, counts = run(name)
    assert counts["ran"] > 0 and counts["faulted"] == counts["pairs_faulted"] == 0, lines


@pytest.mark.parametrize("name", ["add r64, r64", "bts m64, r64", "div m64", "paddb mm, m64", "movaps m128, xmm",
                                  "adc m64, r64", "cmovz r64, m64", "push r64", "pop m64", "movsb"])  # fmt: skip
def test_forms_do_not_fault_next_to_blockers(name):
    lines, counts = run(name)
    assert counts["mixes"] >= 4 and counts["mixes_faulted"] == 0, lines  # of general registers and memory


def test_calls_of_the_kernel_are_not_run():
    lines, counts = run("sy*")
    assert counts["forms"] == counts["not_run"] > 0 and lines == []
