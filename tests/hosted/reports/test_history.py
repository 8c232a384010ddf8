"""`baretick compare` of many runs, and the runs that `baretick gate` keeps: made-up reports with known levels, trends
and noise."""

import json
import random
import re
import statistics

from judge import compare, estimate, series
import pytest
from made_reports import CPU, baretick, counted, counting, head, row, whole

PLACEMENTS = 16


def placed(dice, name, cycles, sd=0.006, **changes):
    """Returns a row of one launch with independent errors of the placements."""
    ranked = sorted(cycles + dice.gauss(0, sd) for _ in range(PLACEMENTS))
    found = row(name, statistics.median(ranked),
                interval={"estimator": "median", "by": "ranks", "placements_cycles": ranked}, **changes)
    found["per_op"].update(cycles_lo=ranked[1], cycles_hi=ranked[-2])
    return found


@pytest.fixture
def history(tmp_path):
    """history(runs, words..., run=): `compare` of a report for each list of rows; its files are 1.jsonl and so on."""

    def over(runs, *words, heads=()):
        paths = []
        for number, rows in enumerate(runs, 1):
            paths.append(tmp_path / f"{number}.jsonl")
            paths[-1].write_bytes(whole(*rows, run=heads[number - 1] if heads else None))
        return baretick("compare", *paths, *words)

    return over


def rows_of(ran, status=0):
    assert ran.returncode == status, ran.stderr
    return {found["name"]: found for found in json.loads(ran.stdout)}


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


# --- what is said ----------------------------------------------------------------------------------

def test_each_kind_of_history_is_named(history):
    found = rows_of(history(eight_runs(), "--format", "json"))
    said = {name: (r["verdict"], [c["run"] for c in r["changes"]]) for name, r in found.items()}
    assert said == {"same": ("same", []), "step": ("slower", [6]), "counts": ("same", []), "last": ("slower", [8]),
                    "drift": ("rises", []), "up_down": ("faster", [4, 7]), "spike": ("same", []),
                    "bad": ("FAILED", []), "hole": ("same", []), "young": ("not comparable", []),
                    "shared": ("same", [])}
    step = found["step"]["changes"][0]
    assert step["ratio"] == pytest.approx(3.2 / 3, abs=0.002) and step["ratio_lo"] < step["ratio"] < step["ratio_hi"]
    assert [round(v, 1) for v in found["step"]["values"]] == [3, 3, 3, 3, 3, 3.2, 3.2, 3.2]
    assert found["drift"]["slope"] == pytest.approx(0.1, abs=0.002)
    assert found["drift"]["slope_lo"] < 0.1 < found["drift"]["slope_hi"] and found["drift"]["trend_p"] < 1e-4
    assert found["counts"]["instructions"] == [7] * 4 + [8] * 4
    assert found["counts"]["count_changes"] == [{"run": 5, "old": 7, "new": 8}]
    assert found["hole"]["values"][2] is None
    assert found["hole"]["missing"] == [{"run": 3, "why": "the run does not have it"}]
    assert [m["run"] for m in found["shared"]["missing"]] == [2, 3, 4, 6]


def test_rows_that_changed_come_first_with_the_run_since_which(history):
    ran = history(eight_runs())
    assert (ran.returncode, ran.stderr) == (0, "")
    shown = [line for line in ran.stdout.splitlines() if line.startswith("made/")]
    assert [line.split()[0].removeprefix("made/") for line in shown] == [
        "bad", "last", "step", "counts", "up_down", "up_down", "drift", "young"]
    assert "run 8: wrong: x is 3" in shown[0] and "run 8 (8.jsonl, the newest alone)" in shown[1]
    assert "run 6 (6.jsonl)" in shown[2] and " | 3.2" in shown[2]
    assert shown[3].split()[1:3] == ["instr/op", "more"] and "7 7 7 7 | 8 8 8 8" in shown[3]
    assert "runs 1 to 6: the run does not have it" in shown[7]
    assert "\n4 rows " in ran.stdout and "8 runs, oldest first" in ran.stdout


