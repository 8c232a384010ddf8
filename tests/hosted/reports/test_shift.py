"""Shifts between placements' figures: exact where the truth is known, and on recorded launches."""

import fractions
import functools
import itertools
import json
import lzma
import math
import random
import re
import statistics

from judge import difference, estimate
from read import figure
import pytest
from conftest import ROOT
from judge import shift
from made_reports import row

ORDERS = (1e-300, 1e-3, 1.0, 1e9, 1e150)
RECORDED = ROOT / "tests/replay/launches/granite_rapids.tsv.xz"
SLOWDOWN = 0.05


@pytest.mark.parametrize("order", ORDERS)
def test_a_variance_is_exact_to_its_last_bit(order):
    dice = random.Random(3)
    for n in (2, 3, 4, 16):
        values = [order * (1 + dice.random() / dice.choice((1, 1e6))) for _ in range(n)]
        exact = [fractions.Fraction(v) for v in values]
        mean = sum(exact) / n
        assert shift.variance(values) == float(sum((v - mean) ** 2 for v in exact) / (n - 1))
    assert shift.variance([order] * 3) == 0


def test_ranks_are_the_means_of_ties():
    assert shift._ranks([1, 2, 5]) == ({1: 1, 2: 2, 5: 3}, 1)
    assert shift._ranks([1, 1, 1, 5]) == ({1: 2, 5: 4}, 1 - (27 - 3) / (64 - 4))


@pytest.mark.parametrize("m, n", [(1, 1), (3, 4), (5, 5), (2, 6), (6, 3)])
def test_the_distribution_is_that_of_all_orders(m, n):
    us = []
    for mine in itertools.combinations(range(m + n), m):
        us.append(sum(y > x for x in mine for y in range(m + n) if y not in mine))
    for u in range(-1, m * n + 1):
        assert shift.tail(u, m, n) == pytest.approx(sum(x <= u for x in us) / len(us))


@pytest.mark.parametrize("m, n, critical", [(5, 5, 0), (8, 8, 7), (10, 10, 16), (16, 16, 60), (20, 20, 105), (9, 15, 24)])
def test_u_agrees_with_a_published_table(m, n, critical):
    """Mann and Whitney's U, two-sided 1%."""
    k, level = shift.rank(m, n, 0.99)
    assert k == critical + 1 and 0.99 <= level < 0.998


def test_too_few_figures_have_no_interval():
    found = shift.Shift([1, 2, 3], [4, 5, 6])
    assert (found.value, found.lo, found.hi) == (3, None, None)
    assert shift.rank(4, 4, 0.99)[0] == 0 and shift.rank(5, 5, 0.99)[0] == 1


def test_many_figures_are_about_normal():
    for u in (3948, 4500, 5000, 6000):
        normal = shift.NORMAL.cdf((u + 0.5 - 5000) / math.sqrt(10000 * 201 / 12))
        assert shift.tail(u, 100, 100) == pytest.approx(normal, rel=0.05)
    assert shift.tail(5050, 101, 100) == pytest.approx(0.5, abs=0.001)  # the one beyond EXACT_PAIRS
    assert shift.tail(101 * 100, 101, 100) == 1 and shift.tail(-1, 101, 100) == 0


def test_the_interval_and_p_say_the_same():
    dice = random.Random(1)
    for _ in range(300):
        old = [dice.gauss(0, 1) for _ in range(16)]
        new = [dice.gauss(dice.random(), 1) for _ in range(16)]
        found = shift.Shift(old, new)
        assert found.lo <= found.value <= found.hi
        assert (found.lo > 0 or found.hi < 0) == (found.p <= 0.01)
        value, lo, hi = shift.factor([10 + x for x in old], [10 + y for y in new])
        assert (lo > 1, hi < 1) == (found.lo > 0, found.hi < 0) and lo <= value <= hi


def test_figures_that_are_all_alike_are_no_difference():
    assert shift.Shift([3.0] * 16, [3.0] * 16).p == 1
    assert shift.p_one_source([[3.0] * 16, [3.0] * 16]) == 1


def test_an_odd_placement_does_not_move_the_shift():
    old = [1.0 + i / 1000 for i in range(16)]
    assert shift.Shift(old, [*(v + 0.05 for v in old[:14]), 2.2, 2.1]).value == pytest.approx(0.05, abs=0.01)


def test_one_source_is_rejected_as_often_as_it_says():
    dice = random.Random(2)
    same = [shift.p_one_source([[dice.random() for _ in range(16)] for _ in range(3)]) for _ in range(2000)]
    assert statistics.fmean(p < 0.05 for p in same) == pytest.approx(0.05, abs=0.015)
    apart = [[dice.gauss(i, 1) for _ in range(16)] for i in range(3)]
    assert shift.p_one_source(apart) < 0.001


