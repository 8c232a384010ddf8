"""The checks of scripts/silicon: planted launches in, known verdicts out. Each can fail."""

import random
import statistics

import golden
import pytest
from launch import silicon_costs, silicon_rows
from planted_launches import call_launches, launch, many, row, shared_row, truth_launches, witnessed


def changed(runs, which, **rows):
    """Returns the launches, with other rows in those of this slice; their names have _ in place of /."""
    for one in runs[which]:
        one.rows.update({name.replace("_", "/", 1): record for name, record in rows.items()})
    return runs


def three(direct=4.0, **gross):
    runs = many({"truth/add": row(1.0), "truth/imul": row(3.0), "calls/direct": row(direct)})
    for one in runs:
        one.rows["calls/direct"]["per_op"].update(gross)
    return runs


def third_of_near_zero(cycles):
    """0.01 cycles of an iteration that takes 1.02 in total, and these in a third of the launches."""
    runs = three(0.01, gross_cycles=1.02)
    for one in runs[::3]:
        one.rows["calls/direct"]["per_op"]["cycles"] = cycles
    return runs


def unknown_truth():
    runs = truth_launches()
    for one in runs:
        del one.rows["truth/imul"]["truth_cycles"]
    return runs


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


def moved_memory():
    runs = chance_launches(r7={"moves": 0.1})
    for one in runs:
        one.rows["sum/cold"] = one.rows.pop("a/7")
    return runs


def ended(status, rows=()):
    return launch(dict(rows), status=status, selftests={}, events=[])


GONE = launch({"planted/elided": row(0, status="wrong", why="the work was elided")}, status=2)
THERE = launch({"planted/elided": row(0)}, status=0)
LACKING = launch({"planted/elided": {"status": "unsupported", "why": "no such CPU"}}, status=2)
LOOP_GONE = launch({"planted/elided_loop": row(0, status="wrong", why="the work was elided")}, status=2)
LOOP_THERE = launch({"planted/elided_loop": row(0)}, status=0)
FAILED = ended(2, {"a/b": row(1, status="wrong", why="x")})


def vague_calls(modes):
    """A difference of 2% in a noise of 100%. If the launches have levels, these overlap, and nothing fails."""
    vague = row(4.08, half=4)
    vague["modes"] = vague["modes"] * modes  # once: the launches share the row
    return changed(call_launches(), slice(None), calls_plt=vague)


def swept(values, where="code"):
    flat = {"step_bytes": 1, "cycles": [4.0] * 64}
    parts = {part: dict(flat) for part in ("code", "stack", "data")}
    parts[where] = {"step_bytes": 1, "cycles": values}
    return launch({"calls/virtual": row(4.5, sweep=parts)})


LEVELS = [{"cycles": 4.0, "share": 0.9, "sd": 0.01, "blocks": 90, "kind": "layout"},
          {"cycles": 6.0, "share": 0.1, "sd": 0.01, "blocks": 10, "kind": "layout"}]
LATE, EARLY = [4.0] * 60 + [6.0] * 4, [6.0] * 8 + [4.0] * 52 + [6.0] * 4


def levels(*sweeps):
    runs = call_launches()
    for one in runs:
        one.rows["calls/virtual"]["modes"] = LEVELS
    found = silicon_rows.flips(runs)
    assert [name for name, _ in found] == ["virtual"]
    return silicon_rows.sweep(found, sweeps)


def adds(half=0.1, away=None, **more):
    process = {"process": {"away_ms": away}} if away else {}
    return {f"planted/adds{n}": row(float(n), half, **process, **more) for n in (20, 21)}


def stepped(step, half):
    runs = many({"truth/add": row(1.0, half, sampling_ticks=5_320_000)})
    for one in runs:
        one.run["tsc"] = {"hz": 1e9, "step_ticks": step}
    return runs


def near_zero(**gross):
    runs = many({"calls/direct": row(0.01, 0.006, sampling_ticks=5_320_000)})
    for one in runs:
        one.rows["calls/direct"]["per_op"].update(gross)
    return runs


def default_run(shared_blocks, seconds, away_ms=0):
    one = witnessed(shared_blocks)
    one.run.update(tsc={"hz": 1e9}, ticks_per_cycle=0.25)
    one.rows = {"a": row(1, sampling_ticks=seconds * 9e8, process={"away_ms": away_ms}),
                "b": row(1, sampling_ticks=seconds * 1e8), "c": {}}  # fmt: skip
    return one


def speeds(*modes):
    return row(102, modes=[{"cycles": c, "share": s} for c, s in modes])


def stop(hist, away):
    one = launch({"planted/long": row(1000, ticks={"median": 70_000}, hist=hist, process={"away_ms": away})})
    return silicon_costs.stopped(one, 0.5, 0.55)


def of_peer(theirs, spread, elided):
    ours = [launch({"truth/add": row(1 + i * spread)}) for i in range(10)]
    return silicon_costs.peer("x", theirs, ours, 1e-7, elided)