def test_counted_instructions_change_at_any_difference(history):
    values = (2, 2, 2.001, 2.001, 2)
    ran = history([[counted("a", v), counted("b", 3)] for v in values], "--format", "json",
                  heads=[counting()] * len(values))
    found = rows_of(ran)
    assert [(c["run"], c["verdict"]) for c in found["a"]["changes"]] == [(3, "more"), (5, "fewer")]
    assert (found["a"]["verdict"], found["b"]["verdict"], found["b"]["changes"]) == ("fewer", "same", [])


@pytest.mark.parametrize("limit, name", [("2%", "step"), ("2%", "last"), ("10%", "last")])
def test_fail_if_slower_names_the_row_and_the_run(history, limit, name):
    ran = history(eight_runs(), "--fail-if-slower", limit)
    assert ran.returncode == 1
    since = {"step": "since run 6 (6.jsonl)", "last": "since run 8 (8.jsonl, the newest alone)"}[name]
    assert f"made/{name} on core 0 is slower {since} by " in ran.stderr
    assert ("made/step" in ran.stderr) == (limit == "2%")
    assert "up_down" not in ran.stderr  # it is as fast as it was


@pytest.mark.parametrize("failing, status", [((4,), 1), ((2, 4), 1), (range(5), 0), ((2,), 0)])
def test_fail_if_slower_names_a_row_that_fails_now(history, failing, status):
    """In the newest run, and not in all runs before it."""
    runs = [[placed(random.Random(i), "x", 3), {**placed(random.Random(i), "y", 3),
                                                **({"status": "wrong", "why": "y is 3"} if i in failing else {})}]
            for i in range(5)]
    ran = history(runs, "--fail-if-slower", "1%")
    assert ran.returncode == status, ran
    assert bool(re.search("made/y on core 0 fails.*: wrong: y is 3", ran.stderr)) == bool(status), ran


def test_fail_if_slower_passes_if_no_row_is_slower(history):
    ran = history([[placed(random.Random(i), "x", 3)] for i in range(5)], "--fail-if-slower", "1%")
    assert ran.returncode == 0 and re.search("[Nn]o row is slower by more than 1%", ran.stdout)


def test_a_change_below_the_least_is_not_reported(history):
    runs = [[placed(random.Random(i), "x", 3 if i < 4 else 3.06)] for i in range(8)]
    assert [c["run"] for c in rows_of(history(runs, "--format", "json"))["x"]["changes"]] == [5]
    found = rows_of(history(runs, "--format", "json", "--least", "5%"))["x"]
    assert (found["changes"], found["verdict"]) == ([], "same")


def test_csv_and_markdown_have_the_same_rows(history):
    as_csv = history(eight_runs(), "--format", "csv").stdout.splitlines()
    assert as_csv[0].startswith("row,suite,name,core,unit,verdict,values,changes,") and len(as_csv) == 12
    assert "| made/step | cycles | slower | run 6 (6.jsonl) |" in history(eight_runs(), "--format", "markdown").stdout


def test_a_list_with_commas_is_one_run(tmp_path):
    paths = []
    for i in range(8):
        paths.append(tmp_path / f"{i}.jsonl")
        paths[-1].write_bytes(whole(placed(random.Random(i), "x", 3 if i < 4 else 4)))
    words = [f"{a},{b}" for a, b in zip(paths[::2], paths[1::2])]
    (found,) = json.loads(baretick("compare", *words, "--format", "json").stdout)
    assert len(found["values"]) == 4 and [c["run"] for c in found["changes"]] == [3]


# --- bad input -------------------------------------------------------------------------------------

@pytest.mark.parametrize("changes, said", [({"cpu": {**CPU, "microcode": 8}}, "another microcode: 7 against 8"),
                                           ({"platform": "hosted"}, "another platform: uefi against hosted")])
def test_runs_of_unlike_machines_are_refused(history, changes, said):
    runs = [[row("x", 1)] for _ in range(3)]
    ran = history(runs, heads=[head(), head(), head(**changes)])
    assert (ran.returncode, ran.stdout) == (2, "") and "run 1 and run 3 are not comparable: " in ran.stderr
    assert said in ran.stderr
    if "cpu" in changes:
        ran = history(runs, "--across", "microcode", heads=[head(), head(), head(**changes)])
        assert ran.returncode == 0 and f"compared nevertheless: {said}" in ran.stdout


