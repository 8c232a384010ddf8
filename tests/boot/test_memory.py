"""Suite memory where instructions are counted: every figure is exact, every element is visited, in both kinds of pages;
and a machine that has little memory, or is borrowed."""

import pytest
from machine import SUCCESS

KIB = 1 << 10
STEPS, ITERATION = 16, 18  # bench/kinds/chase.asm: loads, and instructions, of an iteration


# Of bench/kinds/stream.asm: the instructions of an iteration of 4 lines, and of a lap. A repeated string instruction counts
# each of its iterations, and one more.
STREAMS = {
    "copy_16": (36, 5), "copy_32": (20, 5), "copy_rep": (4 * 64, 6),
    "read_16": (20, 5), "read_32": (12, 5),
    "write_16": (20, 5), "write_32": (12, 5), "write_nt": (20, 5), "write_rep": (4 * 64, 5),
}  # fmt: skip
CHASES = ["latency_1g", "latency_2m", "latency_4k", "stride_1k", "stride_64"]
# An element per page: the size of the page, and pages of the smallest set.
PAGES = {"tlb_4k": (4 * KIB, 16), "tlb_2m": (2 << 20, 4), "tlb_1g": (1 << 30, 4),
         "tlb_code_4k": (4 * KIB, 16), "tlb_code_2m": (2 << 20, 4)}  # fmt: skip
# By offset: the instructions of an iteration of bench/kinds/near.asm, or of a chase.
NEARS = {"alias_4k": 34, "split_load": 18, "split_store": 18}
# bench/kinds/flush.asm: the instructions of an iteration.
FLUSHES = {"flush_clflush": 19, "flush_clflushopt": 19, "flush_clwb": 19,
           "flush_clflush_wait": 35, "flush_clflushopt_wait": 35, "flush_clwb_wait": 35}  # fmt: skip
STATES = {0: "absent", 1: "clean L1", 2: "clean L2", 3: "clean L3", 4: "dirty L1", 5: "dirty L2", 6: "dirty L3"}
# Several cores measure these at once.
TOGETHER = ["cores_copy", "cores_nt", "cores_read", "cores_rep_copy", "cores_rep_write", "cores_write",
            "flush_clflush_held", "flush_clflushopt_held", "flush_clwb_held",
            "loaded_read", "loaded_write"]  # fmt: skip
# The hardware prefetchers are off: this emulated CPU has no control for them.
OFF = ["latency_4k_off", "stride_1k_off", "stride_64_off"]
# This machine has one node.
NODES = ["node_latency", "node_read", "node_write"]
MOST = 256 * KIB


def grid(name):
    """Two sizes per octave of a chase, one of another load."""
    sizes = [part << octave for octave in range(1, 41) for part in (2, 3)]
    page, first = PAGES.get(name, (4 * KIB, 1))
    most = 64 * page if name in PAGES else MOST
    two = name in CHASES or name in PAGES
    return [size for size in sizes if first * page <= size <= most and (two or size & (size - 1) == 0)]


def lines_of(name, size):
    """The operations of a lap."""
    if name in PAGES:
        return size // PAGES[name][0]
    return size // 64 // (2 if name.startswith("copy") else 1)


def instructions(name, size):
    """Of an operation."""
    if name in NEARS:
        return NEARS[name] / 16
    if name in FLUSHES:
        return FLUSHES[name] / 16
    if "code" in name:
        return 2 + 1 / lines_of(name, size)  # bench/kinds/jumps.c: the last element of a lap has one more
    if name in CHASES or name in PAGES:
        return ITERATION / STEPS
    iteration, lap = STREAMS[name]
    return iteration / 4 + lap / lines_of(name, size)


