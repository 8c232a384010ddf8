"""The checks of rows, calls and time of scripts/silicon: planted launches in, known verdicts out."""

import os
import random
import statistics

import pytest
from launch import silicon_costs, silicon_neighbours, silicon_rows
from planted_launches import call_launches, launch, many, row, shared_row, truth_launches, verdicts, witnessed


def test_a_figure_off_the_documented_one_fails_truth():
    assert verdicts(silicon_rows.truth(truth_launches())) == [True] * 3
    assert verdicts(silicon_rows.truth(truth_launches(add=row(1.011)))) == [False, True, True]
    assert verdicts(silicon_rows.truth(truth_launches(ror=row(0.988)))) == [True, False, True]
    assert verdicts(silicon_rows.truth(truth_launches(imul=row(3.03)))) == [True, True, False]
    assert verdicts(silicon_rows.truth(truth_launches(add=row(1.0, doubled=False))))[0] is False
    # Another family's documented figure; and none.
    assert verdicts(silicon_rows.truth(truth_launches(imul=row(4.0, truth_cycles=4)))) == [True] * 3
    unknown = truth_launches()
    for one in unknown:
        del one.rows["truth/imul"]["truth_cycles"]
    assert verdicts(silicon_rows.truth(unknown)) == [True, True, None]


