"""The figures against a count that the code under test has no hand in."""

import zlib

import pytest

import build
from machine import SUCCESS

SAMPLES = 32


def test_every_window_is_what_a_plugin_counts(boot, tmp_path):
    """Instructions after the first reading through the second, for each row of both suites."""
    out = tmp_path / "counts"
    b = boot(
        f"suite=baseline,calls samples={SAMPLES}",
        extra=["-plugin", f"{build.plugin()},out={out}"],
        timeout=120,
    ).must(SUCCESS)
    lines = out.read_text().splitlines()
    assert lines[-1] == "stray 0", lines[-1]
    counts = {}
    for line in lines[:-1]:
        tag, count, occurrences = line.split()
        counts.setdefault(int(tag, 16), []).append((int(count), int(occurrences)))

    def counted(row, kind):
        """Windows under one tag: one count, or two where the same code also runs twice the turns."""
        name = f"{row['suite']}/{row['name']}/{kind}"
        found = sorted(counts.get(zlib.crc32(name.encode()), []))
        assert all(seen >= row["n"] for _, seen in found), f"{name}: {found}, n is {row['n']}"
        return [count for count, _ in found]

    def once_and_twice(row, kind):
        found = counted(row, kind) + counted(row, f"{kind}2")
        assert 1 <= len(found) <= 2, f"{row['name']}/{kind}: {found}"
        return found[0], found[-1]  # the bare window is the same for both

    step = b.run["ticks_per_instruction"]
    judged = [r for r in b.rows if r["status"] == "ok"]
    assert {r["suite"] for r in judged} == {"baseline", "calls"} and len(judged) > 40
    for row in judged:
        ticks = row["ticks"]
        body, body2 = once_and_twice(row, "B")
        assert ticks["min"] == ticks["max"] == body * step, f"{row['name']}: {body} counted, {ticks}"
        if "net" not in row:
            continue
        empty, empty2 = once_and_twice(row, "E")
        assert row["net"]["instructions"] == body - empty, row
        operations = (body2 - body) - (empty2 - empty) if row["doubled"] else body - empty
        assert row["per_op"]["instructions"] * row["ops"] == pytest.approx(operations, abs=1e-3), row
