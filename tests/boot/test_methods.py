"""The literature's methods: under icount each has one correct result, and the report names the method."""

import re

import pytest
from machine import CHECK_FAILED, SUCCESS
from sharing import QEMU64
from test_steps import WORDS as EVERY_ROW

WORDS = "suite=calls bench=direct,direct_inc samples=64 most=50 ensembles=8 size=16 target=1000"
METHODS = ("plain", "kbest", "ensembles", "adaptive")
COMPENSATED = f"{WORDS} method=kbest compensate=on"


@pytest.mark.parametrize("method", METHODS)
def test_each_method_counts_the_same_instructions(shared, method):
    b = shared(f"{WORDS} method={method}").must(SUCCESS, rows=2)
    for row, instructions in zip(b.rows, (2, 4)):
        assert row["method"] == method and row["status"] == "ok", row
        assert row["per_op"]["instructions"] == pytest.approx(instructions), row
        assert "ns" not in row["per_op"] and "seconds" not in row, row


def test_ensembles_look_at_the_bare_windows_first(boot, shared):
    """Every recipe, whatever rows are run, reads the same as the rows of the bare window, in each ensemble."""
    assert len(shared(f"{WORDS} method=ensembles").must(SUCCESS, rows=2).of("bare_window")) == 8
    b = boot("suite=baseline bench=empty_* method=ensembles ensembles=8 size=16").must(SUCCESS, rows=8)
    bare = {w["recipe"]: w for w in b.of("bare_window")}
    assert len(bare) == 8, bare
    for recipe, w in bare.items():
        if "why" in w:
            continue
        side = w["window"]
        assert side["n"] == 8 * 16 and side["ensembles"] == 8 and side["ergodic"], w
        assert side["min"] == side["max"] and side["largest_deviation"] == 0, w
        assert f"\n{recipe:<24}     8" in str(b).replace("\r", ""), str(b)
        assert side["min"] == b.row("baseline", f"empty_{recipe}")["body"]["min"], w
    first_row = min(r["seq"] for r in b.rows)
    assert all(w["seq"] < first_row for w in bare.values())
    assert not shared(f"{WORDS} method=kbest").of("bare_window")


def test_compensation_has_no_effect_where_interrupts_are_masked(shared):
    plain = shared(f"{WORDS} method=kbest").must(SUCCESS, rows=2)
    b = shared(COMPENSATED).must(SUCCESS, rows=2)
    (said,) = [e["message"] for e in b.events("warning") if e["message"].startswith("compensate=on ")]
    why = b.run["compensate"].pop("why_not")
    assert said == f"compensate=on has no effect: {why}" and "interrupt is masked" in why and not b.run["compensate"], said
    assert [r["body"]["min"] for r in b.rows] == [r["body"]["min"] for r in plain.rows]
    assert not [e for e in plain.events("warning") if "compensate" in e["message"]] and "compensate" not in plain.run


def test_plain_prints_the_c_programs_table(boot, shared):
    """Its three steps in its own order, before the rows; each has the same windows as the rows of its functions."""
    b = boot("suite=baseline bench=do_* method=plain samples=64").must(SUCCESS, rows=2)
    steps = b.of("c_program")
    assert [s["step"] for s in steps] == ["baseline", "do_nothing", "do_something"], steps
    assert steps[-1]["seq"] < min(r["seq"] for r in b.rows)
    ticks = b.run["ticks_per_instruction"]
    rows = {"baseline": b.row("baseline", "do_nothing")["empty"]} | {r["name"]: r["body"] for r in b.rows}
    for s in steps:
        assert s["n"] == 64 and s["errors"] == 0 and s["recipe"] == b.run["recipe"] == "xfence", s
        assert s["warmup"] == 0 and s["warmup_readings"] == 3, s
        assert s["min"] == s["max"] == s["mean"] == rows[s["step"]]["min"] and s["sd"] == 0, (s, rows)
        cost = s["min"] // ticks
        assert re.search(rf"^{s['step']} +64 +{cost} +{cost} +{cost}\.00 +0\.00 +0\r?$", b.text, re.MULTILINE), str(b)
    assert steps[0]["min"] < steps[1]["min"] < steps[2]["min"], steps
    assert not shared(f"{WORDS} method=kbest").of("c_program")


def test_recipe_and_warmup_override_those_of_plain(boot):
    """recipe= and warmup= override the C program's; without RDTSCP there is no xfence."""
    b = boot("suite=baseline bench=do_nothing method=plain samples=64 recipe=lfence warmup=2").must(SUCCESS, rows=1)
    assert b.run["recipe"] == "lfence", b.run
    assert all(s["recipe"] == "lfence" and s["warmup"] == 32 and s["warmup_readings"] == 0 for s in b.of("c_program"))
    assert not [e for e in b.events("warning") if "warmup=" in e["message"]], str(b)
    b = boot("suite=baseline bench=do_nothing method=plain samples=64", **QEMU64).must(SUCCESS, rows=1)
    assert b.run["recipe"] != "xfence" and b.of("c_program")[0]["recipe"] == b.run["recipe"], b.run


