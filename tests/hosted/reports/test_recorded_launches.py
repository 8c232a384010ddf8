"""The figure's arithmetic on recorded launches (tests/replay/launches): how far figures repeat, and how often their
intervals contain the other launches' figures.
"""

import lzma
import random
import statistics
import subprocess

from commands import run_command
import pytest
from conftest import ROOT
from launch import silicon_costs

INTERVALS = ROOT / "build/hosted/coverage"
PLACEMENTS, ROUNDS = 16, 4
MOVES = {"sum/cold"}  # it varies even from round to round of a launch, with the load on the memory


def read(path):
    """Returns {row: {launch: [the placements' figures]}}."""
    rows = {}
    with lzma.open(path, "rt") as lines:
        for line in lines:
            launch, row, *_, placements = line.rstrip("\n").split("\t")
            rows.setdefault(row, {})[launch] = [float(v) for v in placements.split()]
    assert all(len(v) == PLACEMENTS for launches in rows.values() for v in launches.values())
    return rows


def judge(rows):
    """Returns the Coverage of all rows, and {row: that of it, with `figures` and `half`}: the figures of its launches, and
    the median of half their intervals."""
    launches = sorted({launch for of in rows.values() for launch in of}, key=int)
    lines = [f"{PLACEMENTS} {ROUNDS}"] + [" ".join(map(str, of[launch])) for of in rows.values() for launch in of]
    p = subprocess.run([INTERVALS], input="\n".join(lines), text=True, stdout=subprocess.PIPE, check=True)
    said = ([float(v) for v in line.split()] for line in p.stdout.splitlines())
    intervals = {row: {launch: next(said) for launch in of} for row, of in rows.items()}
    pooled, each = silicon_costs.judge({row: [of.get(launch) for launch in launches] for row, of in intervals.items()})
    for row, of in intervals.items():
        each[row].figures = [figure for figure, _, _ in of.values()]
        each[row].half = statistics.median((hi - lo) / 2 for _, lo, hi in of.values())
    return pooled, each


@pytest.mark.parametrize("text", ["", "3\n", "2 3\n1 1\n", "2 1\n1\n", "2 1\n1 x\n", "x y"])
def test_the_tool_refuses_other_input(text):
    p = run_command(INTERVALS, input=text)
    assert p.returncode == 1 and "not a table" in p.stderr and not p.stdout


@pytest.fixture(name="recorded", scope="module", params=sorted((ROOT / "tests/replay/launches").glob("*.tsv.xz")),
                ids=lambda path: path.name.split(".")[0])  # fmt: skip
def fixture_recorded(request):
    return read(request.param)


@pytest.fixture(name="judged", scope="module")
def fixture_judged(recorded):
    return judge(recorded)


def test_98_percent_of_other_launches_are_inside_the_intervals(judged, recorded):
    pooled, rows = judged
    assert len(rows) >= 190 and pooled.pairs > 0.98 * 20 * 19 * len(recorded)
    assert pooled.share >= silicon_costs.POOLED


def test_90_percent_are_inside_for_each_row_that_does_not_vary(judged):
    _, rows = judged
    low = {row for row, of in rows.items() if of.share < silicon_costs.EACH}
    assert low <= MOVES and not any(of.fails(silicon_costs.EACH) for of in rows.values())


def test_the_median_repeats_better_than_the_mean(judged, recorded):
    """The median does not depend on the number of odd placements in a launch; the mean does."""
    _, rows = judged
    assert all(2.9975 <= v <= 3.0055 for v in rows["calls/got"].figures)
    assert all(0.9965 <= v <= 1.0035 for v in rows["calls/plt"].figures)
    for row, spread in (("calls/got", 0.3), ("calls/plt", 0.15)):
        means = [statistics.fmean(v) for v in recorded[row].values()]
        assert max(means) - min(means) > spread


def test_the_row_that_moves_does_so_within_launches(recorded):
    """Its array keeps its physical pages for a whole launch, so pages are not the cause."""
    for row, moves in (("sum/cold", True), ("sum/warm", False), ("truth/add", False), ("calls/direct_straight", False)):
        apart = [between_rounds(placements) for placements in recorded[row].values()]
        assert (statistics.median(apart) > 5.95) == moves, (row, apart)  # F(3, 12) of 1%


def between_rounds(placements):
    """Returns Fisher's F of the rounds' means."""
    each = PLACEMENTS // ROUNDS
    rounds = [placements[i : i + each] for i in range(0, PLACEMENTS, each)]
    within = statistics.fmean(statistics.variance(r) for r in rounds)
    return each * statistics.variance([statistics.fmean(r) for r in rounds]) / within


def test_intervals_are_not_wider_than_they_must(judged):
    _, rows = judged
    assert statistics.median(of.half for of in rows.values()) < 0.1


def test_launches_that_differ_are_seen(recorded):
    """Every other launch is 3% slower: no row's interval knows that."""
    for of in recorded.values():
        assert len(of) > 10
    moved = {row: {launch: [v * (1.03 if i % 2 else 1) for v in values] for i, (launch, values) in enumerate(of.items())}
             for row, of in recorded.items()}  # fmt: skip
    pooled, rows = judge(moved)
    assert pooled.fails(silicon_costs.POOLED) and sum(of.fails(silicon_costs.EACH) for of in rows.values()) > len(rows) / 3


def test_the_stated_level_holds_for_drawn_placements():
    """Launches drawn from one set of placements, an eighth of them odd: the stated level holds."""
    dice = random.Random(5)
    rows = {
        f"row{r}": {str(n): [dice.gauss(3, 0.01) + (dice.random() < 0.125) for _ in range(PLACEMENTS)] for n in range(20)}
        for r in range(40)
    }
    pooled, each = judge(rows)
    assert pooled.share >= silicon_costs.POOLED and min(of.share for of in each.values()) > silicon_costs.EACH
