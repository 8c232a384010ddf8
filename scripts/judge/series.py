"""One row over many runs: its figures in order, their trend, and their changes of level."""
import statistics

from judge import change_points, compare, estimate, likeness, trend
from read import figure

LEAST_RUNS = 3  # fewest runs in which a change of a figure with an error can be found
LEAST = 0.01  # smallest change of a level that is reported, unless --least says otherwise
RISES, FALLS = "rises", "falls"


class Series:
    """A row over the runs. places: the runs that have a comparable figure; rows: their records, a list of launches
    each; missing: {place: why} of the others; failed: whether it failed in the newest run; broke: and not in one
    before."""

    def __init__(self, key, runs):
        self.key, self.places, self.rows, self.missing = key, [], [], {}
        launches = [run.rows.get(key, []) for run in runs]
        fit = [rows for rows in launches if rows and not any(likeness.unfit(row) for row in rows)]
        for place, rows in enumerate(launches):
            if why := self._why_not(rows, fit):
                self.missing[place] = why
            else:
                self.places.append(place)
                self.rows.append(rows)
        self.failed = compare.has_failed(launches[-1])
        self.broke = self.failed and any(rows and not compare.has_failed(rows) for rows in launches[:-1])
        self.unit = figure.unit(self.rows[-1][0]) if self.rows else None
        self.figures = [estimate.pooled([estimate.of_row(r, self.unit) for r in rows]) for rows in self.rows]

    @staticmethod
    def _why_not(rows, fit):
        """Returns why a run's launches are left out, or None. They must be like the newest comparable ones."""
        if not rows:
            return "the run does not have it"
        for row in rows:
            if why := likeness.unfit(row):
                return why
            if why := likeness.unlike_rows(row, fit[-1][0]):
                return why
        return None

    def loop(self):
        """Returns core cycles of an iteration of the loop that was subtracted, or None."""
        loops = [row["per_op"].get("loop_cycles") for rows in self.rows for row in rows]
        return statistics.median(loops) if self.unit == "cycles" and None not in loops else None

    def counts(self):
        """Returns instructions per operation for each run, None for those that are not known."""
        return [compare.counted(rows)[0] for rows in self.rows]


class Judged:
    """Results about a row's series. changes: change_points.Change of its figures; count_changes: [(position of the run,
    before, after)] of counted instructions; slope, trend_p: None if there are too few runs."""

    def __init__(self, series, risk, least):
        self.series, self.changes, self.count_changes, self.drift = series, [], [], None
        self.slope = self.trend_p = None
        figures = series.figures
        if series.unit == "instructions":
            self.changes = change_points.exact(figures)
        elif len(figures) >= LEAST_RUNS:
            self.changes = change_points.found(figures, risk / change_points.divisions(len(figures)), least, series.loop())
        if len(figures) >= LEAST_RUNS:
            self._trend(risk, least)
        if series.unit != "instructions":
            self._count()

    def _trend(self, risk, least):
        values = [e.value for e in self.series.figures]
        self.slope = trend.Slope(self.series.places, values, estimate.CONFIDENCE)
        self.trend_p = trend.mann_kendall(values)
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
        return sum((v - about) ** 2 for v in rest) < change_points.squares(self.changes)

    def _count(self):
        known = [(place, n) for place, n in zip(self.series.places, self.series.counts()) if n is not None]
        self.count_changes = [(place, a, b) for (_, a), (place, b) in zip(known, known[1:]) if a != b]

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
