"""The part of a report that a fleet page keeps: some kB, independent of the report's size."""
import array
import dataclasses
import math
import os

from judge import sides
from read import figure, interval, kept, quiet, saved

FIELDS = kept.Fields(f"{figure.FIELDS} {interval.FIELDS} why exclusive throttled doubt judged")
SOME = 3  # findings of damage that are kept
NOT_OF_KIND = ("firmware",)  # machines of a kind may have different versions of the firmware
MODULES = ("count", "bytes", "type", "mega_transfers_per_s")
WIDTH = 4  # numbers that are kept of a figure: value, lo, hi, values that the interval is made from


@dataclasses.dataclass
class Quiet:
    """The result of suite `quiet`; times in ns, None if they are not known."""
    result: str
    limit_us: int
    longest: float
    wait: float
    cores: int
    asked_s: float
    complete: bool


@dataclasses.dataclass
class Report:
    """name: its path below the folder; damage: [what is wrong]: a damaged report has nothing else; kind: what machines
    must share to be peers; alike: what reports of a machine must share to be compared; facts: further properties, by
    which machines of a kind may differ; keys: (suite, name, core, unit) of the rows with a figure; numbers: WIDTH for
    each."""
    name: str
    damage: list = dataclasses.field(default_factory=list)
    verdict: str = ""
    failures: list = dataclasses.field(default_factory=list)
    kind: tuple = ()
    alike: tuple = ()
    facts: dict = dataclasses.field(default_factory=dict)
    quiet: Quiet = None
    keys: tuple = ()
    numbers: array.array = None

    def figures(self):
        """Yields (key, value, lo, hi, values that the interval is made from); lo and hi are NaN if there is no interval."""
        for at, key in enumerate(self.keys):
            yield (key, *self.numbers[WIDTH * at:WIDTH * (at + 1)])


def _words(*values):
    return " ".join(str(v) for v in values if v not in (None, ""))


def kind_of(run):
    """Returns ((name, value), ...): CPU, microcode, board, and everything else that changes what is measured."""
    smbios = run.get("smbios", {})
    board = _words(*(smbios.get(k) for k in ("system_vendor", "system_product", "board_vendor", "board_product")))
    return (*((what, value) for (kind, what), value in sides.machine(run).items() if kind not in NOT_OF_KIND),
            ("board", board or run.get("board")), ("platform", run.get("platform")), ("build", run.get("build")))


def alike_of(kind):
    """Returns the part of it that a machine cannot change without becoming another one, and the options."""
    return tuple((name, value) for name, value in kind if name not in ("microcode", "board", "build"))


def facts_of(run):
    smbios, memory = run.get("smbios", {}), run.get("memory", {})
    return {"BIOS": _words(smbios.get("bios_version"), smbios.get("bios_date")),
            "microcode": run.get("cpu", {}).get("microcode"), "build": run.get("build"),
            "cores": run.get("cores", {}).get("up", run.get("topology", {}).get("logical_cpus")),
            "memory": ", ".join(_words(*(m.get(k) for k in MODULES)) for m in memory.get("modules", [])) or memory.get("bytes")}


def _quiet(report):
    for found in quiet.quiets(report):
        r = found.record
        return Quiet(found.result or "", r.get("gaps_max_us"), r.get("longest_ns"), r.get("wait_ns"), len(found.cores),
                     r.get("asked_s"), bool(r.get("complete")))
    return None


class _Figures:
    """The figures of a report's rows, taken while it is read."""

    def __init__(self, is_chosen):
        self.keys, self.numbers, self.failures, self._is_chosen = [], array.array("d"), [], is_chosen

    def take(self, row):
        if not self._is_chosen(row):
            return
        if row["status"] == "wrong":
            self.failures.append(f"{row['suite']}/{row['name']}")
        if sides.unfit(row):
            return
        unit, per_op = figure.unit(row), row["per_op"]
        value = per_op[unit]
        lo, hi = (value, value) if unit == "instructions" else figure.ends(per_op)
        if lo is None:
            lo = hi = math.nan
        self.keys.append((row["suite"], row["name"], row["core"], unit))
        self.numbers.extend((value, lo, hi, interval.drawn(row)))


def read(folder, name, is_chosen):
    """Returns the Report in a file, whatever is wrong with it. is_chosen(row): whether a row's figure is kept."""
    taken, path = _Figures(is_chosen), os.path.join(folder, name)
    if os.path.exists(path) and not os.path.isfile(path):
        return Report(name, ["it is not a regular file"])  # reading a pipe may never end
    try:
        report = saved.read(path, FIELDS, taken.take)
    except saved.Unreadable as e:
        return Report(name, [str(e).partition(": ")[2] or str(e)])
    damage = list(report.damage)
    if report.reports > 1:
        damage.append(f"it holds {report.reports} reports: keep one in a file")
    if not damage and not report.one("run"):
        damage.append("the record `run` is missing")
    if damage:
        return Report(name, damage[:SOME] + ([f"and {len(damage) - SOME} more"] if len(damage) > SOME else []))
    run = report.one("run")
    kind = kind_of(run)
    return Report(name, [], report.verdict or "", taken.failures, kind, alike_of(kind), facts_of(run), _quiet(report),
                  tuple(taken.keys), taken.numbers)
