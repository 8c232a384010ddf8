"""The program on a terminal, where it shows its progress: each line with the time at which it arrived."""

import os
import pty
import re
import signal
import subprocess
import time

from conftest import without_retries
from read import report

LINE = re.compile(
    rb"\S+: (?:(\d+)% of )?row (\d+) of (\d+)(?:, round (\d+) of (\d+))?(?:, about (\d+) s left)?, Ctrl-C stops"
)


class Line:
    """One progress line of a row that is measured in rounds; None for missing values. done: rows before this one."""

    def __init__(self, at, match):
        self.at, self.start = at, match.start()
        self.percent, row, self.rows, self.round, self.rounds, self.left = (
            None if x is None else int(x) for x in match.groups()
        )
        self.done = row - 1


class Terminal:
    """Runs a launch to its end. `stop(line)`: whether to send SIGINT after this line; lines, shown: all bytes, records:
    the records in it, status, end: the time."""

    def __init__(self, program, *words, stop=None):
        terminal, other = pty.openpty()
        p = subprocess.Popen(
            [program, "format=both", *without_retries(words)],
            stdin=subprocess.DEVNULL,
            stdout=other,
            stderr=other,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(other)
        self.lines, self.shown, seen = [], b"", 0
        try:
            while part := os.read(terminal, 65536):
                self.shown += part
                for match in LINE.finditer(self.shown, seen):
                    seen = match.end()
                    self.lines.append(Line(time.monotonic(), match))
                    if stop and stop(self.lines[-1]):
                        p.send_signal(signal.SIGINT)
                        stop = None
        except OSError:
            pass  # EIO: the program has ended
        finally:
            os.close(terminal)
            self.status = p.wait(timeout=300)
        self.end = time.monotonic()
        self.records = [report.parse(x) for x in self.shown.splitlines() if x.startswith(report.RECORD_START)]

    def of_type(self, kind):
        return [r for r in self.records if r["type"] == kind]
