"""Compiled code on a CPU: moved by each byte of a sweep, and cold with caches=clear like NASM code."""

from statistics import median

import pytest

pytestmark = pytest.mark.silicon  # tests/boot/test_placed.py counts the same
ROWS = ("inline_inc", "inline_inc_c")


def test_sweep_moves_compiled_code(run):
    """Each byte from the line's start is one more iteration, at least half a cycle."""
    report = run("suite=planted", "bench=offset*", "layout=sweep", "format=jsonl").report()
    for name in ("offset", "offset_c"):
        swept = report.rows[f"planted/{name}"]["sweep"]["code"]["cycles"]
        assert median(swept[56:]) - median(swept[:8]) > 56 / 2, (name, swept)


def window(run, name, caches):
    """Returns the median window; the smallest over some launches, because others can only slow it down."""
    words = ("suite=calls", f"bench={name}", f"caches={caches}", "layout=fixed", "samples=512",
             "format=jsonl")  # fmt: skip
    return min(run(*words).report().rows[f"calls/{name}"]["ticks"]["median"] for _ in range(3))


def clock(run, layout, caches):
    """Returns {row: the core's clock by its ruler}."""
    report = run("suite=calls", "bench=direct,direct_c,plt_c", f"caches={caches}", f"layout={layout}",
                 "format=jsonl").report()  # fmt: skip
    return {name: row["core_hz"] for name, row in report.rows.items()}


@pytest.mark.parametrize("layout", ["fixed", "shuffle"])
def test_the_ruler_is_never_cleared(run, layout):
    """A ruler that is fetched from memory each time reads at least a quarter too much. Clocks vary by a tenth."""
    for _ in range(3):
        keep, clear = clock(run, layout, "keep"), clock(run, layout, "clear")
        off = {name: clear[name] / keep[name] for name in keep}
        if all(0.85 < ratio < 1.15 for ratio in off.values()):
            return
    pytest.fail(f"{off}")


def test_cleared_caches_are_as_cold_for_compiled_code(run):
    """Two equal rows that call nothing, so predictors do not matter. Compiled code needs at least as many lines."""
    cold = {name: window(run, name, "clear") - window(run, name, "keep") for name in ROWS}
    assert cold["inline_inc"] > 0 and cold["inline_inc_c"] > cold["inline_inc"] / 2, cold
