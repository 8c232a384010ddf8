"""Reads the reports of a fleet in several processes, and judges machines by their peers and by their own history."""
import array
import collections
import csv
import dataclasses
import io
import math
import multiprocessing
import os

from judge import fleet_peers, sides
from read import figure, interval, kept, quiet, run_folder, saved, table

FIELDS = kept.Fields(f"{figure.FIELDS} {interval.FIELDS} why exclusive throttled doubt judged")
SOME = 3  # findings of damage that are kept
NOT_OF_KIND = ("firmware",)  # machines of a kind may have different versions of the firmware
MODULES = ("count", "bytes", "type", "mega_transfers_per_s")
WIDTH = 4  # numbers that are kept of a figure: value, lo, hi, values that the interval is made from
CHUNK = 8  # machines that a process reads before it returns them: few, so that memory is bounded


# --- the part of a report that is kept: some kB, independent of the report's size -------------------

# The result of suite `quiet`; times in ns, None if they are not known.
Quiet = collections.namedtuple("Quiet", "result limit_us longest wait cores asked_s")


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


def kind_of(run):
    """Returns ((name, value), ...): CPU, microcode, board, and everything else that changes what is measured."""
    smbios = run.get("smbios", {})
    board = sides.words(*(smbios.get(k) for k in ("system_vendor", "system_product", "board_vendor", "board_product")))
    return (*((what, value) for (kind, what), value in sides.machine(run).items() if kind not in NOT_OF_KIND),
            ("board", board or run.get("board")), ("platform", run.get("platform")), ("build", run.get("build")))


def facts_of(run):
    smbios, memory = run.get("smbios", {}), run.get("memory", {})
    return {"BIOS": sides.words(smbios.get("bios_version"), smbios.get("bios_date")),
            "microcode": run.get("cpu", {}).get("microcode"), "build": run.get("build"),
            "cores": run.get("cores", {}).get("up", run.get("topology", {}).get("logical_cpus")),
            "memory": ", ".join(sides.words(*(m.get(k) for k in MODULES)) for m in memory.get("modules", [])) or memory.get("bytes")}


def read_one(folder, name, is_chosen):
    """Returns the Report in a file, whatever is wrong with it. is_chosen(row): whether a row's figure is kept."""
    keys, numbers, failures, path = [], array.array("d"), [], os.path.join(folder, name)

    def take(row):
        if not is_chosen(row):
            return
        if row["status"] == "wrong":
            failures.append(f"{row['suite']}/{row['name']}")
        if sides.unfit(row):
            return
        unit, per_op = figure.unit(row), row["per_op"]
        value = per_op[unit]
        lo, hi = (value, value) if unit == "instructions" else figure.ends(per_op)
        keys.append((row["suite"], row["name"], row["core"], unit))
        numbers.extend((value, *((math.nan, math.nan) if lo is None else (lo, hi)), interval.drawn(row)))

    if os.path.exists(path) and not os.path.isfile(path):
        return Report(name, ["it is not a regular file"])  # reading a pipe may never end
    try:
        report = saved.read(path, FIELDS, take)
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
    # What a machine cannot change without becoming another one, and the options.
    alike = tuple((key, value) for key, value in kind if key not in ("microcode", "board", "build"))
    quiets = [Quiet(q.result or "", *(q.record.get(key) for key in ("gaps_max_us", "longest_ns", "wait_ns")), len(q.cores),
                    q.record.get("asked_s")) for q in quiet.quiets(report)]
    return Report(name, [], report.verdict or "", failures, kind, alike, facts_of(run), quiets[0] if quiets else None, tuple(keys),
                  numbers)


# --- machines and their groups --------------------------------------------------------------------

class Machine:
    """reports: Report of each, oldest first; changes: [fleet_peers.Change]; newest: the newest intact report, or None;
    certificate: the newest report of suite `quiet`, or None."""

    def __init__(self, name, reports, changes):
        self.name, self.reports, self.changes = name, reports, changes
        self.newest = next((r for r in reversed(reports) if not r.damage), None)
        self.certificate = next((r for r in reversed(reports) if r.quiet), None)


# Machines of one kind. bands: {row: fleet_peers.Band}, empty if there are too few machines; found: [fleet_peers.Found].
Group = collections.namedtuple("Group", "kind machines bands found")


_job = {}  # of a process that reads: the folder, the function that chooses rows, the number of machines


def _machine(item):
    """Reads the reports of a machine, and finds the changes in them."""
    name, names = item
    reports = [read_one(_job["path"], n, _job["is_chosen"]) for n in names]
    return Machine(name, reports, fleet_peers.changes(name, reports, _job["machines"]))


def _machines(path, is_chosen, processes):
    """Returns [Machine] of a folder. Equal kinds and equal lists of rows are kept once."""
    files, same, found = run_folder.reports(path), {}, []
    # Forked processes inherit is_chosen, which cannot be sent to one.
    job = {"path": path, "is_chosen": is_chosen, "machines": len(files)}
    with multiprocessing.get_context("fork").Pool(processes, _job.update, (job,)) as pool:
        for machine in pool.imap(_machine, files.items(), CHUNK):
            for r in machine.reports:
                r.kind, r.alike, r.keys = (same.setdefault(x, x) for x in (r.kind, r.alike, r.keys))
            found.append(machine)
    return found


