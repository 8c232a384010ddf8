"""Rounds over the row list (docs/figure.md "Rounds"), their display, and the estimate of the time left."""

import re
import statistics

import pytest
from conftest import SEVERAL
from statuses import CHECK_FAILED, STOPPED
from terminal import Terminal

pytestmark = pytest.mark.native  # an emulator has one round, of fewer windows
CPUS = len(SEVERAL)
EIGHT = ["suite=truth", "bench=add,cmov,imul,imul64,lea,load,neg,ror"]


def test_rows_are_shown_in_the_last_round(program):
    t = Terminal(program, *EIGHT, "samples=256", "rounds=3")
    order = [(x.round, x.done) for x in t.lines if x.percent is None]
    assert order == [(r, i) for r in (1, 2, 3) for i in range(8)]
    assert {x.rounds for x in t.lines} == {3}
    (last,) = [x for x in t.lines if (x.round, x.done) == (3, 0)]
    assert last.start < t.shown.index(b'"type":"row"') < [x for x in t.lines if x.done == 1][-1].start
    assert len(t.of_type("row")) == 8
    names = [r["name"] for r in t.of_type("row")]
    assert names == sorted(names)


def test_with_one_round_each_row_is_measured_in_one_go(program):
    t = Terminal(program, *EIGHT, "samples=256", "rounds=1")
    assert [(x.round, x.done) for x in t.lines if x.percent is None] == [(None, i) for i in range(8)]
    rows = [m.start() for m in re.finditer(b'"type":"row"', t.shown)]
    starts = [x.start for x in t.lines if x.percent is None]
    assert all(start < row for start, row in zip(starts, rows))
    assert all(row < start for row, start in zip(rows, starts[1:]))
    for row in t.of_type("row"):
        assert row["rounds"] == 1 and "rounds_sd" not in row["interval"]


@pytest.mark.parametrize(
    "words, rounds, placements",
    [
        ("", 4, 16),
        ("rounds=16", 16, 16),
        ("rounds=64", 64, 16),
        ("rounds=5", 5, 16),
        ("layout=fixed", 4, 1),
        ("layout=sweep samples=64", 4, 192),
        ("samples=64", 2, 1),
        ("samples=16", 1, 1),
        ("caches=clear samples=256", 4, 4),
    ],
)
def test_each_row_goes_through_all_rounds(run, words, rounds, placements):
    report = run("suite=truth,baseline", "bench=ror,imul,empty_lfence", "format=jsonl", *words.split()).report()
    if report.run["execution"] != "silicon":
        pytest.skip("not a CPU of one's own")
    windows = max(report.run["samples"], 192 * 16 if "sweep" in words else 0)
    for name in ("truth/ror", "truth/imul"):
        row = report.rows[name]
        assert (row["rounds"], row["placements"]) == (rounds, placements)
        assert row["n"] >= windows  # shared blocks are repeated, and stay in the histogram
        assert row["n"] == sum(n for _, n in row["hist"]) + row.get("hist_rest", 0)
        means = row["interval"].get("rounds_cycles", [])
        assert len(means) == (rounds if rounds > 1 else 0)
        if rounds > 1 and None not in means:  # a round on a busy core may lack a mean
            assert row["interval"]["rounds_sd"] == pytest.approx(statistics.stdev(means), abs=2e-6)
    assert report.rows["baseline/empty_lfence"]["rounds"] == rounds


@pytest.mark.parametrize("cores", ["cores=bsp", "cores=all", "cores=all share=together"])
def test_rows_on_each_core_go_through_all_rounds(program, cores):
    if CPUS < 2:
        pytest.skip("there is but one CPU")
    words = ["suite=truth,cores", "bench=ror,imul,pingpong", "samples=256", *cores.split()]
    t = Terminal(program, *words)
    if t.of_type("run")[0]["execution"] != "silicon":
        pytest.skip("not a CPU of one's own")
    rows = t.of_type("row")
    assert [(r["suite"], r["name"]) for r in rows[:1]] == [("cores", "pingpong")]  # in the last round
    n = CPUS if "all" in cores else 1
    assert sorted((r["name"], r["core"]) for r in rows[1:]) == [(x, c) for x in ("imul", "ror") for c in range(n)]
    for row in rows[1:]:
        assert row["rounds"] == 4 and row["n"] >= 256
        assert row.get("together") == (n if "together" in cores else None)
        if "together" in cores:
            assert "cycles" in row["alone"]


# --- stopping -------------------------------------------------------------------------------------