def shared_elided(status, row_status):
    return launch({"planted/elided": {**shared_row(0), "status": row_status}}, status=status)


RIGHT, WRONG = speeds((100, 0.7), (106, 0.3)), speeds((100, 0.65), (106, 0.35))
THEIRS, STEADY = [(135 + i / 10, 0.9) for i in range(10)], [(135.0, 0.0001)] * 10
LONG = {"sampling_ticks": 15_000_000}  # 43 million cycles
ADD_SLOW = {"truth/add": row(1.0, 0.0075, sampling_ticks=5_880_000)}
ADD_AWAY = {"truth/add": row(1.0, 0.0075, sampling_ticks=5_880_000, process={"away_ms": 0.56})}
TWO_SPEEDS = [((100.1, 0.70), (106.0, 0.30)), ((100.1, 0.67), (106.0, 0.33)), ((101.8, 1.0),),
              ((100, 0.7), (103, 0.1), (106, 0.2)), ((100, 0.7), (109, 0.3))]
# One gap of half a second and more. The system kept the CPU from it for longer, as its CPU time shows; or at another time.
STOPS = [([[70_000, 999], [500_100_000, 1]], 501), ([[70_000, 1000]], 501), ([[70_000, 998], [400_000_000, 2]], 501),
         ([[70_000, 999], [700_000_000, 1]], 501), ([[70_000, 999], [700_000_000, 1]], 701),
         ([[70_000, 998], [300_000_000, 1], [510_000_000, 1]], 811), ([[70_000, 998], [300_000_000, 1], [510_000_000, 1]], 511)]

truth, repeats, coverage, calls = silicon_rows.truth, silicon_rows.repeatability, silicon_costs.coverage, silicon_rows.calls
elided, resolution, two_speeds = silicon_rows.elided, silicon_costs.resolution, silicon_costs.two_speeds

