"""build/hosted/insn: cells of an instruction table by the engine's windows. What they come to is this CPU's and judged
nowhere; every test that a form has must be there."""

import re
import subprocess

import pytest
from conftest import ROOT

TOOL = ROOT / "build/hosted/insn"
CELL = r"(-?\d+\.\d\d|unsettled|faulted)"


def table(glob):
    done = subprocess.run([TOOL, glob], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("form, pairs", [
    ("add r64, r64", ["0->0=", "0->flags=", "1->0=", "1->flags="]),
    ("mov r64, m64", ["1->0<", "1.base->0=", "1.index->0="]),
    ("movd r32, xmm", ["1->0<"]),
    ("nop", []),
])  # fmt: skip
def test_a_form_has_its_throughput_and_each_pair(form, pairs):
    (line,) = table(form)
    assert line[0] == form and re.fullmatch(rf"{CELL}(/{CELL})?", line[1])
    assert ("/" in line[1]) == (" m" in form)
    assert [re.fullmatch(rf"(.*[=<:]){CELL}", pair)[1].replace(":", "=") for pair in line[2:]] == pairs or any(
        word in pair for pair in line[2:] for word in ("unsettled", "faulted"))


def test_forms_that_must_not_run_are_not_in_it():
    assert table("hlt") == table("syscall") == table("invd") == []


def test_words_that_are_wrong_are_refused():
    done = subprocess.run([TOOL, "a", "b"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "insn [GLOB]" in done.stderr
