"""scripts/silicon's own judgement: planted launches in, known verdicts out. Each bar can fail."""

import copy
import json
import math
import subprocess
from types import SimpleNamespace

import figures
import launches
import pytest
import silicon_bars as bars

KAPPA = 0.002


def row(cycles, half=0.01, **more):
    record = {
        "status": "ok",
        "doubled": True,
        "placements": 16,
        "windows": 1000,
        "sampling_ticks": 1_000_000,
        "per_op": {
            "cycles": cycles,
            "cycles_lo": cycles - half,
            "cycles_hi": cycles + half,
            "cycles_median": cycles,
            "ns": cycles / 3,
        },
        "interval": {"kappa": KAPPA, "sd": half, "se": half / 3},
        "modes": [{"cycles": cycles, "share": 1, "sd": half, "blocks": 100, "kind": "only"}],
    }
    return {**record, **more}


def launch(rows, **more):
    fields = {"run": {"recipe": "lfence", "ticks_per_cycle": 0.7, "tsc": {"hz": 1e9}}}
    fields.update(rows=rows, linearity={})
    result = SimpleNamespace(**{**fields, **more})
    result.ms = lambda name: launches.Launch.ms(result, name)
    return result


def many(rows, n=30):
    return [launch(copy.deepcopy(rows)) for _ in range(n)]


def verdicts(lines):
    return [bar.holds for bar in lines if bar.limit]


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("df, wanted", [(1, 63.657), (4, 4.604), (29, 2.756), (1000, 2.581)])
def test_t_quantile(df, wanted):
    assert figures.t_quantile(df) == pytest.approx(wanted, abs=5e-4)


def test_mean_half_and_spread():
    mean, half = figures.mean_half([1, 2, 3, 4, 5])
    assert mean == 3 and half == pytest.approx(4.604 * math.sqrt(2.5 / 5), rel=1e-3)
    assert figures.spread([99, 100, 102]) == pytest.approx(0.03)


# --- bars -----------------------------------------------------------------------------------------


def with_lines(slopes, plain=-90, xfence=-42, quiet_groups=16, straight=True):
    def record(e):
        points = [{"adds": n, "error_cycles": e if n >= 50 else 0} for n in (0, 1, 2, 50, 1000)]
        return {"points": points}

    def line(slope):
        return {**record(0), "slope": slope, "shadow_cycles": 0.8, "straight": straight, "groups": 16,
                "quiet_groups": quiet_groups}  # fmt: skip

    return [
        launch({}, linearity={"lfence": line(x), "plain": record(plain), "xfence": record(xfence)})
        for x in slopes
    ]


def test_linearity():
    fine = [0.0001, 0.0002, 0.0001, 0.0002]
    assert verdicts(bars.linearity(with_lines(fine))) == [True] * 3
    assert verdicts(bars.linearity(with_lines([0.0012, 0.0011, 0.0013, 0.0012])))[0] is False
    assert verdicts(bars.linearity(with_lines([-0.0012, -0.0011, -0.0013])))[0] is False
    # Too scattered to tell: that is no proof.
    assert verdicts(bars.linearity(with_lines([0.0009, -0.0009, 0])))[0] is False
    assert verdicts(bars.linearity(with_lines(fine, straight=False)))[0] is False
    assert verdicts(bars.linearity(with_lines(fine, plain=-5, xfence=5)))[1:] == [False] * 2


def test_what_is_too_shared_is_shown_and_not_judged():
    shared = list(bars.linearity(with_lines([0.5] * 4, quiet_groups=7)))[0]
    assert not shared.limit and "too shared to judge: 0 of 4" in shared.figure
    runs = truth_launches()
    for one in runs[2:]:
        one.rows["truth/imul"] = {**row(4.5), "quiet": False, "shared": 0.9}
    lines = {bar.what.split(",")[0]: bar for bar in bars.truth(runs)}
    assert lines["add"].limit and not lines["imul"].limit
    assert "too shared to judge: 2 of" in lines["imul"].figure
    one.rows["truth/imul"] = {**row(3.0), "quiet": True, "shared": 0.1}
    imul = {bar.what.split(",")[0]: bar for bar in bars.truth(runs)}["imul"]
    assert imul.limit and imul.holds  # by the three that were quiet


