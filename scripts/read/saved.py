"""Reads a report from a file and finds all of its damage. The file is a report.jsonl or a raw serial log.

report.jsonl contains only records, so every byte of it counts. A serial log has other text between the
records, and may have several reports, one after another, if the machine was reset.
"""
import collections
import gc
import io
import itertools
import os
import select
import stat
import tempfile

from read import account, kept, report, shape

RECORDS, LOG = "report.jsonl", "serial log"
# A file in which all but this many lines are records is a damaged report.jsonl.
STRAY_LINES = 1
PACKED = "row"  # the type of record of which a report may have many
MIB = 1 << 20
PIPE_BYTES, PIPE_SECONDS = 1024 * MIB, 600  # the most that comes through a pipe, and between two parts of it


class Unreadable(Exception):
    """The report cannot be read, or does not have what the command needs: the exit status is 2."""


class Saved:
    """path; form; damage: what is wrong, in words, with line numbers, for all reports of the file; reports: how many
    begin in it; records: those of the last report in the file that arrived whole, by kind. fields: a kept.Fields,
    the fields of rows that are kept after the checks, or None for all; seen: a function that is called with each row
    before it is packed."""

    def __init__(self, path, form, fields=None, seen=None):
        self.path, self.form, self._fields, self._seen = path, form, fields, seen
        self.damage, self.reports = [], 0
        self._begin()

    def _begin(self):
        self._sequence, self._account, self.records = report.Sequence(), account.Account(), {}
        self._before = len(self.damage)

    def take(self, record, where):
        if self.reports and record["type"] == "run" and record["seq"] == 0:
            self._close(f"{where}: another report begins, and this one has no record `end`")
            self._begin()
            self.reports += 1
        self.reports = self.reports or 1
        if wrong := self._sequence.check(record):
            self.damage.append(f"{where}: {wrong}")
        self._account.take(record)
        if wrong := shape.wrong(record) or self._contradicts(record, where):
            self.damage.append(f"{where}: {wrong}; record {record['seq']} is passed over")
        else:
            self._keep(record)

    def _contradicts(self, record, where):
        """Returns, in words, why a record cannot be true next to those before it, or None."""
        if record["type"] == "row":
            return self._account.twice(record)
        if record["type"] != "end":
            return None
        missing, is_whole = self._account.missing(record), len(self.damage) == self._before
        if missing and not is_whole:  # what was damaged may be what is missing
            self.damage.append(f"{where}: {missing}")
        return self._account.contradicts(record) or is_whole and missing or None

    def _keep(self, record):
        kind = record["type"]
        if kind not in self.records:
            self.records[kind] = kept.Records() if kind == PACKED else []
        if kind == PACKED:
            record = self._fields.pick(record) if self._fields else record
            if self._seen:
                self._seen(record)
        self.records[kind].append(record)

    def close(self):
        self._close("no record `end`: the report is cut")
        return self

    def _close(self, cut):
        if not self._sequence.ended:
            self.damage.append(cut)

    def of(self, kind):
        """Returns the records of a kind. Rows are packed: each iteration yields new dicts."""
        return self.records.get(kind, [])

    def one(self, kind):
        """Returns the first record of a kind, or an empty one."""
        return next(iter(self.of(kind)), {})

    @property
    def has_ended(self):
        """Whether an `end` arrived, even one that was passed over."""
        return self._sequence.ended

    @property
    def verdict(self):
        return self.one("end").get("verdict")


LEAVING = b"baretick: leaving firmware"  # boot/main.c prints it on the serial line


def _each(file, tell=None):
    """Yields the lines of a file, and ends it where so much follows without a record that the rest is none of ours: a line
    of a disk image, or a device, can be endless. tell: a list that then gets the reason."""
    without = 0
    for number in itertools.count(1):
        line = file.readline(report.LINE_MAX + 1)
        without = 0 if report.RECORD_START in line else without + len(line)
        if without > report.LINE_MAX and tell is not None:
            tell.append(f"line {number}: no record in {report.LINE_MAX // MIB} MiB; the rest of the file is not read")
        if not line or without > report.LINE_MAX:
            return
        yield line


# Of the lines of a file: whether it is a report.jsonl or a log, how many there are, whether most end in CR, and whether the last
# one is complete.
_Lines = collections.namedtuple("_Lines", "form count with_cr ended")


