"""The arithmetic of `baretick compare`, and how often its verdicts are right where the truth is known."""
import argparse
import json
import math
import random
import re
import statistics

import pytest
from judge import compare, estimate, sides, significance
from read import figure
from made_reports import EVERY, OPTIONS, ROOT, baretick, head, row, whole

PLACEMENTS, ROUNDS = 16, 4
KAPPA = 0.002
WORDS = argparse.Namespace(**EVERY)

Z = significance.quantile(math.inf)


@pytest.fixture
def kept(tmp_path):
    """kept(report): a file that contains it."""
    count = iter(range(1000))

    def keep(data):
        path = tmp_path / f"{next(count)}.jsonl"
        path.write_bytes(data)
        return path

    return keep


def lines(*words, status=0):
    ran = baretick("compare", *words, "--format", "json")
    assert ran.returncode == status, ran.stderr
    return {r["name"]: r for r in json.loads(ran.stdout)}


# --- arithmetic ------------------------------------------------------------------------------------

@pytest.mark.parametrize("t, df, p", [(12.706, 1, 0.05), (4.303, 2, 0.05), (5.841, 3, 0.01), (2.947, 15, 0.01),
                                      (2.5758, math.inf, 0.01)])
def test_students_t_agrees_with_a_published_table(t, df, p):
    assert significance.two_sided(t, df) == pytest.approx(p, rel=1e-3)
    assert significance.upper(-t, df) == pytest.approx(1 - p / 2, rel=1e-4)
    assert significance.quantile(df, 1 - p) == pytest.approx(t, rel=1e-3)


def halved(df, confidence):
    """quantile() by the halves of an interval, each by the distribution."""
    low = significance.NORMAL.inv_cdf((1 + confidence) / 2)
    high = 2 * low
    while significance.two_sided(high, df) > 1 - confidence:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if significance.two_sided(middle, df) > 1 - confidence else (low, middle)
    return high


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99, 0.9999])
def test_a_quantile_is_that_of_halving(confidence):
    dice = random.Random(7)
    degrees = [0.5, 1, 2, 3, 15, significance.MANY, *(1 + 10 ** dice.uniform(-3, 4.9) for _ in range(60))]
    for df in degrees:
        assert significance.quantile(df, confidence) == pytest.approx(halved(df, confidence), rel=1e-10), df


def test_many_tests_at_once_are_corrected_as_by_hand():
    # Sorted 0.01 0.02 0.03 0.5: times 4/1, 4/2, 4/3, 1, from the greatest down; and times 4, 3, 2, 1, upwards.
    assert significance.benjamini_hochberg([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])
    assert significance.holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])


def mean_of_rounds(dice, cycles, sd):
    """Returns a row of reports older than the median: kappa from boot to boot, sd from round to round."""
    theta = cycles * (1 + dice.gauss(0, KAPPA))
    rounds = [theta + dice.gauss(0, sd) for _ in range(ROUNDS)]
    value, rounds_sd = statistics.fmean(rounds), statistics.stdev(rounds)
    placements_sd = statistics.stdev([dice.gauss(0, sd) for _ in range(PLACEMENTS)])
    p = significance.quantile(PLACEMENTS - 1) * placements_sd * math.sqrt(2 / PLACEMENTS)
    r = significance.quantile(ROUNDS - 1) * rounds_sd * math.sqrt(2 / ROUNDS)
    half = math.sqrt(max(p, r) ** 2 + 2 * (Z * KAPPA * value) ** 2)
    interval = {"nominal": 0.99, "kappa": KAPPA, "sd": placements_sd, "rounds_sd": rounds_sd, "rounds_cycles": rounds}
    return row("x", value, half, interval=interval)


