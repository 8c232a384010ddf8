"""Launches that met different states of the core, as scripts/silicon judges them: recorded ones, and faults planted in
them."""

import json
import lzma
from pathlib import Path

import pytest
import silicon_bars as bars
import silicon_calls as calls
import silicon_modes as modes
from planted_launches import launch, row, verdicts

DATA = Path(__file__).parent / "data"
CALLS = [f"calls/{name}" for name in bars.CALLS]


def recorded_launches(name):
    """30 launches of a virtual Zen 5 with what the bars over launches read of them. In `still` its predictors kept
    to one state; in `wandering`, an hour before with the same program, indirect calls took 3 cycles or 5 at one and
    the same placement, while the witness saw nobody."""
    lines = lzma.open(DATA / f"launches_{name}.jsonl.xz", "rt").read().splitlines()
    return [launch(**json.loads(line)) for line in lines]


@pytest.fixture(name="still")
def fixture_still():
    return recorded_launches("still")


@pytest.fixture(name="restless")
def fixture_restless():
    return recorded_launches("wandering")


def judged(runs):
    lines = [bar for judge in (bars.truth, bars.repeatability, bars.coverage, calls.calls) for bar in judge(runs)]
    return {bar.what.split(",")[0]: bar for bar in lines if bar.limit}


def shifted(record, by):
    """The record of a launch that reads so many cycles more at every placement."""
    record["per_op"] = {key: value + by for key, value in record["per_op"].items()}
    record["interval"]["placements_cycles"] = [v + by for v in record["interval"]["placements_cycles"]]
    for mode in record["modes"]:
        mode["cycles"] += by


def test_launches_that_met_one_state_are_all_judged(still):
    assert all(bar.holds for bar in judged(still).values())


def test_launches_that_met_several_states_say_so(restless):
    lines = judged(restless)
    assert not [bar for bar in lines.values() if bar.holds is False]
    assert {name for name, bar in lines.items() if bar.holds is None} == {
        "direct against got", "direct against register", "direct against virtual", "plt against got",
        "got against register", "got against virtual", "register against virtual"}  # fmt: skip
    said = lines["direct against got"].figure
    assert "got takes now 5.01 (34%), now 3.00 (31%)" in said and "at one and the same place" in said
    assert modes.wandering(restless, CALLS) == ["calls/got", "calls/register", "calls/virtual"]
    assert {name for name, _, why in calls.flips(restless) if why} >= {"got", "register", "virtual"}
    found = [(n, m, why) for n, m, why in calls.flips(restless) if n == "got"]
    (bar,) = calls.sweep(found, [])
    assert bar.holds is None and "got takes now" in bar.figure


def test_what_stays_with_its_place_is_judged_beside_what_comes_and_goes(still):
    assert "calls/virtual" in modes.wandering(still, CALLS)
    ((_, kept, why),) = [f for f in calls.flips(still) if f[0] == "virtual"]
    assert why is None and [round(m["cycles"]) for m in kept] == [3, 4]


def in_another_state(record, launch_number):
    """12 of its placements take two cycles more, others in each launch."""
    values = record["interval"]["placements_cycles"]
    dear = [(k * 7 + launch_number) % 16 < 12 for k in range(16)]
    record["interval"]["placements_cycles"] = [v + 2 * d for v, d in zip(values, dear)]
    record["per_op"] = {key: value + 1.5 for key, value in record["per_op"].items()}
    record["modes"] = [{"cycles": 3.0 + more, "share": share, "sd": 0.02, "blocks": 256 * share, "kind": "layout"}
                       for more, share in ((0, 0.25), (2, 0.75))]  # fmt: skip


@pytest.fixture(name="turned")
def fixture_turned(still):
    """From the 16th launch on, calls through the GOT are dear at many placements."""
    for i, one in enumerate(still[15:]):
        in_another_state(one.rows["calls/got"], i)
    return still


def test_launches_that_agree_are_judged_by_themselves(turned):
    bar = judged(turned)["direct against got"]
    assert bar.holds and "the same, 1" in bar.figure and "got takes now 3.00" in bar.figure
    groups = modes.alike(turned, ["calls/got"])
    assert sum(map(len, groups)) == 30 and 10 <= len(groups[0]) <= 15 and len(groups[1]) < 4


def test_a_fault_among_launches_that_agree_fails(turned):
    """Neither told apart nor the same: what wanders elsewhere does not excuse these."""
    for one in turned[:15]:
        for mode in one.rows["calls/got"]["modes"]:
            mode["cycles"] *= 1.02
            mode["sd"] = 2
    bar = judged(turned)["direct against got"]
    assert bar.holds is False and "told apart by 0 of" in bar.figure


