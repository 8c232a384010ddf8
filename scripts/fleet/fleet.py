"""Reads the reports of a fleet in several processes, and judges machines by their peers and by their own history."""
import collections
import dataclasses
import functools
import math
import multiprocessing
import os

from fleet import brief, folder, history, peers

CHUNK = 8  # machines that a process reads before it returns them: few, so that memory is bounded


@dataclasses.dataclass
class Machine:
    """reports: brief.Report of each, oldest first; changes: [history.Change]."""
    name: str
    reports: list
    changes: list

    @functools.cached_property
    def newest(self):
        """The newest intact report, or None."""
        return next((r for r in reversed(self.reports) if not r.damage), None)

    @property
    def certificate(self):
        """The newest report of suite `quiet`, or None."""
        return next((r for r in reversed(self.reports) if r.quiet), None)

    def of_kind(self):
        """Returns the intact reports of the kind that the newest one has."""
        return [r for r in self.reports if not r.damage and r.kind == self.newest.kind]


@dataclasses.dataclass
class Group:
    """Machines of one kind. bands: {row: peers.Band}, empty if there are too few machines."""
    kind: tuple
    machines: list
    bands: dict = dataclasses.field(default_factory=dict)
    found: list = dataclasses.field(default_factory=list)

    def named(self, name):
        return dict(self.kind).get(name)


_job = {}  # of a process that reads: the folder, the function that chooses rows, the number of machines


def _begin(path, is_chosen, machines):
    _job.update(path=path, is_chosen=is_chosen, machines=machines)


def _machine(item):
    """Reads the reports of a machine, and finds the changes in them."""
    name, names = item
    reports = [brief.read(_job["path"], n, _job["is_chosen"]) for n in names]
    return Machine(name, reports, history.changes(name, reports, _job["machines"]))


def _machines(path, is_chosen, processes):
    """Returns [Machine] of a folder. Equal kinds and equal lists of rows are kept once."""
    files, same, found = folder.reports(path), {}, []
    # Forked processes inherit is_chosen, which cannot be sent to one.
    with multiprocessing.get_context("fork").Pool(processes, _begin, (path, is_chosen, len(files))) as pool:
        for machine in pool.imap(_machine, files.items(), CHUNK):
            for r in machine.reports:
                r.kind, r.alike, r.keys = (same.setdefault(x, x) for x in (r.kind, r.alike, r.keys))
            found.append(machine)
    return found


def _rows(machines):
    """Returns {row: {machine: its figures with an interval, oldest first}} of machines of one kind."""
    found = collections.defaultdict(dict)
    for machine in machines:
        for report in machine.of_kind():
            for row, value, lo, hi, _ in report.figures():
                if not math.isnan(lo):
                    found[row].setdefault(machine.name, []).append((value, lo, hi))
    return found


def _moves(machines):
    """Returns {alike: {row: history.Moves}} of the rows that changed on any machine."""
    asked = {(m.newest.alike, c.row) for m in machines for c in m.changes}
    figures = collections.defaultdict(dict)
    for m in machines:
        of_rows = history.series(history.alike(m.reports)) if any(a == m.newest.alike for a, _ in asked) else {}
        for row, found in of_rows.items():
            if (m.newest.alike, row) in asked:
                figures[m.newest.alike, row][m.name] = [f[1] for f in found]
    return {key: history.Moves(found) for key, found in figures.items()}


class Fleet:
    """machines: of which at least one report is intact; groups: the largest first; found: [peers.Found], the surest
    and largest first; changes: [history.Change]; damaged: [brief.Report]."""

    def __init__(self, machines):
        self.reports = sum(len(m.reports) for m in machines)
        self.damaged = [r for m in machines for r in m.reports if r.damage]
        self.every = machines
        self.machines = [m for m in machines if m.newest]
        by_kind = collections.defaultdict(list)
        for m in self.machines:
            by_kind[m.newest.kind].append(m)
        self.groups = sorted((Group(kind, found) for kind, found in by_kind.items()), key=lambda g: -len(g.machines))
        self._judge_peers()
        moves = _moves(self.machines)
        for m in self.machines:
            m.changes = [c for c in m.changes if not moves[m.newest.alike, c.row].both_ways(c)]
        self.changes = [c for m in self.machines for c in m.changes]

    def _judge_peers(self):
        large = [g for g in self.groups if len(g.machines) >= peers.LEAST_PEERS]
        comparisons = sum(len(m.newest.keys) for g in large for m in g.machines)
        for g in large:
            g.bands, g.found = peers.judged(_rows(g.machines), peers.RISK / max(1, comparisons))
        self.found = sorted((f for g in self.groups for f in g.found),
                            key=lambda f: (f.verdict != peers.OUTLIER, -abs(f.share or 0)))

    @property
    def failed(self):
        """The machines whose newest report did not pass."""
        return [m for m in self.machines if m.newest.verdict != "pass"]

    @property
    def wrong(self):
        """Returns whether any machine failed or is an outlier."""
        return bool(self.failed) or any(f.verdict == peers.OUTLIER for f in self.found)


def read(path, is_chosen):
    """Returns the Fleet of a folder. is_chosen(row): whether a row is judged. Raises saved.Unreadable."""
    return Fleet(_machines(path, is_chosen, len(os.sched_getaffinity(0))))
