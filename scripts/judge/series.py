"""One row over many runs: its figures in order, their trend, and their changes of level."""
import functools
import itertools
import math
import statistics

from judge import compare, estimate, sides
from read import figure

LEAST_RUNS = 3  # fewest runs in which a change of a figure with an error can be found
LEAST = 0.01  # smallest change of a level that is reported, unless --least says otherwise
RISES, FALLS = "rises", "falls"


class Series:
    """A row over the runs. places: the runs that have a comparable figure; rows: their records, a list of launches
    each; missing: {place: why} of the others, and {place: why launches left} of those; counts: {key of compare.EXACT:
    {place: the count}}, of all runs that have it; failed: whether it failed in the newest run; broke: and not in one
    before."""

    def __init__(self, key, runs):
        self.key, self.places, self.rows, self.missing, self.left_out = key, [], [], {}, {}
        launches = [list(run.rows.get(key, ())) for run in runs]
        staying = [sides.staying(rows) for rows in launches]
        fit = [rows for rows, _ in staying if rows and not any(sides.unfit(row) for row in rows)]
        for place, (rows, left) in enumerate(staying):
            if why := self._why_not(rows, left, fit):
                self.missing[place] = why
                continue
            self.places.append(place)
            self.rows.append(rows)
            if left:
                self.left_out[place] = left
        self.counts = {key: {place: compare.counted(rows, of) for place, rows in enumerate(launches) if compare.counted(rows, of)}
                       for key, _, of, _ in compare.EXACT if key == "instructions"
                       or any(key in row.get("stepped", {}) for rows in launches for row in rows)}
        self.failed = compare.has_failed(launches[-1])
        self.broke = self.failed and any(rows and not compare.has_failed(rows) for rows in launches[:-1])
        self.unit = figure.unit(self.rows[-1][0]) if self.rows else None
        self.figures = [estimate.pooled([estimate.of_row(r, self.unit) for r in rows]) for rows in self.rows]

    @staticmethod
    def _why_not(rows, left, fit):
        """Returns why a run has no comparable figure, or None. Its launches must be like the newest comparable ones.
        left: why launches left."""
        if not rows:
            return left or "the run does not have it"
        for row in rows:
            if why := sides.unfit(row):
                return why
            if why := sides.unlike_rows(row, fit[-1][0]):
                return why
        return None

    def loop(self):
        """Returns core cycles of an iteration of the loop that was subtracted, or None."""
        return figure.middle([row for rows in self.rows for row in rows], "loop_cycles") if self.unit == "cycles" else None

    def number(self, key, place):
        """Returns an exact count of a run. None: it is not known, or its launches differ."""
        return compare.single(self.counts[key].get(place), next(near for name, _, _, near in compare.EXACT if name == key))


class Judged:
    """Results about a row's series. changes: Change of its figures; count_changes: {key of compare.EXACT: [(position of
    the run, before, after)]}; slope, trend_p: None if there are too few runs."""

    def __init__(self, series, risk, least):
        self.series, self.changes, self.drift = series, [], None
        self.slope = self.trend_p = None
        figures = series.figures
        if series.unit == "instructions":
            self.changes = exact(figures)
        elif len(figures) >= LEAST_RUNS:
            self.changes = found(figures, risk / divisions(len(figures)), least, series.loop())
        if len(figures) >= LEAST_RUNS:
            self._trend(risk, least)
        self.count_changes = {key: self._moves(key, near) for key, _, _, near in compare.EXACT if key in series.counts
                              and (key, series.unit) != ("instructions", "instructions")}

    def _trend(self, risk, least):
        values = [e.value for e in self.series.figures]
        self.slope = Slope(self.series.places, values, estimate.CONFIDENCE)
        self.trend_p = mann_kendall(values)
        middle = statistics.median(values)
        loop = self.series.loop()
        self.relative = not any(figure.is_near_zero(e.value, e.lo, loop) for e in self.series.figures)
        reach = abs(self.slope.value) * (self.series.places[-1] - self.series.places[0])
        large = reach >= least * (middle if self.relative else figure.NEAR_ZERO)
        if self.series.unit == "instructions" or self.trend_p > risk or not large or not self._is_line(values):
            return
        self.changes, self.drift = [], RISES if self.slope.value > 0 else FALLS

    def _is_line(self, values):
        """Tests whether a line fits the figures better than the levels, if there are any."""
        if not self.changes:
            return True
        rest = [v - self.slope.value * x for x, v in zip(self.series.places, values)]
        about = statistics.median(rest)
        return sum((v - about) ** 2 for v in rest) < sum(level.squares for level in (self.changes[0].old, *(c.new for c in self.changes)))

    def _moves(self, key, near):
        """Returns the changes of an exact count, over all runs that have it. If launches of a run differ, the least change."""
        known, found = list(self.series.counts[key].items()), []
        for (_, a), (place, b) in zip(known, known[1:]):
            said = compare.count_verdict(a, b, near)
            if said in (compare.MORE, compare.FEWER):
                found.append((place, a[1], b[0]) if said == compare.MORE else (place, a[0], b[1]))
        return found

    def has_moved(self):
        return any(self.count_changes.values())

    def verdict(self):
        if self.series.failed:
            return compare.FAILED
        if not self.series.rows or len(self.series.rows) < (2 if self.series.unit == "instructions" else LEAST_RUNS):
            return compare.UNLIKE
        if self.changes:
            return direction(self.series.unit, self.changes[-1])
        return self.drift or compare.SAME


