"""Launches the Linux program and reads its output, with the records sorted by kind."""
import os
import subprocess
import time

from read import report
from tools import places

# scripts/test-conditions sets the variable to a script that starts the program in an emulator.
PROGRAM = os.environ.get("BARETICK_PROGRAM") or places.built("hosted/baretick")
SECONDS = 300  # s, for one launch; the longest of scripts/silicon takes ten


class Failed(Exception):
    """A launch that ended without a whole report."""


# Types of records of which a launch has a list, and the names of these lists.
LISTS = {"event": "events", "gaps": "gaps", "quiet": "quiet", "curve": "curves", "limit": "limits", "core": "cores",
         "witness": "witnesses"}


class Launch:
    """run, end: the records of these types; rows, linearity and selftests: by "suite/name", by recipe and by name; LISTS;
    status: the program's exit status; seconds: elapsed time."""

    def __init__(self, output, status, seconds):
        self.status, self.seconds = status, seconds
        self.rows, self.linearity, self.selftests, self.run, self.end = {}, {}, {}, None, None
        vars(self).update((name, []) for name in LISTS.values())
        sequence = report.Sequence()
        for number, line in enumerate(output.splitlines(), 1):
            try:
                record = report.parse(line)
                wrong = sequence.check(record)
            except report.Damaged as e:
                wrong = str(e)
            if wrong:
                raise Failed(f"line {number} of the report: {wrong}")
            self._take(record)
        if self.end is None:
            raise Failed(f"the report has no end record; exit status {status}")

    def _take(self, record):
        kind = record["type"]
        if kind == "row":
            self.rows[f"{record['suite']}/{record['name']}"] = record
        elif kind == "linearity":
            self.linearity[record["recipe"]] = record
        elif kind == "selftest":
            self.selftests[record["name"]] = record
        elif kind in LISTS:
            getattr(self, LISTS[kind]).append(record)
        elif kind in ("run", "end"):
            setattr(self, kind, record)

    def ms(self, row):
        """Returns the sampling time of a row: from before its first window to after its last."""
        return self.rows[row]["sampling_ticks"] * 1e3 / self.run["tsc"]["hz"]


def command(words):
    return [PROGRAM, "format=jsonl", *words.split()]


def launch(words, allowed=(0,)):
    """Returns the report of one launch, whose exit status must be one of `allowed`."""
    started = time.monotonic()
    try:
        p = subprocess.run(command(words), capture_output=True, stdin=subprocess.DEVNULL,
                           timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as e:
        raise Failed(f"{words}: no end after {SECONDS} s") from e
    except OSError as e:
        raise Failed(f"{PROGRAM}: {e.strerror}: {places.get('run make hosted')}") from e
    try:
        result = Launch(p.stdout, p.returncode, time.monotonic() - started)
    except Failed as e:
        said = p.stderr.decode("utf-8", "replace").strip()
        raise Failed(f"{words}: {e} {said}") from e
    if p.returncode not in allowed:
        raise Failed(f"{words}: exit status {p.returncode}: {complaint(result)}")
    return result


def complaint(result):
    """Returns the failures that a report states."""
    said = [f"{n}: {r.get('why')}" for n, r in result.rows.items() if r["status"] == "wrong"]
    said += [f"{n}: {s['detail']}" for n, s in result.selftests.items() if s["result"] == "fail"]
    said += [e["message"] for e in result.events if e["kind"] in ("error", "fault")]
    return "; ".join(said) or "no reason given"
