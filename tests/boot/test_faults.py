"""Failures inside a run: wrong answers, exceptions, non-maskable interrupts."""

import re
from pathlib import Path

from commands import output_of
import pytest
from machine import CHECK_FAILED, FAULT, SUCCESS

ROOT = Path(__file__).parents[2]

# name, vector and name of the exception that its body causes
BODIES = {
    "divide": (0, "#DE"),
    "ud2": (6, "#UD"),
    "protection": (13, "#GP"),
    "null": (14, "#PF"),
    "execute_data": (14, "#PF"),
    "write_code": (14, "#PF"),
    "stack": (8, "#DF"),
}


def faulted(b, name, vector, word):
    assert b.status == FAULT, f"status {b.status}\n{b}"
    assert b.end["verdict"] == "fail" and b.end["failures"] >= 1, str(b)
    (event,) = b.events("fault")
    assert f"vector {vector}" in b.text and word in b.text, str(b)
    for register in ("rip", "rsp", "r15", "cr2"):
        assert f"  {register} " in b.text, f"{register} is not shown\n{b}"
    assert f"while running provoke/{name}" in b.text, str(b)
    assert not b.rows and event["seq"] < b.end["seq"], str(b)
    return event


@pytest.mark.check
def test_a_fault_outside_of_a_guard_ends_the_run(boot):
    b = boot("suite=provoke bench=setup samples=16")
    event = faulted(b, "setup", 6, "#UD")
    assert re.search(r"\n +rip [0-9a-f]{16} \(undefined_setup\+0x[0-9a-f]+\)", b.text), str(b)
    assert "vector 6" in event["message"] and "provoke/setup" in event["message"], event


def function_at(offset):
    """Returns the function of the image at this offset. The image begins at 0 of the ELF."""
    said = output_of("nm", "-n", ROOT / "build/baretick.elf")
    code = [(int(at, 16), name) for at, kind, name in map(str.split, said.splitlines())
            if kind in "tT"]
    return [name for at, name in code if at <= offset][-1]


def test_backtrace_reaches_the_first_function(boot):
    """From code without a stack frame up to the kernel's entry."""
    text = boot("suite=provoke bench=setup samples=16").text
    callers = re.findall(r"called from [0-9a-f]+ \(image\+0x([0-9a-f]+)\)", text)
    names = [function_at(int(offset, 16) - 1) for offset in callers]
    assert "bench_run" in names and names[-1].startswith("entry_"), (names, text)


@pytest.mark.parametrize("words", ["", "cores=0-1 share=together"], ids=["alone", "together"])
def test_a_body_that_faults_fails_its_row_alone(boot, words):
    """Vector, address and symbol are in the report, and every later row is measured. So is a changed MSR."""
    names = ",".join((*BODIES, "msr"))
    b = boot(f"suite=provoke,truth bench={names},errors,add samples=32 {words}", extra=["-smp", "2"])
    cores = 2 if words else 1
    assert b.status == CHECK_FAILED and not b.events("fault"), str(b)
    assert len(b.rows) == cores * (len(BODIES) + 3), str(b)
    for row in b.rows:
        if row["name"] == "msr":
            assert row["status"] == "wrong" and row["why"].startswith("the body changed MSR 174h, "), row
            continue
        if row["name"] not in BODIES:
            assert row["status"] == "ok" and row["n"] > 0, row
            continue
        vector, name = BODIES[row["name"]]
        assert row["status"] == "wrong" and row["n"] == 0, row
        assert row["why"].startswith(f"{name} ") and f"(vector {vector})" in row["why"], row
        if row["name"] != "execute_data":
            assert re.search(r" at 4000000[0-9a-f]{5} in \w+_body\+0x[0-9a-f]+$", row["why"]), row


TWO = {"extra": ["-smp", "2"]}


@pytest.mark.parametrize(
    "words, how, by",
    [
        # 45 s of virtual time: the HPET's 32 bits wrap within it.
        ("deadline=15", TWO, ["hpet", "pit", "core"]),
        ("deadline=1", {"machine": "q35,hpet=off"}, ["pit"]),
        # Cores run in parallel only if instructions are not counted.
        ("deadline=1", {**TWO, "icount": False}, ["core", "hpet", "pit"]),
        ("deadline=1 cores=all share=together", TWO, ["hpet", "pit", "core"]),
        ("deadline=1 takeover=borrow cores=1", TWO, ["hpet"]),
    ],
    ids=["hpet", "pit", "core", "together", "borrowed"],
)
def test_a_row_that_does_not_end_is_ended(boot, words, how, by):
    """By an NMI; the self-test at boot reports who can send it. The next row is measured."""
    for _ in range(1 if how.get("icount", True) else 4):
        b = boot(f"suite=provoke,truth bench=endless,add samples=16 {words}", **how)
        if b.run["deadline_by"] == by:
            break
    assert b.status == CHECK_FAILED and not b.events("nmi"), str(b)
    if not how.get("icount", True):  # a busy host may not run the other core, or the HPET, while the self-test waits
        by = [who for who in by if who in b.run["deadline_by"]]
    assert by and b.run["deadline_by"] == by, b.run["deadline_by"]
    (test,) = [t for t in b.of("selftest") if t["name"] == "deadline"]
    assert test["result"] == "pass" and f"{by[0]} ends a loop" in test["detail"], test
    assert len(b.rows) == (4 if "together" in words else 2), str(b)
    assert "counter not: CPUID reports no counter" in test["detail"], test
    for row in b.rows:
        assert row["status"] == ("wrong" if row["name"] == "endless" else "ok"), row
        if row["name"] == "endless":
            assert re.match(r"it ran longer than deadline=\d+ seconds", row["why"]), row
            assert " in endless_body+0x" in row["why"], row


