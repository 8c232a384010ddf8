"""The figures against a count that the code under test has no hand in."""

import zlib

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
        name = f"{row['suite']}/{row['name']}/{kind}"
        found = counts.get(zlib.crc32(name.encode()), [])
        assert len(found) == 1, f"{name}: {len(found)} different counts: {found}"
        assert found[0][1] >= row["n"], f"{name}: {found[0][1]} windows seen, {row['n']} reported"
        return found[0][0]

    step = b.run["ticks_per_instruction"]
    judged = [r for r in b.rows if r["status"] == "ok"]
    assert {r["suite"] for r in judged} == {"baseline", "calls"} and len(judged) > 40
    for row in judged:
        ticks = row["ticks"]
        body = counted(row, "B")
        assert ticks["min"] == ticks["max"] == body * step, f"{row['name']}: {body} counted, {ticks}"
        if "net" in row:
            assert row["net"]["instructions"] == body - counted(row, "E"), row