# --- on recorded launches --------------------------------------------------------------------------

@functools.lru_cache(maxsize=8)
def recorded(factor=1.0, knows_rounds=True):
    """Returns {row: [record of each launch]} as the program wrote them (means, four rounds), multiplied by `factor`."""
    found = {}
    with lzma.open(RECORDED, "rt", encoding="ascii") as f:
        for line in f:
            _, name, mean, lo, _, placed = line.split("\t")
            suite, _, name = name.partition("/")
            value, half = float(mean) * factor, (float(mean) - float(lo)) * factor
            placed = [float(c) * factor for c in placed.split()]
            rounds = [statistics.fmean(placed[i:i + 4]) for i in range(0, 16, 4)] if knows_rounds else []
            interval = {"placements_cycles": placed, "rounds_cycles": rounds, "sd": statistics.stdev(placed)}
            found.setdefault(f"{suite}/{name}", []).append(row(name, value, half, suite=suite, interval=interval))
    return found


def by_ranks(old, new):
    """The same for one launch per side, as if rounds never differed."""
    found = shift.Shift(*(difference.placements(side[0]) for side in (old, new)))
    return (found.value > 0) - (found.value < 0) if found.p <= 0.01 else 0


def by_intervals(old, new):
    """The same by the intervals of the means."""
    a, b = (estimate.pooled([estimate.of_row(r, "cycles") for r in side]) for side in (old, new))
    d = difference.ByFigures(a, b, "figures", False)
    return (d.shift > 0) - (d.shift < 0) if d.p <= 0.01 else 0


def judged(old, new):
    """Returns whether new is above old, below or neither: at 99%, for one comparison. old, new: launches of a row."""
    a, b = (estimate.pooled([estimate.of_row(r, "cycles") for r in side]) for side in (old, new))
    d = difference.of_rows(old, new, "cycles", a, b)[0]
    return (d.shift > 0) - (d.shift < 0) if d.p <= 0.01 else 0


def of_some_cost(launches):
    """Returns rows that cost at least half a cycle; of less, 5% is nothing."""
    return [name for name, runs in launches.items()
            if not figure.is_near_zero(statistics.median(difference.placements(runs[0])))]


def rates(change, launches, judge=judged):
    """Compares this number of launches per side, the new ones slower by `change`. Returns the share that finds the new
    side slower, and the share that finds any difference."""
    old, new = recorded(), recorded(1 + change)
    dice, verdicts = random.Random(5), []
    for name in of_some_cost(old):
        for _ in range(8 if launches == 1 else 4):
            if len(old[name]) >= 2 * launches:
                order = dice.sample(range(len(old[name])), 2 * launches)
                verdicts.append(judge([old[name][k] for k in order[:launches]],
                                      [new[name][k] for k in order[launches:]]))
    return (statistics.fmean(v > 0 for v in verdicts), statistics.fmean(v != 0 for v in verdicts), len(verdicts))


def test_false_alarms_are_as_rare_as_the_level_says():
    _, any_, n = rates(0, 1)
    assert n > 1200 and any_ <= 0.01 + 3 * math.sqrt(0.01 / n)


def test_a_slowdown_of_5_percent_is_found_by_ranks_in_70_percent_of_rows():
    """With 1.3% false alarms. The intervals of the means find it in 40%."""
    assert rates(SLOWDOWN, 1, by_ranks)[0] >= 0.7 and rates(0, 1, by_ranks)[1] <= 0.0132
    assert 0.35 < rates(SLOWDOWN, 1, by_intervals)[0] < 0.45


def test_what_guards_against_rounds_that_differ_costs_7_of_these_percent():
    """By chance it reports different rounds in a quarter of all pairs, and their intervals are wide. Two launches per
    side compensate for that."""
    one, two = rates(SLOWDOWN, 1)[0], rates(SLOWDOWN, 2)[0]
    assert 0.62 <= one < 0.65 and two >= 0.7
    old = recorded()
    found = [difference.of_rows([a], [b], "cycles", *(estimate.of_row(r, "cycles") for r in (a, b)))[0].by
             for name in of_some_cost(old) for a, b in [old[name][:2]]]
    assert 0.2 < found.count("rounds") / len(found) < 0.35


def stated():
    """Returns [(launches per side, slowdown, rate)] of the table in docs/reading.md."""
    page = (ROOT / "docs/reading.md").read_text(encoding="utf-8")
    head, lines = re.search(r"(\| launches [^|]*side[^\n]*\n)\| [-:| ]+\n((?:\|.*\n)+)", page).groups()
    changes = [float(c) / 100 for c in re.findall(r"([\d.]+)%", head)]
    found = [[c.strip() for c in line.strip("| ").split("|")] for line in lines.splitlines()]
    return [(int(n), change, float(rate.rstrip("%")) / 100) for n, *rates in found for change, rate in zip(changes, rates)]


