"""Traps of the suite `compiler` against their cures, and the figures of docs/compiler.md against those of this
compiler."""

import math
import re
from fractions import Fraction

import build
import pytest
from machine import SUCCESS
from rows import declared

DOCUMENT = build.ROOT / "docs" / "compiler.md"
WITHIN = 0.006  # of a cell: figures are rounded to 0.01, and one instruction in a pass of 50 operations is 0.02
# These two functions differ in a division, which counts as one instruction like any other.
ALIKE = {"noclone", "chain"}
# Here the trap costs more. A volatile sum is in memory (clang unrolls its loop, which compensates for it). A division
# replaces a few subtractions. A helper is called, or uses other registers, because another function calls it too.
DEARER = {"volatile", "reduce", "split_plain", "split_quoted"}


@pytest.fixture
def rows(boot):
    """One boot of the whole suite: its records, and instructions per operation by row."""
    b = boot("suite=compiler samples=16").must(SUCCESS)
    return b, {r["name"]: r["per_op"]["instructions"] for r in b.rows}


def table():
    """Returns, by rows with `*` for trap and cure, {compiler: (trap's, cure's)}."""
    text = DOCUMENT.read_text().split("<!-- compilers -->")[1].split("<!-- /compilers -->")[0]
    head, _, *lines = [[c.strip(" `") for c in x.strip("|").split("|")] for x in text.strip().splitlines()]
    return {
        name: {c: tuple(map(float, cell.split(" : "))) for c, cell in zip(head[2:], cells)} for name, _, *cells in lines
    }


def wrong_cells(document, column, per_op):
    """Returns [(rows, the document's figure, the program's)] of that compiler's column, empty if there is no such
    column."""
    wrong = []
    for name, cells in document.items():
        ours = tuple(per_op[name.replace("*", word)] for word in ("trap", "cure"))
        if column in cells and cells[column] != pytest.approx(ours, abs=WITHIN):
            wrong.append((name, cells[column], ours))
    return wrong


def breaks_even(points):
    """points: [(count, difference)]. Returns the whole count from which the line between them is below 0."""
    below = None
    for (n0, d0), (n1, d1) in zip([(None, None), *points], points):
        if d1 >= 0:
            below = None
        elif below is None and n0 is None:
            below = n1
        elif below is None:
            below = math.floor(n0 + (n1 - n0) * d0 / (d0 - d1)) + 1
    return below