def test_an_estimate_gives_back_the_variance_of_an_old_report():
    record = mean_of_rounds(random.Random(1), 10.0, 0.03)
    e = estimate.of_row(record, "cycles")
    s = record["interval"]["rounds_sd"]
    assert e.parts[1] == (pytest.approx((KAPPA * e.value) ** 2, rel=1e-3), math.inf)
    by_rounds = (pytest.approx(s * s / ROUNDS, rel=1e-3), ROUNDS - 1)
    by_placements = (pytest.approx(record["interval"]["sd"] ** 2 / PLACEMENTS, rel=1e-3), PLACEMENTS - 1)
    assert e.parts[0] in (by_rounds, by_placements)


def test_an_interval_by_ranks_has_the_degrees_of_freedom_of_its_placements():
    record = made(random.Random(1), 10.0, 0.03)
    e = estimate.of_row(record, "cycles")
    (variance, df), (boots, _) = e.parts
    assert (df, boots) == (PLACEMENTS - 1, 0)
    half = max(e.hi - e.value, e.value - e.lo)
    assert math.sqrt(2 * variance) * significance.quantile(df) == pytest.approx(half)


def test_launches_that_differ_by_more_than_their_errors_widen_the_pool():
    alike = estimate.pooled([estimate.Estimate(10, [(0.01, math.inf)]) for _ in range(4)])
    apart = estimate.pooled([estimate.Estimate(v, [(0.01, math.inf)]) for v in (9, 10, 10, 11)])
    assert alike.variance == pytest.approx(0.01 / 4) and alike.df() == math.inf
    assert apart.variance == pytest.approx(statistics.variance([9, 10, 10, 11]) / 4) and apart.df() < 3.2


def test_figures_without_an_interval_are_pooled_by_their_spread(kept):
    def launches(values):
        return [kept(whole(row("x", 1, per_op={"ticks": v}))) for v in values]

    old, new = launches((100, 101, 99, 100)), launches((150, 151, 149, 150))
    found = lines("--old", *old, "--new", ",".join(map(str, new)))["x"]
    assert (found["verdict"], found["unit"], found["old_launches"]) == ("slower", "ticks", 4)
    assert lines("--old", *old, "--new", *old)["x"]["verdict"] == "same"


def of_two_cores(ticks, half, name="x"):
    """Returns a row of two cores: the median of 11 passes, in ticks, whose interval is from the least to the greatest."""
    passes = [ticks + half * (i - 5) / 5 for i in range(11)]
    per_op = {"ticks": ticks, "ticks_lo": ticks - half, "ticks_hi": ticks + half, "ns": ticks / 2}
    interval = {"estimator": "median", "by": "ranks", "confidence": 0.9876, "rank": 1, "passes_ticks": passes}
    found = row(name, 1, per_op=per_op, interval=interval, form="cores", judged=True)
    for other in ("cycle_source", "recipe", "placements", "ticks", "n"):
        found.pop(other, None)
    return found


def test_rows_of_two_cores_are_compared_by_their_intervals(kept):
    """One launch of each side, in ticks."""
    old = kept(whole(of_two_cores(100, 5, "moved"), of_two_cores(100, 5, "still")))
    new = kept(whole(of_two_cores(150, 5, "moved"), of_two_cores(101, 5, "still")))
    found = lines(old, new)
    assert (found["moved"]["verdict"], found["still"]["verdict"]) == ("slower", "same"), found
    assert (found["moved"]["unit"], found["moved"]["old_lo"], found["moved"]["old_hi"], found["moved"]["old_percent"]) == ("ticks", 95, 105, 98)
    assert "give several of each side" in found["moved"]["why"]
    assert found["moved"]["ratio"] == pytest.approx(1.5) and found["moved"]["ratio_lo"] > 1.3


