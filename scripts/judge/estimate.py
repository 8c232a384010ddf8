"""A row's figure over one or several launches, with its error, and comparisons of two figures.

cycles_lo and cycles_hi of a row, or ticks_lo and ticks_hi, contain the figure of another boot (docs/figure.md, "The figure"), so their half-
width has the errors of two boots: w^2 = 2 (t s)^2. Reports whose figure is a mean have another part, which their field
`interval.kappa` states: w^2 = 2 (t s)^2 + 2 (z kappa theta)^2, where s has the degrees of freedom of the rounds or
of the placements, whichever is wider.
"""
import math
import statistics

from judge import significance
from read import figure
from read import interval as intervals

CONFIDENCE = 0.99
Z = significance.quantile(math.inf, CONFIDENCE)


class Estimate:
    """value; parts: [(variance, degrees of freedom)], whose sum is its variance; lo, hi: the interval for the figure of
    another such set of launches, or None; percent: its level, or None; launches: their number."""

    def __init__(self, value, parts, launches=1, lo=None, hi=None, percent=None):
        self.value, self.parts, self.launches, self.lo, self.hi = value, parts, launches, lo, hi
        self.percent = percent

    @property
    def variance(self):
        return sum(v for v, _ in self.parts)

    def df(self):
        return satterthwaite(self.parts)

    def half(self):
        """Returns the half-width of the 99% interval for another such set of launches, from the parts."""
        return math.sqrt(2 * self.variance) * significance.quantile(self.df(), CONFIDENCE)


def satterthwaite(parts):
    """Returns the degrees of freedom of a sum of variances."""
    total, below = sum(v for v, _ in parts), sum(v * v / df for v, df in parts if v > 0)
    return total * total / below if below > 0 else math.inf


def _degrees(interval, placements, width):
    """Returns the degrees of freedom of s: of the rounds' means or of the placements, whichever made the interval."""
    if interval.get("by") in ("ranks", "placements"):
        return max(1, placements - 1)
    rounds = [c for c in interval.get("rounds_cycles", []) if c is not None]
    k, found = len(rounds), (0.0, math.inf)
    if "rounds_sd" in interval and k > 1:
        found = max(found, (width(k - 1, interval["rounds_sd"] ** 2 / k), k - 1))
    if "sd" in interval and placements > 1:
        found = max(found, (width(placements - 1, interval["sd"] ** 2 / placements), placements - 1))
    return found[1]


def of_row(row, unit):
    """Returns the estimate from one launch's row. Without an interval it has no parts. An interval by order statistics
    assumes no distribution. To compare it with one that does, it is treated as one of a normal distribution with one
    degree of freedom less than there are placements."""
    per_op, interval = row["per_op"], row.get("interval", {})
    value = per_op[unit]
    if unit == "instructions":
        return Estimate(value, [(0.0, math.inf)], lo=value, hi=value)
    lo, hi = figure.ends(per_op)
    if unit not in ("cycles", "ticks") or lo is None:
        return Estimate(value, [])
    w = max(hi - value, value - lo)
    boots = min(2 * (Z * interval.get("kappa", 0) * value) ** 2, w * w)
    df = _degrees(interval, intervals.drawn(row), lambda df, v: significance.quantile(df) * math.sqrt(v))
    own = (w * w - boots) / 2 / significance.quantile(df) ** 2
    return Estimate(value, [(own, df), (boots / 2 / Z ** 2, math.inf)], lo=lo, hi=hi,
                    percent=intervals.percent(row))


def by_chance(df):
    """Returns the 95% upper bound of a variance with df degrees of freedom whose estimate is 1: chi squared over df, by
    Wilson and Hilferty. Without this bound two launches would often have a smaller error than one, because in a
    third of the cases they differ by less than their errors."""
    return (1 - 2 / (9 * df) + 1.645 * math.sqrt(2 / (9 * df))) ** 3


def pooled(estimates):
    """Returns the mean of several launches. If they differ by more than their own errors, the rest is a variance
    between launches (DerSimonian and Laird), with one degree of freedom less than there are launches."""
    n = len(estimates)
    if n == 1:
        return estimates[0]
    mean = statistics.fmean(e.value for e in estimates)
    seen = statistics.variance([e.value for e in estimates])
    if all(e.parts for e in estimates):
        # Launches are independent, so the errors of their errors are too.
        parts = [(v / n / n, df) for e in estimates for v, df in e.parts]
        own = statistics.fmean(e.variance for e in estimates)
    else:
        parts, own = [], 0.0
    if seen > own * by_chance(n - 1) or not parts:
        parts.append((max(0.0, seen - own) / n, n - 1))
    found = Estimate(mean, parts, n, percent=round(100 * CONFIDENCE))
    found.lo, found.hi = mean - found.half(), mean + found.half()
    return found


class Difference:
    """Compares two estimates: ratio (new / old) with lo and hi, 99%, each None if it is not known; p: the probability
    of so large a difference if the true figures are equal."""

    def __init__(self, old, new):
        self.old, self.new = old, new
        self.df = satterthwaite(old.parts + new.parts)
        self.p = self._p()
        self.ratio = self.lo = self.hi = None
        if old.value > 0:
            self._fieller()

    def _p(self):
        apart, variance = self.new.value - self.old.value, self.old.variance + self.new.variance
        if variance == 0:
            return float(apart == 0)
        return significance.two_sided(apart / math.sqrt(variance), self.df)

    def _fieller(self):
        """Fieller's interval: all ratios r at which new - r old is within its error of 0."""
        old, new, t2 = self.old, self.new, significance.quantile(self.df, CONFIDENCE) ** 2
        a = old.value ** 2 - t2 * old.variance
        if a <= 0:
            return  # the old figure is within its error of 0, so the ratio can have any value
        b, c = old.value * new.value, new.value ** 2 - t2 * new.variance
        root = math.sqrt(max(0.0, b * b - a * c))
        self.ratio, self.lo, self.hi = new.value / old.value, (b - root) / a, (b + root) / a

    def half(self):
        """Returns the half-width of the 99% interval of new - old."""
        variance = self.old.variance + self.new.variance
        return significance.quantile(self.df, CONFIDENCE) * math.sqrt(variance) if variance else 0.0

    def p_above(self, limit):
        """Returns the probability of this if new is at most 1 + limit times old."""
        return self._p_over((1 + limit) * self.old.value, (1 + limit) ** 2 * self.old.variance)

    def p_beyond(self, amount):
        """Returns the probability of this if new is at most old + amount."""
        return self._p_over(self.old.value + amount, self.old.variance)

    def _p_over(self, bound, variance):
        apart, variance = self.new.value - bound, self.new.variance + variance
        if variance == 0:
            return float(apart <= 0)
        return significance.upper(apart / math.sqrt(variance), self.df)
