"""A report as it arrives: shows it, saves it and checks it.

Leaves report.jsonl (the records that arrived whole) and serial.log (every byte) in a folder; or only the records, on
standard output.
"""
import contextlib
import os
import sys

from read import report, table
from tools.parser import Output


class Console:
    """Prints lines, progress if standard output is a terminal, and the guest's errors."""

    def __init__(self, name):
        self._name = name
        self.tty = sys.stdout.isatty()
        self._progress = 0

    def _clear(self):
        if self._progress:
            sys.stdout.write("\r" + " " * self._progress + "\r")
            self._progress = 0

    def line(self, text):
        self._clear()
        print(text, flush=True)

    def progress(self, text):
        if self.tty:
            self._clear()
            sys.stdout.write("\r" + text)
            sys.stdout.flush()
            self._progress = len(text)

    def error(self, text):
        self._clear()
        sys.stdout.flush()
        print(f"{self._name}: {text}", file=sys.stderr, flush=True)


class Report:
    """The part of a report that has arrived, and its errors. out: an Output, the folder or standard output."""

    def __init__(self, console, out):
        self._console, self._out = console, out
        self._reader = report.Reader()
        self._sequence = report.Sequence()
        self._files = contextlib.ExitStack()
        self._jsonl = self._open(out if out.is_standard else Output(os.path.join(out, "report.jsonl")))
        self._raw = self._open(Output(os.devnull if out.is_standard else os.path.join(out, "serial.log")))
        self._show_records = False
        self.bytes = 0
        self.records = 0
        self.end = None
        self.left_firmware = False
        self._last_text = ""
        self.wrong = []

    def _open(self, output):
        return self._files.enter_context(output.opened())

    def where(self):
        """Returns, in words, where the report is."""
        if self._out.is_standard:
            return f"{self.records} records on standard output"
        return f"{self.records} records in {self._jsonl.name}; every byte in {self._raw.name}"

    def take(self, data):
        self.bytes += len(data)
        self._raw.write(data)
        self._raw.flush()
        self._handle(self._reader.feed(data))

    def restart(self, cut):
        """Handles the start of another report: the records of this one move to the file `cut`. On standard output the
        other report follows."""
        if not self._out.is_standard:
            os.rename(self._jsonl.name, cut)
            self._jsonl = self._open(Output(self._jsonl.name))
        self._sequence = report.Sequence()
        self.records, self.wrong = 0, []

    def why_not_passed(self):
        """Returns what its end record lacks, in words, in a list."""
        if self.end is None:
            return [f"no whole end record ({self.records} records arrived)" if self.records else "no record arrived"]
        return [] if self.end.get("verdict") == "pass" else [f"the end record says {self.end.get('verdict')!r}"]

    def close(self):
        self._handle(self._reader.finish())
        self._files.close()

    def _handle(self, events):
        for kind, *what in events:
            if kind in ("text", "progress"):  # a firmware prints more control codes than those that the reader knows
                what = [table.printable(what[0].expandtabs())]
            if kind == "text":
                self.left_firmware |= report.Reader.LEFT_FIRMWARE in what[0]
                # The report has single blank lines; those of the firmware, and several in a row, are not shown.
                if what[0] or (self.left_firmware and self._last_text):
                    self._console.line(what[0])
                self._last_text = what[0]
            elif kind == "progress":
                self._console.progress(what[0])
            elif kind == "damaged":
                self._bad(f"damaged record: {what[1]}: {table.printable(what[0][:60].decode('utf-8', 'replace'))}...")
            else:
                self._record(*what)

    def _record(self, record, line):
        problem = self._sequence.check(record)
        if problem:
            self._bad(problem)
        self.records += 1
        self._jsonl.write(line + b"\n")
        self._jsonl.flush()
        if record["type"] == "run":
            self._show_records = record.get("options", {}).get("format") == "jsonl"
        if self._show_records and not self._out.is_standard:
            self._console.line(table.printable(line.decode("utf-8")))
        if record["type"] == "end":
            self.end = record

    def _bad(self, problem):
        self.wrong.append(problem)
        self._console.error(problem)
