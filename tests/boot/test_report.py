"""The parts of a report, and that they agree."""

import re
from pathlib import Path

import pytest
from machine import STOPPED, SUCCESS
from rows import declared, on_request

RECIPES = ["plain", "rdtscp", "xfence", "paoloni", "cpuid", "mfence", "lfence", "serialize"]
WAYS = Path(__file__).parents[2] / "docs/calls.md"
CALLS = ["inline", "direct", "plt", "plt_endbr", "got", "register", "virtual", "virtual_pic"]


def statistics_agree(row):
    """Compares the figures of one row with its own complete histogram."""
    ticks, hist = row["ticks"], row["hist"]
    n = sum(count for _, count in hist)
    assert n == row["n"], row
    values = sorted(hist)
    assert values[0][0] == ticks["min"] and values[-1][0] == ticks["max"], row
    mean = sum(v * c for v, c in hist) / n
    assert ticks["mean"] == pytest.approx(mean, abs=1e-3), row
    variance = sum(c * (v - mean) ** 2 for v, c in hist) / (n - 1)
    assert ticks["sd"] == pytest.approx(variance**0.5, abs=1e-3), row
    order = [ticks[k] for k in ("min", "p25", "median", "p75", "p99", "max")]
    assert order == sorted(order), row


def counted(row, run):
    """Under icount every window of a row is the same whole number of instructions."""
    ticks, step = row["ticks"], run["ticks_per_instruction"]
    name = f"{row['suite']}/{row['name']}"
    assert ticks["min"] == ticks["max"] == ticks["median"] == ticks["mean"], f"{name}: {ticks}"
    assert ticks["sd"] == ticks["mad"] == 0 and ticks["min"] % step == 0, f"{name}: {ticks}"
    assert row["disturbed"] == 0 and row["errors"] == 0, row
    assert row["hist"] == [[ticks["min"], row["n"]]], row
    if "net" in row:
        per_op = row["per_op"]
        assert row["net"]["instructions"] == row["net"]["ticks"] / step, row
        once = row["net"]["instructions"] / row["ops"]
        if "stepped" in row and (not row["doubled"] or row["stepped"].get("iterations")):
            # By steps; windows also have the call of a body, and iterations of string instructions.
            assert 0 <= per_op["instructions"] <= once, row
        elif row["form"] == "function" and row["doubled"]:
            # Twice the iterations: the function's code before and after its loop cancels.
            assert per_op["instructions"] == pytest.approx(once, abs=0.1), row
        else:
            assert per_op["instructions"] == pytest.approx(once), row
        assert "ns" not in per_op and "cycles" not in per_op, row


def regressions_are_exact(b):
    """With counted instructions, one more add is one more instruction with every recipe, and every point is on the
    line."""
    fits = {r["recipe"]: r for r in b.of("regression")}
    empty = {r["recipe"]: r["points"][0]["ticks"] for r in b.of("linearity") if "points" in r}
    assert set(fits) == set(empty) and "lfence" in fits
    for recipe, fit in fits.items():
        assert fit["slope_instructions"] == pytest.approx(1, abs=1e-7), fit
        assert fit["intercept_instructions"] == empty[recipe] / b.run["ticks_per_instruction"], fit
        assert fit["r2"] == 1 and fit["residual_max"] == 0 and fit["n"] == 8 and fit["spurious_minima"] == 0, fit
        steps = [longer - shorter for shorter, longer in zip(fit["minima_ticks"], fit["minima_ticks"][1:])]
        assert fit["adds_step"] == 128 and steps == 7 * [128 * b.run["ticks_per_instruction"]], fit
        assert f"\n{recipe:<10}   1.00000 " in b.text.replace("\r", ""), str(b)