def judge(curve):
    name = curve["name"]
    assert (curve["suite"], curve["core"], curve["status"]) == ("memory", 0, "ok"), curve
    assert curve["unit"] == "instructions" and curve.get("op_bytes") == (64 if name in STREAMS else None), curve
    sizes = [point[0] for point in curve["figures"]]
    by = "offset" if name in NEARS else "state" if name in FLUSHES else "size"
    assert curve["by"] == by and curve["visits"] == [1] * len(sizes), curve
    assert sizes == (sorted(set(sizes)) if by != "size" else grid(name)), curve
    assert curve.get("labels") == ([STATES[state] for state in sizes] if by == "state" else None), curve
    for size, count, *unknown in curve["figures"]:
        assert abs(count - instructions(name, size)) < 0.0006 and unknown == [None] * 2, (name, size, count)
    checked = sum({"offset": 128, "state": 256}[by] if by != "size" else lines_of(name, size) for size in sizes)
    assert curve["elements"] == checked, curve
    assert "shared" not in curve and curve["judged"] and "less_memory" not in curve and "less_time" not in curve, curve
    levels = [] if by != "size" else [(sizes[0], sizes[-1])]
    assert [(level["from"], level["to"]) for level in curve["levels"]] == levels, curve


def judge_forward(records):
    """A store and a load; also a move, if only one of the two uses a vector register."""
    sizes = [r["store"] for r in records]
    assert sizes in ([1, 2, 4, 8, 16], [1, 2, 4, 8, 16, 32], [1, 2, 4, 8, 16, 32, 64]), sizes
    for record in records:
        store = record["store"]
        assert (record["status"], record["unit"], record["visits"]) == ("ok", "instructions", 1), record
        assert [load["load"] for load in record["loads"]] == sizes, record
        for load in record["loads"]:
            wide, moved = load["load"] > 8, (store > 8) != (load["load"] > 8)
            assert load["from"] == -load["load"] and len(load["how"]) == store + load["load"] + 1, (store, load)
            assert load["values"] == [2.13 + moved] * len(load["how"]), (store, load, wide)
            assert load["how"].strip("-p") == "c" * max(0, store - load["load"] + 1), (store, load)


@pytest.mark.long
def test_every_operation_is_counted(boot):
    b = boot("suite=memory", memory=4096).must(SUCCESS, rows=1)
    assert b.rows[0]["name"] == "core_to_core" and "cores=all" in b.rows[0]["why"], b.rows
    curves = {curve["name"]: curve for curve in b.of("curve")}
    unlisted = set(curves) ^ {*STREAMS, *CHASES, *PAGES, *NEARS, *FLUSHES, *TOGETHER, *OFF, *NODES}
    assert not unlisted, (f"{sorted(unlisted)}: each curve is in the list of its load at the top of this file, for example\n"
                          '    "NAME": (instructions of an iteration of 4 lines, of a lap),  in STREAMS')  # fmt: skip
    for name in (*TOGETHER, *OFF, *NODES):
        curve, why = curves.pop(name), "prefetch" if name in OFF else "nodes" if name in NODES else "cores=all"
        assert curve["status"] == "unsupported" and why in curve["why"], curve
    judge_forward(b.of("forward"))
    for curve in curves.values():
        judge(curve)
        page = {"2m": 2 << 20, "1g": 1 << 30}.get(curve["name"].split("_")[-1], 4 * KIB)
        assert curve["page"] == page, curve
    assert b.text.count("every element was visited") == len(CHASES) + len(PAGES)
    assert b.text.count("every value was checked") == len(NEARS) + 1  # and in the map of store forwarding
    assert b.text.count("every line was checked") == len(FLUSHES)
    assert "1.125 instructions from 4 KiB to 256 KiB" in b.text


def test_a_borrowed_machine_gets_the_area_back(boot):
    b = boot("suite=memory bench=latency_4k takeover=borrow").must(SUCCESS, rows=0)
    judge(b.one("curve"))


# On an Intel CPU, whose prefetchers have an MSR. QEMU's reads as 0, on, and ignores what is written.
SEVERAL = "cores_copy,cores_rep_write,flush_clwb_held,loaded_read"
SEVERAL_CORES = (f"suite=memory bench={SEVERAL},split_load,stride_64_off,forward,latency_4k cores=all",
                 {"extra": ["-smp", "3"], "memory": 1024,
                  "cpu": "max,vendor=GenuineIntel,family=6,model=85,stepping=7"})  # fmt: skip