def test_every_row_of_the_suite_is_exact_and_a_trap_costs_less_than_its_cure(rows):
    b, per_op = rows
    assert {f"compiler/{name}" for name in per_op} == {n for n in declared() if n.startswith("compiler/")}
    family, version = b.run["compiler"].split()

    # These traps cost less than their cures, and both are exact.
    pairs = {n.removesuffix("_trap") for n in per_op if n.endswith("_trap")} - {"unused"}
    assert len(pairs) > 15
    for name in pairs - DEARER:
        trap, cure = per_op[f"{name}_trap"], per_op[f"{name}_cure"]
        assert trap <= cure + 0.02 if name in ALIKE else trap < cure, (name, trap, cure)
    assert family == "clang" or per_op["volatile_trap"] > per_op["volatile_cure"]
    for name in DEARER - {"volatile"}:
        assert per_op[f"{name}_trap"] >= per_op[f"{name}_cure"], name
    assert per_op["split_quoted_trap"] > per_op["split_quoted_cure"] + 5, "a call a field"
    # An unused function moves a loop, and changes no instruction.
    assert len({per_op[f"unused_{name}"] for name in ("absent", "trap", "aligned", "cure")}) == 1
    # Three additions per iteration cost fewer instructions than the products, unless several are done at once.
    assert per_op["chain_cure"] < per_op["products_cure"]
    assert (per_op["chain_trap"] > per_op["products_trap"]) == (family == "clang")
    for row in b.rows:
        assert row["ticks"]["min"] == row["ticks"]["max"] and row["errors"] == 0, row

    # The document has every pair, and its figures are those of this compiler if it has a column.
    document = table()
    documented = {n.removesuffix("_*") for n in document if n.endswith("_*")}
    assert documented <= pairs, documented - pairs
    for name in pairs - documented:
        ours = " : ".join(f"{per_op[f'{name}_{word}']:.2f}" for word in ("trap", "cure"))
        pytest.fail(f"the table of docs/compiler.md needs a line for this pair, with a cell per compiler, here that of {family}:\n"
                    f"| `{name}_*` | WHAT THE COMPILER DOES | {ours} | ...")  # fmt: skip
    column = f"{family} {version.split('.')[0]}"
    columns = {"gcc 12", "gcc 14", "clang 14", "clang 19"}
    assert all(set(cells) == columns for cells in document.values()), document
    assert wrong_cells(document, column, per_op) == []
    # One more instruction in a pass is noticed in each cell: in the column of the program's own figures.
    for name in document:
        for word in (0, 1):
            cells = {n: [per_op[n.replace("*", w)] for w in ("trap", "cure")] for n in document}
            cells[name][word] = round(cells[name][word] + 0.02, 2)
            moved = {n: {"this": tuple(pair)} for n, pair in cells.items()}
            assert [n for n, *_ in wrong_cells(moved, "this", per_op)] == [name], (name, word)

    # The count from which each variant wins, computed again from the rows.
    series = {e["name"]: e for e in b.events("breaks_even")}
    assert set(series) == {f"{name}_{way}" for name in ("sum", "squares", "power") for way in ("trap", "formula")}
    for name, event in series.items():
        counts = sorted(int(n.rsplit("_", 1)[1]) for n in per_op if re.fullmatch(rf"{name}_\d+", n))
        difference = [
            (n, Fraction(per_op[f"{name}_{n}"]) - Fraction(per_op[f"{event['compared_with']}_{n}"])) for n in counts
        ]
        expected = breaks_even(difference)
        assert event.get("n") == expected and "n_lo" not in event and "n_hi" not in event, event
        assert event["unit"] == "instructions" and (event["n_least"], event["n_most"]) == (counts[0], counts[-1]), event
        said = f"breaks even at n = {expected}" if expected else f"does not break even up to n = {counts[-1]}"
        assert f"compiler/{name} compared with {event['compared_with']}: {said}" in event["message"], event
        assert event["message"] in b.text, event
    # Faulhaber's formula costs the same at each count: more than one term, less than four.
    assert 1 < series["power_formula"]["n"] <= 4, series["power_formula"]
    assert len({per_op[n] for n in per_op if n.startswith("power_formula_")}) == 1


def test_a_series_of_two_counts_breaks_even(boot):
    """Several rows form a table; a single one does not."""
    names = "sum_formula_1,sum_formula_64,sum_cure_1,sum_cure_64,sum_trap_2,sum_cure_2"
    b = boot(f"suite=compiler bench={names} samples=16").must(SUCCESS, rows=6)
    (event,) = b.events("breaks_even")
    assert event["name"] == "sum_formula" and (event["n_least"], event["n_most"]) == (1, 64), event


def test_rows_on_request_are_named_with_what_runs_them(boot):
    b = boot("bench=power_*")
    (error,) = b.events("error")
    assert "suite=compiler" in error["message"], error


def test_a_series_is_named_by_its_count():
    """struct bench's `at` is the number at the end of the name, and the compared row's name ends with it too."""
    seen = 0
    for name, fields in declared().items():
        at = re.search(r"\.at = (\d+)", fields)
        if not at:
            continue
        seen += 1
        assert name.endswith(f"_{at[1]}"), name
        compared_with = re.search(r'\.compared_with = ((?:"\w*"\s*)+)', fields)
        assert not compared_with or "".join(re.findall(r'"(\w*)"', compared_with[1])).endswith(f"_{at[1]}"), name
    assert seen > 30
