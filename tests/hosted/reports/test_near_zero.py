"""Differences relative to a figure near zero mean nothing: no reader of reports gives a percentage of one."""

import argparse
import itertools
import json

import pytest
from launch import silicon_costs, silicon_rows
from draw import change
from judge import compare, sides
from made_reports import EVERY, baretick, counted, counting, row, whole
from planted_launches import many
from planted_launches import row as planted_row

# Per operation: figure, half of its interval, cost of an iteration of the loop that was subtracted (None: not
# recorded).
NEAR_ZERO = {
    "small": (0.1, 0.01, None), "zero": (0.0, 0.01, None), "negative": (-0.3, 0.01, 1.0), "wide": (3.0, 4.0, 1.0),
    "wide_without_a_loop": (3.0, 3.0, None), "next_to_a_long_loop": (0.9, 0.01, 2.0), "wide_negative": (-2.0, 5.0, 1.0),
}  # fmt: skip
ENOUGH = {"plain": (3.0, 0.01, 1.0), "without_a_loop": (0.6, 0.01, None), "next_to_a_short_loop": (0.3, 0.01, 0.1)}
LATER = (-1.0, 0.0, 0.2, 2.0, 50.0)  # figures of the new report
PLACED = [(i - 7.5) / 7.5 for i in range(16)]


def made(name, cycles, half, loop, placed):
    found = row(name, cycles, half)
    if loop is not None:
        found["per_op"].update(loop_cycles=loop, gross_cycles=cycles + loop)
    if placed:
        found["interval"] = {"placements_cycles": [cycles + half * at for at in PLACED]}
    return found


def two_reports(bases, later, placed):
    """Returns (rows of the old report, rows of the new one)."""
    return ([made(name, *base, placed) for name, base in bases.items()],
            [made(name, later, base[1], base[2], placed) for name, base in bases.items()])  # fmt: skip


@pytest.fixture
def kept(tmp_path):
    def keep(rows, name, run=None):
        path = tmp_path / name
        path.write_bytes(whole(*rows, run=run))
        return path

    return keep


@pytest.mark.parametrize("later, placed", itertools.product(LATER, (False, True)))
def test_compare_has_no_percentage(kept, later, placed):
    """Neither the message of --fail-if-slower nor the picture has one."""
    old, new = (kept(rows, name) for rows, name in zip(two_reports(NEAR_ZERO, later, placed), ("old", "new")))
    ran = baretick("compare", old, new, "--fail-if-slower", "2%")
    lines = [line for line in ran.stdout.splitlines() if line.startswith("made/")]
    assert len(lines) == len(NEAR_ZERO) and not [line for line in lines if "%" in line], lines
    assert not [line for line in ran.stderr.splitlines() if "is slower by" in line], ran.stderr
    found = json.loads(baretick("compare", old, new, "--format", "json").stdout)
    assert not [r for r in found if "ratio" in r] and all("shift" in r for r in found)
    both = sides.Side("old", [str(old)]), sides.Side("new", [str(new)])
    judged = compare.compared(*both, argparse.Namespace(**EVERY))[0]
    with pytest.raises(change.NoData):
        change.changes(*both, judged)


def test_compare_has_percentages_of_other_figures(kept):
    old, new = (kept(rows, name) for rows, name in zip(two_reports(ENOUGH, 2.0, True), ("old", "new")))
    found = json.loads(baretick("compare", old, new, "--format", "json").stdout)
    assert len([r for r in found if "ratio" in r]) == len(ENOUGH)


@pytest.mark.parametrize("later", LATER)
def test_a_page_has_no_percentage(kept, tmp_path, later):
    old, new = (kept(rows, name) for rows, name in zip(two_reports(NEAR_ZERO, later, True), ("old", "new")))
    baretick("report", new, "--against", old, "--plots", "0", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    table = text[text.index("Old against new, row by row") :]
    cells = [cell for line in table.split("<tr")[1:] if any(name in line for name in NEAR_ZERO) for cell in line.split("<td")]
    assert len(cells) > len(NEAR_ZERO) and not [c for c in cells if "%" in c.split("</td>")[0]], cells


@pytest.mark.parametrize("before, after", [(0, 3), (0.02, 1), (0.4, 0), (0.4, 90)])
def test_a_gate_has_no_percentage(tmp_path, before, after):
    for name, count, words in (("old", before, ["--update"]), ("new", after, [])):
        path = tmp_path / name
        path.write_bytes(whole(counted("a", count, window=900), counted("b", 8, window=900), run=counting()))
        ran = baretick("gate", tmp_path / "base.json", path, "--instructions", *words)
    assert ran.returncode == 1 and "made/a@0" in ran.stdout and "%" not in ran.stdout, ran.stdout


@pytest.mark.parametrize("name, step", itertools.product(NEAR_ZERO, (0.0, 0.3, 40.0)))
def test_a_history_has_no_percentage(kept, name, step):
    cycles, half, loop = NEAR_ZERO[name]
    half *= 4 if name.startswith("wide") else 1  # four runs make a level, whose interval is half as wide
    runs = [kept([made(name, cycles + step * (n >= 4) + n / 1e4, half, loop, True)], f"{n}.jsonl") for n in range(8)]
    said = baretick("compare", *runs).stdout
    lines = [line for line in said.splitlines() if line.startswith("made/")]
    assert not [line for line in lines if "%" in line] and "steepest" not in said, said


def launches_of(**figures):
    """Returns launches of the ways of calling; figures: {name: (figure, half, loop)}."""
    rows = {f"calls/{name}": planted_row(4.0) for name in silicon_rows.CALLS}
    for name, (cycles, half, loop) in figures.items():
        rows[f"calls/{name}"] = planted_row(cycles, half)
        if loop is not None:
            rows[f"calls/{name}"]["per_op"].update(loop_cycles=loop, gross_cycles=cycles + loop)
    rows.update({"truth/add": planted_row(1.0), "truth/imul": planted_row(3.0)})
    return many(rows)


@pytest.mark.parametrize("name", NEAR_ZERO)
def test_checks_of_a_row_near_zero_state_no_percentage(name):
    """There, relative means relative to the gross cost, and the output states that."""
    runs = launches_of(direct=NEAR_ZERO[name])
    said = {check.what: check for check in silicon_rows.calls(runs)}
    assert "%" not in said["direct against plt"].figure and "%" in said["plt against got"].figure
    (repeats,) = [check for check in silicon_rows.repeatability(runs) if check.what.startswith("direct")]
    assert " of the gross " in repeats.figure and "near zero" in repeats.limit
    (cost,) = silicon_costs.cost("calls/direct", runs)
    assert cost.limit.endswith("of the gross cost, since the figure is near zero")
    (cost,) = silicon_costs.cost("truth/add", runs)
    assert "gross" not in cost.limit