def truth_launches(**changed):
    known = {name: row(1.0) for name in bars.TRUTH}
    known["imul"] = row(3.0)
    known.update(changed)
    return many({f"truth/{name}": record for name, record in known.items()})


def test_truth():
    assert verdicts(bars.truth(truth_launches())) == [True] * 3
    assert verdicts(bars.truth(truth_launches(add=row(1.006)))) == [False, True, True]
    assert verdicts(bars.truth(truth_launches(ror=row(0.994)))) == [True, False, True]
    assert verdicts(bars.truth(truth_launches(imul=row(3.016)))) == [True, True, False]
    assert verdicts(bars.truth(truth_launches(add=row(1.0, doubled=False))))[0] is False
    # Another family's documented figure takes the place of the issue's.
    assert verdicts(bars.truth(truth_launches(imul=row(4.0, truth_cycles=4)))) == [True] * 3


def test_repeatability():
    runs = many({"truth/add": row(1.0), "truth/imul": row(3.0), "calls/direct": row(4.0)})
    assert verdicts(bars.repeatability(runs)) == [True] * 3
    runs[7].rows["truth/imul"] = row(3.04)
    assert verdicts(bars.repeatability(runs)) == [True, False, True]


def test_coverage():
    rows = {name: row(1.0) for name in bars.COVERED}
    assert verdicts(bars.coverage(many(rows))) == [True]
    runs = many(rows)
    for i, one in enumerate(runs):
        for name in bars.COVERED[::2]:
            one.rows[name] = row(1.0 + 0.02 * (i % 2))
    assert verdicts(bars.coverage(runs)) == [False]
    # Fewer than ten rows prove nothing.
    assert verdicts(bars.coverage(many({n: row(1.0) for n in bars.COVERED[:9]}))) == [False]


def test_coverage_of_modes():
    two = [
        {"cycles": 4.0, "share": 0.75, "sd": 0.01, "blocks": 96, "kind": "layout"},
        {"cycles": 6.0, "share": 0.25, "sd": 0.01, "blocks": 32, "kind": "layout"},
    ]
    rows = {name: row(4.5, modes=two) for name in bars.COVERED}
    assert verdicts(bars.coverage(many(rows))) == [True]
    runs = many(rows)
    for one in runs[::2]:
        for name in bars.COVERED:
            one.rows[name] = row(6.0)  # inside one mode of the others, not the reverse
    assert verdicts(bars.coverage(runs)) == [False]


def call_launches(**changed):
    known = {"direct": 4, "plt": 5, "got": 4, "register": 4, "virtual": 6}
    known.update(changed)
    rows = {f"calls/{n}": row(c) for n, c in known.items()}
    rows.update({f"calls/{n}_inc": row(c) for n, c in known.items()})
    return many(rows)


def test_calls():
    assert all(verdicts(bars.calls(call_launches())))
    # 3% apart with intervals of 5%: neither told apart nor the same.
    runs = call_launches()
    for one in runs:
        one.rows["calls/plt"] = row(4.12, half=0.2)
    assert verdicts(bars.calls(runs)).count(False) == 3


def swept(values, where="code"):
    flat = {"step_bytes": 1, "cycles": [4.0] * 64}
    parts = {part: dict(flat) for part in ("code", "stack", "data")}
    parts[where] = {"step_bytes": 1, "cycles": values}
    return launch({"calls/virtual": row(4.5, sweep=parts)})


def test_flips_and_sweep():
    modes = [
        {"cycles": 4.0, "share": 0.9, "sd": 0.01, "blocks": 90, "kind": "layout"},
        {"cycles": 6.0, "share": 0.1, "sd": 0.01, "blocks": 10, "kind": "layout"},
    ]
    runs = call_launches()
    assert bars.flips(runs) == []
    assert verdicts(bars.sweep([], None)) == []
    for one in runs:
        one.rows["calls/virtual"]["modes"] = modes
    found = bars.flips(runs)
    assert [name for name, _ in found] == ["virtual"]
    (bar,) = bars.sweep(found, swept([4.0] * 60 + [6.0] * 4))
    assert bar.holds and "code 60-63" in bar.figure and "code 0-59" in bar.figure
    assert verdicts(bars.sweep(found, swept([4.0] * 64))) == [False]