def test_rows_of_two_cores_are_shown_and_converted_with_their_interval(kept, tmp_path):
    path = kept(whole(of_two_cores(100, 5)))
    (line,) = json.loads(baretick("show", path, "--format", "json").stdout)
    assert (line["ticks"], line["interval"], line["percent"], line["ns"]) == (100, 5, 98, 50)
    assert baretick("report", path, "-o", tmp_path / "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search(r">\+-98%<", page) and re.search(r">100\.000<", page) and re.search(r">5\.000<", page)
    ns = figure.of(of_two_cores(100, 5))["ns"]
    assert (ns.value, ns.lo, ns.hi, len(ns.samples)) == (50, 47.5, 52.5, 11)


def test_a_launch_counts_once(kept, tmp_path):
    """A pattern that matches a file twice would make the interval too narrow."""
    path = kept(whole(row("x", 1)))
    (tmp_path / "link").symlink_to(path)
    for words in ((f"{path},{path}", path), ("--old", path, "--new", path, tmp_path / "link")):
        ran = baretick("compare", *words)
        assert ran.returncode == 2 and "it is named twice among the launches of " in ran.stderr
    assert lines(path, tmp_path / "link")["x"]["verdict"] == "same"


# --- how often it is right -------------------------------------------------------------------------

def made(dice, cycles, sd, name="x"):
    """Returns a row of one launch with independent errors of the placements, and no other error."""
    placed = [cycles + dice.gauss(0, sd) for _ in range(PLACEMENTS)]
    ranked, value = sorted(placed), statistics.median(placed)
    interval = {"estimator": "median", "by": "ranks", "placements_cycles": placed}
    found = row(name, value, interval=interval)
    found["per_op"].update(cycles_lo=ranked[1], cycles_hi=ranked[-2])
    return found


def verdicts(dice, rows, change, launches, pairs, slow=0, wander=0):
    """Returns the verdicts, over many pairs of old and new, of rows that did not change, and of the `slow` ones that
    did. wander: a difference of launches that no report knows of."""

    def side(factor):
        return {("made", f"r{i}", 0): [made(dice, c * (factor if i < slow else 1) * (1 + dice.gauss(0, wander)), sd,
                                            f"r{i}") for _ in range(launches)]
                for i, (c, sd) in enumerate(rows)}

    unchanged, changed = [], []
    for _ in range(pairs):
        old, new = (type("Side", (), {"rows": side(f), "rounds": []}) for f in (1, 1 + change))
        for i, line in enumerate(compare.compared(old, new, WORDS)[0]):
            (changed if i < slow else unchanged).append(line["verdict"])
    return unchanged, changed


# Cycles, and the standard deviation of a placement, as truth/add, truth/load and similar rows have on a real CPU.
REAL = [(1.0, 0.003), (3.0, 0.006), (4.0, 0.01), (2.0, 0.005), (15.0, 0.04)] * 10


@pytest.mark.parametrize("launches", [1, 5])
def test_a_against_a_is_the_same(launches):
    same, _ = verdicts(random.Random(launches), REAL, 0, launches, pairs=20)
    assert set(same) <= {"same", "faster", "slower"}
    assert same.count("same") >= 0.995 * len(same)


def test_several_launches_show_what_one_does_not_know_of():
    """Returns launches that differ by more than their placements, like sum/cold."""
    one, _ = verdicts(random.Random(3), REAL, 0, 1, pairs=10, wander=0.006)
    three, _ = verdicts(random.Random(3), REAL, 0, 3, pairs=10, wander=0.006)
    assert one.count("same") < 0.6 * len(one)
    assert three.count("same") >= 0.97 * len(three)


def test_planted_differences_are_found():
    """A fifth of the rows is slower by 2%."""
    same, changed = verdicts(random.Random(7), REAL, 0.02, 1, pairs=10, slow=10)
    assert changed.count("slower") >= 0.99 * len(changed)
    assert same.count("same") >= 0.99 * len(same)


# --- launches that take themselves out -------------------------------------------------------------

SIX = [f"r{i}" for i in range(6)]
HOW = [{"exclusive": False}, {"throttled": True}, {"exclusive": False, "per_op": {}}]


def launch(dice, is_new, disturbed):
    """Returns the rows of one launch: r0 to r2 are slower in the new ones, with more instructions. Rounds and figures of the
    disturbed ones, {name: what the row says}, are far from what they would be."""
    found = []
    for i, name in enumerate(SIX):
        moved = is_new and i < 3
        rounds = [dice.gauss(0, 20 if name in disturbed else 0.02) for _ in range(ROUNDS)]
        one = made(dice, 47 * (1.3 if moved else 1), 0.1, name)
        placed = [c + rounds[at * ROUNDS // PLACEMENTS] for at, c in enumerate(one["interval"]["placements_cycles"])]
        one["interval"].update(placements_cycles=placed, rounds_cycles=rounds)
        one["per_op"]["cycles"] = statistics.median(placed)
        one["steps"] = {"ops": 1, "body": 174 if moved else 146, "empty": 0}
        found.append({**one, **disturbed.get(name, {})})
    return found


def of_time(line):
    return {key: v for key, v in line.items() if key not in ("why", "old_left_out", "new_left_out")}


def assert_as_without(found, expected, out):
    """found: lines of a comparison; expected: without the launches that are left out; out: {row: (how many of each side
    are left out, how many there are)}."""
    for name in SIX:
        left, of = out[name]
        line = found[name]
        assert [line["old_left_out"], line["new_left_out"]] == left
        assert line["count_verdict"] == ("more" if name in SIX[:3] else "same")
        if any(n == m for n, m in zip(left, of)):
            assert line["verdict"] == "not comparable" and re.search("shared|throttled|no figure", line["why"])
            continue
        assert of_time(line) == of_time(expected[name])
        assert line["verdict"] == ("slower" if name in SIX[:3] else line["verdict"]) != "not comparable"
        for side, n, m in zip(("old", "new"), left, of):
            assert (f"{side}: {n} of {m} launches left out: " in line["why"]) == bool(n)


@pytest.mark.parametrize("old", range(1, 5))
@pytest.mark.parametrize("new", range(1, 5))
def test_a_disturbed_launch_takes_only_itself_out(kept, old, new):
    """Any launches, disturbed in any rows: each row is compared as if the launch did not have it."""
    dice = random.Random(10 * old + new)
    for share in (0.2, 0.5, 0.8):
        whole_ones, without, out = ([], []), ([], []), {name: ([0, 0], [old, new]) for name in SIX}
        for side, launches in enumerate((old, new)):
            for _ in range(launches):
                disturbed = {name: dice.choice(HOW) for name in SIX if dice.random() < share}
                rows = launch(dice, side == 1, disturbed)
                whole_ones[side].append(kept(whole(*rows)))
                without[side].append(kept(whole(*(r for r in rows if r["name"] not in disturbed))))
                for name in disturbed:
                    out[name][0][side] += 1
        found = lines("--old", *whole_ones[0], "--new", *whole_ones[1])
        if any(left[0] < old and left[1] < new for left, _ in out.values()):
            assert_as_without(found, lines("--old", *without[0], "--new", *without[1]), out)
        else:
            assert_as_without(found, {}, out)


@pytest.mark.parametrize("side", range(2))
@pytest.mark.parametrize("launches", range(1, 4))
@pytest.mark.parametrize("at", range(2))
def test_a_launch_that_was_always_shared_changes_no_verdict(kept, side, launches, at):
    """Also if it is named first. A limit on slowdowns judges the same."""
    dice = random.Random(launches)
    files = [[kept(whole(*launch(dice, n == 1, {}))) for _ in range(launches)] for n in range(2)]
    more = [list(some) for some in files]
    more[side].insert(at * launches, kept(whole(*launch(dice, side == 1, dict.fromkeys(SIX, HOW[0])))))
    out = {name: ([int(side == n) for n in range(2)], [launches + (side == n) for n in range(2)]) for name in SIX}
    before, after = (("--old", *some[0], "--new", *some[1]) for some in (files, more))
    assert_as_without(lines(*after), lines(*before), out)
    for limit, status in (("2%", 1), ("50%", 0)):
        ran = [baretick("compare", *words, "--fail-if-slower", limit) for words in (before, after)]
        assert [r.returncode for r in ran] == [status] * 2 and ran[0].stderr == ran[1].stderr


def test_a_launch_that_failed_is_not_left_out(kept):
    files = [kept(whole(row("x", 1, exclusive=False, **more), row("y", 1))) for more in ({}, {"status": "wrong", "why": "x is 3"})]
    good = [kept(whole(row("x", 1), row("y", 1))) for _ in range(2)]
    assert lines("--old", *good, "--new", *files)["x"]["verdict"] == "FAILED"
    ran = baretick("compare", "--old", *good, "--new", *files, "--fail-if-slower", "2%")
    assert ran.returncode == 1 and "fails, and did not before: wrong: x is 3" in ran.stderr


# --- on this CPU -----------------------------------------------------------------------------------

LAUNCHES, COMPARABLE = 7, 40  # 21 pairs


@pytest.mark.silicon
def test_launches_of_one_program_on_this_cpu_are_the_same(run, tmp_path):
    both = []
    for i in range(LAUNCHES):
        path = tmp_path / f"{i}.jsonl"
        path.write_text(run("suite=truth", "format=jsonl").out, newline="")
        both.append(sides.Side("side", [path]))
    if both[0].run["execution"] != "silicon":
        pytest.skip("no CPU executes this")

    found = [line["verdict"] for i, old in enumerate(both) for new in both[i + 1:]
             for line in compare.compared(old, new, WORDS)[0]]
    judged = [v for v in found if v != "not comparable"]
    if len(judged) < COMPARABLE:
        pytest.skip(f"a neighbour had the core: {len(judged)} of {len(found)} rows can be compared")
    assert judged.count("same") >= 0.95 * len(judged)


def test_an_option_that_is_not_listed_must_be_alike(kept):
    """A new option counts as one that changes what is measured, unless scripts/judge/sides.py lists it."""
    one, other = (kept(whole(row("x", 1), run=head(options={**OPTIONS, "bell": word}))) for word in ("off", "end"))
    ran = baretick("compare", one, other)
    assert ran.returncode == 2 and "another option bell= off against end" in ran.stderr
    before = kept(whole(row("x", 1)))
    assert lines(before, other)["x"]["verdict"] == "same", "a report of before there was the option"


def test_a_knob_counts_where_its_method_is_used():
    knobs = {"method": "kbest", "k": 3, "target": 10000}
    assert sides.measured(knobs) == ["method", "k"]
    assert sides.measured({**knobs, "method": "adaptive"}) == ["method", "target"]


OPTIONS_TABLE = (ROOT / "docs/options.md").read_text(encoding="utf-8")


def test_an_option_of_one_method_is_a_knob():
    """Its meaning begins with the method."""
    of_one = [(name, method) for name, method in re.findall(r"^\| `(\w+)=` .*\| (\w+): [^|]*\|$", OPTIONS_TABLE, re.M)
              if re.search(rf"^\| `method=` \| `[^`]*\b{method}\b", OPTIONS_TABLE, re.M)]
    assert len(of_one) > 5
    for name, method in of_one:
        assert name in sides.KNOBS.get(method, ()), (
            f'KNOBS of scripts/judge/sides.py needs {name}=, as in:\n    "{method}": (..., "{name}"),')


def test_the_options_that_are_not_compared_exist():
    options = set(re.findall(r"^\| `(\w+)=?`", OPTIONS_TABLE, re.M))
    knobs = {knob for some in sides.KNOBS.values() for knob in some}
    gone = (sides.NOT_MEASURED | sides.REPORTED | knobs) - options
    assert not gone, f"scripts/judge/sides.py has options that docs/options.md lacks: {' '.join(sorted(gone))}"
