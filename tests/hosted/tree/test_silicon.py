"""scripts/silicon's own judgement: planted launches in, known verdicts out. Each check can fail. test_silicon_checks.py
has the checks of rows and time.
"""

import math
import os
import random
import re
import statistics
import subprocess
import sys
from types import SimpleNamespace

from commands import module_of
import golden
from launch import launches, silicon_costs, silicon_neighbours, silicon_rows
from tools import places
import pytest
from planted_launches import launch, many, row, shared_row, truth_launches, witnessed

# --- figures --------------------------------------------------------------------------------------


def test_mean_half_and_spread_are_those_computed_by_hand():
    mean, half = silicon_neighbours.mean_half([1, 2, 3, 4, 5])
    assert mean == 3 and half == pytest.approx(4.604 * math.sqrt(2.5 / 5), rel=1e-3)
    assert silicon_neighbours.spread([99, 100, 102]) == pytest.approx(0.03)


@pytest.mark.parametrize("n, rank", [(8, 1), (20, 4), (30, 8)])
def test_the_median_has_an_interval_of_99_percent(n, rank):
    """The ranks of the tables of the sign test: at least 99%."""
    middle, half = silicon_neighbours.median_half([float(i) for i in range(1, n + 1)])
    assert middle == (n + 1) / 2 and half == pytest.approx(middle - rank)
    assert silicon_neighbours.median_half([1, 2, 3, 4, 5]) == silicon_neighbours.mean_half([1, 2, 3, 4, 5])


# --- checks -----------------------------------------------------------------------------------------


def with_lines(slopes, plain=-90, xfence=-42, quiet_groups=16, bend_p=1):
    def record(e):
        points = [{"adds": n, "error_cycles": e if n >= 50 else 0} for n in (0, 1, 2, 50, 1000)]
        return {"points": points, "groups": 16, "exclusive_groups": quiet_groups}

    def line(slope):
        return {**record(0), "slope": slope, "shadow_cycles": 0.8, "bend_cycles": 0.05,
                "straight": bend_p == 1, "bend_p": bend_p}

    return [
        launch({}, linearity={"lfence": line(x), "plain": record(plain), "xfence": record(xfence)})
        for x in slopes
    ]


FINE = [0.0001, 0.0002, 0.0001, 0.0002]


def lacking():
    """Returns launches whose CPU has no RDTSCP, and whose bare window had no error at one point."""
    runs = with_lines([0.0001] * 4)
    for one in runs:
        one.linearity["xfence"] = {"why": "no RDTSCP"}
        one.linearity["plain"]["points"][1]["error_cycles"] = None
    return runs


def shared_imul(exclusive=0):
    """Returns launches of which two had the core to themselves, and this number more."""
    runs = truth_launches()
    for i, one in enumerate(runs[2:]):
        one.rows["truth/imul"] = {**(row(3.0, exclusive=True) if i < exclusive else shared_row(4.5)), "truth_cycles": 3}
    return runs


def all_shared():
    names = {f"truth/{n}" for n in silicon_rows.TRUTH} | set(silicon_rows.COVERED) | {"planted/adds20", "planted/adds21"}
    return many({name: {**shared_row(3.0), "truth_cycles": 3} for name in names})


def away(ms):
    """Returns launches of a row with 1 ms of sampling, of which the CPU was away for this time."""
    return truth_launches(add={**row(1.0, process={"away_ms": ms}), "truth_cycles": 1})


def unwitnessed():
    return launch({}, run={}, witnesses=[{"why": "one of the reasons"}])


def siblings(*shares, hypervisor=None):
    one = launch({}, witnesses=[{"blocks": 100, "shared_blocks": 100 * s, "shared": s} for s in shares])
    one.run["hypervisor"] = hypervisor
    return silicon_neighbours.sees_sibling([one])


