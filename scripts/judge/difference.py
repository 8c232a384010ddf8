"""Compares a row of an old report with the same row of a new one: by the placements' figures if both sides have enough
of them, else by the figures and their intervals.

Placements differ by the addresses of code, stack and data, which no normal distribution describes, so they are compared
by ranks (shift.py). Launches of one side are pooled if they have the same distribution. If they do not (for example
because of the physical pages of `sum/cold`), each launch counts once, by its figure: its placements share the state of
that launch, and as independent values they would make the interval too narrow.
"""
import statistics

from judge import estimate, shift
from read import figure

CONFIDENCE = estimate.CONFIDENCE
ONE_SOURCE = 0.05  # launches of a side that differ with a smaller probability than this are not pooled


def placements(row):
    """Returns the figure of each placement in core cycles."""
    return [c for c in row.get("interval", {}).get("placements_cycles", []) if c is not None]


class ByPlacements:
    """old, new: figures of the placements of all launches, one list per round. shift, with lo and hi, is in the
    figure's unit; ratio with lo and hi is None if the old figure is near zero; p: the probability of such a
    difference if nothing changed. If rounds differ, the intervals are longer, and p is larger. all_differ: the
    rounds of all rows seem to."""

    def __init__(self, old, new, near_zero, all_differ=True):
        self.old, self.new = sum(old, []), sum(new, [])
        self._longer = _rounds(old, new).longer(all_differ)
        self.by = "rounds" if self._longer > 1 else "placements"
        found = shift.Shift(self.old, self.new, CONFIDENCE, self._longer)
        self.shift, self.shift_lo, self.shift_hi, self.p = found.value, found.lo, found.hi, found.p
        self.ratio = self.ratio_lo = self.ratio_hi = None
        if not near_zero and min(self.old) > 0:
            self.ratio, self.ratio_lo, self.ratio_hi = shift.factor(self.old, self.new, CONFIDENCE, self._longer)
        self.relative = self.ratio is not None

    def p_above(self, limit):
        """Returns the probability of this difference if no operation takes longer than before by more than this share."""
        moved = [v * (1 + limit) if self.relative else v + limit * figure.NEAR_ZERO for v in self.old]
        return shift.Shift(moved, self.new, CONFIDENCE, self._longer).p_above


def _rounds(old, new):
    rounds = shift.Rounds()
    for side in (old, new):
        rounds.add(side)
    return rounds


class ByFigures:
    """The same for two estimate.Estimates, by their intervals."""

    def __init__(self, old, new, by, near_zero):
        self.by = by
        self._t = estimate.Difference(old, new)
        self.shift, self.p = new.value - old.value, self._t.p
        half = self._t.half()
        self.shift_lo, self.shift_hi = self.shift - half, self.shift + half
        self.ratio = self.ratio_lo = self.ratio_hi = None
        if not near_zero:
            self.ratio, self.ratio_lo, self.ratio_hi = self._t.ratio, self._t.lo, self._t.hi
        self.relative = self.ratio is not None

    def p_above(self, limit):
        return self._t.p_above(limit) if self.relative else self._t.p_beyond(limit * figure.NEAR_ZERO)


def in_rounds(row):
    """Returns the placements as one list per round. If there are fewer placements than rounds, each is in several
    rounds; then all are in one list."""
    interval = row.get("interval", {})
    every, rounds = interval.get("placements_cycles", []), len(interval.get("rounds_cycles", [])) or 1
    if len(every) < rounds:
        return [placements(row)]
    ends = [-(-r * len(every) // rounds) for r in range(rounds + 1)]  # of r / rounds of them, rounded up
    return [[c for c in every[a:b] if c is not None] for a, b in zip(ends, ends[1:])]


def _pooled(launches):
    """Returns (the rounds of these launches, ""), or (None, why they are not compared by their placements)."""
    found = [placements(row) for row in launches]
    if not all(found):
        return None, ""
    if len(found) > 1 and shift.p_one_source(found) < ONE_SOURCE:
        return None, "launches differ by more than their placements explain"
    rounds = [in_rounds(row) for row in launches]
    if any(len(r) < 2 for r in rounds):
        return [sum(found, [])], ""
    return sum(rounds, []), ""


def _loop(launches):
    """Returns core cycles of an iteration of the loop that was subtracted, or None if a launch does not have it."""
    found = [row["per_op"].get("loop_cycles") for row in launches]
    return None if None in found else statistics.median(found)


def of_rows(old, new, unit, a, b, all_differ=True):
    """Returns (the difference, a note on how it was computed, or ""). old, new: a row's records, one per launch; a, b:
    their pooled estimate.Estimates; all_differ: of ByPlacements. Returns (None, why) if no error is known."""
    if unit == "instructions":
        return ByFigures(a, b, "counts", figure.is_near_zero(a.value)), ""
    note, near_zero = "", figure.is_near_zero(a.value, a.lo, _loop(old) if unit == "cycles" else None)
    if unit == "cycles":
        (x, why_old), (y, why_new) = _pooled(old), _pooled(new)
        note = why_old or why_new
        if x and y:
            m, n = (sum(map(len, side)) for side in (x, y))
            if not shift.rank(m, n, CONFIDENCE)[0]:
                note = f"too few placements: {m} against {n}"
            elif _rounds(x, y).few:
                note = f"fewer than {shift.LEAST_ROUNDS} rounds"
            else:
                return ByPlacements(x, y, near_zero, all_differ), ""
    if not a.parts or not b.parts:
        return None, "no interval: give several launches of each side"
    if unit == "ticks" and 1 in (a.launches, b.launches):  # of several cores: docs/figure.md
        note = "launches may differ by more than one shows: give several of each side"
    return ByFigures(a, b, "figures", near_zero), note