def test_a_report_that_is_named_twice_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(whole(row("x", 1)))
    ran = baretick("compare", path, path, path)
    assert ran.returncode == 2 and re.search(rf"{path}: .*run 1.*run 2", ran.stderr)


def test_a_folder_with_no_run_or_one_is_named(tmp_path):
    ran = baretick("compare", "--history", tmp_path)
    assert ran.returncode == 2 and all(name in ran.stderr for name in (f"{tmp_path}: ", ".jsonl", ".log")), ran.stderr
    assert baretick("compare", "--history", tmp_path / "none").returncode == 2
    (tmp_path / "1.jsonl").write_bytes(whole(row("x", 1)))
    ran = baretick("compare", "--history", tmp_path)
    assert ran.returncode == 2 and re.search(r"1\.jsonl: one run", ran.stderr)
    ran = baretick("compare", "--history", tmp_path, "--old", "a", "--new", "b")
    assert ran.returncode == 2


def test_the_status_is_an_error_if_no_row_can_be_compared(history):
    ran = history([[row("x", 1)], [row("x", 1)], [row("y", 1)]])
    assert ran.returncode == 2 and "3 runs" in ran.stderr
    assert "not comparable" in ran.stdout


def test_a_damaged_run_is_refused(tmp_path):
    paths = [tmp_path / f"{i}.jsonl" for i in range(3)]
    for path in paths:
        path.write_bytes(whole(row("x", 1)))
    paths[1].write_bytes(whole(row("x", 1)).replace(b'"x"', b'"y"'))
    ran = baretick("compare", *paths)
    assert ran.returncode == 2 and f"{paths[1]} is damaged" in ran.stderr


# --- the runs that the gate keeps ------------------------------------------------------------------

@pytest.fixture
def gate(tmp_path):
    """gate(instructions of row a, words...): the gate over a report, with --history runs."""

    def hold(instructions, *words):
        path = tmp_path / "report.jsonl"
        path.write_bytes(whole(counted("a", instructions), counted("b", 3), run=counting()))
        return baretick("gate", tmp_path / "base.json", path, "--history", tmp_path / "runs", *words)

    hold.runs = tmp_path / "runs"
    return hold


def kept(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_gate_keeps_what_passes_or_is_accepted(gate, tmp_path):
    ran = gate(2, "--update")
    assert ran.returncode == 0 and f"kept: {gate.runs}/0001.jsonl" in ran.stdout
    assert gate(2).returncode == 0 and kept(gate.runs) == ["0001.jsonl"]  # the same report, byte by byte
    ran = gate(3)
    assert ran.returncode == 1 and kept(gate.runs) == ["0001.jsonl"] and "kept" not in ran.stdout
    assert gate(3, "--update").returncode == 0 and kept(gate.runs) == ["0001.jsonl", "0002.jsonl"]
    ran = gate(2)
    assert ran.returncode == 1
    assert re.search(r"moved: made/a@0: .* operation: 3 -> 2.*; 3 .*0002\.jsonl; 2 .*0001\.jsonl", ran.stdout), ran.stdout
    assert gate(2, "--update").returncode == 0
    ran = baretick("compare", "--history", gate.runs, "--format", "json")
    found = rows_of(ran)
    assert [c["run"] for c in found["a"]["changes"]] == [2, 3] and found["b"]["verdict"] == "same"
    ran = baretick("compare", "--history", gate.runs, tmp_path / "report.jsonl")
    assert ran.returncode == 0 and "4 runs, oldest first" in ran.stdout


def test_kept_runs_are_in_the_order_of_their_numbers(gate):
    gate.runs.mkdir()
    for number in (2, 9, 10):
        (gate.runs / f"{number}.jsonl").write_bytes(whole(counted("a", number), run=counting()))
    (gate.runs / "notes.txt").write_text("no report")
    ran = gate(11, "--update")
    assert ran.returncode == 0 and "0011.jsonl" in kept(gate.runs)
    found = rows_of(baretick("compare", "--history", gate.runs, "--format", "json"))
    assert found["a"]["values"] == [2, 9, 10, 11]


def test_a_damaged_kept_run_is_named(gate):
    assert gate(2, "--update").returncode == 0
    (gate.runs / "0001.jsonl").write_text("{")
    ran = gate(2)
    assert ran.returncode == 2 and "0001.jsonl" in ran.stderr


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
