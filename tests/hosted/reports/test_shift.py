"""Shifts between placements' figures: exact where the truth is known, and on recorded launches."""

import functools
import itertools
import json
import lzma
import math
import random
import re
import statistics

from read import figure
import pytest
from conftest import ROOT
from judge import estimate, sides, significance
from made_reports import row

RECORDED = ROOT / "tests/replay/launches/granite_rapids.tsv.xz"
SLOWDOWN = 0.05


def test_ranks_are_the_means_of_ties():
    assert significance._ranks([1, 2, 5]) == ({1: 1, 2: 2, 5: 3}, 1)
    assert significance._ranks([1, 1, 1, 5]) == ({1: 2, 5: 4}, 1 - (27 - 3) / (64 - 4))


@pytest.mark.parametrize("m, n", [(1, 1), (3, 4), (5, 5), (2, 6), (6, 3)])
def test_the_distribution_is_that_of_all_orders(m, n):
    us = []
    for mine in itertools.combinations(range(m + n), m):
        us.append(sum(y > x for x in mine for y in range(m + n) if y not in mine))
    for u in range(-1, m * n + 1):
        assert significance.tail(u, m, n) == pytest.approx(sum(x <= u for x in us) / len(us))


@pytest.mark.parametrize("m, n, critical", [(5, 5, 0), (8, 8, 7), (10, 10, 16), (16, 16, 60), (20, 20, 105), (9, 15, 24)])
def test_u_agrees_with_a_published_table(m, n, critical):
    """Mann and Whitney's U, two-sided 1%."""
    k, level = significance.rank(m, n, 0.99)
    assert k == critical + 1 and 0.99 <= level < 0.998


def test_too_few_figures_have_no_interval():
    found = significance.Shift([1, 2, 3], [4, 5, 6])
    assert (found.value, found.lo, found.hi) == (3, None, None)
    assert significance.rank(4, 4, 0.99)[0] == 0 and significance.rank(5, 5, 0.99)[0] == 1


def test_many_figures_are_about_normal():
    for u in (3948, 4500, 5000, 6000):
        normal = significance.NORMAL.cdf((u + 0.5 - 5000) / math.sqrt(10000 * 201 / 12))
        assert significance.tail(u, 100, 100) == pytest.approx(normal, rel=0.05)
    assert significance.tail(5050, 101, 100) == pytest.approx(0.5, abs=0.001)  # the one beyond EXACT_PAIRS
    assert significance.tail(101 * 100, 101, 100) == 1 and significance.tail(-1, 101, 100) == 0


def test_the_interval_and_p_say_the_same():
    dice = random.Random(1)
    for _ in range(300):
        old = [dice.gauss(0, 1) for _ in range(16)]
        new = [dice.gauss(dice.random(), 1) for _ in range(16)]
        found = significance.Shift(old, new)
        assert found.lo <= found.value <= found.hi
        assert (found.lo > 0 or found.hi < 0) == (found.p <= 0.01)
        value, lo, hi = significance.factor([10 + x for x in old], [10 + y for y in new])
        assert (lo > 1, hi < 1) == (found.lo > 0, found.hi < 0) and lo <= value <= hi


def test_figures_that_are_all_alike_are_not_a_difference():
    assert significance.Shift([3.0] * 16, [3.0] * 16).p == 1
    assert significance.p_one_source([[3.0] * 16, [3.0] * 16]) == 1


def test_an_odd_placement_does_not_move_the_shift():
    old = [1.0 + i / 1000 for i in range(16)]
    assert significance.Shift(old, [*(v + 0.05 for v in old[:14]), 2.2, 2.1]).value == pytest.approx(0.05, abs=0.01)


def test_one_source_is_rejected_at_the_stated_rate():
    dice = random.Random(2)
    same = [significance.p_one_source([[dice.random() for _ in range(16)] for _ in range(3)]) for _ in range(2000)]
    assert statistics.fmean(p < 0.05 for p in same) == pytest.approx(0.05, abs=0.015)
    apart = [[dice.gauss(i, 1) for _ in range(16)] for i in range(3)]
    assert significance.p_one_source(apart) < 0.001


# --- on recorded launches --------------------------------------------------------------------------

