"""Suite memory where instructions are counted: every figure is exact, every element is visited, in both kinds of pages;
and a machine that has little memory, or is borrowed."""

from machine import SUCCESS

KIB = 1 << 10
STEPS, TURN = 16, 18  # bench/memory/chase.asm: loads, and instructions, of a turn


def grid(most):
    """Two sizes per octave."""
    sizes = [part << octave for octave in range(11, 31) for part in (2, 3)]
    return [size for size in sizes if 4 * KIB <= size <= most]


def judge(curve, name, page):
    assert (curve["suite"], curve["name"], curve["core"], curve["status"]) == ("memory", name, 0, "ok"), curve
    assert curve["page"] == page and curve["unit"] == "instructions", curve
    sizes = [point[0] for point in curve["points"]]
    assert sizes == grid(256 * KIB) and curve["visits"] == [1] * len(sizes), curve
    assert all(point[1:] == [128 * TURN / STEPS, TURN / STEPS, None, None, None] for point in curve["points"]), curve
    assert curve["elements"] == 2 * sum(size // 64 for size in sizes), curve  # the first pass, and one more
    assert curve["shared"] == [] and curve["judged"] and not curve["less_memory"] and not curve["less_time"], curve
    assert curve["levels"] == [{"value": TURN / STEPS, "from": sizes[0], "to": sizes[-1]}], curve


def test_every_step_is_counted(boot):
    b = boot("suite=memory").must(SUCCESS, rows=0)
    large, small = b.of("curve")
    judge(large, "latency_2m", large["page"])
    assert large["page"] in (2 << 20, 1 << 30), large
    judge(small, "latency_4k", 4 * KIB)
    assert b.text.count("every element was visited") == 2 and "1.125 instructions from 4 KiB to 256 KiB" in b.text


def test_a_borrowed_machine_gets_the_area_back(boot):
    b = boot("suite=memory bench=latency_4k takeover=borrow").must(SUCCESS, rows=0)
    judge(b.one("curve"), "latency_4k", 4 * KIB)


def test_little_memory(boot):
    """The area is at most half of what is free: no row fails, and the sizes that are left out are stated."""
    b = boot("suite=memory", memory=128).must(SUCCESS, rows=0)
    for curve in b.of("curve"):
        assert curve["status"] == "ok" and curve["less_memory"], curve
        assert [point[0] for point in curve["points"]] == grid(256 * KIB), curve
    assert "there is too little memory for more" in b.text
