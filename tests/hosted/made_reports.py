"""Made-up reports for tests of their readers: complete to the last byte, with known figures."""

import contextlib
import io
import json
import re
import signal
import subprocess
import sys
import zlib
from pathlib import Path
from unittest import mock

from commands import module_of, run_command

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
CPU = {"vendor": "GenuineIntel", "brand": "Made CPU", "family": 6, "model": 143, "stepping": 8, "microcode": 7}
OPTIONS = {"suite": "*", "bench": "*", "samples": "auto", "recipe": "auto", "method": "doubled", "caches": "keep",
           "layout": "shuffle", "seed": 1, "turbo": "keep"}
EVERY = {"suite": "*", "bench": "*", "core": None}  # the rows that a command chooses
END = {"type": "end", "rows": None, "failures": 0, "verdict": "pass"}  # report() counts what it lacks


def line(record, seq):
    """Returns a record as it is written, including CR and LF."""
    body = json.dumps({"baretick": 1, "seq": seq, **record}, separators=(",", ":"))[:-1].encode()
    return b'%s,"crc":"%08x"}\r\n' % (body, zlib.crc32(body))


def counting_all(end, records):
    """Returns the record `end`, which counts the rows, and what failed if that is more than it says."""
    failed = sum(r.get("status") == "wrong" and r["type"] == "row" or r.get("result") == "fail" and r["type"] == "selftest"
                 for r in records)
    return {**end, "rows": sum(r["type"] == "row" for r in records), "failures": max(end["failures"], failed),
            "verdict": "fail" if failed else end["verdict"]}


def report(records):
    """Returns the bytes of a report. A record `end` without a number of rows gets what it counts."""
    records = [counting_all(r, records) if r["type"] == "end" and r["rows"] is None else r for r in records]
    return b"".join(line(record, seq) for seq, record in enumerate(records))


def head(**changes):
    """Returns the record `run` of a bare machine."""
    return {"type": "run", "version": "0.1.0", "build": "0123456789ab", "compiler": "gcc 12.2.0",
            "platform": "uefi", "execution": "silicon", "unit": "ticks",
            "firmware": {"vendor": "Made", "revision": 1},
            "smbios": {"bios_vendor": "Made", "bios_version": "1.2"}, "cpu": CPU, "virtualised": False,
            "tsc": {"hz": 2000000000}, "cycle": "ruler", "recipe": "lfence", "samples": 2048,
            "options": OPTIONS, **changes}


def counting(**changes):
    """The same where instructions are counted."""
    return head(**{"execution": "instructions", "unit": "instructions", "ticks_per_instruction": 128, **changes})


RANKS = {"estimator": "median", "by": "ranks", "confidence": 0.984501}  # of 16 placements; compare judges by the interval
STUDENT = {"estimator": "median", "by": "placements", "confidence": 0.99}


def row(name, cycles, half=0.01, suite="made", core=0, **changes):
    """Returns a row of core cycles with an interval, whose level it does not state."""
    per_op = {"ticks": cycles / 2, "ns": cycles / 4, "cycles": cycles, "cycles_lo": round(cycles - half, 6),
              "cycles_hi": round(cycles + half, 6)}
    return {"type": "row", "suite": suite, "name": name, "core": core, "recipe": "lfence", "form": "straight",
            "ops": 500, "cold": False, "status": "ok", "shared": 0, "exclusive": True,
            "ticks": {"min": 312, "median": 338, "p99": 364, "max": 12324}, "per_op": per_op, "placements": 16,
            "cycle_source": "ruler", **changes}


def counted(name, instructions, suite="made", core=0, window=None, **changes):
    """Returns a row of counted instructions, all windows alike."""
    ops = 1000
    ticks = 128 * (window if window is not None else round(instructions * ops) + 5)
    return {"type": "row", "suite": suite, "name": name, "core": core, "recipe": "lfence", "form": "loop",
            "ops": ops, "cold": False, "status": "ok",
            "ticks": {"min": ticks, "median": ticks, "p99": ticks, "max": ticks},
            "per_op": {"ticks": instructions * 128, "instructions": instructions}, **changes}


def whole(*rows, run=None, others=()):
    """Returns a report of these rows that passed, or failed if a row did."""
    wrong = sum(r["status"] == "wrong" for r in rows)
    end = {"type": "end", "rows": len(rows), "failures": wrong, "verdict": "fail" if wrong else "pass"}
    return report([run or head(), *rows, *others, end])


COMMAND = module_of(ROOT / "scripts/baretick")


class Written(io.TextIOWrapper):
    """Returns the command's output, as a process's output is read."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")

    def text(self):
        self.flush()
        return re.sub("\r\n?", "\n", self.buffer.getvalue().decode())


def process(*words):
    """Runs scripts/baretick with these words as a process, to its end."""
    return run_command(sys.executable, ROOT / "scripts/baretick", *map(str, words))


def not_ended(*_):
    raise TimeoutError(f"it has not ended within {SECONDS} s")


def baretick(*words):
    """Runs scripts/baretick with these words in this process, because a new one takes 0.2 s to start."""
    out, err, handler = Written(), Written(), signal.getsignal(signal.SIGTERM)
    others_alarm = signal.signal(signal.SIGALRM, not_ended)
    signal.alarm(SECONDS)
    try:
        with mock.patch.object(sys, "argv", ["baretick", *map(str, words)]), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = COMMAND.main()
    except SystemExit as e:
        status = e.code or 0
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, others_alarm)
        signal.signal(signal.SIGTERM, handler)
    return subprocess.CompletedProcess(words, status, out.text(), err.text())