LONG = [*EIGHT, "samples=50000", "hist=off", "layout=fixed"]


@pytest.mark.parametrize("wanted, words", [(1, []), (4, []), (1, ["cores=all"]), (2, ["cores=all"]),
                                           (2, ["cores=all", "share=together"])])
def test_a_stop_keeps_whole_rounds(program, wanted, words):
    """Stops after the third row of a round has begun. Judged by where the stop was seen, which on a busy machine can be
    later."""
    t = Terminal(program, *LONG, *words, stop=lambda x: x.round == wanted and x.done >= 2)
    if not t.of_type("end")[0].get("stopped"):
        pytest.skip("the run was over before the signal came: the machine is too busy")
    rows, (end,) = t.of_type("row"), t.of_type("end")
    (event,) = [e["message"] for e in t.of_type("event") if e["kind"] == "stopped"]
    at = re.fullmatch(r"after (\d) of 8 rows of round (\d) of 4, as asked; truth/(\w+) was "
                      r"(?:next|under way|under way and is left out)\.(.*)", event)
    assert at, event
    done, reached, rest = int(at[1]), int(at[2]), at[4]
    assert end["verdict"] == ("fail" if end["failures"] else "stopped")
    assert t.status == (CHECK_FAILED if end["failures"] else STOPPED)
    assert end["rows"] == len(rows)
    shown = {r["name"] for r in rows}
    if reached == 1:
        assert len(shown) in (done, done + 1)  # in the current round, cores that had finished it
        assert f"{8 - len(shown)} rows were not measured. To measure" in rest, event
        assert "suite=truth" in rest
    else:
        assert len(shown) == 8 and "not measured" not in rest, event
        assert len({(r["name"], r["core"]) for r in rows}) == len(rows) == 8 * (CPUS if words else 1)
        assert ("shown with the rounds that they have" in rest) == (reached < 4 or done < 8)
    for row in rows:
        assert row["rounds"] in (reached - 1, reached) and row["rounds"] > 0, row
        assert row["status"] == "ok" or "documented" in row["why"], row
        assert row["n"] >= 12000 * row["rounds"]


# --- progress -------------------------------------------------------------------------------------


def test_progress_within_a_row_counts_its_parts(program):
    """A row that takes seconds of CPU time shows its parts, one after the other; it is stopped at the third."""
    seen = set()

    def is_third(line):
        seen.update({line.percent} - {None})
        return len(seen) >= 3

    t = Terminal(program, "suite=planted", "bench=long", "samples=1000000", "hist=off", "rounds=1", "deadline=3600",
                 stop=is_third)  # fmt: skip
    parts = [x.percent for x in t.lines if x.percent is not None]
    assert parts == sorted(parts) and len(set(parts)) >= 3, parts


@pytest.mark.silicon
def test_progress_within_a_row_is_that_of_all_cores_at_once(program):
    t = Terminal(program, "suite=planted", "bench=long", "samples=60000", "hist=off", "rounds=1", "cores=all",
                 "share=together")  # fmt: skip
    parts = [x.percent for x in t.lines if x.percent is not None]
    if t.end - t.lines[0].at < 4:
        pytest.skip("the row is too short on this CPU to be shown")
    assert parts == sorted(parts) and len(set(parts)) >= 3 and max(parts) > 100 * CPUS / (CPUS + 1), parts


@pytest.mark.silicon
@pytest.mark.parametrize(
    "words",
    [
        "samples=4096",
        "samples=4096 rounds=1",
        "suite=compiler samples=16000",
        "method=kbest k=30 most=15000",
        "suite=sum bench=cold layout=sweep samples=600000",
    ],
)
def test_the_estimate_is_right_within_a_factor_of_two(program, words):
    """Compared with the time that the same run really took: lines after its first tenth, with at least two seconds
    left. The load of other programs changes, so not every line, and not every run, must be right."""
    for _ in range(3):
        t = Terminal(program, "format=table", *words.split())
        began, total = t.lines[0].at, t.end - t.lines[0].at
        judged = [x for x in t.lines if x.left is not None and x.at - began > total / 10 and t.end - x.at >= 2]
        if len(judged) < 3:
            pytest.skip(f"the run took but {total:.1f} s")
        factors = [max(x.left, 0.5) / (t.end - x.at) for x in judged]
        right = sum(1 / 2 <= f <= 2 for f in factors)
        if 1 / 2 <= statistics.median(factors) <= 2 and right >= 2 / 3 * len(factors):
            return
    pytest.fail(f"{factors}")