def test_no_shot_comes_in_a_row_that_ends_in_time(boot):
    """Not by the wrap of the HPET's 32 bits after 43 s: the row is longer. Its figures remain those of the instructions
    alone."""
    b = boot("suite=calls bench=direct samples=16384 rounds=1").must(SUCCESS, rows=1)
    row = b.row("calls", "direct")
    assert b.run["deadline_by"][0] == "hpet" and b.run["ticks_per_instruction"] == 128, b.run
    assert row["sampling_ticks"] > 2**32 * 10, row  # an instruction is 128 ns, the HPET's tick 10 ns
    assert row["disturbed"] == 0 and row["nmis"] == 0 and row["ticks"]["min"] == row["ticks"]["max"], row


def test_setup_and_check_that_do_not_come_back_fail_their_row_alone(boot):
    """Also a row whose setup faults, and bodies in ring 3 or with their own page tables; the next row is measured."""
    late = "it ran longer than deadline=1 seconds and was ended"
    rows = {
        "endless_setup": (late, "endless_setup"),
        "endless_check": (late, "endless_check"),
        "ud2_setup": ("#UD invalid opcode (vector 6)", "undefined_setup"),
    }
    changed = {"ring3_endless": ("CS", late), "ring3_ud2": ("CS", "#UD invalid opcode (vector 6)"),
               "absent_page": ("CR3", "#PF page fault (vector 14)")}
    b = boot(f"suite=provoke,truth bench={','.join((*rows, *changed))},add samples=16 deadline=1")
    assert b.status == CHECK_FAILED and not b.events("fault") and not b.events("nmi"), str(b)
    assert len(b.rows) == 7 and b.row("truth", "add")["status"] == "ok", str(b)
    for name, (began, function) in rows.items():
        row = b.row("provoke", name)
        assert row["status"] == "wrong" and row["n"] == 0, row
        assert row["why"].startswith(began) and f" in {function}+0x" in row["why"], row
    for name, (state, ended) in changed.items():
        row = b.row("provoke", name)
        assert row["status"] == "wrong" and row["n"] == 0, row
        assert re.search(rf"{state}\b.*; {re.escape(ended)}.* at .* in provoke/{name}/[BE]\+0x", row["why"]), row


def test_a_missing_source_for_the_deadline_is_reported(boot):
    """A borrowed machine without an HPET."""
    b = boot("suite=truth bench=add samples=16 takeover=borrow", machine="q35,hpet=off").must(SUCCESS, rows=1)
    (test,) = [t for t in b.of("selftest") if t["name"] == "deadline"]
    assert b.run["deadline_by"] == [] and test["result"] == "not judged", test
    assert "no source can end a row" in b.text, str(b)


def test_a_meeting_that_does_not_end_faults_or_changes_state_fails_its_row_alone(boot):
    """The core that caused the delay is named; all of them continue with the next row."""
    words = "suite=provoke_cores,cores bench=endless,ud2,changed,padded cores=all deadline=1"
    b = boot(words, extra=["-smp", "3"])
    assert b.status == CHECK_FAILED and not b.events("fault") and not b.events("nmi"), str(b)
    assert len(b.rows) == 4 and b.row("cores", "padded")["status"] == "ok", str(b)
    assert [s["cores"] for s in b.row("cores", "padded")["by_cores"]] == [1, 2, 3], str(b)
    for name, began in (("endless", "it ran longer than deadline=1 seconds"), ("ud2", "#UD invalid opcode (vector 6)")):
        row = b.row("provoke_cores", name)
        assert row["status"] == "wrong" and row["why"].startswith(f"core 1: {began}"), row
        function = function_at(int(re.search(r"\(image\+0x([0-9a-f]+)\)$", row["why"])[1], 16))
        assert function.endswith("_batch"), (function, row)
    row = b.row("provoke_cores", "changed")
    assert row["status"] == "wrong" and row["why"] == "core 1: the body changed DR0, which has been restored", row


def test_interrupts_that_cannot_be_masked_are_survived(disturbed):
    b = disturbed("nmi", "nmi", "nmi", seen=["NMIs or machine checks came with calls/direct"])
    assert b.status == SUCCESS and b.end["rows"] == 2 and "FAULT" not in b.text, str(b)
    assert "NMIs or machine checks came with calls/direct" in b.text, str(b)


def test_machine_check_that_lost_nothing_is_counted(disturbed):
    """Uncorrected, but the context is valid and so is the instruction pointer: the row is marked."""
    b = disturbed("mce 0 1 0xb000000000000000 0x5 0 0", seen=["machine checks came with calls/direct"])
    assert b.status == SUCCESS and b.end["rows"] == 2, str(b)
    assert "NMIs or machine checks came with calls/direct" in b.text, str(b)


def test_a_machine_check_without_a_valid_context_ends_the_run(disturbed):
    """Uncorrected, processor context corrupt (SDM volume 3, 15.3.2.2): the run must not continue."""
    b = disturbed("mce 0 1 0xb200000000000000 0x5 0 0", seen=["#MC"])
    assert b.status == FAULT and b.end["verdict"] == "fail", str(b)
    for words in ("#MC", "vector 18", "bank 1", "b200000000000000"):
        assert words in b.text, f"{words} is not shown\n{b}"
