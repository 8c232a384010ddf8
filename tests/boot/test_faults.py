"""What goes wrong inside a run: wrong answers, exceptions, non-maskable interrupts."""

import re
import subprocess
from pathlib import Path

import pytest
from machine import CHECK_FAILED, FAULT, SUCCESS

ROOT = Path(__file__).parents[2]

# name, vector, words that the console must have
EXCEPTIONS = [
    ("divide", 0, "#DE"),
    ("null", 14, "#PF"),
    ("execute_data", 14, "#PF"),
    ("write_code", 14, "#PF"),
    ("stack", 8, "#DF"),
]


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
def test_undefined_instruction(boot):
    event = faulted(boot("suite=provoke bench=ud2 samples=16"), "ud2", 6, "#UD")
    assert "vector 6" in event["message"] and "provoke/ud2" in event["message"], event


def function_at(offset):
    """The function of the image that holds this offset. The image begins at 0 of the ELF."""
    said = subprocess.run(["nm", "-n", ROOT / "build/baretick.elf"], check=True,
                          capture_output=True, text=True).stdout
    code = [(int(at, 16), name) for at, kind, name in map(str.split, said.splitlines())
            if kind in "tT"]
    return [name for at, name in code if at <= offset][-1]


def test_backtrace_reaches_the_first_function(boot):
    """From a measured body, which has no frame of its own, up to where the kernel was entered."""
    text = boot("suite=provoke bench=ud2 samples=16").text
    callers = re.findall(r"called from [0-9a-f]+ \(image\+0x([0-9a-f]+)\)", text)
    names = [function_at(int(offset, 16) - 1) for offset in callers]
    assert "bench_run" in names and names[-1].startswith("entry_"), (names, text)


@pytest.mark.parametrize("name, vector, word", EXCEPTIONS, ids=[e[0] for e in EXCEPTIONS])
def test_exceptions(boot, name, vector, word):
    faulted(boot(f"suite=provoke bench={name} samples=16"), name, vector, word)


def test_wrong_answer(boot):
    b = boot("suite=provoke bench=wrong samples=16").must(CHECK_FAILED, rows=1)
    assert b.rows[0]["status"] == "wrong" and b.rows[0]["why"], b.rows[0]
    assert "FAIL" in b.text and "verdict: FAIL" in b.text, str(b)


def test_failed_operations_are_counted_and_omitted(boot):
    b = boot("suite=provoke bench=errors samples=60").must(SUCCESS, rows=1)
    row = b.rows[0]
    assert row["errors"] > 0 and row["n"] == sum(c for _, c in row["hist"]), row
    assert row["n"] + row["errors"] == 60, row


def test_interrupts_that_cannot_be_masked_are_survived(disturbed):
    b = disturbed("nmi", "nmi", "nmi", seen="NMIs or machine checks came with calls/got")
    assert b.status == SUCCESS and b.end["rows"] == 2 and "FAULT" not in b.text, str(b)
    assert "NMIs or machine checks came with calls/got" in b.text, str(b)


def test_machine_check_that_lost_nothing_is_counted(disturbed):
    """Uncorrected, but the context holds and the instruction pointer is valid: the row is marked."""
    b = disturbed("mce 0 1 0xb000000000000000 0x5 0 0", seen="machine checks came with calls/got")
    assert b.status == SUCCESS and b.end["rows"] == 2, str(b)
    assert "NMIs or machine checks came with calls/got" in b.text, str(b)


def test_machine_check_that_lost_the_context(disturbed):
    """Uncorrected, processor context corrupt (SDM volume 3, 15.3.2.2): nothing may go on."""
    b = disturbed("mce 0 1 0xb200000000000000 0x5 0 0", seen="#MC")
    assert b.status == FAULT and b.end["verdict"] == "fail", str(b)
    for words in ("#MC", "vector 18", "bank 1", "b200000000000000"):
        assert words in b.text, f"{words} is not shown\n{b}"
