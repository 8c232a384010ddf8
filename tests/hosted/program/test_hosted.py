"""The report of the Linux program: records, table, and what they say of regression, recipes and caches."""
import json
import os
import re
import statistics

import pytest
from statuses import CHECK_FAILED, refused

QUICK = ["suite=planted", "bench=adds20", "samples=64"]


def test_the_regression_is_the_line_of_least_squares(shared_run):
    """The line is that of least squares through the minima in the record, over bodies of even steps: 64, or 8 in an
    emulator."""
    ended = shared_run(*QUICK)
    records = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"baretick":')]
    lines = {r["recipe"]: r for r in records if r["type"] == "linearity" and "why" not in r}
    fits = {r["recipe"]: r for r in records if r["type"] == "regression"}
    bodies, step = (64, 16) if records[0]["execution"] == "silicon" else (8, 128)
    assert set(fits) == set(lines) and "cpuid" in fits
    for recipe, fit in fits.items():
        minima = fit["minima_ticks"]
        assert len(minima) == bodies and fit["adds_step"] == step, fit
        assert 2 <= fit["windows"] <= 64 and fit["windows"] % 2 == 0, fit
        spurious = sum(after < before for before, after in zip(minima, minima[1:]))
        assert fit["spurious_minima"] == spurious and f" {spurious} of {bodies - 1}" in ended.out, fit
        if fit["n"] == 0:  # the ticks of a core cycle are not known, because a neighbour used the core
            assert "slope_cycles" not in fit and "r2" not in fit, fit
            continue
        adds = [step * i for i in range(bodies)]
        cycles = [ticks / lines[recipe]["ticks_per_cycle"] for ticks in minima]
        slope, intercept = statistics.linear_regression(adds, cycles)
        assert fit["n"] == bodies and fit["slope_cycles"] == pytest.approx(slope, rel=1e-4), fit
        assert fit["intercept_cycles"] == pytest.approx(intercept, rel=1e-4, abs=1e-2), fit
        off = max(abs(y - (intercept + slope * x)) for x, y in zip(adds, cycles))
        assert fit["residual_max"] == pytest.approx(off, rel=1e-3, abs=1e-2), fit
        assert fit["r2"] == pytest.approx(statistics.correlation(adds, cycles) ** 2, abs=1e-6), fit
        shown = re.search(rf"^{recipe} +(-?\d+\.\d{{5}}) ", ended.out, re.MULTILINE)
        assert shown and float(shown[1]) == pytest.approx(fit["slope_cycles"], abs=6e-6), ended.out


def test_a_recipe_that_is_not_in_use_has_few_windows(shared_run):
    """As many as fit into its time, at least 64 at each of 4 placements. tests/unit/bench/engine/test_probe.c checks the
    time."""
    report = shared_run(*QUICK, "format=jsonl").report()
    if report.run["execution"] != "silicon":
        pytest.skip("not a CPU of one's own")
    others = [r for name, r in report.linearity.items() if name != report.run["recipe"] and "why" not in r]
    assert len(others) >= 4
    for r in others:
        assert 256 <= r["n"] <= 2048 and r["n"] % 128 == 0, r


def test_the_records_agree_with_the_options_and_with_each_other(run):
    report = run(*QUICK, "format=jsonl", "hist=full", "seed=7").report()
    head, row = report.run, report.rows["planted/adds20"]
    assert head["seq"] == 0 and head["platform"] == "hosted"
    assert head["options"]["seed"] == 7 and head["options_from"] == "command line"
    assert head["process"]["cpu"] in os.sched_getaffinity(0)
    assert all(type(head["process"][wish]) is bool for wish in ("pinned", "locked", "fifo"))
    assert head["tsc"]["step_ticks"] > 0 and len(head["tsc"]["sources"]) == 3
    assert set(report.linearity) >= {"plain", "lfence", "cpuid"}
    assert (row["ops"], row["form"], row["errors"]) == (50, "straight", 0)
    assert row["n"] == sum(count for _, count in row["hist"])
    assert row["ticks"]["min"] == row["hist"][0][0] and row["ticks"]["max"] == row["hist"][-1][0]
    assert row["windows"] > row["n"]
    process = row["process"]
    for counted in ("voluntary_switches", "involuntary_switches", "migrations", "page_faults"):
        assert process[counted] >= 0
    assert report.end["rows"] == 1
    assert any(e["kind"] == "process" for e in report.events)


def test_table_and_records_are_of_one_row(run):
    ended = run(*QUICK, "format=both", "hist=off")
    line = re.search(r"adds20 +50 +(\d+) +(\d+)", ended.out)
    ticks = re.search(r'"ticks":\{"min":(\d+),.*?"median":([\d.]+)', ended.out)
    assert int(line[1]) == int(ticks[1]) and abs(int(line[2]) - float(ticks[2])) <= 0.5
    table = run(*QUICK, "format=table").out
    assert '{"baretick"' not in table and "verdict:" in table.splitlines()[-1]


def test_defaults_are_reported(run):
    ended = run("format=jsonl", "suite=planted", "bench=rdmsr")
    assert ended.report().run["options"]["layout"] == "shuffle"


def test_a_row_that_needs_ring_0_is_unsupported_in_a_process(run):
    ended = run("suite=planted", "bench=rdmsr", "format=jsonl")
    row = ended.report().rows["planted/rdmsr"]
    assert row["status"] == "unsupported" and "ring 0" in row["why"]
    assert "ticks" not in row and "process" not in row
    assert ended.report().end["failures"] == 1 + len(
        [s for s in ended.report().selftests.values() if s["result"] == "fail"]
    )
    assert ended.report().end["verdict"] == "fail" and ended.status == CHECK_FAILED
    named = f"planted/rdmsr: {row['why']}"
    assert [e for e in ended.report().events if e["kind"] == "warning" and named in e["message"]]
    ended = run("suite=planted,truth", "bench=rdmsr,add", "format=jsonl", "samples=64")
    assert not [e for e in ended.report().events if e["kind"] == "warning" and named in e["message"]]


@pytest.mark.silicon
def test_cleared_caches_cost(run):
    def median(caches):
        row = run("suite=calls", "bench=virtual", "format=jsonl", f"caches={caches}").report().rows["calls/virtual"]
        assert row["cold"] is (caches == "clear")
        return row["ticks"]["median"]

    assert median("clear") > median("keep")


def test_a_recipe_that_the_cpu_lacks_is_refused(run):
    probe = run(*QUICK, "format=jsonl").report()
    lacking = [name for name, record in probe.linearity.items() if "why" in record]
    if not lacking:
        pytest.skip("this CPU can do every recipe")
    refused(run(*QUICK, f"recipe={lacking[0]}"), f"recipe={lacking[0]}", "this CPU can:", "plain")
