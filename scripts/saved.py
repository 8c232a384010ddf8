"""A report in a file, read with everything that is wrong with it: report.jsonl, or a raw serial log.

report.jsonl holds records and nothing else, so every byte of it counts. In a serial log other text stands
between the records; a log may hold several reports, one after another, where the machine was reset.
"""
import report
import shape

RECORDS, LOG = "report.jsonl", "serial log"
# A file whose lines are all records but for this many is a report.jsonl that was damaged.
STRAY_LINES = 1


class Unreadable(Exception):
    """Nothing can be read of it, or it is not fit for what was asked: the status is 2."""


class Saved:
    """path; form; records: those of the last report in the file that arrived whole; damage: what is wrong,
    in words with its line, all reports of the file together; reports: how many begin in it."""

    def __init__(self, path, form):
        self.path, self.form = path, form
        self.records, self.damage, self.reports = [], [], 0
        self._sequence = report.Sequence()

    def take(self, record, where):
        if self.reports and record["type"] == "run" and record["seq"] == 0:
            self._close(f"{where}: another report begins, and this one has no record `end`")
            self.records, self._sequence, self.reports = [], report.Sequence(), self.reports + 1
        self.reports = self.reports or 1
        if wrong := self._sequence.check(record):
            self.damage.append(f"{where}: {wrong}")
        if wrong := shape.wrong(record):
            self.damage.append(f"{where}: {wrong}; record {record['seq']} is passed over")
        else:
            self.records.append(record)

    def close(self):
        self._close("no record `end`: the report is cut")
        return self

    def _close(self, cut):
        if not self._sequence.ended:
            self.damage.append(cut)

    def of(self, kind):
        return [r for r in self.records if r["type"] == kind]

    def one(self, kind):
        """The first record of a kind, or an empty one."""
        return next((r for r in self.records if r["type"] == kind), {})

    @property
    def verdict(self):
        return self.one("end").get("verdict")


def _records_only(data, saved):
    *lines, rest = data.split(b"\n")
    if rest:
        lines.append(rest)
    with_cr = 2 * sum(line.endswith(b"\r") for line in lines) > len(lines)
    for number, line in enumerate(lines, 1):
        where = f"line {number}"
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
    if rest:
        saved.damage.append("the last line has no end")


def _log(data, saved):
    reader = report.Reader()

    def take(found, where):
        for kind, *rest in found:
            if kind == "record":
                saved.take(rest[0], where)
            elif kind == "damaged":
                saved.damage.append(f"{where}: a damaged record: {rest[1]}")

    *lines, last = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        take(reader.feed(line + b"\n"), f"line {number}")
    take(reader.feed(last), f"line {len(lines) + 1}")
    take(reader.finish(), f"line {len(lines) + 1}")


def _form(data):
    """report.jsonl or a log, by what most lines are: damage must not make the one the other."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    others = sum(not line.startswith(report.RECORD_START) for line in lines)
    return RECORDS if others <= STRAY_LINES and len(lines) > others else LOG


def take(path, data):
    """The report in these bytes, damaged or not; it may have no record at all."""
    form = _form(data)
    saved = Saved(path, form)
    (_records_only if form == RECORDS else _log)(data, saved)
    return saved.close()


def read(path):
    """The report in a file, damaged or not. Raises Unreadable where there is no record at all."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except OSError as e:
        raise Unreadable(f"{path}: {e.strerror or e}") from None
    saved = take(path, data)
    if not saved.records:
        raise Unreadable(f"{path}: no record of a report in it; {'; '.join(saved.damage[:3])}")
    return saved


def read_whole(path):
    """The one report in a file. Raises Unreadable where it is not whole, with the reasons."""
    saved = read(path)
    if saved.damage:
        more = f" (and {len(saved.damage) - 3} more)" if len(saved.damage) > 3 else ""
        raise Unreadable(f"{path} is damaged: " + "; ".join(saved.damage[:3]) + more)
    if saved.reports > 1:
        raise Unreadable(f"{path}: it holds {saved.reports} reports: keep one in a file")
    return saved
