"""Instructions counted by single-stepping (docs/checks.md "Instructions"), against icount: every row of every suite,
the bodies of tests/objects/steps.c, other cores, a borrowed machine, Bochs.
"""

import re

import made
import pytest
from bochs import bochs
from machine import CHECK_FAILED


# Rows whose stepped operations differ from those of their windows, and why.
UNLIKE = {
    "planted/two_speeds": "a shift register draws what each call does",
    "sum/cold": "its windows have one pass, and what a call takes besides is in them",
}
# Rows whose work is planted to be missing: the count proves it, and they fail.
ELIDED = {"planted/elided", "planted/elided_loop"}
WORDS = "suite=baseline,calls,compiler,sum,truth,planted samples=16 format=jsonl hist=off"
# Rows without a count, and the report's reason.
NOT_COUNTED = {
    "baseline/": "its windows are empty",
}
# Per operation of suite steps: instructions, iterations, steps after which a string instruction was not finished. QEMU
# counts and steps once more when RCX ends it.
BODIES = {
    "mov_ss": (3, 0, 0), "mov_ss_twice": (4, 0, 0), "cpuid": (3, 0, 0), "rdtsc": (2, 0, 0), "pushf": (4, 0, 0),
    "rep": (3, 8, 8), "repne": (3, 2, 1), "rep_none": (2, 0, 0), "loop_self": (9, 0, 0),
}  # fmt: skip
# For suites steps_end and steps_endless: status, `why` of the row, `why` of its steps.
ENDS = {
    "faults": ("wrong", r"^#UD invalid opcode \(vector 6\) at 4000000[0-9a-f]{5} in faults\+0x", "failed while"),
    "endless": ("wrong", r"ran longer than deadline=1 seconds .* in endless\+0x", "failed while"),
    "refuses": ("ok", None, "an operation failed"),
    "picky": ("ok", None, None),
    "strict": ("ok", None, "after 512 operations its check says: that is too few"),
    "no_stack": ("ok", None, None),
    "zz_good": ("ok", None, None),
}


def by_steps(row):
    """Returns instructions per operation, from the windows; None: not counted."""
    steps = row["stepped"]
    if "why" in steps:
        return None
    once = steps["body"] - steps["empty"]
    twice = steps["body2"] - steps["empty2"] if "body2" in steps else 2 * once
    return (twice - once) / steps["ops"]


def name_of(row):
    return f"{row['suite']}/{row['name']}"


def check_counts(b):
    """Each row's stepped windows have the counts of the unstepped ones, and agree with the row's windows."""
    counted = 0
    assert b.status == CHECK_FAILED and {name_of(row) for row in b.rows if row["status"] == "wrong"} == ELIDED, str(b)
    for row in b.rows:
        if row["status"] == "unsupported":
            assert "stepped" not in row, row
            continue
        ours, name = by_steps(row), name_of(row)
        if ours is None:
            said = [why for start, why in NOT_COUNTED.items() if name.startswith(start)]
            assert said, f"NOT_COUNTED needs a line for a row without a count:\n    \"{name}\": \"PART OF THE REASON\",\n{row}"
            assert said[0] in row["stepped"]["why"], row
            continue
        counted += 1
        full = row["per_op"]["instructions"]
        alike = ours + row["stepped"].get("iterations", 0)
        assert full == round(alike, 6) or name in UNLIKE, (
            f"{name}: {full}, stepped {ours}. UNLIKE has rows that may differ, as a line:\n    \"{name}\": \"WHY\",\n{row}")
    (test,) = [t for t in b.of("selftest") if t["name"] == "instructions"]
    assert test["result"] == "pass" and f" {counted} rows " in test["detail"], (counted, test)
    return counted


def test_every_row_counts_the_same_stepped_and_unstepped(shared):
    b = shared(WORDS)
    assert check_counts(b) > 180
    # The count does not depend on the number of operations: several were stepped.
    assert b.row("truth", "add")["stepped"]["ops"] > 50


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    return made.own("steps", tmp_path_factory.mktemp("objects"))


def on_stick(objects, words):
    return {"baretick/objects/steps.o": objects, "baretick.conf": words.encode()}


def test_instructions_are_counted_whose_traps_are_not_one_each(boot, stick, objects):
    """MOV SS, CPUID, PUSHF, REP; a fault, an endless loop and a missing stack while a body is stepped fail only its
    row."""
    words = "suite=steps,steps_end,steps_endless samples=16 deadline=1"
    b = boot("", disk=stick(on_stick(objects, words)))
    assert b.status == CHECK_FAILED and not b.events("fault") and len(b.rows) == 17, str(b)
    for name, (instructions, iterations, more) in BODIES.items():
        row = b.row("steps", name)
        assert by_steps(row) == instructions and row["stepped"].get("iterations", 0) == iterations, row
        assert row["per_op"]["instructions"] == instructions + more, row
    assert b.row("steps", "sees_no_flag")["errors"] == 0
    assert b.row("steps_end", "picky")["stepped"]["ops"] >= 32
    for name, (status, why, of_steps) in ENDS.items():
        row = b.row("steps_endless" if name == "endless" else "steps_end", name)
        assert row["status"] == status and (why is None or re.search(why, row["why"])), (name, row.get("why"), row.get("stepped"))
        assert (of_steps in row["stepped"]["why"]) if of_steps else by_steps(row) == 3, row
    (test,) = [t for t in b.of("selftest") if t["name"] == "instructions"]
    assert test["result"] == "pass", test


@pytest.mark.parametrize("share", ["alone", "together"])
def test_other_cores_and_a_borrowed_machine_count_the_same(boot, share):
    """The trap has a separate stack on each core, also if the firmware lends them."""
    b = boot(f"suite=truth,calls bench=add,plt_c samples=16 cores=all share={share} takeover=borrow",
             extra=["-smp", "2"])  # fmt: skip
    assert b.end["verdict"] == "pass" and len(b.rows) == 4, str(b)
    assert {row["core"] for row in b.rows} == {0, 1}
    for row in b.rows:
        assert by_steps(row) == row["per_op"]["instructions"], row
    tests = {t["name"]: t["result"] for t in b.of("selftest")}
    assert tests["instructions"] == tests["instructions_core1"] == "pass", tests


@pytest.mark.others
@pytest.mark.long
def test_bochs_counts_by_steps_what_its_tsc_counts(stick, objects, tmp_path):
    """Another emulator, which loses the trap after MOV SS as real CPUs do. Its TSC counts instructions, including a
    string instruction's iterations: there, too, the windows are run unstepped and compared."""
    words = "suite=truth,steps,calls bench=add,imul,mov_ss*,cpuid,pushf,rep*,loop_self,direct,direct_straight,plt_c"
    b = bochs(tmp_path, stick(on_stick(objects, f"{words} samples=16 rounds=1")))
    assert b.end["verdict"] == "pass" and b.run["execution"] == "instructions", str(b)
    assert b.run["masked"]["x2apic"] is False, b.run["masked"]
    for name, (instructions, iterations, _) in BODIES.items():
        if name != "rdtsc":
            row = b.row("steps", name)
            assert by_steps(row) == instructions, row
            assert row["stepped"].get("iterations", 0) == iterations, row
    counts = {name_of(row): row["per_op"]["instructions"] for row in b.rows}
    assert counts["truth/add"] == counts["truth/imul"] == 1 and counts["calls/direct"] == 2, counts
    assert counts["calls/direct_straight"] == 2 and counts["calls/plt_c"] == 4, counts
    assert b.row("steps", "mov_ss")["stepped"]["lost"] > 0 and "lost" not in b.row("steps", "rep_none")["stepped"]
