"""Suite memory where instructions are counted: every figure is exact, every element is visited, in both kinds of pages;
and a machine that has little memory, or is borrowed."""

import pytest
from machine import SUCCESS

KIB = 1 << 10
STEPS, TURN = 16, 18  # bench/memory/chase.asm: loads, and instructions, of a turn


# Of bench/memory/stream.asm: the instructions of a turn of 4 lines, and of a lap. A repeated string instruction counts
# each of its iterations, and one more.
STREAMS = {
    "copy_16": (36, 5), "copy_32": (20, 5), "copy_rep": (4 * 64, 6),
    "read_16": (20, 5), "read_32": (12, 5),
    "write_16": (20, 5), "write_32": (12, 5), "write_nt": (20, 5), "write_rep": (4 * 64, 5),
}  # fmt: skip
CHASES = ["latency_2m", "latency_4k", "stride_1k", "stride_64", "tlb_4k"]
# By offset: the instructions of a turn of bench/memory/near.asm, or of a chase.
NEARS = {"alias_4k": 34, "forward_4": 34, "forward_8": 34, "split_load": 18, "split_store": 18}
MOST = 256 * KIB


def grid(name):
    """Two sizes per octave of a chase, one of another load."""
    sizes = [part << octave for octave in range(11, 31) for part in (2, 3)]
    first = 64 * KIB if name == "tlb_4k" else 4 * KIB
    return [size for size in sizes if first <= size <= MOST and (name in CHASES or size & (size - 1) == 0)]


def lines_of(name, size):
    """The operations of a lap."""
    if name == "tlb_4k":
        return size // (4 * KIB)
    return size // 64 // (2 if name.startswith("copy") else 1)


def instructions(name, size):
    """Of an operation."""
    if name in NEARS:
        return NEARS[name] / 16
    if name in CHASES:
        return TURN / STEPS
    turn, lap = STREAMS[name]
    return turn / 4 + lap / lines_of(name, size)


def judge(curve):
    name = curve["name"]
    assert (curve["suite"], curve["core"], curve["status"]) == ("memory", 0, "ok"), curve
    assert curve["unit"] == "instructions" and curve.get("op_bytes") == (64 if name in STREAMS else None), curve
    sizes = [point[0] for point in curve["points"]]
    assert curve["by"] == ("offset" if name in NEARS else "size") and curve["visits"] == [1] * len(sizes), curve
    assert sizes == (sorted(set(sizes)) if name in NEARS else grid(name)), curve
    for size, ticks, count, *unknown in curve["points"]:
        assert abs(count - instructions(name, size)) < 0.0006 and unknown == [None] * 3, (name, size, count)
        assert abs(ticks - 128 * count) <= 0.07, (name, size, ticks)
    checked = sum(128 if name in NEARS else lines_of(name, size) for size in sizes)
    assert curve["elements"] == 2 * checked, curve  # in the first pass, and in one more
    assert curve["shared"] == [] and curve["judged"] and not curve["less_memory"] and not curve["less_time"], curve
    levels = [] if name in NEARS else [(sizes[0], sizes[-1])]
    assert [(level["from"], level["to"]) for level in curve["levels"]] == levels, curve


@pytest.mark.long
def test_every_operation_is_counted(boot):
    b = boot("suite=memory").must(SUCCESS, rows=0)
    curves = {curve["name"]: curve for curve in b.of("curve")}
    assert sorted(curves) == sorted([*STREAMS, *CHASES, *NEARS])
    for curve in curves.values():
        judge(curve)
        assert curve["page"] == 4 * KIB or curve["name"] == "latency_2m", curve
    assert curves["latency_2m"]["page"] in (2 << 20, 1 << 30)
    assert b.text.count("every element was visited") == len(CHASES)
    assert b.text.count("every value was checked") == len(NEARS)
    assert "1.125 instructions from 4 KiB to 256 KiB" in b.text


def test_a_cpu_without_avx(boot):
    b = boot("suite=memory bench=read_*", cpu="max,-avx").must(SUCCESS, rows=0)
    narrow, wide = b.of("curve")
    judge(narrow)
    assert wide["status"] == "unsupported" and "AVX" in wide["why"], wide


def test_a_borrowed_machine_gets_the_area_back(boot):
    b = boot("suite=memory bench=latency_4k takeover=borrow").must(SUCCESS, rows=0)
    judge(b.one("curve"))


def test_little_memory(boot):
    """The area is at most half of what is free: no row fails, and the sizes that are left out are stated."""
    b = boot("suite=memory bench=latency_*", memory=128).must(SUCCESS, rows=0)
    for curve in b.of("curve"):
        assert curve["status"] == "ok" and curve["less_memory"], curve
        assert [point[0] for point in curve["points"]] == grid(curve["name"]), curve
    assert "there is too little memory for more" in b.text
