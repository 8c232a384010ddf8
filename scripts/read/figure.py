"""A row's figures out of its record, one truth for all that converts them: an operation's nanoseconds,
core cycles, instructions or ticks, with its interval and its samples (one a placement)."""

import re
import statistics

UNITS = ("ns", "cycles", "instructions", "ticks")
# An operation that costs less than half a turn of the loop that was subtracted has no percentages: any change is a
# large part of it. Where the loop's cost is not recorded, this stands for that half (core cycles, or the figure's unit).
NEAR_ZERO = 0.5
# The fields that these functions read, as kept.Fields takes them: who uses one of these keeps them.
FIELDS = """suite name core status cycle_source core_hz steps.ops steps.body steps.empty steps.body2 steps.empty2
    per_op.ticks per_op.ns per_op.cycles per_op.cycles_lo per_op.cycles_hi per_op.gross_cycles per_op.loop_cycles
    per_op.hidden per_op.instructions interval.placements_cycles"""


class Figure:
    """`unit` is one of UNITS; lo and hi are None where there is no interval; samples has the value alone
    where the placements are not known one by one."""

    def __init__(self, unit, value, lo=None, hi=None, samples=()):
        self.unit, self.value, self.lo, self.hi = unit, value, lo, hi
        self.samples = list(samples) or [value]

    def sample(self, i):
        """The value where the samples are not known one by one."""
        return self.samples[i] if i < len(self.samples) else self.value


def order(name):
    """A key that sorts names as the program does: numbers in them by their size, n2 before n10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)]


def name(row):
    return f"{row['suite']}/{row['name']}@{row['core']}"


def _cycles(row, per_op):
    known = [c for c in row.get("interval", {}).get("placements_cycles", []) if c is not None]
    return Figure("cycles", per_op["cycles"], per_op.get("cycles_lo"), per_op.get("cycles_hi"), known)


def _ns(row, per_op, cycles):
    """Time is measured over the whole row; the core's clock during the row gives each placement its
    part of it. Of a row that costs about nothing no proportion can be told, so there the clock does it."""
    ns = per_op["ns"]
    if cycles is not None and ns > 0 and cycles.value > 0:
        scale = ns / cycles.value
    elif cycles is not None and row.get("core_hz", 0) > 0:
        scale = 1e9 / row["core_hz"]
    else:
        return Figure("ns", ns)
    lo, hi = (None if c is None else c * scale for c in (cycles.lo, cycles.hi))
    return Figure("ns", ns, lo, hi, [c * scale for c in cycles.samples])


def unit(row):
    """Key of `per_op` that holds the row's figure: core cycles where they are known; instructions where they take
    the place of time, so that there are no nanoseconds either; else ticks. None: it has no figure."""
    per_op = row.get("per_op", {})
    if per_op.get("cycles") is not None:
        return "cycles"
    if per_op.get("instructions") is not None and "ns" not in per_op and "cycle_source" not in row:
        return "instructions"  # with a source of cycles they were stepped: the figure itself is missing
    return "ticks" if per_op.get("ticks") is not None else None


def half(per_op):
    """How far the interval of `cycles` reaches, on its longer side: it need not lie evenly about the figure. None:
    there is no interval."""
    value, lo, hi = (per_op.get(key) for key in ("cycles", "cycles_lo", "cycles_hi"))
    return None if None in (value, lo, hi) else round(max(hi - value, value - lo), 6)


def is_near_zero(value, lo=None, loop=None):
    """Whether differences relative to a figure mean nothing, as lib/stats/estimate.h judges it. lo: of its interval;
    loop: a turn of the loop that was subtracted; None: not known."""
    return value < (NEAR_ZERO if loop is None else loop / 2) or (lo is not None and lo <= 0)


def near_zero(rows):
    """The same of a row's records in core cycles, one a launch: by the medians of what they say."""
    def middle(key):
        found = [row["per_op"].get(key) for row in rows]
        return None if None in found else statistics.median(found)

    return is_near_zero(middle("cycles"), middle("cycles_lo"), middle("loop_cycles"))


def gross(per_op):
    """Core cycles of a turn with the operation; None where they are not known. Reports of older programs have
    figures below zero there, which is noise."""
    found = per_op.get("gross_cycles")
    return found if found is not None and found > 0 else None


HIDES = {"maybe": "its loop may hide part of it", "part": "its loop hides part of it",
         "all": "its loop hides all of it"}  # bench/show/show.c says the same


def hidden(row):
    """Of a row whose cost the loop around it hides, all or in part, or is near zero beside it: what a turn takes, in
    words. Else empty."""
    per_op = row.get("per_op", {})
    cycles, lo, loop = (per_op.get(key) for key in ("cycles", "cycles_lo", "loop_cycles"))
    hides = HIDES.get(per_op.get("hidden"))
    if None in (cycles, loop) or not (hides or is_near_zero(cycles, lo, loop)):
        return ""
    turn = gross(per_op)
    total = "gross not known (noise)" if turn is None else f"gross {turn:.3f} cycles a turn"
    said = f"net {cycles:.3f}, {total}; the loop alone {loop:.3f}"
    return f"{hides}: {said}" if hides else said


def instructions(row):
    """Of an operation, exactly; None where they were not counted. By steps if it was stepped: those are the same on
    every machine. Windows in which an emulator counts can have more in them: the call of a body that is not doubled,
    each iteration of a string instruction."""
    steps = row.get("steps", {})
    if "body" not in steps:
        return row.get("per_op", {}).get("instructions")
    net = steps["body"] - steps["empty"]
    if "body2" in steps:
        net = steps["body2"] - steps.get("empty2", steps["empty"]) - net
    return round(net / steps["ops"], 6)


def of(row):
    """{unit: Figure}, empty where the row has no figure. Ticks are there only in place of cycles and instructions.
    Where time was measured, instructions are there too if they were counted."""
    per_op = row.get("per_op", {}) if row["status"] == "ok" else {}
    found = {}
    if per_op.get("instructions") is not None:
        found["instructions"] = Figure("instructions", per_op["instructions"])
        if unit(row) == "instructions":
            return found
    if per_op.get("cycles") is not None:
        found["cycles"] = _cycles(row, per_op)
    elif per_op.get("ticks") is not None:
        found["ticks"] = Figure("ticks", per_op["ticks"])
    if per_op.get("ns") is not None:
        found["ns"] = _ns(row, per_op, found.get("cycles"))
    return found


def headline(found):
    """The one that the table shows: cycles, instructions or ticks."""
    return next(found[unit] for unit in ("cycles", "instructions", "ticks", "ns") if unit in found)