CASES = {
    "truth: as documented": lambda: truth(truth_launches()),
    "truth: add above": lambda: truth(truth_launches(add=row(1.011))),
    "truth: ror below": lambda: truth(truth_launches(ror=row(0.988))),
    "truth: imul above": lambda: truth(truth_launches(imul=row(3.03))),
    "truth: not doubled": lambda: truth(truth_launches(add=row(1.0, doubled=False))),
    "truth: another family's figure": lambda: truth(truth_launches(imul=row(4.0, truth_cycles=4))),
    "truth: no documented figure": lambda: truth(unknown_truth()),
    # 3 cycles of 500, of which 2 are the window's.
    **{f"truth: {cycles} cycles of {ops} operations": lambda c=cycles, o=ops: truth(truth_launches(add=row(c, 0.0001, ops=o)))
       for cycles, ops in ((1.006, 500), (1.0095, 500), (1.006, 10_000), (0.9952, 10_000))},
    # A few launches far away prove nothing, a third of them does.
    **{f"truth: {n} launches far away": lambda n=n: truth(changed(truth_launches(), slice(n), truth_ror=row(1.3, truth_cycles=1)))
       for n in (5, 10)},
    # A neighbour came.
    **{f"repeatability: {n} of 30 launches 1% off": lambda n=n: repeats(changed(three(), slice(n), truth_imul=row(3.04)))
       for n in (0, 3, 4)},
    "repeatability: slower in a third": lambda: repeats(changed(three(), slice(None, None, 3), calls_direct=row(4.05))),
    "repeatability near zero: of the gross cost, 1%": lambda: repeats(third_of_near_zero(0.02)),
    "repeatability near zero: of the gross cost, 2%": lambda: repeats(third_of_near_zero(0.03)),
    "coverage": lambda: coverage(chance_launches()),
    "coverage: nine rows prove nothing": lambda: coverage(chance_launches(rows=9)),
    "coverage: all too narrow": lambda: coverage(chance_launches(**{f"r{i}": {"narrower": 0.3} for i in range(20)})),
    "coverage: one of forty too narrow, which the pooled share hides": lambda: coverage(chance_launches(rows=40, r7={"narrower": 0.2})),
    "coverage: a row moves": lambda: coverage(chance_launches(r7={"moves": 0.1})),
    "coverage: sum/cold moves": lambda: coverage(moved_memory()),
    # No chain, and no machine that moves as a whole, is excused.
    **{f"coverage: rows {moving} move": lambda m=moving: coverage(chance_launches(**{f"r{i}": {"moves": 0.1} for i in m}))
       for moving in ((2,), (2, 7), range(5, 16))},
    "verdicts: 200 pass": lambda: silicon_rows.verdicts([ended(0)] * 200),
    "verdicts: one of 200 fails": lambda: silicon_rows.verdicts([ended(0)] * 199 + [FAILED]),
    "elided": lambda: elided({"doubled": [GONE] * 10, "plain": [GONE] * 9 + [THERE]}),
    "elided: no such CPU": lambda: elided({"plain": [LACKING] * 3}),
    "elided: no such CPU twice": lambda: elided({"plain": [LACKING] * 2 + [GONE]}),
    # Stated in the row and passed by the run, or the reverse.
    "elided: the run passes": lambda: elided({"plain": [launch(GONE.rows, status=0), launch(THERE.rows, status=2)]}),
    "elided: only the run fails": lambda: elided({"plain": [launch(THERE.rows, status=2)]}),
    "elided: adaptive": lambda: elided({"adaptive": [LOOP_GONE] * 10}),
    "elided: adaptive, once not": lambda: elided({"adaptive": [LOOP_GONE] * 9 + [LOOP_THERE]}),
    "calls": lambda: calls(call_launches()),
    "calls: direct near zero": lambda: calls(call_launches(direct=0.02)),
    "calls: too vague": lambda: calls(vague_calls(1)),
    "calls: too vague, with levels": lambda: calls(vague_calls(2)),
    "levels: offsets of the code": lambda: levels(swept(LATE)),
    # Another state for a moment is in one sweep of three.
    "levels: odd in one of three": lambda: levels(swept(EARLY), swept(LATE), swept(LATE)),
    "levels: no offset selects it": lambda: levels(*[swept([4.0] * 64)] * 3),
    "levels: a shared core": lambda: levels(launch({"calls/virtual": shared_row(4)})),
    "resolution": lambda: resolution(many(adds())),
    "resolution: vague": lambda: resolution(many(adds(0.8))),
    "resolution: long": lambda: resolution(many(adds(**LONG))),
    # Time that the system gave to others does not count; on a slower core the same time has fewer cycles.
    "resolution: long, away": lambda: resolution(many(adds(away=1.4, **LONG))),
    "resolution: long, a slower core": lambda: resolution(many(adds(**LONG), ticks_per_cycle=0.8)),
    "cost": lambda: silicon_costs.cost("truth/add", many({"truth/add": row(1.0, 0.003)})),
    "cost: imprecise": lambda: silicon_costs.cost("truth/add", many({"truth/add": row(1.0, 0.009, sampling_ticks=5_320_000)})),
    "cost: slow": lambda: silicon_costs.cost("truth/add", many(ADD_SLOW)),
    "cost: slow, away": lambda: silicon_costs.cost("truth/add", many(ADD_AWAY)),
    # Twice the step causes twice the noise of every window.
    **{f"cost: steps of {step} ticks, {half}": lambda s=step, h=half: silicon_costs.cost("truth/add", stepped(s, h))
       for step, half in ((26, 0.009), (52, 0.009), (52, 0.02))},
    "cost near zero": lambda: silicon_costs.cost("calls/direct", near_zero()),
    "cost near zero: of the gross cost": lambda: silicon_costs.cost("calls/direct", near_zero(gross_cycles=1.02)),
    "default rows": lambda: silicon_costs.default_rows([default_run(100, 2.9)]),
    "default rows: slow": lambda: silicon_costs.default_rows([default_run(100, 3.1)]),
    "default rows: one shared": lambda: silicon_costs.default_rows([default_run(100, 2.9), default_run(900, 9)]),
    "default rows: away": lambda: silicon_costs.default_rows([default_run(100, 3.1, away_ms=200)]),
    "default rows: all shared": lambda: silicon_costs.default_rows([default_run(900, 9)]),
    "an empty sample is shown and not judged": lambda: silicon_costs.empty_sample(
        many({"baseline/empty_lfence": row(0, sampling_ticks=364_600, windows=1000)})),
    **{f"two speeds: {modes}": lambda m=modes: two_speeds(many({"planted/two_speeds": speeds(*m)})) for modes in TWO_SPEEDS},
    # They are not judged if the machine changed.
    **{f"two speeds: {n} of 5 right": lambda n=n: two_speeds(
        [launch({"planted/two_speeds": record}) for record in [RIGHT] * n + [WRONG] * (5 - n)]) for n in (5, 3, 2, 0)},
    **{f"a stop: {hist}, {away} ms": lambda h=hist, a=away: stop(h, a) for hist, away in STOPS},
    "peer": lambda: of_peer(THEIRS, 1e-4, GONE),
    "peer: the work is there": lambda: of_peer(THEIRS, 1e-4, THERE),
    "peer: steady": lambda: of_peer(STEADY, 1e-4, GONE),
    "peer: ours spreads": lambda: of_peer(THEIRS, 1 / 500, GONE),
    "peer: shared, ok": lambda: of_peer(THEIRS, 1e-4, shared_elided(0, "ok")),
    "peer: shared, wrong": lambda: of_peer(THEIRS, 1e-4, shared_elided(2, "wrong")),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_judged_is_as_stored(name):
    golden.check("silicon_checks", CASES, name, golden.checks(CASES[name]()))


@pytest.mark.parametrize("good, holds", [(10, True), (6, True), (4, None), (3, None), (2, False), (0, False)])
def test_a_machine_that_changes_is_not_judged(good, holds):
    check = silicon_costs.by_launches("a", "b", "c", [0.9] * good + [1.1] * (10 - good))
    assert check.holds is holds and (holds is not None or f"{good} of 10" in check.figure)


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