def _lines(file):
    """Returns the _Lines. The majority decides about the form, so that damage does not change the answer. What the serial line
    printed is a log even with format=jsonl."""
    count = others = with_cr = serial = 0
    ended = True
    for line in _each(file):
        count += 1
        serial += LEAVING in line
        others += not line.startswith(report.RECORD_START)
        with_cr += line.endswith((b"\r\n", b"\r"))
        ended = line.endswith(b"\n")
    return _Lines(RECORDS if not serial and others <= STRAY_LINES and count > others else LOG, count, 2 * with_cr > count, ended)


def _records_only(file, lines, saved):
    for number, line in enumerate(_each(file, saved.damage), 1):
        line, where = line.removesuffix(b"\n"), f"line {number}"
        if lines.with_cr and not line.endswith(b"\r"):
            saved.damage.append(f"{where}: does not end in CR LF as the others do")
        elif lines.with_cr:
            line = line[:-1]
        try:
            record = report.parse(line)
        except report.Damaged as e:
            saved.damage.append(f"{where}: {e}" if line.startswith(report.RECORD_START) else
                                f"{where}: is not a record: {line[:40]!r}")
            continue
        saved.take(record, where)
    if not lines.ended:
        saved.damage.append("the last line has no end")


def _log(file, lines, saved):
    reader = report.Reader()

    def take(found, where):
        for kind, *rest in found:
            if kind == "record":
                saved.take(rest[0], where)
            elif kind == "damaged":
                saved.damage.append(f"{where}: a damaged record: {rest[1]}")

    for number, line in enumerate(_each(file, saved.damage), 1):
        take(reader.feed(line), f"line {number}")
    take(reader.finish(), f"line {lines.count + lines.ended}")


def _read(path, file, fields, seen=None):
    """Returns the report in a file that is open for bytes and can be read twice. It may be damaged, and may have no
    record. Only one line is in memory at a time."""
    lines = _lines(file)
    file.seek(0)
    saved, collects = Saved(path, lines.form, fields, seen), gc.isenabled()
    gc.disable()  # records have no cycles: the search for them, after each 700 new lists, takes as long as reading
    try:
        (_records_only if lines.form == RECORDS else _log)(file, lines, saved)
    finally:
        if collects:
            gc.enable()
    return saved.close()


def take(path, data, fields=None):
    """The same for bytes."""
    return _read(path, io.BytesIO(data), fields)


def _is_unnamed_pipe(path, kind):
    """Tests whether it is a pipe of a shell, which has a writer: pipes without a name have a separate file system."""
    if not stat.S_ISFIFO(kind):
        return False
    ends = os.pipe()
    try:
        return os.stat(path).st_dev == os.fstat(ends[0]).st_dev
    finally:
        for end in ends:
            os.close(end)


def _copy(path, pipe, file):
    size = 0
    while True:
        if not select.select([pipe], [], [], PIPE_SECONDS)[0]:
            raise Unreadable(f"{path}: nothing came through the pipe for {PIPE_SECONDS} s")
        data = os.read(pipe.fileno(), MIB)
        size += len(data)
        if size > PIPE_BYTES:
            raise Unreadable(f"{path}: over {PIPE_BYTES // MIB} MiB came through the pipe: save the report in a file")
        if not data:
            return
        file.write(data)


def read(path, fields=None, seen=None):
    """Returns the report in a file, even if it is damaged; `fields` and `seen` are as for Saved. Raises Unreadable if
    there is no record."""
    try:
        kind = os.stat(path).st_mode  # before it is opened: a FIFO waits for a writer, and opening a device can do something
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind) or _is_unnamed_pipe(path, kind)):
            raise Unreadable(f"{path}: it is a device or a FIFO, which may never end: a file or an unnamed pipe is allowed")
        with open(path, "rb") as f:
            if stat.S_ISFIFO(kind):
                with tempfile.TemporaryFile() as copy:
                    _copy(path, f, copy)
                    copy.seek(0)
                    saved = _read(path, copy, fields, seen)
            else:
                saved = _read(path, f, fields, seen)
    except OSError as e:
        raise Unreadable(f"{path}: {e.strerror or e}") from None
    if not saved.records:
        raise Unreadable(f"{path}: no record of a report in it; {'; '.join(saved.damage[:3])}")
    return saved


def read_whole(path, fields=None, seen=None):
    """Returns the only report in a file. Raises Unreadable, with the reasons, if it is not whole."""
    saved = read(path, fields, seen)
    if saved.damage:
        more = f" (and {len(saved.damage) - 3} more)" if len(saved.damage) > 3 else ""
        raise Unreadable(f"{path} is damaged: " + "; ".join(saved.damage[:3]) + more)
    if saved.reports > 1:
        raise Unreadable(f"{path}: it holds {saved.reports} reports: keep one in a file")
    return saved
