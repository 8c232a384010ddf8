"""scripts/test-conditions: what a command finds in a condition, and that CI runs in one. scripts/test: a part's CPU
time, and the part that runs in parallel."""

import os
import re
import runpy
import sys

from commands import output_of, run_command
import pytest
from conftest import ROOT

SCRIPT = ROOT / "scripts/test-conditions"
PERF = "import ctypes; l = ctypes.CDLL(None, use_errno=True); print(l.syscall(298, 0, 0, 0, 0, 0), ctypes.get_errno())"
CPUS = "import os; print(len(os.sched_getaffinity(0)))"
LOOPS = """
import os
def ordered(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    except OSError:  # it has ended
        return None
loops = [p for p in os.listdir("/proc") if p.isdigit() and (o := ordered(p)) and int(o[1]) == os.getppid()]
print(sum(p != str(os.getpid()) for p in loops), os.environ.get("BARETICK_PROGRAM"))
"""


def started(*words):
    return run_command(SCRIPT, *words)


def within(condition, program):
    ended = started("--within", condition, sys.executable, "-c", program)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


def test_perf_event_open_is_refused():
    assert within("no-counter", PERF) == ["-1", "13"]  # EACCES


def test_one_cpu_leaves_one():
    assert within("one-cpu", CPUS) == ["1"]


def test_condition_busy_runs_two_loops_on_each_cpu():
    assert within("busy", LOOPS) == [str(2 * len(os.sched_getaffinity(0))), "None"]


def test_worst_combines_three_conditions():
    assert within("worst", PERF + "\n" + CPUS + "\n" + LOOPS) == ["-1", "13", "1", "2", "None"]


def test_the_status_is_the_commands():
    assert started("--within", "no-counter", "sh", "-c", "exit 3").returncode == 3


@pytest.mark.parametrize(
    "words, named",
    [
        (["dark"], ("dark", "as-is", "no-counter", "one-cpu", "busy", "other-vendor", "worst")),
        (["--within", "dark", "true"], ("dark", "no-counter", "worst")),
        (["--within", "busy"], ("--within", "COMMAND")),
        (["busy", "--within", "busy", "true"], ("--within", "nothing else")),
    ],
)
def test_test_conditions_refuses_wrong_words_and_names_the_allowed_ones(words, named):
    ended = started(*words)
    assert ended.returncode == 2 and all(n in ended.stderr for n in named), ended.stderr


def test_the_cpu_time_of_a_part_is_that_of_its_programs():
    """Including that of their children, as pytest's workers start programs."""
    test = runpy.run_path(str(ROOT / "scripts/test"))
    loop = "import time; any(time.process_time() > 0.5 for _ in iter(int, 1))"
    began = test["cpu_seconds"]()
    output_of("sh", "-c", '"$@" & wait', "sh", sys.executable, "-c", loop)
    assert 0.4 <= test["cpu_seconds"]() - began < 30


PARALLEL = """
import json, sys
assert sys.argv[1:4] == ["a word", "--alone", "boot"]
print("as it goes")
with open(sys.argv[4], "w") as f:
    json.dump([3, 1, [[2.5, "one"], [0.5, "other"]]], f)
"""


def test_a_parallel_part_is_printed_and_counted(tmp_path, monkeypatch, capsys):
    """A part that crashes has failed."""
    test, part = runpy.run_path(str(ROOT / "scripts/test")), tmp_path / "part"
    monkeypatch.setattr(sys, "argv", [str(part), "a word"])
    total = test["Count"]()
    total.add(1, 0, [(1.5, "of another part")])
    part.write_text(PARALLEL)
    total.add_count(test["ParallelPart"]("boot").count())
    assert (total.passed, total.failed) == (4, 1)
    total.show_slowest()
    said = capsys.readouterr().out
    places = [said.index(words) for words in ("as it goes", " one", " of another part", " other")]
    assert places == sorted(places), said

    part.write_text("raise SystemExit('too early')")
    total.add_count(test["ParallelPart"]("boot").count())
    said = capsys.readouterr()
    assert (total.passed, total.failed) == (4, 2) and "too early" in said.out and "boot: ended with status 1" in said.err


def test_continuous_integration_runs_in_a_condition():
    for path in (".ci/run", ".github/workflows/ci.yml"):
        lines = [line.strip().removeprefix("run: ") for line in (ROOT / path).read_text().splitlines()]
        tests = [line for line in lines if re.search(r"make test\b(?!-)", line)]
        assert tests == ["scripts/test-conditions --within no-counter make test"], (path, tests)
        assert "make test-others" in lines, path