@pytest.mark.check
def test_a_run_without_options_is_whole(boot):
    """The whole program with default options, with fewer windows per row."""
    b = boot("samples=32").must(SUCCESS)
    assert b.records[0]["type"] == "run" and b.records[-1]["type"] == "end", str(b)
    run = b.run
    assert run["unit"] == "instructions" and run["execution"] == "instructions", run
    assert run["ticks_per_instruction"] == 128, run
    assert run["options"]["samples"] == 32 and run["options"]["suite"] == "*", run
    by_default = {name for name, fields in declared().items() if not on_request(fields)}
    assert {f"{r['suite']}/{r['name']}" for r in b.rows} == by_default
    for row in b.rows:
        if row["status"] == "unsupported":
            assert row["why"] and "ticks" not in row, row
            continue
        assert row["status"] == "ok" and row["n"] == 32 and row["core"] == 0, row
        statistics_agree(row)
        counted(row, run)
    for recipe in RECIPES:
        assert b.row("baseline", f"empty_{recipe}")["recipe"] == recipe
    for call in CALLS:
        for form in ("", "_inc", "_c", "_inc_c"):
            assert b.row("calls", call + form)["ops"] > 1
    assert b.of("linearity") and b.of("selftest"), str(b)
    regressions_are_exact(b)
    assert all(r["result"] != "fail" for r in b.of("selftest")), b.of("selftest")
    # The order of the parts, and the text for people.
    said = [b.text.index(words) for words in ("leaving firmware", "left firmware", "verdict: PASS")]
    assert said == sorted(said), str(b)
    assert "instructions" in b.text and "cycles" not in b.text.split("verdict")[0].lower(), str(b)


def test_suite_calls_distinguishes_the_kinds_of_call(boot):
    """Relations between instruction counts that hold with every compiler."""
    b = boot("suite=calls samples=16").must(SUCCESS)

    def per_op(name):
        return b.row("calls", name)["per_op"]["instructions"]

    for form in ("", "_inc"):
        inline, direct, plt, endbr = (per_op(k + form) for k in CALLS[:4])
        assert inline < direct < plt < endbr, form
        assert plt == direct + 1 and endbr == plt + 1, form
        assert per_op("got" + form) == per_op("register" + form) == direct, form
        assert per_op("virtual" + form) == per_op("virtual_pic" + form), "the A/A control"
        assert per_op("virtual" + form) == direct + 1, form
    # Compiled like shared libraries: with landing pads the callee begins with one too.
    for form in ("_c", "_inc_c"):
        direct = per_op("direct" + form)
        assert per_op("plt" + form) == direct + 1 and per_op("plt_endbr" + form) == direct + 3, form
        assert per_op("got" + form) == per_op("symbolic" + form) == direct, form
    assert per_op("virtual_unknown_c") == per_op("virtual_known_c") + 2
    assert per_op("virtual_known_c") == per_op("direct_c") + per_op("direct_inc_c")
    # docs/calls.md says the same.
    ways = re.findall(r"^\| `(\w+)` \|.*\| *(\d*) \| (\d+) \|$", WAYS.read_text(), re.MULTILINE)
    assert {way for way, *_ in ways} >= {*CALLS, "symbolic", "tail"}, ways
    for way, nasm, c in ways:
        assert per_op(way + "_c") == int(c) and (not nasm or per_op(way) == int(nasm)), way
    virtual = re.findall(r"^\| `(virtual_\w+_c)` \| .* \| (\d+)(?: \(clang: (\d+)\))? \|$", WAYS.read_text(), re.MULTILINE)
    by_clang = b.run["compiler"].startswith("clang")
    assert {name: int(clang if clang and by_clang else count) for name, count, clang in virtual} == {
        f"virtual_{row}_c": per_op(f"virtual_{row}_c") for row in ("known", "unknown", "type", "types")
    }
    assert re.search(rf"\b{per_op('lazy_first'):.0f}\s+instructions", WAYS.read_text())
    # ++*x is one instruction, and a call must pass x.
    assert per_op("inline_inc") == per_op("inline") + 1
    for kind in CALLS[1:]:
        assert per_op(kind + "_inc") == per_op(kind) + 2, kind
    # Compared pairs: ways of calling with the direct call, ++*x with nothing.
    apart = {(e["name"], e["compared_with"]): e["apart"] for e in b.events("compared")}
    # One piece of code, called through one base pointer: known or not, of one type or of two.
    assert apart["virtual_unknown_c", "virtual_known_c"] == 2 and apart["virtual_types_c", "virtual_type_c"] == 0
    for form in ("", "_c"):
        for kind in CALLS[1:]:
            if kind != "direct":
                pair = kind + form, "direct" + form
                assert apart[pair] == per_op(pair[0]) - per_op(pair[1]), pair
            pair = f"{kind}_inc{form}", kind + form
            assert apart[pair] == per_op(pair[0]) - per_op(pair[1]), pair


def test_list_names_every_row(shared):
    b = shared("list").must(SUCCESS, rows=0)
    for name in declared():
        suite, row = name.split("/")
        assert re.search(rf"\b{suite}\b", b.text) and re.search(rf"\b{row}\b", b.text), name


