"""`baretick compare` of many runs, and the runs that `baretick gate` keeps: made-up reports with known levels, trends
and noise."""

import random
import statistics

import pytest
from judge import compare, estimate, series
from made_reports import CPU, counted, counting, head, row, whole

PLACEMENTS = 16


def placed(dice, name, cycles, sd=0.006, **changes):
    """Returns a row of one launch with independent errors of the placements."""
    ranked = sorted(cycles + dice.gauss(0, sd) for _ in range(PLACEMENTS))
    found = row(name, statistics.median(ranked),
                interval={"estimator": "median", "by": "ranks", "placements_cycles": ranked}, **changes)
    found["per_op"].update(cycles_lo=ranked[1], cycles_hi=ranked[-2])
    return found


def eight_runs():
    dice = random.Random(1)
    runs = []
    for i in range(8):
        counts = placed(dice, "counts", 3)
        counts["per_op"]["instructions"] = 7 + (i >= 4)
        rows = [placed(dice, "same", 3), placed(dice, "step", 3 if i < 5 else 3.2), counts,
                placed(dice, "last", 3 if i < 7 else 4), placed(dice, "drift", 3 + 0.1 * i),
                placed(dice, "up_down", 4 if 3 <= i < 6 else 3), placed(dice, "spike", 5 if i == 4 else 3),
                placed(dice, "bad", 3) if i < 7 else row("bad", 3, status="wrong", why="x is 3")]
        rows += [placed(dice, "hole", 3)] if i != 2 else []
        rows += [placed(dice, "young", 2)] if i > 5 else []
        rows += [placed(dice, "shared", 3, **({"exclusive": False} if i in (1, 2, 3, 5) else {}))]
        runs.append(rows)
    return runs


def runs(lists, *words, heads=None):
    """Returns a case that compares a report for each list of rows, with each of these words."""
    files = {f"{n}.jsonl": whole(*rows, run=heads[n - 1] if heads else None) for n, rows in enumerate(lists, 1)}
    return files, *(" ".join(["compare", *files, more]) for more in words or ("",))


def levels(*values, **changes):
    return [[placed(random.Random(i), "x", value, **changes)] for i, value in enumerate(values)]


def failing(at):
    return [[placed(random.Random(i), "x", 3), {**placed(random.Random(i), "y", 3),
                                                **({"status": "wrong", "why": "y is 3"} if i in at else {})}]
            for i in range(5)]


def kept_by_gate(*instructions):
    """Returns the files of a report for each count of row a."""
    return {f"{n}": whole(counted("a", n), counted("b", 3), run=counting()) for n in instructions}


def gate(n, *words):
    return " ".join([f"gate base.json {n} --history runs", *words])


LISTED = {f"{i}": whole(placed(random.Random(i), "x", 3 if i < 4 else 4)) for i in range(8)}
X = whole(row("x", 1))