@functools.lru_cache(maxsize=8)
def recorded(factor=1.0):
    """Returns {row: {launch: record}} as the program wrote them (means, four rounds), multiplied by `factor`."""
    found = {}
    with lzma.open(RECORDED, "rt", encoding="ascii") as f:
        for line in f:
            launch, name, mean, lo, _, placed = line.split("\t")
            suite, _, name = name.partition("/")
            value, half = float(mean) * factor, (float(mean) - float(lo)) * factor
            placed = [float(c) * factor for c in placed.split()]
            rounds = [statistics.fmean(placed[i:i + 4]) for i in range(0, 16, 4)]
            interval = {"placements_cycles": placed, "rounds_cycles": rounds, "sd": statistics.stdev(placed)}
            found.setdefault(f"{suite}/{name}", {})[launch] = row(name, value, half, suite=suite, interval=interval)
    return found


@functools.lru_cache(maxsize=1)
def rounds_of_launches():
    """Returns {launch: how much the rounds of all its rows differ}."""
    found = {}
    for of in recorded().values():
        for launch, record in of.items():
            found.setdefault(launch, significance.Rounds()).add(estimate.in_rounds(record))
    return found


def seem_to_differ(launches):
    return significance.differ([rounds_of_launches()[launch] for launch in launches])


def by_ranks(old, new, _):
    """The same for one launch per side, as if rounds never differed."""
    found = significance.Shift(*(figure.placements(side[0]) for side in (old, new)))
    return (found.value > 0) - (found.value < 0) if found.p <= 0.01 else 0


def by_intervals(old, new, _):
    a, b = (estimate.pooled([estimate.of_row(r, "cycles") for r in side]) for side in (old, new))
    d = estimate.ByFigures(a, b, "figures", False)
    return (d.shift > 0) - (d.shift < 0) if d.p <= 0.01 else 0


def judged(old, new, all_differ):
    """Returns whether new is above old, below or neither: at 99%, for one comparison. old, new: launches of a row."""
    a, b = (estimate.pooled([estimate.of_row(r, "cycles") for r in side]) for side in (old, new))
    d = estimate.of_rows(old, new, "cycles", a, b, all_differ)[0]
    return (d.shift > 0) - (d.shift < 0) if d.p <= 0.01 else 0


def of_some_cost(rows):
    """Returns rows that cost at least half a cycle; of less, 5% is nothing."""
    return [name for name, of in rows.items()
            if not figure.is_near_zero(statistics.median(figure.placements(next(iter(of.values())))))]


@functools.lru_cache(maxsize=None)
def rates(change, launches, judge=judged):
    """Compares this number of launches per side, the new ones slower by `change`. Returns the share that finds the new
    side slower, and the share that finds any difference."""
    old, new = recorded(), recorded(1 + change)
    dice, verdicts = random.Random(5), []
    for name in of_some_cost(old):
        for _ in range(8 if launches == 1 else 4):
            if len(old[name]) >= 2 * launches:
                order = dice.sample(sorted(old[name]), 2 * launches)
                verdicts.append(judge([old[name][k] for k in order[:launches]],
                                      [new[name][k] for k in order[launches:]], seem_to_differ(order)))
    return (statistics.fmean(v > 0 for v in verdicts), statistics.fmean(v != 0 for v in verdicts), len(verdicts))


def test_false_alarms_are_as_rare_as_the_level():
    _, any_, n = rates(0, 1)
    assert n > 1200 and any_ <= 0.01 + 3 * math.sqrt(0.01 / n)


def test_a_slowdown_of_5_percent_is_found_in_7_of_10_rows():
    """As by ranks alone, with fewer false alarms; over all pairs of launches 69.6% and 1.1%, by ranks alone 70.2% and
    1.3%. The intervals of the means find it in 40%."""
    one, ranks = rates(SLOWDOWN, 1)[0], rates(SLOWDOWN, 1, by_ranks)[0]
    assert one >= 0.68 and ranks - 0.01 <= one <= ranks
    assert rates(0, 1)[1] < rates(0, 1, by_ranks)[1]
    assert 0.35 < rates(SLOWDOWN, 1, by_intervals)[0] < 0.45


def test_rounds_are_judged_by_all_rows_of_a_launch():
    """In two of the recorded launches they differ. Judged by each row itself, chance makes intervals longer."""
    apart = [launch for launch in rounds_of_launches() if seem_to_differ([launch])]
    assert 1 <= len(apart) <= 4
    alone = rates(SLOWDOWN, 1, lambda old, new, _: judged(old, new, True))[0]
    assert alone < rates(SLOWDOWN, 1)[0] - 0.02


