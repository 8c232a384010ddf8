"""Suite limits where instructions are counted: every curve's code executes the number of instructions that is written
down here, at every count, and nothing is judged by it."""

import pytest
from machine import SUCCESS

MOST = 1024  # counts, where instructions are counted
SHORT = 64  # operations of a walk, or more
CHAIN = 32  # elements of the chains of two loads; a pair of walks has half of them more in its second

WINDOWS = {  # the largest count, and instructions of an iteration without the fillers: two loads, what waits, the loop's end
    "rob": (832, 4), "rob_nop": (832, 4),
    "registers_int": (608, 4), "registers_vector": (608, 4), "registers_flags": (608, 4),
    "loads": (400, 4), "stores": (400, 4),
    "scheduler_int": (400, 4), "scheduler_vector": (400, 6), "scheduler_load": (400, 8), "scheduler_store": (400, 8),
}  # fmt: skip
BTBS = {"btb_8": 8, "btb_16": 16, "btb_32": 32, "btb_64": 64}
CODES = {"code_4": 4, "code_8": 8}
OPS = ("ops_nop", "ops_test", "ops_xor")
LOOP_END = 9  # bytes: a decrement and a branch


def octaves(first):
    counts = [part << octave for octave in range(12) for part in (2, 3)]
    return sorted(c for c in counts if first <= c <= MOST)


def grid(name):
    if name in WINDOWS:
        return list(range(16, WINDOWS[name][0] + 1, 16))
    if name.startswith("width"):
        return list(range(96, MOST + 1, 32))
    if name == "returns":
        return list(range(4, 97, 4))
    return octaves(128 if name in CODES else 64 if name in OPS else 4)


def instructions(name, count):
    """Of an operation."""
    if name in WINDOWS:
        return 2 * count + WINDOWS[name][1]
    if name in BTBS:
        return (count + 2) / count
    if name == "returns":
        return (2 * count + 2) / count
    # A half of the pattern's branches skip an instruction.
    return {"width": count, "width_nop": count, "history": 8.5, "targets": 7}.get(name, 1)


def operations(name, count):
    """That a pair of walks times."""
    if name in WINDOWS:
        return CHAIN // 2
    if name.startswith("width"):
        return 1
    per_iteration = (count - LOOP_END) // CODES[name] + 2 if name in CODES else count
    return -(-SHORT // per_iteration) * per_iteration


@pytest.mark.long
def test_every_instruction_is_counted(shared):
    b = shared("suite=limits").must(SUCCESS, rows=0)
    limits = {limit["name"]: limit for limit in b.of("limit")}
    masks = limits.pop("registers_mask")  # QEMU has no AVX-512
    assert masks["status"] == "unsupported" and "AVX-512" in masks["why"], masks
    unlisted = set(limits) ^ {*WINDOWS, *BTBS, *CODES, *OPS, "history", "returns", "targets", "width", "width_nop"}
    assert not unlisted, (f"{sorted(unlisted)}: each limit is in a list at the top of this file, for example\n"
                          '    "NAME": (the largest count, instructions of an iteration without the fillers),  in WINDOWS')  # fmt: skip
    for name, limit in limits.items():
        assert (limit["suite"], limit["core"], limit["status"]) == ("limits", 0, "ok"), limit
        assert (limit["unit"], limit["rounds"], limit["visits"]) == ("instructions", 1, 1), limit
        assert [point[0] for point in limit["figures"]] == grid(name), limit
        for count, counted, *unknown in limit["figures"]:
            tolerance = 0.0006 if counted < 100 else 0
            assert abs(counted - instructions(name, count)) <= tolerance and unknown == [None], (name, count, counted)
        # In the first pass, and in one more.
        assert limit["operations"] == 2 * sum(operations(name, count) for count in grid(name)), name
        assert not limit["judged"] and "instructions are counted" in limit["spoiled"] and limit["steps"] == [], limit
        assert "shared" not in limit and "less_time" not in limit, limit
    assert b.text.count("not judged: instructions are counted") == len(limits)