def test_rates_of_1_2_and_5_percent_are_stated():
    assert {change for _, change, _ in stated()} == {0.01, 0.02, 0.05} and {n for n, _, _ in stated()} == {1, 2, 4}


@pytest.mark.parametrize("launches, change, rate", stated())
def test_slowdowns_are_found_at_the_stated_rates(launches, change, rate):
    assert rates(change, launches)[0] == pytest.approx(rate, abs=0.03)


def test_launches_that_move_are_not_pooled():
    """sum/cold differs from launch to launch, because the speed of the memory changes over time."""
    launches = recorded()
    for name, by in (("sum/cold", "figures"), ("truth/add", "placements"), ("calls/plt", "placements")):
        old, new = launches[name][:4], launches[name][4:]
        a, b = (estimate.pooled([estimate.of_row(r, "cycles") for r in side]) for side in (old, new))
        d, note = difference.of_rows(old, new, "cycles", a, b)
        assert d.by == by, name
        assert (note == "launches differ by more than their placements explain") == (by == "figures")
        assert by == "placements" or d.p > 0.01


def made_launch(dice, differ, more=0.0):
    """Returns a row of 16 placements in 4 rounds. differ: standard deviation of the error that the placements of a
    round have in common; each placement's own error has 1."""
    rounds = [[30 + more + common + dice.gauss(0, 1) for _ in range(4)] for common in (dice.gauss(0, differ) for _ in range(4))]
    placed = sum(rounds, [])
    return row("made", statistics.median(placed), interval={"placements_cycles": placed, "rounds_cycles": [statistics.fmean(r) for r in rounds]})


def of_two(old, new):
    a, b = (estimate.of_row(r, "cycles") for r in (old, new))
    return difference.of_rows([old], [new], "cycles", a, b)[0]


@pytest.mark.parametrize("differ, share", [(0, 0.01), (0.5, 0.018), (1, 0.018), (4, 0.01)])
def test_rounds_that_differ_raise_few_false_alarms(differ, share):
    """Ranks alone call one in ten different if rounds differ as much as placements, one in five at 4."""
    dice, n = random.Random(3), 800
    pairs = [of_two(made_launch(dice, differ), made_launch(dice, differ)) for _ in range(n)]
    assert sum(d.p <= 0.01 for d in pairs) <= n * share + 3 * math.sqrt(n * share)
    alone = sum(shift.Shift(d.old, d.new).p <= 0.01 for d in pairs)
    assert alone > (0.05 * n if differ >= 1 else -1)
    if differ == 4:
        assert all(d.by == "rounds" for d in pairs)
    for d in pairs:
        assert d.shift_lo <= d.shift <= d.shift_hi and d.ratio_lo <= d.ratio <= d.ratio_hi
        assert (d.shift_lo > 0 or d.shift_hi < 0) == (d.p <= 0.01)


def test_a_limit_is_judged_by_rounds_too():
    dice = random.Random(4)
    pairs = [of_two(made_launch(dice, 3), made_launch(dice, 3)) for _ in range(400)]
    assert sum(d.p_above(0) <= 0.01 for d in pairs) <= 12
    assert sum(shift.p_above(d.old, d.new) <= 0.01 for d in pairs) > 30
    assert of_two(made_launch(dice, 0), made_launch(dice, 0, 60)).p_above(0.5) < 0.001


def test_placements_that_are_in_several_rounds_are_one_list():
    made = row("x", 3, interval={"placements_cycles": [1, None, 3], "rounds_cycles": [1, 2, 3, 4]})
    assert difference.in_rounds(made) == [[1, 3]]
    made["interval"]["rounds_cycles"] = [1, 2]
    assert difference.in_rounds(made) == [[1], [3]]


def test_near_zero_there_are_no_percentages():
    launches = recorded()
    old, new = launches["calls/direct"][0], launches["calls/plt"][0]
    a, b = (estimate.of_row(r, "cycles") for r in (old, new))
    d, _ = difference.of_rows([old], [new], "cycles", a, b)
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
        sides = [difference.in_rounds(rows[e[k]]) for k in ("compared_with", "name")]
        if not shift.rank(*(sum(map(len, side)) for side in sides), difference.CONFIDENCE)[0]:
            assert e["by"] == "intervals", e
            continue
        found = difference.ByPlacements(*sides, near_zero=True)
        assert e["by"] == found.by
        assert [e["apart"], e["apart_lo"], e["apart_hi"]] == pytest.approx([found.shift, found.shift_lo, found.shift_hi], abs=1e-5)
    if not by - {"intervals"}:
        pytest.skip("no pair of rows has figures of enough placements here")
