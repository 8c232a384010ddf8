"""Finds where the figures of a row change level over many runs.

Starting with each run as a level, the two neighbouring levels whose merging adds least to the sum of squares are merged
(Ward), until all neighbouring levels differ significantly and by enough. A level has at least two runs, because a
single run that differs is noise. Only the newest run may be a level alone, because the next runs are not known.

The figure of a level is the mean of its runs' figures. Its error has two parts: the intervals of the runs, and, if the
runs of one level differ by more than these explain, a variance between runs (as in estimate.pooled for launches).
"""
from judge import difference, estimate
from read import figure


class Level:
    """Runs begin to end - 1 of a row, as positions in its list of figures; value: their mean."""

    def __init__(self, figures, begin, end):
        self.begin, self.end, self.size = begin, end, end - begin
        self._own = figures[begin:end]
        self.value = sum(e.value for e in self._own) / self.size
        self.squares = sum((e.value - self.value) ** 2 for e in self._own)

    def estimate(self, between, df):
        """between: the variance between runs, with its degrees of freedom."""
        parts = [(v / self.size ** 2, own_df) for e in self._own for v, own_df in e.parts]
        return estimate.Estimate(self.value, parts + ([(between / self.size, df)] if between else []))


def between(figures, levels):
    """Returns (variance between the runs of a level beyond their own errors, degrees of freedom)."""
    df = len(figures) - len(levels)
    if df < 1:
        return 0.0, 1
    seen = sum(level.squares for level in levels) / df
    own = sum(e.variance for e in figures) / len(figures) if all(e.parts for e in figures) else 0.0
    return (max(0.0, seen - own), df) if seen > own * estimate.by_chance(df) else (0.0, df)


class Change:
    """A change from one level to the next. `at`: position of the first run of the next level; d: a
    difference.ByFigures."""

    def __init__(self, old, new, noise, loop):
        self.old, self.new, self.at = old, new, new.begin
        a, b = old.estimate(*noise), new.estimate(*noise)
        self.d = difference.ByFigures(a, b, "runs", figure.is_near_zero(a.value, a.value - a.half(), loop))

    def is_large(self, least):
        """Tests whether it is at least this share of the old figure, or of figure.NEAR_ZERO for a row that costs about
        nothing."""
        return abs(self.d.shift) >= least * (abs(self.old.value) if self.d.relative else figure.NEAR_ZERO)


def _cost(a, b):
    """Returns what merging two levels adds to the sum of squares."""
    return a.size * b.size / (a.size + b.size) * (a.value - b.value) ** 2


def _merge(figures, levels, at):
    """Merges level `at` and the one after it."""
    levels[at:at + 2] = [Level(figures, levels[at].begin, levels[at + 1].end)]


def _pairs(levels):
    return list(zip(levels, levels[1:]))


def found(figures, risk, least, loop=None):
    """Returns [Change], oldest first. figures: one estimate.Estimate per run; risk: of a false alarm; least: the
    smallest change, as a share of the level before it; loop: core cycles of an iteration of the loop that was
    subtracted."""
    levels = [Level(figures, at, at + 1) for at in range(len(figures))]
    while len(levels) > 1:
        pairs, last = _pairs(levels), levels[-1]
        short = [at for at, (a, b) in enumerate(pairs) if a.size == 1 or (b.size == 1 and b is not last)]
        if short:
            _merge(figures, levels, min(short, key=lambda at: _cost(*pairs[at])))
            continue
        noise = between(figures, levels)
        changes = [Change(a, b, noise, loop) for a, b in pairs]
        doubted = [at for at, c in enumerate(changes) if c.d.p > risk or not c.is_large(least)]
        if not doubted:
            return changes
        _merge(figures, levels, min(doubted, key=lambda at: _cost(*pairs[at])))
    return []


def exact(figures):
    """Returns the changes of counts. Counts have no error, so any difference is a change."""
    starts = [0, *(at for at in range(1, len(figures)) if figures[at].value != figures[at - 1].value), len(figures)]
    levels = [Level(figures, begin, end) for begin, end in zip(starts, starts[1:])]
    return [Change(a, b, (0.0, 1), None) for a, b in _pairs(levels)]


def divisions(runs):
    """Returns the divisor for the risk of a row: the greatest number of ways to choose the ends of two neighbouring
    levels. tests/hosted/reports/test_history.py simulates how often noise is reported as a change."""
    return runs * (runs - 1) // 2


def squares(changes):
    """Returns the figures of the levels on both sides of these changes."""
    return sum(level.squares for level in [*(c.old for c in changes), changes[-1].new])
