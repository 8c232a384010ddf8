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


# --- differences of rows --------------------------------------------------------------------------

# Compares a row of an old report with the same row of a new one: by the placements' figures if both sides have enough
# of them, else by the figures and their intervals.
#
# Placements differ by the addresses of code, stack and data, which no normal distribution describes, so they are compared
# by ranks (significance.py). Launches of one side are pooled if they have the same distribution. If they do not (for example
# because of the physical pages of `sum/cold`), each launch counts once, by its figure: its placements share the state of
# that launch, and as independent values they would make the interval too narrow.

ONE_SOURCE = 0.05  # launches of a side that differ with a smaller probability than this are not pooled


class ByPlacements:
    """old, new: figures of the placements of all launches, one list per round. shift, with lo and hi, is in the
    figure's unit; ratio with lo and hi is None if the old figure is near zero; p: the probability of such a
    difference if nothing changed. If rounds differ, the intervals are longer, and p is larger. all_differ: the
    rounds of all rows seem to."""

    def __init__(self, old, new, near_zero, all_differ=True):
        self.old, self.new = sum(old, []), sum(new, [])
        self._longer = _rounds(old, new).longer(all_differ)
        self.by = "rounds" if self._longer > 1 else "placements"
        found = significance.Shift(self.old, self.new, CONFIDENCE, self._longer)
        self.shift, self.shift_lo, self.shift_hi, self.p = found.value, found.lo, found.hi, found.p
        self.ratio = self.ratio_lo = self.ratio_hi = None
        if not near_zero and min(self.old) > 0:
            self.ratio, self.ratio_lo, self.ratio_hi = significance.factor(self.old, self.new, CONFIDENCE, self._longer)
        self.relative = self.ratio is not None

    def p_above(self, limit):
        """Returns the probability of this difference if no operation takes longer than before by more than this share."""
        moved = [v * (1 + limit) if self.relative else v + limit * figure.NEAR_ZERO for v in self.old]
        return significance.Shift(moved, self.new, CONFIDENCE, self._longer).p_above


def _rounds(old, new):
    rounds = significance.Rounds()
    for side in (old, new):
        rounds.add(side)
    return rounds


class ByFigures:
    """The same for two Estimates, by their intervals. There is no ratio either if the old figure is within its error of 0."""

    def __init__(self, old, new, by, near_zero):
        self._old, self._new, self.by = old, new, by
        self._df, variance = satterthwaite(old.parts + new.parts), old.variance + new.variance
        self.shift, error = new.value - old.value, math.sqrt(variance)
        self.p = significance.two_sided(self.shift / error, self._df) if variance else float(self.shift == 0)
        half = significance.quantile(self._df, CONFIDENCE) * error if variance else 0.0
        self.shift_lo, self.shift_hi = self.shift - half, self.shift + half
        self.ratio = self.ratio_lo = self.ratio_hi = None
        if not near_zero and old.value > 0:
            self._fieller()
        self.relative = self.ratio is not None

    def _fieller(self):
        """Fieller's interval: all ratios r at which new - r old is within its error of 0."""
        old, new, t2 = self._old, self._new, significance.quantile(self._df, CONFIDENCE) ** 2
        a = old.value ** 2 - t2 * old.variance
        if a <= 0:
            return  # the ratio can have any value
        b, c = old.value * new.value, new.value ** 2 - t2 * new.variance
        root = math.sqrt(max(0.0, b * b - a * c))
        self.ratio, self.ratio_lo, self.ratio_hi = new.value / old.value, (b - root) / a, (b + root) / a

    def p_above(self, limit):
        times, more = (1 + limit, 0) if self.relative else (1, limit * figure.NEAR_ZERO)
        apart, variance = self._new.value - times * self._old.value - more, self._new.variance + times ** 2 * self._old.variance
        return significance.upper(apart / math.sqrt(variance), self._df) if variance else float(apart <= 0)


def in_rounds(row):
    """Returns the placements as one list per round. If there are fewer placements than rounds, each is in several
    rounds; then all are in one list."""
    interval = row.get("interval", {})
    every, rounds = interval.get("placements_cycles", []), len(interval.get("rounds_cycles", [])) or 1
    if len(every) < rounds:
        return [figure.placements(row)]
    ends = [-(-r * len(every) // rounds) for r in range(rounds + 1)]  # of r / rounds of them, rounded up
    return [[c for c in every[a:b] if c is not None] for a, b in zip(ends, ends[1:])]


def _pooled(launches):
    """Returns (the rounds of these launches, ""), or (None, why they are not compared by their placements)."""
    found = list(map(figure.placements, launches))
    if not all(found):
        return None, ""
    if len(found) > 1 and significance.p_one_source(found) < ONE_SOURCE:
        return None, "launches differ by more than their placements explain"
    rounds = [in_rounds(row) for row in launches]
    if any(len(r) < 2 for r in rounds):
        return [sum(found, [])], ""
    return sum(rounds, []), ""


def of_rows(old, new, unit, a, b, all_differ=True):
    """Returns (the difference, a note on how it was computed, or ""). old, new: a row's records, one per launch; a, b:
    their pooled Estimates; all_differ: of ByPlacements. Returns (None, why) if no error is known."""
    if unit == "instructions":
        return ByFigures(a, b, "counts", figure.is_near_zero(a.value)), ""
    note, near_zero = "", figure.is_near_zero(a.value, a.lo, figure.middle(old, "loop_cycles") if unit == "cycles" else None)
    if unit == "cycles":
        (x, why_old), (y, why_new) = _pooled(old), _pooled(new)
        note = why_old or why_new
        if x and y:
            m, n = (sum(map(len, side)) for side in (x, y))
            if not significance.rank(m, n, CONFIDENCE)[0]:
                note = f"too few placements: {m} against {n}"
            elif _rounds(x, y).few:
                note = f"fewer than {significance.LEAST_ROUNDS} rounds"
            else:
                return ByPlacements(x, y, near_zero, all_differ), ""
    if not a.parts or not b.parts:
        return None, "no interval: give several launches of each side"
    if unit == "ticks" and 1 in (a.launches, b.launches):  # of several cores: docs/figure.md
        note = "launches may differ by more than one shows: give several of each side"
    return ByFigures(a, b, "figures", near_zero), note