def stated():
    """Returns [(launches per side, slowdown, rate)] of the table in docs/compare.md."""
    page = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
    head, lines = re.search(r"(\| launches [^|]*side[^\n]*\n)\| [-:| ]+\n((?:\|.*\n)+)", page).groups()
    changes = [float(c) / 100 for c in re.findall(r"([\d.]+)%", head)]
    found = [[c.strip() for c in line.strip("| ").split("|")] for line in lines.splitlines()]
    return [(int(n), change, float(rate.rstrip("%")) / 100) for n, *rates in found for change, rate in zip(changes, rates)]


def test_rates_of_1_2_and_5_percent_are_stated():
    assert {change for _, change, _ in stated()} == {0.01, 0.02, 0.05} and {n for n, _, _ in stated()} == {1, 2, 4}


@pytest.mark.parametrize("launches, change, rate", stated())
def test_slowdowns_are_found_at_the_stated_rates(launches, change, rate):
    assert rates(change, launches)[0] == pytest.approx(rate, abs=0.03)


@functools.lru_cache(maxsize=None)
def rates_of_some(change, launches):
    """The same where a third of the launches, drawn for each row, had a shared core."""
    old, new = recorded(), recorded(1 + change)
    dice, verdicts = random.Random(7), []
    for name in of_some_cost(old):
        for _ in range(8):
            order = dice.sample(sorted(old[name]), 2 * launches)
            drawn = [{**rows[name][k], "exclusive": dice.random() > 1 / 3}
                     for rows, some in ((old, order[:launches]), (new, order[launches:])) for k in some]
            (a, _), (b, _) = (sides.staying(side) for side in (drawn[:launches], drawn[launches:]))
            if a and b:
                verdicts.append(judged(a, b, seem_to_differ(order)))
    return statistics.fmean(v > 0 for v in verdicts), statistics.fmean(v != 0 for v in verdicts), len(verdicts)


@pytest.mark.parametrize("launches", [2, 3, 4])
def test_launches_that_are_left_out_raise_no_false_alarms(launches):
    """Sides then have other numbers of launches. Of a slowdown of 5% more is found than with one launch of each side."""
    _, any_, n = rates_of_some(0, launches)
    assert n > 900 and any_ <= 0.01 + 3 * math.sqrt(0.01 / n)
    assert rates_of_some(SLOWDOWN, launches)[0] >= rates(SLOWDOWN, 1)[0]


def test_launches_that_move_are_not_pooled():
    """sum/cold differs from launch to launch, because the speed of the memory changes over time."""
    for name, by in (("sum/cold", "figures"), ("truth/add", "placements"), ("calls/plt", "placements")):
        launches = list(recorded()[name].values())
        old, new = launches[:4], launches[4:]
        a, b = (estimate.pooled([estimate.of_row(r, "cycles") for r in side]) for side in (old, new))
        d, note = estimate.of_rows(old, new, "cycles", a, b, all_differ=False)
        assert d.by == by, name
        assert (note == "launches differ by more than their placements explain") == (by == "figures")
        assert by == "placements" or d.p > 0.01


def made_launch(dice, differ, more=0.0):
    """Returns a row of 16 placements in 4 rounds. differ: standard deviation of the error that the placements of a
    round have in common; each placement's own error has 1."""
    rounds = [[30 + more + common + dice.gauss(0, 1) for _ in range(4)] for common in (dice.gauss(0, differ) for _ in range(4))]
    placed = sum(rounds, [])
    return row("made", statistics.median(placed), interval={"placements_cycles": placed, "rounds_cycles": [statistics.fmean(r) for r in rounds]})


def of_two(old, new, all_differ=True):
    a, b = (estimate.of_row(r, "cycles") for r in (old, new))
    return estimate.of_rows([old], [new], "cycles", a, b, all_differ)[0]


