"""Outliers: machines whose figure of a row differs from those of their peers, which are machines of the same kind; and changes
of a machine's own figures. docs/fleet.md, section Peers, has both rules."""
import collections
import math
import statistics

from judge import estimate, series, significance
from read import figure

RISK = 0.01  # of a false alarm: by noise, over all comparisons of a page; by states of rows, in a group
LEAST = 0.02  # smallest distance of an outlier, as a share of the middle
LEAST_PEERS = 8
COMMON = 0.1  # a state that a greater share of the reports has does not belong to a single machine
NORMAL_MAD = 1.4826  # of a normal distribution: its standard deviation over the median distance from its median
EFFICIENCY = 0.37  # of that median, compared with a standard deviation

OUTLIER, AGAIN = "outlier", "measure again"


class Band:
    """The band of the figures of machines in working order. values: the newest figure of each machine; risk: that one of
    them is outside by chance."""

    def __init__(self, values, risk):
        self.middle = statistics.median(values)
        self.spread = NORMAL_MAD * statistics.median(abs(v - self.middle) for v in values)
        self._reach = significance.quantile(EFFICIENCY * (len(values) - 1), 1 - risk) * self.spread
        self._least = LEAST * max(abs(self.middle), figure.NEAR_ZERO)

    def side(self, value, lo, hi):
        """Returns 1 if a figure is far above the middle, -1 if it is far below, else 0."""
        if lo - self.middle > self._reach and value - self.middle >= self._least:
            return 1
        if self.middle - hi > self._reach and self.middle - value >= self._least:
            return -1
        return 0


class Found(collections.namedtuple("Found", "machine row figure middle reports verdict")):
    """A machine whose newest figure of a row, (value, lo, hi), is far from the middle of its peers. reports: how many
    of its newest reports are; verdict: OUTLIER or AGAIN."""

    @property
    def share(self):
        """Returns the distance as a share of the middle; None if the middle is about zero."""
        return self.figure[0] / self.middle - 1 if self.middle >= figure.NEAR_ZERO else None


class _Row:
    """A row over the machines of a group. sides: of each machine's figures, for a row of which any is far."""

    def __init__(self, series, risk):
        self.series = series
        self.band = Band([figures[-1][0] for figures in series.values()], risk)
        self.sides = {m: [self.band.side(*f) for f in figures] for m, figures in series.items()}
        self.far = {side: sum(s.count(side) for s in self.sides.values()) for side in (1, -1)}
        self.reports = sum(map(len, self.sides.values()))

    def chance(self, machine):
        """Returns (the share of the others' reports that are far on the machine's side, of how many of its newest
        reports it is true)."""
        own = self.sides[machine]
        others = self.far[own[-1]] - own.count(own[-1])
        newest = next((n for n, side in enumerate(reversed(own)) if side != own[-1]), len(own))
        return (others + 1) / (self.reports - len(own) + 1), newest


def judged(rows, risk):
    """Returns ({row: its Band}, [Found]) of a group. rows: {row: {machine: its figures, (value, lo, hi), oldest
    first}}; risk: of one comparison by noise."""
    found, bands, far = [], {}, []
    for row, series in rows.items():
        if len(series) >= LEAST_PEERS:
            one = _Row(series, risk)
            bands[row] = one.band
            if any(one.far.values()):
                far.append((row, one))
    for row, one in far:
        for machine, sides in one.sides.items():
            if not sides[-1]:
                continue
            p, reports = one.chance(machine)
            if p > COMMON and one.far[sides[-1]] > sides.count(sides[-1]):
                continue
            certain = len(one.sides) * p ** reports <= RISK / len(far)
            found.append(Found(machine, row, tuple(one.series[machine][-1]), one.band.middle, reports,
                               OUTLIER if certain else AGAIN))
    return bands, found


# --- the history of a machine ---------------------------------------------------------------------

LEAST_REPORTS = 4
BACK = 0.25  # other machines move between two levels in both directions: the share of these moves against the change


class Change(collections.namedtuple("Change", "machine row at old new places values what")):
    """A row's level from report `at` on, a position in the machine's reports. values: all figures, with the reports
    that they are of; what: which facts of the machine changed at the same time."""

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


def by_row(reports):
    """Returns {row: [(place, value, lo, hi, placements)]} of these reports, as from alike()."""
    found = collections.defaultdict(list)
    for at, report in reports:
        for key, *figures in report.figures():
            found[key].append((at, *figures))
    return found


def changes(machine, reports, machines):
    """Returns [Change] of a machine's reports, oldest first. machines: how many there are, for the risk."""
    comparable = alike(reports)
    if len(comparable) < LEAST_REPORTS:
        return []
    found, rows = [], by_row(comparable)
    risk = RISK / machines / len(rows) if rows else 0
    for row, figures in rows.items():
        figures = [f for f in figures if not math.isnan(f[2])]
        if len(figures) < LEAST_REPORTS:
            continue
        places, values = tuple(f[0] for f in figures), tuple(f[1] for f in figures)
        least, most = min(values), max(values)
        if most == least or most - least < LEAST * min(abs(least), abs(most)):
            continue  # the range is too small for any change, which is cheaper than to look for one
        if row[3] == "instructions":
            levels = series.exact([estimate.Estimate(v, [(0.0, math.inf)]) for v in values])
        else:
            levels = series.found([_estimate(*f[1:]) for f in figures], risk / series.divisions(len(values)),
                                         LEAST)
        for c in levels:
            if c.new.size > 1:
                at, before = places[c.at], reports[places[c.at - 1]].facts
                what = [f"{name} {before.get(name)} to {now}" for name, now in reports[at].facts.items() if before.get(name) != now]
                found.append(Change(machine, row, at, c.old.value, c.new.value, places, values, "; ".join(what)))
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
