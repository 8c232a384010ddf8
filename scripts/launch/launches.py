"""Launches the Linux program and reads its output, with the records sorted by kind."""
import os
import subprocess
import time

from read import saved
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
    """run (or None), end: the records of these types; rows, linearity and selftests: by "suite/name", by recipe and by name; LISTS;
    status: the program's exit status; seconds: elapsed time."""

    def __init__(self, output, status, seconds):
        found = saved.take("the report", b"".join(line + b"\n" for line in output.splitlines()))
        if found.damage:
            raise Failed(f"{found.damage[0]}; exit status {status}")
        self.status, self.seconds, self.run, self.end = status, seconds, found.one("run") or None, found.one("end")
        self.rows = {f"{record['suite']}/{record['name']}": record for record in found.of("row")}
        self.linearity = {record["recipe"]: record for record in found.of("linearity")}
        self.selftests = {record["name"]: record for record in found.of("selftest")}
        vars(self).update((name, found.of(kind)) for kind, name in LISTS.items())

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
