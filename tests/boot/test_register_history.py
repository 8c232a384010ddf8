"""Every body finds the registers and flags that docs/window.md "The history of registers and flags" states, the same in
all windows, on the bare machine: each recipe, and each method."""

import made
import pytest
import register_history as history
from machine import CHECK_FAILED


# The emulator lacks SERIALIZE.
PAIRS = [pair for pair in history.PAIRS[history.METHODS.index("adaptive"):] if pair[1] != "serialize"]


@pytest.fixture(scope="module")
def bodies(tmp_path_factory):
    return {"baretick/objects/history.o": made.own("history", tmp_path_factory.mktemp("history"))}


def test_the_history_is_tested_with_every_method():
    assert {method for method, _ in PAIRS} == set(history.METHODS)


@pytest.mark.parametrize("method, recipe", PAIRS)
def test_every_body_finds_the_documented_history(boot, stick, bodies, method, recipe):
    words = f"{history.SUITES} {history.SMALL} samples=16 method={method} recipe={recipe}"
    files = {**bodies, "baretick.conf": words.encode()}
    b = boot("", disk=stick(files)).must(CHECK_FAILED, rows=len(history.hold(recipe)) + len(history.NOTES))
    history.judge(b.rows, recipe, method)
