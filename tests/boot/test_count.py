"""Figures against the counts of a QEMU plugin (icount_plugin.c), which is independent of the program."""

import zlib

import build
import lazy_path
from machine import SUCCESS

SAMPLES = 32


def counts_of(path):
    """Returns, by tag, [(instructions of a window, occurrences)], fewest first; every window must have a tag."""
    *lines, last = path.read_text().splitlines()
    assert last == "stray 0", last
    counts = {}
    for line in lines:
        tag, count, occurrences = line.split()
        counts.setdefault(int(tag, 16), []).append((int(count), int(occurrences)))
    return {tag: sorted(seen) for tag, seen in counts.items()}


def windows(counts, row, kind):
    """Returns the counts under one tag: one, or two if twice the iterations run the same code."""
    name = f"{row['suite']}/{row['name']}/{kind}"
    found = counts.get(zlib.crc32(name.encode()), [])
    assert all(times >= row["n"] for _, times in found), f"{name}: {found}, n is {row['n']}"
    return [count for count, _ in found]


def once_and_twice(counts, row, kind):
    """Returns the instructions of a window and of one with twice the work; the bare window is both."""
    found = windows(counts, row, kind) + windows(counts, row, f"{kind}2")
    assert 1 <= len(found) <= 2, f"{row['name']}/{kind}: {found}"
    return found[0], found[-1]


def test_the_symbol_look_up_takes_each_path(tmp_path):
    """A filter's first bit, its second bit, a chain of several: as lazy.c and docs/calls.md describe the name."""
    hash_ = lazy_path.gnu_hash(lazy_path.wanted()[1])
    first, second, third = (list(lazy_path.search(s, hash_)) for s in lazy_path.hash_sections(tmp_path))
    assert first == [("jnc", True)] and second == [("jnc", False), ("jnc", True)], (first, second)
    assert [taken for jump, taken in third if jump == "jbe"] == [False, False, True], third


def test_every_window_is_what_a_plugin_counts(boot, tmp_path):
    """Instructions after the first reading through the second, for each row of both suites."""
    out = tmp_path / "counts"
    b = boot(
        f"suite=baseline,calls samples={SAMPLES} instructions=off",
        extra=["-plugin", f"{build.plugin()},out={out}"],
    ).must(SUCCESS)
    counts = counts_of(out)
    step = b.run["ticks_per_instruction"]
    judged = [r for r in b.rows if r["status"] == "ok"]
    assert {r["suite"] for r in judged} == {"baseline", "calls"} and len(judged) > 40
    for row in judged:
        ticks = row["ticks"]
        body, body2 = once_and_twice(counts, row, "B")
        assert ticks["min"] == ticks["max"] == body * step, f"{row['name']}: {body}, not {ticks}"
        if "net" not in row:
            continue
        empty, empty2 = once_and_twice(counts, row, "E")
        once = body - empty
        work = (body2 - body) - (empty2 - empty) if row["doubled"] else once
        assert row["net"]["instructions"] == once, row
        # If straight code crosses a page the plugin counts one instruction more than the clock: at another address the
        # same window does not have it, and takes as many ticks.
        ours = round(row["per_op"]["instructions"] * row["ops"], 3)
        assert work == ours or (row["form"] == "straight" and work == ours + 1), row
    # Lazy binding's path is fixed, and computed from the names that are looked up.
    lazy = b.row("calls", "lazy_first")
    assert lazy["per_op"]["instructions"] == lazy_path.instructions(tmp_path), lazy
