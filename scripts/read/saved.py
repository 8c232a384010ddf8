"""A report in a file, read with everything that is wrong with it: report.jsonl, or a raw serial log.

report.jsonl holds records and nothing else, so every byte of it counts. In a serial log other text stands
between the records; a log may hold several reports, one after another, where the machine was reset.
"""
import contextlib
import gc
import io
import shutil
import tempfile

from read import kept, report, shape

RECORDS, LOG = "report.jsonl", "serial log"
# A file whose lines are all records but for this many is a report.jsonl that was damaged.
STRAY_LINES = 1
PACKED = "row"  # the type of record of which a report may have many


class Unreadable(Exception):
    """Nothing can be read of it, or it is not fit for what was asked: the status is 2."""


class Saved:
    """path; form; damage: what is wrong, in words with its line, all reports of the file together; reports: how many
    begin in it; of(), one(): the records of the last report in the file that arrived whole. fields: a kept.Fields: what
    is kept of its rows once they are checked; None: everything. seen: is called with each row before it is packed."""

    def __init__(self, path, form, fields=None, seen=None):
        self.path, self.form, self._fields, self._seen = path, form, fields, seen
        self.damage, self.reports = [], 0
        self._begin()

    def _begin(self):
        self._sequence, self._records = report.Sequence(), {}

    def take(self, record, where):
        if self.reports and record["type"] == "run" and record["seq"] == 0:
            self._close(f"{where}: another report begins, and this one has no record `end`")
            self._begin()
            self.reports += 1
        self.reports = self.reports or 1
        if wrong := self._sequence.check(record):
            self.damage.append(f"{where}: {wrong}")
        if wrong := shape.wrong(record):
            self.damage.append(f"{where}: {wrong}; record {record['seq']} is passed over")
        else:
            self._keep(record)

    def _keep(self, record):
        kind = record["type"]
        if kind not in self._records:
            self._records[kind] = kept.Records() if kind == PACKED else []
        if kind == PACKED:
            record = self._fields.pick(record) if self._fields else record
            if self._seen:
                self._seen(record)
        self._records[kind].append(record)

    def close(self):
        self._close("no record `end`: the report is cut")
        return self

    def _close(self, cut):
        if not self._sequence.ended:
            self.damage.append(cut)

    @property
    def is_empty(self):
        return not self._records

    def of(self, kind):
        """The records of a kind. Rows are packed: each time they are gone over they are new dicts."""
        return self._records.get(kind, [])

    def one(self, kind):
        """The first record of a kind, or an empty one."""
        return next(iter(self.of(kind)), {})

    @property
    def verdict(self):
        return self.one("end").get("verdict")


class _Lines:
    """What the lines of a file are like, all together: how many, how many do not begin as a record, how many end in CR,
    and whether the last one has an end."""

    def __init__(self, file):
        self.count = self.others = self.with_cr = 0
        self.ended = True
        for line in file:
            self.count += 1
            self.others += not line.startswith(report.RECORD_START)
            self.ended = line.endswith(b"\n")
            self.with_cr += line.endswith((b"\r\n", b"\r"))

    @property
    def form(self):
        """report.jsonl or a log, by what most lines are: damage must not make the one the other."""
        return RECORDS if self.others <= STRAY_LINES and self.count > self.others else LOG


def _records_only(file, lines, saved):
    with_cr = 2 * lines.with_cr > lines.count
    for number, line in enumerate(file, 1):
        line, where = line.removesuffix(b"\n"), f"line {number}"
        if with_cr and not line.endswith(b"\r"):
            saved.damage.append(f"{where}: does not end in CR LF as the others do")
        elif with_cr:
            line = line[:-1]
        try:
            record = report.parse(line)
        except report.Damaged as e:
            saved.damage.append(f"{where}: {e}" if line.startswith(report.RECORD_START) else
                                f"{where}: is no record: {line[:40]!r}")
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

    for number, line in enumerate(file, 1):
        take(reader.feed(line), f"line {number}")
    take(reader.finish(), f"line {lines.count + lines.ended}")


@contextlib.contextmanager
def _no_collection():
    """Records hold no circles, and a search for some after each 700 new lists takes as long as reading them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _read(path, file, fields, seen=None):
    """The report in a file that is open for bytes and can be read twice, damaged or not; it may have no record at all.
    One line of it is in memory at a time."""
    lines = _Lines(file)
    file.seek(0)
    saved = Saved(path, lines.form, fields, seen)
    with _no_collection():
        (_records_only if lines.form == RECORDS else _log)(file, lines, saved)
    return saved.close()


def take(path, data, fields=None):
    """The same of bytes."""
    return _read(path, io.BytesIO(data), fields)


def read(path, fields=None, seen=None):
    """The report in a file, damaged or not; `fields` and `seen` as Saved has them. Raises Unreadable where there is no record at
    all."""
    try:
        with open(path, "rb") as f:
            if f.seekable():
                saved = _read(path, f, fields, seen)
            else:  # a pipe
                with tempfile.TemporaryFile() as copy:
                    shutil.copyfileobj(f, copy)
                    copy.seek(0)
                    saved = _read(path, copy, fields, seen)
    except OSError as e:
        raise Unreadable(f"{path}: {e.strerror or e}") from None
    if saved.is_empty:
        raise Unreadable(f"{path}: no record of a report in it; {'; '.join(saved.damage[:3])}")
    return saved


def read_whole(path, fields=None, seen=None):
    """The one report in a file. Raises Unreadable where it is not whole, with the reasons."""
    saved = read(path, fields, seen)
    if saved.damage:
        more = f" (and {len(saved.damage) - 3} more)" if len(saved.damage) > 3 else ""
        raise Unreadable(f"{path} is damaged: " + "; ".join(saved.damage[:3]) + more)
    if saved.reports > 1:
        raise Unreadable(f"{path}: it holds {saved.reports} reports: keep one in a file")
    return saved