def _rows(machines):
    """Returns {row: {machine: its figures with an interval, oldest first}} of machines of one kind."""
    found = collections.defaultdict(dict)
    for machine in machines:
        for report in machine.reports:
            for row, value, lo, hi, _ in report.figures() if report.kind == machine.newest.kind else ():
                if not math.isnan(lo):
                    found[row].setdefault(machine.name, []).append((value, lo, hi))
    return found


def _moves(machines):
    """Returns {alike: {row: fleet_peers.Moves}} of the rows that changed on any machine."""
    asked = {(m.newest.alike, c.row) for m in machines for c in m.changes}
    figures = collections.defaultdict(dict)
    for m in machines:
        of_rows = fleet_peers.by_row(fleet_peers.alike(m.reports)) if any(a == m.newest.alike for a, _ in asked) else {}
        for row, found in of_rows.items():
            if (m.newest.alike, row) in asked:
                figures[m.newest.alike, row][m.name] = [f[1] for f in found]
    return {key: fleet_peers.Moves(found) for key, found in figures.items()}


class Fleet:
    """machines: of which at least one report is intact; groups: the largest first; found: [fleet_peers.Found], the surest
    and largest first; changes: [fleet_peers.Change]; damaged: [Report]; failed: machines whose newest report did not pass;
    wrong: whether any machine failed or is an outlier."""

    def __init__(self, machines):
        self.reports = sum(len(m.reports) for m in machines)
        self.damaged = [r for m in machines for r in m.reports if r.damage]
        self.every = machines
        self.machines = [m for m in machines if m.newest]
        by_kind = table.grouped(self.machines, lambda m: m.newest.kind)
        kinds = sorted(by_kind.items(), key=lambda item: -len(item[1]))
        large = [kind for kind, found in kinds if len(found) >= fleet_peers.LEAST_PEERS]
        risk = fleet_peers.RISK / max(1, sum(len(m.newest.keys) for kind in large for m in by_kind[kind]))
        self.groups = [Group(kind, found, *(fleet_peers.judged(_rows(found), risk) if kind in large else ({}, [])))
                       for kind, found in kinds]
        self.found = sorted((f for g in self.groups for f in g.found),
                            key=lambda f: (f.verdict != fleet_peers.OUTLIER, -abs(f.share or 0)))
        self.failed = [m for m in self.machines if m.newest.verdict != "pass"]
        self.wrong = bool(self.failed) or any(f.verdict == fleet_peers.OUTLIER for f in self.found)
        moves = _moves(self.machines)
        for m in self.machines:
            m.changes = [c for c in m.changes if not moves[m.newest.alike, c.row].both_ways(c)]
        self.changes = [c for m in self.machines for c in m.changes]


def read(path, is_chosen):
    """Returns the Fleet of a folder. is_chosen(row): whether a row is judged. Raises saved.Unreadable."""
    return Fleet(_machines(path, is_chosen, len(os.sched_getaffinity(0))))


# --- for other programs ---------------------------------------------------------------------------

COLUMNS = ("machine", "report", "kind", "verdict", "suite", "name", "core", "unit", "value", "lo", "hi", "peers_middle", "peers_spread",
           "judged", "change")


def _number(value):
    return "" if value is None or math.isnan(value) else format(value, ".10g")


def _of_report(report):
    """Yields (row, value, lo, hi) of a report, and its gaps."""
    for row, value, lo, hi, _ in report.figures():
        yield row, value, lo, hi
    for name in ("longest", "wait") if report.quiet else ():
        value = getattr(report.quiet, name)
        if value is not None:
            yield ("quiet", f"{name}_gap" if name == "longest" else name, "", "ns"), value, math.nan, math.nan


def csv_lines(fleet):
    """Yields the cells of each line, by COLUMNS. `judged` is on the csv_lines of a machine's newest report, `change` on the
    line at which a new level begins."""
    far = {(f.machine, f.row): f.verdict for f in fleet.found}
    for number, group in enumerate(fleet.groups, 1):
        for machine in group.machines:
            starts = {(c.row, c.at): c for c in machine.changes}
            for at, report in enumerate(machine.reports):
                if report.damage:
                    continue
                for row, value, lo, hi in _of_report(report):
                    band = group.bands.get(row) if report is machine.newest else None
                    change = starts.get((row, at))
                    yield (machine.name, report.name, number if report.kind == group.kind else "", report.verdict, *row, _number(value),
                           _number(lo), _number(hi), _number(band.middle) if band else "", _number(band.spread) if band else "",
                           far.get((machine.name, row), "like its peers") if band else "", _number(change.share) if change else "")


def write_csv(fleet, file):
    """Writes the csv_lines to a file that is open for bytes."""
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(csv_lines(fleet))
    text.detach()