@pytest.mark.parametrize("differ, share", [(0, 0.01), (0.25, 0.018), (1, 0.018), (4, 0.018)])
@pytest.mark.parametrize("rows", [1, 40])
def test_rounds_that_differ_raise_few_false_alarms(differ, share, rows):
    """Ranks alone call one in ten different if rounds differ as much as placements, one in five at 4."""
    dice, n, pairs = random.Random(3), 800, []
    for _ in range(n // rows):
        reports = [[made_launch(dice, differ) for _ in range(rows)] for _ in range(2)]
        all_rounds = significance.Rounds()
        for record in sum(reports, []):
            all_rounds.add(estimate.in_rounds(record))
        pairs += [of_two(old, new, significance.differ([all_rounds])) for old, new in zip(*reports)]
    assert sum(d.p <= 0.01 for d in pairs) <= n * share + 3 * math.sqrt(n * share)
    alone = sum(significance.Shift(d.old, d.new).p <= 0.01 for d in pairs)
    assert alone > (0.05 * n if differ >= 1 else -1)
    assert sum(d.by == "rounds" for d in pairs) > (0.9 * n if differ == 4 else -1)
    for d in pairs:
        assert d.shift_lo <= d.shift <= d.shift_hi and d.ratio_lo <= d.ratio <= d.ratio_hi
        assert (d.shift_lo > 0 or d.shift_hi < 0) == (d.p <= 0.01)


def test_a_limit_is_judged_by_rounds_too():
    dice = random.Random(4)
    pairs = [of_two(made_launch(dice, 3), made_launch(dice, 3)) for _ in range(400)]
    assert sum(d.p_above(0) <= 0.01 for d in pairs) <= 12
    assert sum(significance.Shift(d.old, d.new).p_above <= 0.01 for d in pairs) > 30
    assert of_two(made_launch(dice, 0), made_launch(dice, 0, 60)).p_above(0.5) < 0.001


def test_few_rounds_are_compared_by_figures():
    """Two or three rounds do not show how much rounds differ; one round cannot show it."""
    dice = random.Random(6)
    for rounds, by in ((1, "placements"), (2, "figures"), (3, "figures"), (4, "placements")):
        launch = made_launch(dice, 0)
        launch["interval"]["rounds_cycles"] = [30.0] * rounds
        assert of_two(launch, launch, False).by == by


def test_placements_that_are_in_several_rounds_are_one_list():
    made = row("x", 3, interval={"placements_cycles": [1, None, 3], "rounds_cycles": [1, 2, 3, 4]})
    assert estimate.in_rounds(made) == [[1, 3]]
    made["interval"]["rounds_cycles"] = [1, 2]
    assert estimate.in_rounds(made) == [[1], [3]]


def test_near_zero_there_are_no_percentages():
    old, new = (next(iter(recorded()[name].values())) for name in ("calls/direct", "calls/plt"))
    a, b = (estimate.of_row(r, "cycles") for r in (old, new))
    d, _ = estimate.of_rows([old], [new], "cycles", a, b)
    assert d.ratio is None and not d.relative and d.shift == pytest.approx(0.99, abs=0.05)
    assert d.p_above(1) < 0.001 < d.p_above(3)  # above 0.5 cycles more, not above 1.5


def test_the_program_compares_its_own_rows_in_the_same_way(run):
    """Events `compared` against the placements of the two rows' records. Next to a neighbour few of them have a figure."""
    ended = run("suite=compiler", "bench=mul_*,div_*", "format=jsonl", "hist=off")
    records = [json.loads(text) for text in ended.out.splitlines() if text.startswith("{")]
    rows = {r["name"]: r for r in records if r["type"] == "row"}
    by = set()
    for e in [r for r in records if r.get("kind") == "compared" and "by" in r]:
        by.add(e["by"])
        sides = [estimate.in_rounds(rows[e[k]]) for k in ("compared_with", "name")]
        few = any(1 < len([g for g in side if g]) < significance.LEAST_ROUNDS for side in sides)
        if few or not significance.rank(*(sum(map(len, side)) for side in sides), estimate.CONFIDENCE)[0]:
            assert e["by"] == "intervals", e
            continue
        found = estimate.ByPlacements(*sides, near_zero=True)
        # Figures that differ by less than 1e-6 are equal in the record, which changes their ranks.
        within = 1e-5 + 0.02 * (found.shift_hi - found.shift_lo)
        assert e["by"] == found.by or abs(e["apart_hi"] - found.shift_hi) < within, (e, vars(found))
        assert e["apart"] == pytest.approx(found.shift, abs=1e-5), (e, vars(found))
        assert [e["apart_lo"], e["apart_hi"]] == pytest.approx([found.shift_lo, found.shift_hi], abs=within), (e, vars(found))
    if not by - {"intervals"}:
        pytest.skip("no pair of rows has figures of enough placements here")