linearity = silicon_rows.linearity
CASES = {
    # xfence is shown, not judged.
    "linearity": lambda: linearity(with_lines(FINE)),
    "linearity: a slope": lambda: linearity(with_lines([0.0012, 0.0011, 0.0013, 0.0012])),
    "linearity: a slope down": lambda: linearity(with_lines([-0.0012, -0.0011, -0.0013])),
    "linearity: too much scatter is not proof": lambda: linearity(with_lines([0.0009, -0.0009, 0])),
    "linearity: a bend": lambda: linearity(with_lines(FINE, bend_p=1e-7)),
    "linearity: the bare window does not bend": lambda: linearity(with_lines(FINE, plain=-5, xfence=5)),
    # The limit of the self-test: one launch that proves a bend fails it; one that does not prove a bend does not count.
    "linearity: a bend that is not proven": lambda: linearity(with_lines(FINE, bend_p=2e-6)),
    "linearity: one proven bend": lambda: linearity(with_lines(FINE, bend_p=1e-6)[:1] + with_lines(FINE) * 100),
    "linearity: shared": lambda: linearity(with_lines([0.5] * 4, quiet_groups=7)),
    "linearity: not supported": lambda: linearity(lacking()),
    "truth: a shared core": lambda: silicon_rows.truth(shared_imul()),
    "truth: shared but in four launches": lambda: silicon_rows.truth(shared_imul(2)),
    "repeatability: shared": lambda: silicon_rows.repeatability(all_shared()),
    "coverage: shared": lambda: silicon_costs.coverage(all_shared()),
    "calls: shared": lambda: silicon_rows.calls(all_shared()),
    "resolution: shared": lambda: silicon_costs.resolution(all_shared()),
    "cost: shared": lambda: silicon_costs.cost("truth/add", all_shared()),
    "truth: without the CPU for 0.1 ms": lambda: silicon_rows.truth(away(0.1)),
    "truth: without the CPU for 0.11 ms": lambda: silicon_rows.truth(away(0.11)),
    "the share of neighbours is shown": lambda: silicon_neighbours.neighbours([witnessed(100), witnessed(300), unwitnessed()]),
    "no witness": lambda: silicon_neighbours.neighbours([unwitnessed()] * 3),
    # What a hypervisor calls one core need not be one.
    "a sibling is seen": lambda: siblings(1.0, 0.96),
    "a sibling is missed": lambda: siblings(1.0, 0.94),
    "a sibling is seen under a hypervisor": lambda: siblings(1.0, 0.96, hypervisor="KVM"),
    "a sibling is missed under a hypervisor": lambda: siblings(1.0, 0.94, hypervisor="KVM"),
    "no sibling": lambda: siblings(),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_judged_is_as_stored(name):
    golden.check("silicon", CASES, name, golden.checks(CASES[name]()))


def test_the_table_of_linearity_has_the_recipes_that_were_judged():
    assert list(silicon_rows.linearity_table(with_lines([0.0001] * 4, quiet_groups=7), ["lfence", "plain"])) == []
    table = list(silicon_rows.linearity_table(lacking(), ["lfence", "plain", "xfence"]))
    assert len(table) == 3 and table[1].startswith("lfence ")


def test_a_bend_has_one_limit():
    """The limit is that of the self-test, of both checks that judge it, and of the documents."""
    header = open(f"{places.ROOT}/lib/stats/linearity.h", encoding="utf-8").read()
    assert float(re.search(r"#define LINEARITY_FALSE\s+(\S+)", header)[1]) == silicon_rows.BENT
    (line, *_), (verdict,) = silicon_rows.linearity(with_lines([0.0001] * 4)), silicon_rows.verdicts([launch({}, status=0)] * 4)
    assert all(f"{silicon_rows.BENT:g}" in check.limit for check in (line, verdict))


def test_launches_on_an_exclusive_core_are_counted():
    runs = [launch({"a": row(1), "b": row(1)}), launch({"a": row(1), "b": shared_row(1)}), launch({"a": row(1)}),
            launch({"a": row(1), "b": row(1, per_op={"ticks": 1})})]  # fmt: skip
    assert silicon_neighbours.exclusive(runs, "a") == runs and silicon_neighbours.exclusive(runs, "a", "b") == runs[:1]
    assert not silicon_neighbours.enough([1] * 2, [1] * 8) and silicon_neighbours.enough([1] * 3, [1] * 24)
    assert not silicon_neighbours.enough([1] * 3, [1] * 25) and silicon_neighbours.enough([1] * 4, [1] * 30)


# --- the run of sections ------------------------------------------------------------------------------


@pytest.fixture(name="silicon", scope="module")
def fixture_silicon():
    return module_of(f"{places.ROOT}/scripts/silicon")


@pytest.mark.launches
def test_work_that_is_gone_is_judged_with_every_method(silicon, monkeypatch, capsys):
    """By its instructions, so on any CPU."""
    monkeypatch.setattr(silicon, "ELIDED", 1)
    count = silicon.Count()
    silicon.elided_section(count)
    assert (count.judged, count.held, count.unjudged) == (len(silicon.METHODS), len(silicon.METHODS), 0)
    assert "planted/elided_loop, method=adaptive: 1 of 1 launches" in capsys.readouterr().out


@pytest.mark.launches
@pytest.mark.every_cpu
def test_verdicts_is_a_command(silicon, monkeypatch, capsys):
    """Missing work fails with each method, of which two are enough here; a launch that does its work does not fail."""
    monkeypatch.setattr(silicon, "METHODS", silicon.METHODS[:2])
    monkeypatch.setattr(silicon, "ALL_SUITES", "suite=truth bench=add samples=64 hist=off")
    monkeypatch.setattr(sys, "argv", ["silicon", "--verdicts", "2"])
    assert silicon.main() == 0
    said = capsys.readouterr().out
    assert said.count("2 of 2 launches report it") == len(silicon.METHODS)
    several = min(2, len(os.sched_getaffinity(0)))
    assert len(re.findall(r"of 2: 0\b", said)) == several
    assert ("all suites, cores=all" in said) == (several == 2)
    # One that fails is noticed.
    monkeypatch.setattr(silicon, "ALL_SUITES", "suite=planted bench=elided samples=64 hist=off")
    monkeypatch.setattr(sys, "argv", ["silicon", "--verdicts", "1"])
    assert silicon.main() == 1
    assert "of 1: 1: planted/elided: " in capsys.readouterr().out


@pytest.mark.parametrize("number", ["0", "-1"])
def test_verdicts_takes_a_number_of_launches(silicon, monkeypatch, number):
    monkeypatch.setattr(sys, "argv", ["silicon", f"--verdicts={number}"])
    with pytest.raises(SystemExit) as ended:
        silicon.main()
    assert ended.value.code == 2


def test_only_judged_checks_are_counted(silicon, capsys):
    count = silicon.Count()
    count.show([silicon_neighbours.Check("a", "1", "<2", True), silicon_neighbours.Check("b", "3", "<2", False), silicon_neighbours.Check("c", "4")])
    count.show([silicon_neighbours.Check("d", "too shared", "<2", None)])
    assert (count.judged, count.held, count.unjudged) == (2, 1, 1)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["holds", "FAILS", "c:", "?"]


BROKEN = [launches.Failed("no end record"), subprocess.CalledProcessError(1, "pair"), OSError("gone"), KeyError("no")]


@pytest.mark.parametrize("reason", BROKEN, ids=lambda e: type(e).__name__)
def test_a_broken_section_does_not_end_the_run(silicon, monkeypatch, capsys, reason):
    def breaks(*_):
        raise reason

    sections = [n for n in vars(silicon) if n.endswith("_section")]
    for name in sections:
        monkeypatch.setattr(silicon, name, breaks)
    monkeypatch.setattr(silicon, "peers_section", lambda c: c.show([silicon_neighbours.Check("last", "1", "1")]))
    monkeypatch.setattr(sys, "argv", ["silicon"])
    assert silicon.main() == 2
    said = capsys.readouterr().out
    broken = said.count("  broken: ")  # each is called from main, except those within the first
    assert broken >= len(sections) - 3 and f"1 of 1 checks hold; {broken} sections were broken" in said


@pytest.mark.parametrize("holds, status", [(True, 0), (None, 0), (False, 1)])
def test_the_exit_status_is_that_of_the_checks_that_are_judged(silicon, monkeypatch, holds, status):
    for name in [n for n in vars(silicon) if n.endswith("_section")]:
        monkeypatch.setattr(silicon, name, lambda c, *_: c.show([silicon_neighbours.Check("check", "1", "1", holds)]))
    monkeypatch.setattr(sys, "argv", ["silicon"])
    assert silicon.main() == status


def test_the_words_name_two_threads_of_one_core(silicon):
    def core(number, package=None, place=None):
        return {"core": number, "topology": {"package": package, "core": place}}

    two = [core(0, 0, 0), core(1, 0, 1), core(2, 1, 1), core(3, 0, 1)]
    assert silicon.sibling_words(SimpleNamespace(cores=two)) == "cores=1,3 share=together"
    assert silicon.sibling_words(SimpleNamespace(cores=two[:3])) is None


# --- coverage -------------------------------------------------------------------------------------


def a_row(*figures, half=0.5):
    return [(figure, figure - half, figure + half) for figure in figures]


def test_coverage_is_that_counted_by_hand():
    # Covered: (0,1), (2,0), (2,1); not (0,2), (1,0), (1,2). The second row has (0,2) and (2,0).
    rows = [[(10, 9, 11), (11, 10.5, 11.5), (20, -80, 120)], [(5, 4, 6), None, (4, 2, 6)]]
    found = silicon_costs.of_rows(rows, 0.95)
    assert found.pairs == 8 and found.share == 5 / 8
    # Drawn from three: launches 0 and 2 alone have 3/4, the other two couples 1/2.
    assert 0.05 < found.se < 0.15 and found.fails(0.95)
    pooled, each = silicon_costs.judge(dict(zip("ab", rows)))
    assert pooled == found and [each[name].share for name in "ab"] == [1 / 2, 1]
    found = silicon_costs.of_rows([row[:2] for row in rows], 0.95)  # the limit itself is inside; two launches have no error
    assert (found.pairs, found.share) == (2, 0.5) and not found.fails(0.95)
    found = silicon_costs.of_rows([row[:1] for row in rows], 0.95)
    assert found.pairs == 0 and math.isnan(found.share) and not found.fails(0.95)


def test_coverage_uses_each_end_of_an_interval():
    assert silicon_costs.of_rows([[(3, 2.9, 4.1), (4, 3.9, 4.1)]], 0.95).share == 0.5
    assert silicon_costs.of_rows([[(3, 2.9, 3.1), (4, 2.9, 4.1)]], 0.95).share == 0.5


@pytest.mark.parametrize("good", [False, True])
def test_all_or_no_pairs_are_covered(good):
    found = silicon_costs.of_rows([a_row(*range(10), half=100 if good else 0.5)], math.inf)
    assert (found.pairs, found.share, found.se) == (90, good, 0) and found.fails(0.95) != good
    assert found.fails(0) is False


def test_one_launch_far_away_widens_the_error_of_coverage():
    """18 of 90 pairs miss, and the bootstrap knows that it hangs on one launch."""
    found = silicon_costs.of_rows([a_row(5, 5, 5, 5, 9, 5, 5, 5, 5, 5)], 0.95)
    assert found.share == 0.8 and 0.08 < found.se < 0.25 and not found.fails(0.95)
    halves = silicon_costs.of_rows([a_row(*(0, 1) * 5, half=0.5)], 0.95)
    assert halves.fails(0.9) and not halves.fails(0.3)


def test_the_error_of_coverage_is_its_scatter():
    dice, shares, errors = random.Random(31), [], []
    for _ in range(40):
        found = silicon_costs.of_rows([a_row(*(dice.gauss(0, 1) for _ in range(30)), half=2.576 * 1.4142) for _ in range(10)], 1)
        shares.append(found.share)
        errors.append(found.se)
        assert not found.fails(0.95)
    assert statistics.fmean(shares) == pytest.approx(0.99, abs=0.005)
    assert 0.6 < statistics.fmean(errors) / statistics.stdev(shares) < 1.7
    narrow = [a_row(*(dice.gauss(0, 1) for _ in range(30)), half=1.288 * 1.4142) for _ in range(10)]
    assert silicon_costs.of_rows(narrow, 0.95).fails(0.95)
