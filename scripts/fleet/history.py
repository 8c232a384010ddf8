"""The history of a machine: where the level of a row's figure changed.

judge/change_points.py finds the levels, by the intervals of the figures and by what the reports of a level differ by
beyond them. A level has at least two reports, also the newest one. Over all rows of all machines the risk that noise
shows a change is peers.RISK (Bonferroni), and a change is at least peers.LEAST of the figure.

A row may have states between which it moves from start to start. A change is not reported if other machines of the
kind move between the two levels in both directions: the moves against the direction of the change are at least
BACK of those along it.
"""
import collections
import dataclasses
import math

from fleet import peers
from judge import change_points, estimate, significance

LEAST_REPORTS = 4
BACK = 0.25


@dataclasses.dataclass(frozen=True)
class Change:
    """A row's level from report `at` on, a position in the machine's reports. values: all figures, with the reports
    that they are of; what: which facts of the machine changed at the same time."""
    machine: str
    row: tuple
    at: int
    old: float
    new: float
    places: tuple
    values: tuple
    what: str

    @property
    def up(self):
        return self.new > self.old

    @property
    def share(self):
        """Returns the change as a share of the old level; None if that is about zero."""
        return self.new / self.old - 1 if self.old > 0 else None


def _estimate(value, lo, hi, placements):
    """Returns the figure with its error: the half-width of the interval has the errors of two starts."""
    df = max(1, int(placements) - 1)
    half = max(hi - value, value - lo) / significance.quantile(df)
    return estimate.Estimate(value, [(half * half / 2, df)])


def alike(reports):
    """Returns [(place, Report)] of the intact reports that can be compared with the newest one."""
    whole = [(at, r) for at, r in enumerate(reports) if not r.damage]
    return [(at, r) for at, r in whole if r.alike == whole[-1][1].alike]


def series(reports):
    """Returns {row: [(place, value, lo, hi, placements)]} of these reports, as from alike()."""
    found = collections.defaultdict(list)
    for at, report in reports:
        for key, *figures in report.figures():
            found[key].append((at, *figures))
    return found


def _may_change(values):
    """Tests whether their range is large enough for any change, which is cheaper than to look for one."""
    least, most = min(values), max(values)
    return most - least >= peers.LEAST * min(abs(least), abs(most)) and most > least


def _what(before, after):
    """Returns the facts in which two reports differ, in words."""
    return "; ".join(f"{name} {before.facts.get(name)} to {now}" for name, now in after.facts.items()
                     if before.facts.get(name) != now)


def changes(machine, reports, machines):
    """Returns [Change] of a machine's reports, oldest first. machines: how many there are, for the risk."""
    comparable = alike(reports)
    if len(comparable) < LEAST_REPORTS:
        return []
    found, rows = [], series(comparable)
    risk = peers.RISK / machines / len(rows) if rows else 0
    for row, figures in rows.items():
        figures = [f for f in figures if not math.isnan(f[2])]
        if len(figures) < LEAST_REPORTS or not _may_change([f[1] for f in figures]):
            continue
        places, values = tuple(f[0] for f in figures), tuple(f[1] for f in figures)
        if row[3] == "instructions":
            levels = change_points.exact([estimate.Estimate(v, [(0.0, math.inf)]) for v in values])
        else:
            levels = change_points.found([_estimate(*f[1:]) for f in figures], risk / change_points.divisions(len(values)),
                                         peers.LEAST)
        for c in levels:
            if c.new.size > 1:
                at = places[c.at]
                what = _what(reports[places[c.at - 1]], reports[at])
                found.append(Change(machine, row, at, c.old.value, c.new.value, places, values, what))
    return found


class Moves:
    """The changes of a row's figures from report to report. machines: {machine: its figures, oldest first}."""

    def __init__(self, machines):
        self._machines, self._known = machines, []

    def both_ways(self, change):
        """Tests whether other machines move between the levels of a change in both directions."""
        low, high = sorted((change.old, change.new))
        every, by_machine = self._over((low + high) / 2, (high - low) / 4)
        own = by_machine.get(change.machine, (0, 0))
        ups, downs = every[0] - own[0], every[1] - own[1]
        along, back = (ups, downs) if change.up else (downs, ups)
        return back > 0 and back >= BACK * along

    def _over(self, middle, near):
        """Returns ((moves up, moves down) over the middle, the same of each machine that has any). Many machines may
        change alike, so what was counted for a middle as near as this is used again."""
        for known, counts in self._known:
            if abs(known - middle) < near:
                return counts
        by_machine = {}
        for machine, values in self._machines.items():
            pairs = list(zip(values, values[1:]))
            ups, downs = sum(a < middle <= b for a, b in pairs), sum(b < middle <= a for a, b in pairs)
            if ups + downs:
                by_machine[machine] = ups, downs
        every = tuple(sum(one[way] for one in by_machine.values()) for way in (0, 1))
        self._known.append((middle, (every, by_machine)))
        return every, by_machine
