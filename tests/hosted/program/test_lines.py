"""format=lines: one line per row, matched by the regular expression that docs/ci.md gives."""

import re
import subprocess

from launch import launches
import pytest
from conftest import ROOT
from read import report

pytestmark = pytest.mark.launches
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")


def expression():
    """Returns the regular expression in the page's block of code."""
    (found,) = re.findall(r"^    (BT \(\?P<.*)$", PAGE, re.MULTILINE)
    return re.compile(found)


def run(words, allowed=(0,)):
    done = subprocess.run(launches.command(f"{words} format=lines"), capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, check=False)
    assert done.returncode in allowed, done.stdout + done.stderr
    return done.stdout.splitlines()


def taken(lines):
    """Returns {test_case_id: (measurement, units, result)}; a line that begins with BT must match completely."""
    found = {}
    for line in lines:
        if line.startswith("BT "):
            match = expression().fullmatch(line)
            assert match, line
            assert match["test_case_id"] not in found
            found[match["test_case_id"]] = match["measurement"], match["units"], match["result"]
    return found


def test_the_expression_takes_every_row():
    lines = run("suite=calls,baseline,cores samples=64 bench=direct,plt,empty_plain,do_nothing,pingpong cores=0", (0, 2))
    found = taken(lines)
    end = report.parse(lines[-2].encode())
    assert end["type"] == "end" and lines[-1].startswith("verdict: ")
    assert {"calls/direct@0", "calls/plt@0", "baseline/do_nothing@0", "baseline/empty_plain@0",
            "run/verdict@0"} <= set(found)
    verdict = "pass" if end["verdict"] == "pass" else "fail"
    assert found.pop("run/verdict@0") == (str(end["failures"]), "failures", verdict)
    for name, (measurement, units, result) in found.items():
        # A figure near zero may be negative.
        assert result == "pass" and float(measurement) > -10 and units in ("cycles", "ticks"), name
    # The window is not an operation, so it is in ticks.
    assert found["baseline/empty_plain@0"][1] == "ticks" and float(found["baseline/empty_plain@0"][0]) > 0


def test_format_lines_prints_nothing_but_its_kinds_of_line():
    """No table, no progress, no escape codes: each line begins with its kind."""
    for line in run("suite=calls bench=direct samples=64", (0, 2)):
        assert re.match(r'BT |self-test |warning: |process: |verdict: |\{"baretick":1,"seq":0,"type":"end",', line), line


def test_a_row_that_fails_has_a_line_that_ends_in_fail():
    lines = run("suite=provoke bench=wrong,ud2 samples=64", (2,))
    found = taken(lines)
    assert found["provoke/wrong@0"][2] == "fail" and lines[-1].startswith("verdict: FAIL")
    assert found["provoke/ud2@0"] == (None, None, "fail")
    assert found["run/verdict@0"][1:] == ("failures", "fail") and int(found["run/verdict@0"][0]) >= 2


def test_an_error_has_its_line_and_an_end_record():
    """The line of the verdict and the end record are always there: a test rack waits for them."""
    for words in ("suite=calls bench=nowhere", "sample=32"):
        lines = run(words, (3,))
        assert any('"kind":"error"' in line for line in lines) and report.parse(lines[-1].encode())["type"] == "end"
        assert taken(lines) == {"run/verdict@0": ("1", "failures", "fail")}
