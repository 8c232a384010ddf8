"""cycle=: the source of core cycles. No emulated machine has a counter of them: the report then states that, and invents
no cycles. tests/unit has machines with counters.
"""

import re

import pytest
from machine import BAD_OPTIONS, SUCCESS, has
from sharing import INTEL

ROW = "suite=calls bench=direct samples=64"
NO_APERF = "no APERF and MPERF (CPUID 6 ECX[0])"
NO_PMC = "no fixed counter 1 (CPUID 0Ah), and none of AMD's"


def refused(b, which="cycle"):
    return {r["name"]: r["why"] for r in b.run.get(f"{which}_refused", [])}


@pytest.mark.parametrize("how", [{}, INTEL], ids=["amd", "intel"])
def test_the_ruler_replaces_counters_that_do_not_start(boot, how):
    b = boot(f"{ROW} cycle=pmc,aperf,auto", **how).must(SUCCESS, rows=1)
    assert b.run["cycle"] == "ruler" and has(refused(b), {"pmc": NO_PMC, "aperf": NO_APERF}), b.run
    assert f"not pmc: {NO_PMC}" in b.text and f"not aperf: {NO_APERF}" in b.text, str(b)
    assert b.rows[0]["per_op"]["instructions"] == 2, b.rows


def test_the_report_has_the_reason_for_a_missing_counter(boot):
    """By default the source is the ruler, and the report says why there is no counter."""
    b = boot(ROW).must(SUCCESS, rows=1)
    assert b.run["cycle"] == "ruler" and refused(b) == {}, b.run
    assert "cycle_counter" not in b.run, b.run
    assert has(refused(b, "cycle_counter"), {"pmc": NO_PMC, "aperf": NO_APERF}), b.run
    (test,) = [t for t in b.of("selftest") if t["name"] == "core_counter"]
    assert test["result"] == "not judged", test


@pytest.mark.parametrize("words", ["cycle=pmc", "cycle=ruler,pmc method=kbest"])
def test_a_named_counter_has_to_start(boot, words):
    b = boot(f"{ROW} {words}").must(BAD_OPTIONS, rows=0)
    (error,) = [e["message"] for e in b.events("error")]
    assert f"{words.split()[0]}: pmc does not start: {NO_PMC}" in error, error


@pytest.mark.parametrize(
    "source, said",
    [
        ("tsc", "the TSC's ticks are those of a reference clock"),
        ("rdtscp", "the TSC's ticks are those of a reference clock"),
        ("null", "as asked"),
    ],
)
def test_ticks_are_never_cycles(boot, source, said):
    b = boot(f"{ROW} cycle={source},ruler", icount=False).must(SUCCESS, rows=1)
    assert b.run["cycle"] == source and refused(b) == {}, b.run
    assert re.search(rf"^cycle +{source}\r?\n +core cycles are left out[,:] {said}", b.text, re.M), str(b)
    assert not [f for f in b.rows[0]["per_op"] if "cycles" in f] and b.rows[0]["per_op"]["ns"] > 0, b.rows
    assert "cycle_source" not in b.rows[0] and "core_hz" not in b.rows[0], b.rows


@pytest.mark.parametrize("how", [{"machine": "q35"}, INTEL], ids=["amd", "intel"])
def test_list_starts_each_source_or_shows_the_reason(shared, how):
    b = shared("list", **how).must(SUCCESS, rows=0)
    found = {t["name"]: t.get("why") for t in b.of("timer") if t["kind"] == "cycle"}
    assert has(found, {"pmc": NO_PMC, "aperf": NO_APERF, "ruler": None, "tsc": None, "null": None}), found
    text = b.text[b.text.index("cycle=") :]
    for name, why in found.items():
        said = f"not available: {re.escape(why)}" if why else "initialises; .+"
        assert re.search(rf"^  {name} +{said}\r?$", text, re.M), str(b)


def test_adaptive_counts_instructions_with_rdtscp(boot):
    """The source is read around each stretch, so the calls of the windows are counted too: a few instructions of a million."""
    b = boot(f"{ROW} cycle=rdtscp method=adaptive target=100000").must(SUCCESS, rows=1)
    assert b.run["cycle"] == "rdtscp", b.run
    assert b.rows[0]["per_op"]["instructions"] == pytest.approx(2, rel=1e-3), b.rows