def test_rows_of_several_cores_do_every_part(shared):
    """Cores that wait in a loop make counts inexact. Every part is done, and every word and element checked."""
    words, how = SEVERAL_CORES
    b = shared(words, **how).must(SUCCESS, rows=0)
    curves = {curve["name"]: curve for curve in b.of("curve")}
    assert [c["prefetch"] for c in b.of("curve") if c["name"] == "split_load"] == ["on"] * 3, str(b)
    for curve in b.of("curve"):
        if curve["name"] == "stride_64_off":
            assert curve["status"] == "unsupported" and "does not read back" in curve["why"], curve
    curves = {name: curve for name, curve in curves.items() if name in SEVERAL.split(",")}
    assert sorted(curves) == SEVERAL.split(","), curves
    for curve in curves.values():
        assert (curve["status"], curve["unit"], curve["levels"]) == ("ok", "ticks", []), curve
        assert len(curve["sets"]) == len(curve["figures"]), curve
        assert all(point[1] > 0 for point in curve["figures"]), curve
    for name, per_line in (("cores_copy", 128), ("cores_rep_write", 64)):
        curve = curves[name]
        assert curve["by"] == "cores" and [point[0] for point in curve["figures"]] == [1, 2, 3], curve
        assert curve["elements"] == sum(n * size // per_line for n, size in zip((1, 2, 3), curve["sets"])), curve
    held, loaded = curves["flush_clwb_held"], curves["loaded_read"]
    assert held["labels"] == ["held clean", "held dirty"] and held["elements"] == 512, held
    rates = [point[0] for point in loaded["figures"]]
    assert loaded["by"] == "rate" and len(rates) == 7 and rates == sorted(rates) and rates[0] == 0, loaded


def test_a_datasheet_measures_rows_of_several_cores_on_all(boot):
    """A datasheet has cores=types: its other rows run on one core of each type. This CPU has one type."""
    together = ["cores_copy", "flush_clwb_held", "loaded_read"]
    alone = ["forward", "latency_2m", "split_load"]
    b = boot(f"datasheet bench=core_to_core,{','.join(alone + together)}", **SEVERAL_CORES[1]).must(SUCCESS, rows=1)
    assert [core["measures"] for core in b.of("core")] == [True, False, False], b.of("core")
    assert "rows of several cores run on 3" in b.text, str(b)
    curves = {curve["name"]: curve for curve in b.of("curve")}
    assert sorted(curves) == sorted([*together, *alone[1:]]) and len(b.of("curve")) == 5, b.of("curve")
    assert all(curve["status"] == "ok" and curve["core"] == 0 for curve in curves.values()), curves
    assert [point[0] for point in curves["cores_copy"]["figures"]] == [1, 2, 3], curves["cores_copy"]
    assert b.rows[0]["name"] == b.one("matrix")["name"] == "core_to_core" and b.rows[0]["status"] == "ok", b.rows
    pairs = b.one("matrix")["pairs"]
    assert [pair[:2] for pair in pairs] == [[0, 1], [0, 2], [1, 2]] and all(pair[2] > 0 for pair in pairs), pairs
    ten = {line["label"]: line["cells"] for line in b.one("summary")["lines"] if "cells" in line}
    assert list(ten) == ["datasheet", "L1 load", "L2 load", "L3 load", "memory load", "memory read", "forwarding",
                         "imul r64", "div r64", "mulsd", "ROB"], ten  # fmt: skip
    assert ten["datasheet"] == ["core 0"] and ten["L1 load"][0].startswith("1.13 instr") and ten["ROB"] == ["-"], ten
    assert all(label in b.text[b.text.rindex("summary"):] for label in ten), str(b)


def test_little_memory_leaves_out_sizes_and_fails_no_row(boot):
    """The area is at most half of the free memory: no row fails, and the sizes that are left out are stated."""
    b = boot("suite=memory bench=latency_1g,latency_2m,latency_4k", memory=128).must(SUCCESS, rows=0)
    huge, *others = b.of("curve")
    assert huge["name"] == "latency_1g" and huge["status"] == "unsupported" and "1 GiB" in huge["why"], huge
    for curve in others:
        assert curve["status"] == "ok" and curve.get("less_memory"), curve
        assert [point[0] for point in curve["figures"]] == grid(curve["name"]), curve
    assert "there is too little memory for more" in b.text