def test_coverage_of_rows_that_stand_still_beside_those_that_wander(turned):
    """Half of the launches met another state, and no interval knows that; narrow ones of other rows still fail."""
    for one in turned:
        for name, record in one.rows.items():
            if modes.wanders(turned, name):
                record["per_op"].update(cycles_lo=record["per_op"]["cycles"], cycles_hi=record["per_op"]["cycles"])
                record["modes"] = [{**record["modes"][0], "cycles": record["per_op"]["cycles"], "share": 1}]
    (bar,) = [bar for bar in bars.coverage(turned) if bar.limit]
    assert bar.holds is None and "takes now" in bar.figure
    for one in turned[::2]:
        for name in ("add", "ror", "imul", "load", "cmov"):
            shifted(one.rows[f"truth/{name}"], 0.03)
    (bar,) = [bar for bar in bars.coverage(turned) if bar.limit]
    assert bar.holds is False


# What is planted is the program's fault, and no state of the core excuses it.


@pytest.mark.parametrize("name", ["still", "wandering"])
def test_an_interval_too_narrow_fails_in_any_state(name):
    runs = recorded_launches(name)
    for one in runs:
        for record in one.rows.values():
            per_op = record["per_op"]
            per_op["cycles_lo"] += 0.95 * (per_op["cycles"] - per_op["cycles_lo"])
            per_op["cycles_hi"] -= 0.95 * (per_op["cycles_hi"] - per_op["cycles"])
            for mode in record["modes"]:
                mode["sd"] /= 20
            record["interval"]["kappa"] = 0
    assert verdicts(bars.coverage(runs)) == [False]


@pytest.mark.parametrize("name", ["still", "wandering"])
def test_a_launch_whose_scale_is_wrong_fails_in_any_state(name):
    runs = recorded_launches(name)
    for one in runs[::2]:
        for record in one.rows.values():
            shifted(record, 0.1 * record["per_op"]["cycles"])
    lines = judged(runs)
    assert lines["add"].holds is False and lines["20 rows"].holds is False
    assert not modes.chains_stand_still(runs) or not modes.wandering(runs, ["calls/direct", "calls/plt"])


@pytest.mark.parametrize("by", [0.5, 1, 2])
def test_a_row_that_is_slower_in_some_launches_does_not_wander(still, by):
    """Planted in every placement of a third of the launches: predictors do not do that."""
    for one in still[::3]:
        shifted(one.rows["calls/direct"], by)
    assert not modes.wanders(still, "calls/direct")
    (bar,) = [bar for bar in calls.calls(still) if bar.what == "direct against plt"]
    assert bar.holds is (by != 1)  # a cycle more makes it the other in these launches
    lines = judged(still)
    assert lines["direct"].holds is False  # it does not repeat


def test_a_fault_of_every_row_excuses_none(restless):
    """Chains of additions wander too: it is not the core's predictors, and nothing is left out."""
    for i, one in enumerate(restless):
        for record in one.rows.values():
            values = record["interval"]["placements_cycles"]
            record["interval"]["placements_cycles"] = [v * (1.3 if (i * 7 + k * 5) % 3 == 0 else 1) for k, v in enumerate(values)]
    assert modes.wanders(restless, "truth/add") and not modes.chains_stand_still(restless)
    assert modes.wandering(restless, CALLS) == []
    assert judged(restless)["direct against got"].holds is False


def test_too_vague_to_tell_apart_fails_where_rows_stand_still(still):
    for one in still:
        for name in ("direct", "plt"):
            for mode in one.rows[f"calls/{name}"]["modes"]:
                mode["sd"] = 2
    assert judged(still)["direct against plt"].holds is False


def scattered(values):
    """Launches of one row that read these at their four placements."""
    interval = {"placements_cycles": values}
    return launch({"a/b": row(3.0, interval=interval)})


def test_described():
    runs = [scattered([3.0, 3.0, 3.0, 4.0]), scattered([3.0, 5.0, 5.0, 4.0]), scattered([3.0, 5.0, 5.0, 4.0])]
    assert modes.described(runs, "a/b") == "b takes now 5.00 (67%), now 3.00 (33%) cycles at one and the same place"
    runs = [scattered([3.0 + i, 4.0]) for i in range(20)]
    assert modes.described(runs, "a/b") == "b takes anything from 3.00 to 22.00 cycles at one and the same place"


def test_levels():
    assert modes.levels([3.0] * 6 + [5.0] * 3 + [7.0]) == [(3.0, 0.6), (5.0, 0.3), (7.0, 0.1)]
    assert modes.levels([3.0, 3.02, 2.99, 3.01]) == [(3.01, 1)]
    assert modes.levels([]) == []
