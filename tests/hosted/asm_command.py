"""Runs `baretick asm`: for its tests."""

import json

import pytest

from made_reports import SECONDS, baretick


def asm(*words):
    return baretick("asm", *words)


def hosted(*words):
    """asm --hosted for a test of everything but figures: no shared block is taken again."""
    return asm(*words, "--hosted", "--retry-budget", "0")


def measured(*words, launch=hosted):
    """The row's record of each snippet."""
    ran = launch(*words, "--json")
    assert ran.returncode in (0, 1), ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def cycles(*words):
    (one,) = measured(*words, launch=lambda *given: asm(*given, "--hosted"))
    row = one["row"]
    assert row["status"] == "ok", row
    if row["per_op"].get("cycles") is None:
        pytest.skip("core cycles are not known here")
    if row.get("shared", 0) > 0.2:
        pytest.skip("the core was shared")
    return row["per_op"]
