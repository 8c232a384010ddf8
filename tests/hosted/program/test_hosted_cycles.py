"""cycle= on a CPU, in a process. If the kernel allows a counter of core cycles, it is reported next to the ruler and
agrees with it; if not, the report says why.
"""

import json
import os
import pathlib

from commands import run_command
import pytest
from report_runs import COUNTED
from test_hosted import refused

ROW = ["suite=planted", "bench=adds20", "samples=64", "format=jsonl"]
OF_CYCLES = {"cycles", "cycles_lo", "cycles_hi", "cycles_mean"}


def measure(run, *words):
    report = run(*ROW, *words).report()
    return report.run, report.rows["planted/adds20"], report


def is_silicon(head):
    return head["execution"] == "silicon"


def has_second_source(row):
    """Tests for cycles by the counter, or for no block without another program, which they would need."""
    return "cycles_counter" in row["per_op"] or not row["exclusive"]


def test_the_ruler_and_the_second_source_are_both_reported(run):
    head, row, report = measure(run)
    assert head["cycle"] == "ruler" and "cycle_refused" not in head
    why = {r["name"]: r["why"] for r in head.get("cycle_counter_refused", [])}
    assert "cycle_counter" in head or "pmc" in why
    if not is_silicon(head):
        return
    assert OF_CYCLES <= row["per_op"].keys() and row["cycle_source"] == "ruler"
    assert row["core_hz"] > 0
    assert has_second_source(row) or "cycle_counter" not in head, row
    assert "cycles_counter" not in row["per_op"] or "cycle_counter" in head, row
    test = report.selftests["core_counter"]
    assert (test["result"] != "not judged") == ("cycle_counter" in head)  # on a busy machine too


@pytest.mark.parametrize("source", ["tsc", "null", "rdtscp"])
def test_ticks_are_never_cycles(run, source):
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    if source == "rdtscp" and not any(line.startswith("flags") and " rdtscp" in line for line in lines):
        refused(run(*ROW, "cycle=rdtscp"), "cycle=rdtscp: rdtscp does not start: the CPU has no RDTSCP")
        return
    head, row, _ = measure(run, f"cycle={source},ruler")
    assert head["cycle"] == source
    assert not OF_CYCLES & row["per_op"].keys() and "ticks" in row["per_op"]
    assert not {"cycle_source", "core_hz", "modes", "interval"} & row.keys()


def test_without_a_source_no_line_has_core_cycles(run):
    """`hidden` is in core cycles, and so is the slowdown of cores at once."""
    words = ["suite=calls", "bench=inline_inc,direct", "samples=64", "cycle=tsc", "format=both"]
    for more in ([], ["cores=all", "share=together"]):
        ended = run(*words, *more)
        assert " cycles an iteration" not in ended.out and ", cycles " not in ended.out
        rows = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"baretick"')]
        rows = [r for r in rows if r["type"] == "row"]
        assert len(rows) >= 2
        for row in rows:
            assert not {"cycles", "gross_cycles"} & row["per_op"].keys()
            assert not any("cycles" in row.get(name, {}) for name in ("alone", "slowdown", "slower")), row


METHODS = ["doubled", "plain", "kbest", "ensembles", "adaptive"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("words", ["cycle=aperf", "cycle=ruler,aperf", "cycle=aperf,ruler"])
def test_a_named_counter_has_to_start(run, words, method):
    said = [f"{words}: aperf does not start: MSRs need ring 0", f"{words},auto", "`list`"]
    refused(run(*ROW, words, f"method={method}"), *said)


def test_auto_uses_the_next_source_of_core_cycles_if_one_is_refused(run):
    head, row, _ = measure(run, "cycle=aperf,auto")
    assert head["cycle"] == "ruler" and head["options"]["cycle"] == "aperf,auto"
    assert head["cycle_refused"] == [{"name": "aperf", "why": "MSRs need ring 0; a process has ring 3"}]
    assert OF_CYCLES <= row["per_op"].keys() or not is_silicon(head)


@pytest.mark.parametrize("source, known", [("ruler", True), ("null", False), ("tsc", False)])
def test_adaptive_measures_with_each_source_alone(run, source, known):
    words = ["suite=compiler", "bench=div_cure", "method=adaptive", "target=5000", "format=jsonl"]
    report = run(*words, f"cycle={source}").report()
    row = report.rows["compiler/div_cure"]
    if is_silicon(report.run):
        assert row["seconds"] > 0 and ("cycles" in row) == known


def test_a_counter_that_contradicts_the_steps_is_reported_and_fails_nothing():
    """The made-up one counts no instruction in any window. If steps count some, one of the two is wrong: the row's work
    is not judged. If neither does, the work was elided."""
    words = ["suite=calls,planted", "bench=direct_straight,elided", "samples=64", "rounds=1", "format=jsonl"]
    ran = run_command(COUNTED, *words, env={**os.environ, "MADE_RETIRED": "1"})
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    if not is_silicon(next(r for r in records if r["type"] == "run")):
        pytest.skip("no silicon: no counter is looked for")
    rows = {r["name"]: r for r in records if r["type"] == "row"}
    direct, elided = rows["direct_straight"], rows["elided"]
    assert direct["status"] == "ok" and direct["work_judged"] is False and direct["stepped"]["by_counter"] == 0, direct
    assert elided["status"] == "wrong" and elided["stepped"]["by_counter"] == 0, elided
    (told,) = [r["message"] for r in records if r["type"] == "event" and "counter of retired" in r["message"]]
    assert "direct_straight" in told and " 0 counted" in told, told


@pytest.mark.parametrize("words, source", [
    (["cycle=perf"], "perf"), (["cycle=aperf,perf,auto"], "perf"), (["cycle=pmc,perf"], "pmc"), (["cycle=auto"], "ruler"),
])
def test_a_counter_by_read_is_a_source_of_core_cycles(words, source):
    """With a counter that every machine has. tests/unit/hosted/test_counter.c checks the results of read(2), and its
    failures."""
    ran = run_command(COUNTED, *ROW, "instructions=off", *words)
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    (head,), (row,) = ([r for r in records if r["type"] == kind] for kind in ("run", "row"))
    if not is_silicon(head):
        pytest.skip("no silicon: nothing has core cycles")
    assert head["cycle"] == source and row["cycle_source"] == source, (head, row)
    assert OF_CYCLES <= row["per_op"].keys(), row
    # Alone, a counter's cycles are those of the row; next to the ruler they have a separate field.
    assert has_second_source(row) or source != "ruler", row
    assert "cycles_counter" not in row["per_op"] or source == "ruler", row


def test_list_shows_which_sources_of_core_cycles_start(shared_run):
    records = [json.loads(line) for line in shared_run("list").out.splitlines() if line.startswith("{")]
    found = {r["name"]: r for r in records if r["type"] == "timer" and r["kind"] == "cycle"}
    for name, here in {"aperf": False, "ruler": True, "tsc": True, "null": True}.items():
        assert found[name]["initialises"] is here, found[name]
    assert found["pmc"]["initialises"] or found["pmc"]["why"]
    assert found["perf"]["initialises"] or found["perf"]["why"]