def test_format_table_prints_no_record_but_the_last(boot):
    b = boot("suite=baseline samples=32 format=table")
    assert b.status == SUCCESS and [r["type"] for r in b.records] == ["end"], str(b)
    for recipe in RECIPES:
        assert f"empty_{recipe}" in b.text
    assert "verdict: PASS" in b.text


def test_format_lines_prints_one_line_per_row(boot):
    """Text that a test rack waits for, from the first line to the last; the figures are those of the record."""
    b = boot("suite=calls samples=16 bench=direct,plt format=lines")
    assert b.status == SUCCESS and [r["type"] for r in b.records] == ["end"], str(b)
    after = b.text[b.text.index("baretick: left firmware"):].splitlines()
    assert [line for line in after if line.startswith("BT ")] == [
        "BT calls/direct@0 2.000000 instructions pass", "BT calls/plt@0 3.000000 instructions pass",
        "BT run/verdict@0 0 failures pass"]
    assert "verdict: PASS (2 rows, 0 failures)" in after


def test_table_and_records_agree(boot):
    b = boot("suite=baseline,calls samples=16 table=rows").must(SUCCESS)
    step = b.run["ticks_per_instruction"]
    for row in (r for r in b.rows if r["status"] == "ok"):
        line = re.search(rf"^{row['name']} +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)", b.text, re.M)
        assert line, f"{row['name']} has no line in the table\n{b}"
        ticks = row["ticks"]
        figures = [ticks[k] // step for k in ("min", "median", "p99", "max")]
        assert [int(g) for g in line.groups()] == [row["ops"], *figures], line[0]


@pytest.mark.parametrize("hist", ["full", "off"])
def test_histograms_are_written_as_hist_asks(boot, hist):
    b = boot(f"suite=baseline samples=32 hist={hist}").must(SUCCESS)
    for row in (r for r in b.rows if r["status"] == "ok"):
        assert ("hist" in row) == (hist == "full") and "hist_rest" not in row, row


def test_plain_tcg_is_called_noise(boot):
    """Ticks of real time: histograms with more than one bin, and the report must say that they are noise."""
    b = boot("suite=baseline samples=600", icount=False)
    run = b.run
    assert run["unit"] == "ticks" and run["execution"] == "emulated", run
    head = b.text[b.text.index("left firmware") :].splitlines()[:12]
    assert any("noise" in line.lower() for line in head), "\n".join(head)
    for row in (r for r in b.rows if r["status"] == "ok"):
        rest = row.get("hist_rest", 0)
        assert sum(c for _, c in row["hist"]) + rest == row["n"] and len(row["hist"]) <= 256, row
        assert "cycles" not in row.get("per_op", {}), row  # instructions are counted by steps, so they are exact


OTHER_KEYS = b"x Q\r\n\0\xff\x1b[A\x1bOP\x1bx"


@pytest.mark.parametrize("key", [b"q", b"\x1b"])
def test_a_key_stops_a_run(boot, key):
    """The report has the rows that ended, says how to continue, and is not PASS. The other rows take far longer than
    the key, also on a busy machine."""
    b = boot("suite=calls,truth samples=4096", keys={b'"type":"row"': key})
    assert b.status == STOPPED, str(b)
    assert b.end["stopped"] is True and b.end["verdict"] == "stopped", b.end
    assert 1 <= b.end["rows"] == len(b.rows) < 60, str(b)
    assert all(r["status"] == "ok" for r in b.rows), str(b)
    assert re.search(r"verdict: STOPPED \(.*, stopped\)", b.text), str(b)
    (event,) = b.events("stopped")
    assert f"after {len(b.rows)} of " in event["message"]
    assert "suite=calls,truth" in event["message"], event


def test_no_other_key_stops_a_run(boot):
    b = boot("suite=baseline,truth samples=64", keys={b'"type":"row"': OTHER_KEYS}).must(SUCCESS)
    assert "stopped" not in b.end and b.end["verdict"] == "pass", b.end


def test_a_key_stops_within_a_row(boot):
    """A row of many placements: it is left out, and does not count as failed."""
    b = boot("suite=truth bench=imul layout=sweep samples=200000", keys={b"row 1 of 1": b"q"})
    assert b.status == STOPPED and b.end["rows"] == len(b.rows) == 0, str(b)
    assert b.end["failures"] == 0
    assert "truth/imul was under way" in b.events("stopped")[0]["message"]
