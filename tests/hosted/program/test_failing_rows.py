"""Rows that fail: wrong work, faults, endless loops; each fails alone, and the next row is measured."""
import re

import pytest
from statuses import CHECK_FAILED, FAULTED


def test_failed_operations_are_counted_and_left_out(run):
    words = ["samples=96", "hist=full", "retry_budget=0"]  # none is repeated
    ended = run("suite=provoke", "bench=errors", "format=jsonl", *words)
    row = ended.report().rows["provoke/errors"]
    assert row["errors"] > 0 and row["n"] == sum(count for _, count in row["hist"])
    assert row["n"] + row["errors"] == 96


BODIES = {
    "ud2": "SIGILL",
    "divide": "SIGFPE",
    "null": "SIGSEGV",
    "protection": "SIGSEGV",
    "execute_data": "SIGSEGV",
    "write_code": "SIGSEGV",
    "stack": "SIGSEGV",
}


@pytest.mark.native
def test_a_row_that_the_deadline_will_end_is_warned_of(run):
    """A stretch of ten seconds is longer than the deadline, and the report warns about it before it is ended."""
    words = ["suite=calls", "bench=direct", "format=jsonl", "deadline=1"]
    ended = run(*words, "method=adaptive", "target=10000000")
    warnings = [e["message"] for e in ended.report().events if e["kind"] == "warning"]
    assert [m for m in warnings if m.startswith("calls/direct may take about ") and "deadline=1" in m], warnings
    quick = [e["message"] for e in run(*words, "samples=64").report().events if e["kind"] == "warning"]
    assert not [m for m in quick if "deadline=" in m], quick


def failed_alone(ended):
    """Returns the report of a run in which rows failed, and asserts that the row after them was measured."""
    report = ended.report()
    assert ended.status == CHECK_FAILED
    assert not [e for e in report.events if e["kind"] == "fault"]
    assert report.rows["planted/adds20"]["status"] == "ok"
    return report


@pytest.mark.native
@pytest.mark.parametrize("method", ["doubled", "plain"])
def test_bodies_that_do_not_come_back_fail_alone(run, method):
    """Rows that fault, one that never ends, and rows after them, which are measured nevertheless."""
    names = ",".join(BODIES)
    ended = run("suite=provoke,planted", f"bench={names},endless,adds20", "format=jsonl", "samples=64",
                "deadline=1", f"method={method}")  # fmt: skip
    report = failed_alone(ended)
    for name, sign in BODIES.items():
        row = report.rows[f"provoke/{name}"]
        assert row["status"] == "wrong" and row["why"].startswith(sign), row
        assert re.search(r" in \w+_body\+0x", row["why"]) or name == "execute_data", row
    why = report.rows["provoke/endless"]["why"]
    assert re.match("it ran longer than deadline=[16] seconds", why), why
    assert " in endless_body+0x" in why, why
    assert report.end["rows"] == len(BODIES) + 2 and report.end["verdict"] == "fail"


@pytest.mark.parametrize("words", ["", "method=plain", "cores=all share=together"])
def test_setup_and_check_that_do_not_come_back_fail_alone(run, words):
    rows = {
        "endless_setup": r"it ran longer than deadline=[16] seconds and was ended at \w+ in endless_setup\+0x",
        "endless_check": r"it ran longer than deadline=[16] seconds and was ended at \w+ in endless_check\+0x",
        "ud2_setup": r"SIGILL at \w+ in undefined_setup\+0x",
    }
    ended = run("suite=provoke,planted", f"bench={','.join(rows)},adds20", "format=jsonl", "samples=64",
                "deadline=1", *words.split())  # fmt: skip
    report = failed_alone(ended)
    for name, why in rows.items():
        row = report.rows[f"provoke/{name}"]
        assert row["status"] == "wrong" and re.match(why, row["why"]), row


def test_fault_outside_of_a_body_ends_the_run(run):
    ended = run("suite=provoke", "bench=setup", "format=jsonl", "samples=64")
    report = ended.report()
    assert ended.status == FAULTED
    (fault,) = [e["message"] for e in report.events if e["kind"] == "fault"]
    assert "SIGILL" in fault and "provoke/setup" in fault
    assert " in undefined_setup+0x" in fault, fault
    assert report.end["verdict"] == "fail"