def test_a_row_outside_one_percent_does_not_repeat():
    runs = many({"truth/add": row(1.0), "truth/imul": row(3.0), "calls/direct": row(4.0)})
    assert verdicts(silicon_rows.repeatability(runs)) == [True] * 3
    for k in range(len(runs) // 10):  # a neighbour came
        runs[k].rows["truth/imul"] = row(3.04)
    assert verdicts(silicon_rows.repeatability(runs)) == [True] * 3
    runs[len(runs) // 10].rows["truth/imul"] = row(3.04)
    assert verdicts(silicon_rows.repeatability(runs)) == [True, False, True]


def test_a_row_that_is_slower_in_a_third_of_launches_does_not_repeat():
    runs = many({"truth/add": row(1.0), "truth/imul": row(3.0), "calls/direct": row(4.0)})
    for one in runs[::3]:
        one.rows["calls/direct"] = row(4.05)
    assert verdicts(silicon_rows.repeatability(runs)) == [True, True, False]


def test_repeatability_near_zero_is_of_the_gross_cost():
    """Returns 0.01 and 0.02 cycles of an iteration that takes 1.02 in total."""
    runs = many({"truth/add": row(1.0), "truth/imul": row(3.0), "calls/direct": row(0.01)})
    for one in runs:
        one.rows["calls/direct"]["per_op"]["gross_cycles"] = 1.02
    for one in runs[::3]:
        one.rows["calls/direct"]["per_op"]["cycles"] = 0.02
    assert verdicts(silicon_rows.repeatability(runs)) == [True] * 3
    for one in runs[::3]:
        one.rows["calls/direct"]["per_op"]["cycles"] = 0.03
    assert verdicts(silicon_rows.repeatability(runs)) == [True, True, False]


def of_chance(dice, narrower=1.0, moves=0.0):
    """Returns a launch of a row with random placements, and the interval by ranks as the program computes it, or a
    narrower one."""
    at = 3 + dice.gauss(0, moves)
    placed = sorted(at + dice.gauss(0, 0.02) for _ in range(16))
    record, middle = row(3.0), statistics.median(placed)
    record["per_op"].update(cycles=middle, cycles_lo=middle - narrower * (middle - placed[1]),
                            cycles_hi=middle + narrower * (placed[-2] - middle))  # fmt: skip
    record["interval"]["placements_cycles"] = placed
    return record


def chance_launches(rows=20, n=30, **planted):
    """Returns launches of random rows, the first five of them chains; planted: {rN: arguments of of_chance()}."""
    dice = random.Random(1)
    return [launch({f"{'truth' if i < 5 else 'a'}/{i}": of_chance(dice, **planted.get(f"r{i}", {})) for i in range(rows)})
            for _ in range(n)]  # fmt: skip


def test_few_rows_fail_coverage():
    check, least = silicon_costs.coverage(chance_launches())
    assert check.holds and check.what.startswith("20 rows") and least.limit == ""
    # Fewer than ten rows prove nothing.
    assert verdicts(silicon_costs.coverage(chance_launches(rows=9))) == [False]


def test_intervals_that_are_too_narrow_fail_coverage():
    """All of them; and one row of forty, which the pooled share hides."""
    assert verdicts(silicon_costs.coverage(chance_launches(**{f"r{i}": {"narrower": 0.3} for i in range(20)}))) == [False]
    check, least = silicon_costs.coverage(chance_launches(rows=40, r7={"narrower": 0.2}))
    assert check.holds is False and float(check.figure.split("%")[0]) > 97.5
    assert least.figure.startswith("a/7")


@pytest.mark.parametrize("share, least, fails, holds", [
    (0.9801, 0.90, False, True), (0.9779, 0.95, False, None), (0.985, 0.89, False, None), (0.9779, 0.95, True, False)])
def test_a_coverage_below_its_limit_never_holds(monkeypatch, share, least, fails, holds):
    """97.79% with a standard error of 0.3% is neither, so the check does not hold and says why."""
    each = {f"r{i}": silicon_costs.Coverage(1000, 1, 0.003) for i in range(20)} | {"low": silicon_costs.Coverage(1000, least, 0.01)}
    said = silicon_costs.Coverage(1000, share, 0.0001 if fails else 0.003), each
    monkeypatch.setattr(silicon_costs, "judge", lambda rows: said)
    check, _ = silicon_costs.coverage(chance_launches(n=5))
    assert check.holds is holds and ("not judged" in check.figure) == (holds is None)
    assert "98%" in check.limit and "90%" in check.limit and f"{100 * share:.2f}%" in check.figure


def test_coverage_names_rows_that_move():
    check, _, named = silicon_costs.coverage(chance_launches(r7={"moves": 0.1}))
    assert check.holds and check.what.startswith("19 rows") and named.figure.startswith("a/7 2.")
    runs = chance_launches(r7={"moves": 0.1})
    for one in runs:
        one.rows["sum/cold"] = one.rows.pop("a/7")
    assert "the memory" in list(silicon_costs.coverage(runs))[-1].figure


@pytest.mark.parametrize("moving", [[2], [2, 7], range(5, 16)])
def test_coverage_excuses_no_chain_and_no_machine_that_moves_as_a_whole(moving):
    planted = {f"r{i}": {"moves": 0.1} for i in moving}
    assert verdicts(silicon_costs.coverage(chance_launches(**planted))) == [False]


def test_one_failed_launch_fails_verdicts():
    fine, failed = launch({}, status=0), launch({"a/b": row(1, status="wrong", why="x")}, status=2)
    for one in (fine, failed):
        one.selftests, one.events = {}, []
    assert verdicts(silicon_rows.verdicts([fine] * 200)) == [True]
    (check,) = silicon_rows.verdicts([fine] * 199 + [failed])
    assert check.holds is False and "a/b: x" in check.figure


def test_a_launch_that_misses_the_missing_work_fails():
    gone = launch({"planted/elided": row(0, status="wrong", why="the work was elided")}, status=2)
    there = launch({"planted/elided": row(0)}, status=0)
    lines = list(silicon_rows.elided({"doubled": [gone] * 10, "plain": [gone] * 9 + [there]}))
    assert [check.holds for check in lines] == [True, False] and "9 of 10" in lines[1].figure
    lacking = launch({"planted/elided": {"status": "unsupported", "why": "no such CPU"}}, status=2)
    assert verdicts(silicon_rows.elided({"plain": [lacking] * 3})) == [None]
    assert verdicts(silicon_rows.elided({"plain": [lacking] * 2 + [gone]})) == [False]
    # Stated in the row and passed by the run, or the reverse.
    odd = [launch(gone.rows, status=0), launch(there.rows, status=2)]
    assert verdicts(silicon_rows.elided({"plain": odd})) == [False] and verdicts(silicon_rows.elided({"plain": odd[1:]})) == [False]


def test_adaptive_is_judged_by_the_row_with_a_loop():
    gone = launch({"planted/elided_loop": row(0, status="wrong", why="the work was elided")}, status=2)
    there = launch({"planted/elided_loop": row(0)}, status=0)
    assert verdicts(silicon_rows.elided({"adaptive": [gone] * 10})) == [True]
    assert verdicts(silicon_rows.elided({"adaptive": [gone] * 9 + [there]})) == [False]


def test_calls_are_distinguished_or_equal():
    assert all(verdicts(silicon_rows.calls(call_launches())))
    lines = {check.what: check for check in silicon_rows.calls(call_launches(direct=0.02)) if check.limit}
    assert lines["direct against plt"].holds and "%" not in lines["direct against plt"].figure
    assert "+4.980 cycles" in lines["direct against plt"].figure


@pytest.mark.parametrize("modes, holds", [(1, False), (2, None)])
def test_calls_too_vague_to_distinguish_fail_only_without_levels(modes, holds):
    """A difference of 2% in a noise of 100%. If the launches have levels, these overlap, and nothing fails."""
    runs = call_launches()
    for one in runs:
        one.rows["calls/plt"] = row(4.08, half=4)
        one.rows["calls/plt"]["modes"] *= modes
    lines = {check.what: check.holds for check in silicon_rows.calls(runs) if check.limit}
    assert lines["direct against plt"] is holds and lines["direct against virtual"] is True


def swept(values, where="code"):
    flat = {"step_bytes": 1, "cycles": [4.0] * 64}
    parts = {part: dict(flat) for part in ("code", "stack", "data")}
    parts[where] = {"step_bytes": 1, "cycles": values}
    return launch({"calls/virtual": row(4.5, sweep=parts)})


def test_a_level_has_its_offsets_or_is_not_explained():
    two = [
        {"cycles": 4.0, "share": 0.9, "sd": 0.01, "blocks": 90, "kind": "layout"},
        {"cycles": 6.0, "share": 0.1, "sd": 0.01, "blocks": 10, "kind": "layout"},
    ]
    runs = call_launches()
    assert silicon_rows.flips(runs) == []
    assert verdicts(silicon_rows.sweep([], [])) == []
    for one in runs:
        one.rows["calls/virtual"]["modes"] = two
    found = silicon_rows.flips(runs)
    assert [name for name, _ in found] == ["virtual"]
    (check,) = silicon_rows.sweep(found, [swept([4.0] * 60 + [6.0] * 4)])
    assert not check.limit and "code 60-63" in check.figure and "code 0-59" in check.figure
    # Another state for a moment is in one sweep of three.
    odd = swept([6.0] * 8 + [4.0] * 52 + [6.0] * 4)
    (check,) = silicon_rows.sweep(found, [odd] + [swept([4.0] * 60 + [6.0] * 4)] * 2)
    assert "code 60-63" in check.figure and "code 0-59" in check.figure
    # A level that no offset selects is reported, and nothing fails.
    (check,) = silicon_rows.sweep(found, [swept([4.0] * 64)] * 3)
    assert not check.limit and "6.00 (10%): not explained" in check.figure
    (check,) = silicon_rows.sweep(found, [launch({"calls/virtual": shared_row(4)})])
    assert silicon_neighbours.TOO_SHARED in check.figure


def test_rows_that_are_not_distinguished_fail_resolution():
    rows = {"planted/adds20": row(20.0, 0.1), "planted/adds21": row(21.0, 0.1)}
    assert verdicts(silicon_costs.resolution(many(rows))) == [True, True]
    vague = {"planted/adds20": row(20.0, 0.8), "planted/adds21": row(21.0, 0.8)}
    assert verdicts(silicon_costs.resolution(many(vague))) == [False, True]
    long = {name: {**record, "sampling_ticks": 15_000_000} for name, record in rows.items()}  # 43 million cycles
    assert verdicts(silicon_costs.resolution(many(long))) == [True, False]
    # Time that the system gave to others does not count.
    away = {name: {**record, "process": {"away_ms": 1.4}} for name, record in long.items()}
    assert verdicts(silicon_costs.resolution(many(away))) == [True, True]
    # On a slower core the same time has fewer cycles.
    assert verdicts(silicon_costs.resolution(many(long, ticks_per_cycle=0.8))) == [True, True]
    assert "at most 40 million core cycles" in list(silicon_costs.resolution(many(long)))[1].limit


@pytest.mark.parametrize("good, holds", [(10, True), (6, True), (4, None), (3, None), (2, False), (0, False)])
def test_a_machine_that_changes_is_not_judged(good, holds):
    check = silicon_costs.by_launches("a", "b", "c", [0.9] * good + [1.1] * (10 - good))
    assert check.holds is holds and (holds is not None or f"{good} of 10" in check.figure)


def test_an_imprecise_figure_fails_cost():
    assert verdicts(silicon_costs.cost("truth/add", many({"truth/add": row(1.0, 0.003)}))) == [True]
    assert verdicts(silicon_costs.cost("truth/add", many({"truth/add": row(1.0, 0.009, sampling_ticks=5_320_000)}))) == [False]
    slow = {"truth/add": row(1.0, 0.0075, sampling_ticks=5_880_000)}
    assert verdicts(silicon_costs.cost("truth/add", many(slow))) == [False]
    slow["truth/add"]["process"] = {"away_ms": 0.56}
    assert verdicts(silicon_costs.cost("truth/add", many(slow))) == [True]


@pytest.mark.parametrize("step, half, holds", [(26, 0.009, False), (52, 0.009, True), (52, 0.02, False)])
def test_a_longer_step_allows_a_larger_error(step, half, holds):
    """Twice the step causes twice the noise of every window."""
    runs = many({"truth/add": row(1.0, half, sampling_ticks=5_320_000)})
    for one in runs:
        one.run["tsc"] = {"hz": 1e9, "step_ticks": step}
    (check,) = silicon_costs.cost("truth/add", runs)
    assert check.holds is holds and ("(0.25% " in check.limit) == (step == 52)


def test_cost_near_zero_is_of_the_gross_cost():
    runs = many({"calls/direct": row(0.01, 0.006, sampling_ticks=5_320_000)})
    assert verdicts(silicon_costs.cost("calls/direct", runs)) == [False]
    for one in runs:
        one.rows["calls/direct"]["per_op"]["gross_cycles"] = 1.02
    assert verdicts(silicon_costs.cost("calls/direct", runs)) == [True]


def default_run(shared_blocks, seconds, away_ms=0):
    one = witnessed(shared_blocks)
    one.run.update(tsc={"hz": 1e9}, ticks_per_cycle=0.25)
    one.rows = {"a": row(1, sampling_ticks=seconds * 9e8, process={"away_ms": away_ms}),
                "b": row(1, sampling_ticks=seconds * 1e8), "c": {}}  # fmt: skip
    return one


def test_default_rows_beyond_their_time_fail():
    fine, slow, shared = default_run(100, 2.9), default_run(100, 3.1), default_run(900, 9)
    assert verdicts(silicon_costs.default_rows([fine])) == [True]
    assert verdicts(silicon_costs.default_rows([slow])) == [False]
    assert verdicts(silicon_costs.default_rows([fine, shared])) == [True]
    assert verdicts(silicon_costs.default_rows([default_run(100, 3.1, away_ms=200)])) == [True]
    (check,) = silicon_costs.default_rows([shared])
    assert check.holds is None and check.limit and "9.0%" in check.figure


def test_an_empty_sample_is_shown_and_not_judged():
    runs = many({"baseline/empty_lfence": row(0, sampling_ticks=364_600, windows=1000)})
    (check,) = silicon_costs.empty_sample(runs)
    assert check.figure.startswith("364.6 ticks") and not check.limit


def speeds(*modes):
    return row(102, modes=[{"cycles": c, "share": s} for c, s in modes])


@pytest.mark.parametrize(
    "record, holds",
    [
        (speeds((100.1, 0.70), (106.0, 0.30)), True),
        (speeds((100.1, 0.67), (106.0, 0.33)), False),
        (speeds((101.8, 1.0)), False),
        (speeds((100, 0.7), (103, 0.1), (106, 0.2)), False),
        (speeds((100, 0.7), (109, 0.3)), False),
    ],
)
def test_wrong_modes_fail_two_speeds(record, holds):
    assert verdicts(silicon_costs.two_speeds(many({"planted/two_speeds": record}))) == [holds]


@pytest.mark.parametrize("good, holds", [(5, True), (3, True), (2, None), (0, False)])
def test_two_speeds_are_not_judged_if_the_machine_changed(good, holds):
    right, wrong = speeds((100, 0.7), (106, 0.3)), speeds((100, 0.65), (106, 0.35))
    runs = [launch({"planted/two_speeds": record}) for record in [right] * good + [wrong] * (5 - good)]
    assert verdicts(silicon_costs.two_speeds(runs)) == [holds]


@pytest.mark.parametrize(
    "hist, away, holds",
    [
        ([[70_000, 999], [500_100_000, 1]], 501, True),
        ([[70_000, 1000]], 501, False),
        ([[70_000, 998], [400_000_000, 2]], 501, False),
        ([[70_000, 999], [700_000_000, 1]], 501, False),
        # The system kept the CPU from it for longer, as its CPU time shows; or at another time too.
        ([[70_000, 999], [700_000_000, 1]], 701, True),
        ([[70_000, 998], [300_000_000, 1], [510_000_000, 1]], 811, None),
        ([[70_000, 998], [300_000_000, 1], [510_000_000, 1]], 511, False),
    ],
)
def test_a_stop_is_one_gap_of_its_length(hist, away, holds):
    one = launch({"planted/long": row(1000, ticks={"median": 70_000}, hist=hist, process={"away_ms": away})})
    assert verdicts(silicon_costs.stopped(one, 0.5, 0.55)) == [holds]


def test_a_figure_spreads_less_than_the_peers():
    ours = [launch({"truth/add": row(1 + i / 1e4)}) for i in range(10)]
    theirs = [(135 + i / 10, 0.9) for i in range(10)]
    gone = launch({"planted/elided": row(0, status="wrong", why="the work was elided")}, status=2)
    there = launch({"planted/elided": row(0)}, status=0)
    assert verdicts(silicon_costs.peer("x", theirs, ours, 1e-7, gone)) == [True] * 3
    assert verdicts(silicon_costs.peer("x", theirs, ours, 1e-7, there))[2] is False
    steady = [(135.0, 0.0001)] * 10
    assert verdicts(silicon_costs.peer("x", steady, ours, 1e-7, gone)) == [True, False, True]
    wide = [launch({"truth/add": row(1 + i / 500)}) for i in range(10)]
    assert verdicts(silicon_costs.peer("x", theirs, wide, 1e-7, gone)) == [False, True, True]
    for status, row_status, holds in ((0, "ok", False), (2, "wrong", True)):
        shared = launch({"planted/elided": {**shared_row(0), "status": row_status}}, status=status)
        assert verdicts(silicon_costs.peer("x", theirs, ours, 1e-7, shared))[2] is holds