@pytest.mark.parametrize("method", ["doubled", "plain"])
def test_cleared_caches_count_the_same(boot, method):
    b = boot(f"suite=calls,sum bench=virtual,warm samples=64 method={method} caches=clear").must(SUCCESS, rows=2)
    row = b.row("calls", "virtual")
    assert row["cold"] is True and row["per_op"]["instructions"] == pytest.approx(3), row


def test_cleared_caches_are_not_for_one_long_stretch(boot):
    b = boot("suite=sum bench=warm method=adaptive caches=clear").must(CHECK_FAILED, rows=1)
    assert b.rows[0]["status"] == "unsupported" and "cold" in b.rows[0]["why"], b.rows[0]


def test_traps_are_compared_with_their_cures_and_sums_in_bytes(boot):
    rows = "load_*,keep_cost,hide_cost,warm,cold,switch_*_c"
    b = boot(f"suite=compiler,sum,calls bench={rows} samples=64").must(SUCCESS, rows=8)
    told = [e["message"] for e in b.events("compared")]
    assert any(m.startswith("compiler/load_trap ") and "load_cure" in m for m in told), told
    assert any(m.startswith("sum/cold ") and "warm" in m for m in told), told
    for event in b.events("compared"):
        mine, other = (b.row(event["suite"], event[k])["per_op"]["instructions"]
                       for k in ("name", "compared_with"))
        figures = event["per_op"], event["other_per_op"], event["apart"]
        assert event["unit"] == "instructions", event
        assert figures == pytest.approx((mine, other, mine - other), abs=2e-6), event
    units = b.row("sum", "warm")["units"]
    assert units["unit"] == "byte" and units["per_op"] == 4 and units["per_instruction"] > 0, units
    assert "per_second" not in units, units
    of = {r["name"]: r["per_op"]["instructions"] for r in b.rows}
    assert of["keep_cost"] == of["hide_cost"] == 0, of
    assert of["switch_turn_c"] == of["switch_random_c"], of
    for row in b.rows:
        assert row["ticks"]["min"] == row["ticks"]["max"], row


def test_adaptive_keeps_to_a_rows_grain(boot):
    """With a wrong n these bodies run past their data, or never end."""
    rows = {"warm": 10000, "mul_cure": 50, "turn_2": 1024, "switch_turn_c": 1024}
    b = boot(f"suite=sum,compiler,calls bench={','.join(rows)} target=20000 method=adaptive").must(SUCCESS, rows=4)
    for row in b.rows:
        assert row["status"] == "ok" and row["errors"] == 0, row
        assert row["operations"] % rows[row["name"]] == 0, row
    for name in ("turn_2", "switch_turn_c"):
        row = b.row("calls", name)
        assert row["operations"] == 2048 and row["state"] == "most", row


BY_RECIPE = {"plain": "xfence", "kbest": "paoloni", "ensembles": "cpuid", "adaptive": "mfence"}
SMALL = "samples=16 warmup=1 layout=fixed hist=off most=32 ensembles=2 size=16 target=100"


@pytest.mark.long
def test_every_row_counts_the_same_by_every_method(boot, shared):
    """Each row with each method, each with another recipe: the counts differ only by what a call has once.
    test_steps.py has the counts by steps."""
    seen, boots = {}, {"doubled": shared(EVERY_ROW)}
    for method, recipe in BY_RECIPE.items():
        boots[method] = boot(f"suite=*,compiler,planted,quiet {SMALL} method={method} recipe={recipe} instructions=off")
    for method, b in boots.items():
        for row in b.must(CHECK_FAILED).rows:
            if row["name"].startswith("elided") and row["status"] != "unsupported":
                assert row["status"] == "wrong" and "the work was elided" in row["why"], row
                continue
            if row["status"] == "unsupported":
                assert row["why"], row
                continue
            assert row["status"] == "ok" and row["errors"] == 0, row
            if "instructions" in row.get("per_op", {}):
                done = row.get("operations", row["ops"])
                seen.setdefault((row["suite"], row["name"]), {})[method] = (row["per_op"]["instructions"], done)
    assert len(seen) > 100
    for name in ("two_speeds", "offset", "offset_c"):  # a shift register, or the placement, determines the cost of each call
        del seen["planted", name]
    for name, by in seen.items():
        exact, _ = by["doubled"]
        for method, (instructions, done) in by.items():
            # lazy_first and similar rows have a first operation that costs more.
            assert abs(instructions - exact) * done <= max(60, 0.02 * exact * done), (name, by)