CASES = {
    "each kind of history is named, changed rows first": runs(
        eight_runs(), "", "--format json", "--format csv", "--format markdown"),
    "counted instructions change at any difference": runs(
        [[counted("a", v), counted("b", 3)] for v in (2, 2, 2.001, 2.001, 2)], "", "--format json", heads=[counting()] * 5),
    # up_down is as fast as it was.
    "--fail-if-slower names the row and the run": runs(eight_runs(), "--fail-if-slower 2%", "--fail-if-slower 10%"),
    # In the newest run, and not in all runs before it.
    **{f"--fail-if-slower names a row that fails now: in {at}": runs(failing(at), "--fail-if-slower 1%")
       for at in ((4,), (2, 4), (0, 1, 2, 3, 4), (2,), ())},
    "a change below the least is not reported": runs(levels(*[3] * 4, *[3.06] * 4), "", "--least 5%"),
    "a list with commas is one run": (LISTED, "compare 0,1 2,3 4,5 6,7 --format json"),
    **{f"runs of unlike machines are refused: {what}": runs(
        [[row("x", 1)] for _ in range(3)], "", "--across microcode", heads=[head(), head(), head(**changes)])
       for what, changes in (("microcode", {"cpu": {**CPU, "microcode": 8}}), ("platform", {"platform": "hosted"}))},
    # Counts of runs 2 and 3 are known although their figures are not; of run 1 and 4 a launch is left out.
    "a shared launch leaves its run, and counts stay": (
        {f"{n}{at}": whole({**placed(random.Random(9 * n + at), "x", 3), "exclusive": n in (1, 4) and at == 0,
                            "steps": {"ops": 1, "body": 7 + (n > 2), "empty": 0, **({"left_instructions": 2} if n > 3 else {})}})
         for n in range(1, 5) for at in range(2)},
        "compare 10,11 20,21 30,31 40,41", "compare 10,11 20,21 30,31 40,41 --format json",
        "compare 20 30 31", "compare 20 30 31 --fail-if-slower 1%"),
    "a report that is named twice is refused": ({"a": X}, "compare a a a"),
    "a folder with no run or one is named": (
        {"none/note": b"", "one/1.jsonl": X}, "compare --history none", "compare --history missing", "compare --history one",
        "compare --history one --old a --new b"),
    "the status is an error if no row can be compared": runs([[row("x", 1)], [row("x", 1)], [row("y", 1)]]),
    "a damaged run is refused": ({"0": X, "1": X.replace(b'"x"', b'"y"'), "2": X}, "compare 0 1 2"),
    # The same report, byte by byte, is kept once.
    "the gate keeps what passes or is accepted": (
        kept_by_gate(2, 3), gate(2, "--update"), gate(2), gate(3), "ls runs", gate(3, "--update"), "ls runs", gate(2),
        gate(2, "--update"), "compare --history runs", "compare --history runs 2"),
    "kept runs are in the order of their numbers": (
        {**kept_by_gate(11), **{f"runs/{n}.jsonl": whole(counted("a", n), run=counting()) for n in (2, 9, 10)},
         "runs/notes.txt": b"no report"}, gate(11, "--update"), "ls runs", "compare --history runs --format json"),
    "a damaged kept run is named": ({**kept_by_gate(2), "runs/0001.jsonl": b"{"}, gate(2, "--update")),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_of_a_history_is_as_stored(said, name):
    said(CASES, name)


# --- arithmetic ------------------------------------------------------------------------------------

def test_mann_and_kendalls_p_is_that_by_hand():
    assert series.mann_kendall([1, 2, 3, 4]) == pytest.approx(2 / 24)  # one order of 24 rises throughout, one falls
    assert series.mann_kendall([1, 2, 4, 3]) == pytest.approx(2 * 4 / 24)
    assert series.mann_kendall([5, 5, 5, 5]) == 1.0


# scipy 1.10.1: kendalltau(range(n), v, method="exact").pvalue; theilslopes(v, range(n), 0.99).
@pytest.mark.parametrize("values, p, slope, lo, hi", [
    ([3.1, 2.9, 3.3, 3.2, 3.6, 3.5, 3.4, 3.9], 0.03115079365079365, 0.10714285714285712, -0.1, 0.2333333333333334),
    ([1, 2, 4, 3, 7, 5, 6, 8, 10, 9], 0.0003576940035273369, 1.0, 0.5, 1.5),
])
def test_trends_are_those_of_scipy(values, p, slope, lo, hi):
    assert series.mann_kendall(values) == pytest.approx(p)
    found = series.Slope(range(len(values)), values, 0.99)
    assert found.value == pytest.approx(slope)
    # scipy rounds the ranks of the interval to the nearest, this program outwards.
    assert found.lo <= lo + 1e-12 and found.hi >= hi - 1e-12


def test_many_runs_take_the_normal_distribution(monkeypatch):
    dice = random.Random(2)
    values = [dice.gauss(0.03 * i, 1) for i in range(series.EXACT_RUNS)]
    exact = series.mann_kendall(values)
    monkeypatch.setattr(series, "EXACT_RUNS", 0)
    assert exact == pytest.approx(series.mann_kendall(values), rel=0.05)
    assert series.mann_kendall(list(range(100))) < 1e-40


# --- how often it is right -------------------------------------------------------------------------

def figures(dice, levels, wander):
    """Returns one estimate per run. wander: a difference of runs that no placement knows of, relative."""
    return [estimate.of_row(placed(dice, "x", level * (1 + dice.gauss(0, wander)), placements=PLACEMENTS), "cycles")
            for level in levels]


def changes(dice, levels, wander, risk):
    found = series.found(figures(dice, levels, wander), risk / series.divisions(len(levels)),
                                series.LEAST)
    return [c.at for c in found]


@pytest.mark.parametrize("runs", [5, 8, 20])
@pytest.mark.parametrize("wander", [0, 0.006, 0.03])
def test_noise_is_rarely_taken_for_a_change(runs, wander):
    """At a risk of 1% per row, as for a history of one row. With 5 runs that wander 3 of 200 were seen, with 8 two."""
    dice = random.Random(runs)
    false = sum(bool(changes(dice, [3] * runs, wander, compare.RISK)) for _ in range(100))
    assert false <= (0 if wander == 0 else 4)


def test_figures_without_an_interval_are_judged_by_their_spread():
    dice, false = random.Random(9), 0
    for _ in range(100):
        bare = [estimate.Estimate(3 * (1 + dice.gauss(0, 0.02)), []) for _ in range(8)]
        false += bool(series.found(bare, compare.RISK / series.divisions(8), series.LEAST))
    assert false <= 3


@pytest.mark.parametrize("levels, at", [([3] * 4 + [3.06] * 4, [4]), ([3] * 4 + [3.06], [4]), ([3] * 6 + [3.3] * 2, [6]),
                                        ([3] * 3 + [3.3] * 3 + [3] * 3, [3, 6]),
                                        ([3] * 2 + [4] * 2 + [5] * 2 + [6] * 2, [2, 4, 6])])
def test_steps_are_found_at_their_planted_counts(levels, at):
    """With 170 rows, which share the risk."""
    dice = random.Random(4)
    assert [changes(dice, levels, 0, compare.RISK / 170) for _ in range(10)] == [at] * 10


def test_a_large_step_is_found_although_runs_wander():
    dice = random.Random(5)
    found = [changes(dice, [3] * 6 + [3.6] * 6, 0.006, compare.RISK / 170) for _ in range(20)]
    assert found.count([6]) >= 19
