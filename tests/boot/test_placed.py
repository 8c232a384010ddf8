"""Where layout= places code: rows of suite planted whose cost is their offset in a line.

Under counted instructions the figure is exactly the offset: an operation takes two instructions per byte.
"""

from machine import SUCCESS

BODIES = ("offset", "offset_c")


def test_a_sweep_in_one_round_fits_the_code_buffer(boot):
    """192 placements of long rows: more than the buffer has at once."""
    b = boot("suite=truth,calls bench=imul64,virtual_pic_straight layout=sweep samples=16 rounds=1")
    b.must(SUCCESS, rows=2)
    assert all(row["status"] == "ok" and row["placements"] == 192 for row in b.rows), b.rows


def test_sweep_puts_the_code_itself_at_each_byte_of_a_line(boot):
    """Both compiled and NASM code; stack and data are swept with the code aligned."""
    b = boot("suite=planted bench=offset* layout=sweep samples=16").must(SUCCESS, rows=2)
    for name in BODIES:
        row = b.row("planted", name)
        swept = row["sweep"]
        first = swept["code"]["cycles"][0]
        assert swept["code"]["cycles"] == [first + 2 * i for i in range(64)], (name, swept["code"])
        assert (swept["code"]["best"], swept["code"]["worst"]) == (0, 63), name
        for part in ("stack", "data"):
            assert swept[part]["cycles"] == [first] * 64, (name, part)


def test_fixed_is_aligned_and_a_seed_gives_the_placements(boot):
    """Of the draws of layout=shuffle, which depend on the seed, compiled code uses multiples of 16."""
    fixed = boot("suite=planted bench=offset* layout=fixed samples=64").must(SUCCESS, rows=2)
    words = "suite=planted bench=offset* layout=shuffle samples=1024 seed=7"
    shuffled = [boot(words).must(SUCCESS, rows=2) for _ in range(2)]
    for name in BODIES:
        least = fixed.row("planted", name)["per_op"]["instructions"]
        first, second = (b.row("planted", name) for b in shuffled)
        assert first["hist"] == second["hist"] and first["placements"] == 16, name
        step = shuffled[0].run["ticks_per_instruction"] * 2 * first["ops"]
        ticks = [t for t, _ in first["hist"]]
        assert len(ticks) > 2 and all((t - ticks[0]) % step == 0 for t in ticks), (name, ticks)
        if name == "offset_c":
            assert all((t - ticks[0]) % (16 * step) == 0 for t in ticks), ticks
        assert first["per_op"]["instructions"] > least, name