def test_resolution():
    rows = {"planted/adds20": row(20.0, 0.1), "planted/adds21": row(21.0, 0.1)}
    assert verdicts(bars.resolution(many(rows))) == [True, True]
    vague = {"planted/adds20": row(20.0, 0.8), "planted/adds21": row(21.0, 0.8)}
    assert verdicts(bars.resolution(many(vague))) == [False, True]
    long = {name: {**record, "sampling_ticks": 6_000_000} for name, record in rows.items()}
    assert verdicts(bars.resolution(many(long))) == [True, False]


def test_cost():
    assert verdicts(bars.cost("truth/add", many({"truth/add": row(1.0, 0.003)}))) == [True]
    assert verdicts(bars.cost("truth/add", many({"truth/add": row(1.0, 0.009)}))) == [False]
    slow = {"truth/add": row(1.0, 0.003, sampling_ticks=2_100_000)}
    assert verdicts(bars.cost("truth/add", many(slow))) == [False]


@pytest.mark.parametrize("ticks, holds", [(110_000, True), (110_400, False)])
def test_empty_sample(ticks, holds):
    rows = {"baseline/empty_lfence": row(0, sampling_ticks=ticks, windows=1000)}
    assert verdicts(bars.empty_sample(many(rows))) == [holds]


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
def test_two_speeds(record, holds):
    assert verdicts(bars.two_speeds(many({"planted/two_speeds": record}))) == [holds]


@pytest.mark.parametrize(
    "hist, holds",
    [
        ([[70_000, 999], [500_100_000, 1]], True),
        ([[70_000, 1000]], False),
        ([[70_000, 998], [400_000_000, 2]], False),
        ([[70_000, 999], [700_000_000, 1]], False),
    ],
)
def test_stopped(hist, holds):
    one = launch({"planted/long": row(1000, ticks={"median": 70_000}, hist=hist)})
    assert verdicts(bars.stopped(one, 0.5, 0.55)) == [holds]


def test_peer():
    ours = [launch({"truth/add": row(1 + i / 1e4)}) for i in range(10)]
    theirs = [(135 + i / 10, 0.9) for i in range(10)]
    gone = launch({"planted/vanished": row(0, status="wrong", why="the work is gone")}, status=2)
    there = launch({"planted/vanished": row(0)}, status=0)
    assert verdicts(bars.peer("x", theirs, ours, 1e-7, gone)) == [True] * 3
    assert verdicts(bars.peer("x", theirs, ours, 1e-7, there))[2] is False
    steady = [(135.0, 0.0001)] * 10
    assert verdicts(bars.peer("x", steady, ours, 1e-7, gone)) == [False, False, True]


# --- the tool that judges coverage ----------------------------------------------------------------


def judge(text):
    return subprocess.run([bars.COVERAGE], input=text, text=True, capture_output=True, check=False)


def test_coverage_tool():
    # Three launches of two rows; by hand: row 1 has 4 of 6 pairs, row 2 has 1.5.
    said = json.loads(
        judge(
            "3 2\n16 0.1 1 1 1 0.1 1\n16 0.1 2 1 2 0.1 1\n16 0.1 1.05 1 1.05 0.1 1\n"
            "16 0.1 2.2 1 2.2 0.1 1\n16 0.1 0.95 1 0.95 0.1 1\n1 nan 2 2 2 0.1 0.5 3 0.1 0.5\n"
        ).stdout
    )
    assert said["pairs"] == 12
    assert [r["share"] for r in said["rows"]] == pytest.approx([4 / 6, 1.5 / 6], abs=1e-5)
    assert said["share"] == pytest.approx(5.5 / 12, abs=1e-5)


@pytest.mark.parametrize("text", ["", "3\n", "2 1\n16 0.1 1 1\n", "1 1\n1 1 1 9\n", "x y"])
def test_coverage_tool_refuses(text):
    p = judge(text)
    assert p.returncode == 1 and "no table" in p.stderr and not p.stdout
