"""Short runs of the Linux program that must end, and what their rows may say."""
import re
import signal
import subprocess

from conftest import without_retries
from launch import launches
import pytest
from read import report
from statuses import FAULTED

METHODS = ("doubled", "plain", "kbest", "ensembles", "adaptive")
RECIPES = ("plain", "rdtscp", "xfence", "paoloni", "cpuid", "mfence", "lfence", "serialize")
SMALL = {
    "samples": "16", "warmup": "1", "layout": "fixed", "most": "32", "ensembles": "2", "size": "16",
    "target": "10", "hist": "off",
    "retry_budget": "0",
}  # fmt: skip
SECONDS = 600  # a hundred times what a run takes; a run that does not end is killed

# Messages that a row may have with so few windows, or on a busy CPU; wrong work has other messages.
OF_TIME = ("not the documented figure", "did not reach the start")
ELIDED = ("planted/elided", "planted/elided_loop")  # their work was elided, and every machine finds that


def output_of(words, allowed=(0, 2)):
    """Returns (the output of a run that must end, its exit status); a run that does not end is killed."""
    p = subprocess.Popen(launches.command(" ".join(without_retries(words.split()))), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)  # fmt: skip
    try:
        out, err = p.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGKILL)
        p.communicate()
        pytest.fail(f"no end after {SECONDS} s: {words}\nAn option whose greatest number makes a run long has a "
                    f'smaller one in GREATEST of test_option_pairs.py, like: "samples": 1024,')
    if b"it did not end before deadline=" in out:
        allowed = (*allowed, FAULTED)  # on a busy machine a second can pass between two calls of a row
    said = f"exit status {p.returncode}: {words}\n{err.decode()}"
    pair = [word.split("=") for word in dict.fromkeys(re.findall(r"\w+=\w+", err.decode())) if word in words.split()]
    if p.returncode not in allowed and " with " in err.decode() and len(pair) > 1:
        said += 'IMPOSSIBLE of test_option_pairs.py needs this line:\n    {{"{}": "{}", "{}": "{}"}},'.format(*pair[0], *pair[1])
    assert p.returncode in allowed, said
    return out, p.returncode


def ended(words, allowed=(0, 2)):
    """Returns the report of such a run."""
    return report_of(*output_of(words, allowed))


def report_of(out, status):
    """Returns the report in this output, with or without a table."""
    records = [line for line in out.splitlines() if line.startswith(report.RECORD_START)]
    return launches.Launch(b"\n".join(records), status, 0)


def words_of(values):
    return " ".join(f"{key}={value}" for key, value in values.items())


def judge(name, row, words):
    where = f"{name}: {row.get('why')}, {row.get('errors')} errors: {words}"
    assert row["status"] in ("ok", "wrong", "unsupported"), where
    if row["status"] == "unsupported":
        assert row["why"], where
        return
    assert row.get("errors", 0) == 0, where
    if "deadline=1" in words.split() and "it ran longer than deadline=1 seconds" in row.get("why", ""):
        return  # a second is an extreme value, and enough on an idle machine alone
    if row.get("work_judged"):
        assert ("the work was elided" in row.get("why", "")) == (name in ELIDED), where
    assert row["status"] == "ok" or name in ELIDED or any(why in row["why"] for why in OF_TIME), where
    assert row["form"] in ("cores", "empty") or "ticks" in row["per_op"], where


@pytest.fixture(scope="module")
def recipes():
    """The recipes that this CPU has."""
    said = ended("suite=planted bench=adds20 samples=16")
    here = [r for r in RECIPES if "why" not in said.linearity[r]]
    assert set(said.linearity) == set(RECIPES) and len(here) >= 4
    return here
