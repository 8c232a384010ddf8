"""Outliers: machines whose figure of a row differs from those of their peers, which are machines of the same kind.

The rule, for the rows of a group of n machines:

1. The band of a row is middle +- c x spread. The middle is the median of the machines' newest figures, the spread
   1.4826 times the median of the distances from it, so a third of the machines may differ and hardly move it. c is
   Student's t for the risk of one comparison. Its degrees of freedom are 0.37 (n - 1): a spread by the median has 37%
   of the efficiency of a standard deviation. Groups of fewer than LEAST_PEERS machines are not judged.
2. A figure is far if its whole interval is outside the band, and it differs from the middle by LEAST or more.
3. A machine whose newest figure is far is an outlier only if this is not a state of the row that other machines have too.
   p is the share of the reports of other machines that are far on the same side, (far + 1) / (reports + 1). The
   machine's last k reports are far on that side. If machines are alike and their reports independent, some machine has
   k such reports with a probability of at most n p^k. It must be at most RISK divided by the number of rows of which
   any report is far. Otherwise the machine is to be measured again: one report of a machine never makes it an outlier.
"""
import dataclasses
import statistics

from judge import significance
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


@dataclasses.dataclass(frozen=True)
class Found:
    """A machine whose newest figure of a row, (value, lo, hi), is far from the middle of its peers. reports: how many
    of its newest reports are; verdict: OUTLIER or AGAIN."""
    machine: str
    row: tuple
    figure: tuple
    middle: float
    reports: int
    verdict: str

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