def direction(unit, change):
    less = change.new.value < change.old.value
    if unit == "instructions":
        return compare.FEWER if less else compare.MORE
    return compare.FASTER if less else compare.SLOWER


# --- trends ---------------------------------------------------------------------------------------

# Tests whether a row's figures rise or fall over runs: the slope of Theil and Sen, and the test of Mann and Kendall.
#
# The slope is the median of the slopes of all pairs of runs. Its interval is Sen's, by ranks of these slopes. The test
# counts the pairs in which the later figure is greater, exactly if no two are equal (Hollander, Wolfe and Chicken,
# Nonparametric Statistical Methods, 3rd edition, 8.1 and 9.2 to 9.3).

NORMAL = statistics.NormalDist()
# With more runs than this the test's statistic is treated as normal, with its continuity correction.
EXACT_RUNS = 40


@functools.lru_cache(maxsize=64)
def _inversions(n):
    """Returns how many orders of n figures have 0, 1, 2, ... pairs in which the later one is less."""
    counts = [1]
    for m in range(2, n + 1):
        longer = [0] * (len(counts) + m - 1)
        for at, count in enumerate(counts):
            for more in range(m):
                longer[at + more] += count
        counts = longer
    return counts


def _variance(values):
    """Returns the variance of the sum of the signs of all pairs if there is no trend; equal figures lessen it."""
    def part(n):
        return n * (n - 1) * (2 * n + 5)

    ties = sum(part(values.count(v)) for v in set(values))
    return (part(len(values)) - ties) / 18


def mann_kendall(values):
    """Returns the probability of so clear a rise or fall, in either direction, if all orders of the figures are equally
    likely."""
    n = len(values)
    signs = sum((b > a) - (b < a) for a, b in itertools.combinations(values, 2))
    if n <= EXACT_RUNS and len(set(values)) == n:
        counts = _inversions(n)
        fewest = min((n * (n - 1) // 2 - signs) // 2, (n * (n - 1) // 2 + signs) // 2)
        return min(1.0, 2 * sum(counts[:fewest + 1]) / math.factorial(n))
    variance = _variance(values)
    if variance <= 0:
        return 1.0
    return min(1.0, 2 * NORMAL.cdf(-max(0, abs(signs) - 1) / math.sqrt(variance)))


class Slope:
    """Theil and Sen's slope of figures over positions (numbers of runs): value, per run; lo and hi, None if there are
    too few figures."""

    def __init__(self, places, values, confidence):
        slopes = sorted((b - a) / (y - x) for (x, a), (y, b) in itertools.combinations(zip(places, values), 2))
        reach = NORMAL.inv_cdf((1 + confidence) / 2) * math.sqrt(_variance(values))
        rank = math.floor((len(slopes) - reach) / 2)
        self.value = statistics.median(slopes)
        self.lo, self.hi = (slopes[rank - 1], slopes[-rank]) if rank >= 1 else (None, None)


# --- changes of level -----------------------------------------------------------------------------

# Finds where the figures of a row change level over many runs, as docs/compare.md describes ("A change"). It starts with each
# run as a level. The figure of a level is the mean of its runs' figures.

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
    estimate.ByFigures."""

    def __init__(self, old, new, noise, loop):
        self.old, self.new, self.at = old, new, new.begin
        a, b = old.estimate(*noise), new.estimate(*noise)
        self.d = estimate.ByFigures(a, b, "runs", figure.is_near_zero(a.value, a.value - a.half(), loop))
        # What the smallest change is a share of: the old figure, except for a row that costs about nothing.
        self.base = abs(old.value) if self.d.relative else figure.NEAR_ZERO


def _cost(a, b):
    """Returns what merging two levels adds to the sum of squares."""
    return a.size * b.size / (a.size + b.size) * (a.value - b.value) ** 2


def found(figures, risk, least, loop=None):
    """Returns [Change], oldest first. figures: one estimate.Estimate per run; risk: of a false alarm; least: the
    smallest change, as a share of the level before it; loop: core cycles of an iteration of the loop that was
    subtracted."""
    levels = [Level(figures, at, at + 1) for at in range(len(figures))]
    while len(levels) > 1:
        pairs, last = list(zip(levels, levels[1:])), levels[-1]
        merged = [at for at, (a, b) in enumerate(pairs) if a.size == 1 or (b.size == 1 and b is not last)]
        if not merged:
            noise = between(figures, levels)
            changes = [Change(a, b, noise, loop) for a, b in pairs]
            merged = [at for at, c in enumerate(changes) if c.d.p > risk or abs(c.d.shift) < least * c.base]
            if not merged:
                return changes
        at = min(merged, key=lambda at: _cost(*pairs[at]))
        levels[at:at + 2] = [Level(figures, levels[at].begin, levels[at + 1].end)]
    return []


def exact(figures):
    """Returns the changes of counts. Counts have no error, so any difference is a change."""
    starts = [0, *(at for at in range(1, len(figures)) if figures[at].value != figures[at - 1].value), len(figures)]
    levels = [Level(figures, begin, end) for begin, end in zip(starts, starts[1:])]
    return [Change(a, b, (0.0, 1), None) for a, b in zip(levels, levels[1:])]


def divisions(runs):
    """Returns the divisor for the risk of a row: the greatest number of ways to choose the ends of two neighbouring
    levels. tests/hosted/reports/test_history.py simulates how often noise is reported as a change."""
    return runs * (runs - 1) // 2
