"""A row's figures from its record, computed in one place for everything that converts them: nanoseconds, core
cycles, instructions or ticks per operation, with interval and samples (one per placement).
"""

import re
import statistics

UNITS = ("ns", "cycles", "instructions", "ticks")
# An operation that costs less than half an iteration of the loop that was subtracted has no percentages, because any
# change is a large part of it. If the loop's cost is not recorded, this replaces that half (core cycles, or the figure's
# unit).
NEAR_ZERO = 0.5
# The fields that these functions read, for kept.Fields. Code that uses these functions must keep them.
FIELDS = """suite name core status cycle_source core_hz stepped.ops stepped.body stepped.empty stepped.body2 stepped.empty2
    stepped.iterations stepped.left_instructions stepped.left_why stepped.fresh_instructions halves above_nops
    per_op.ticks per_op.ns per_op.cycles per_op.cycles_lo per_op.cycles_hi per_op.gross_cycles per_op.loop_cycles
    per_op.hidden per_op.instructions per_op.ticks_lo per_op.ticks_hi interval.placements_cycles interval.passes_ticks"""


class Figure:
    """`unit` is one of UNITS; lo and hi are None if there is no interval; samples has only the value if the figures of
    the placements, or of the passes of several cores, are not known."""

    def __init__(self, unit, value, lo=None, hi=None, samples=()):
        self.unit, self.value, self.lo, self.hi = unit, value, lo, hi
        self.samples = list(samples) or [value]

    def sample(self, i):
        """Returns the value, if the samples are not known."""
        return self.samples[i] if i < len(self.samples) else self.value


def order(name):
    """Returns a key that sorts names as the program does: numbers in them by size, n2 before n10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)]


def name(row):
    return f"{row['suite']}/{row['name']}@{row['core']}"


def history(row):
    """Returns the notes about work that is not the same in every window."""
    found, stepped, halves = [], row.get("stepped", {}), row.get("halves")
    if "fresh_instructions" in stepped:
        left = stepped.get("left_instructions")
        found.append(f"its work depends on its history: {stepped['fresh_instructions']:.3f} steps/op with fresh data, "
                     + (f"{left:.3f}" if left is not None else stepped.get("left_why", "another number"))
                     + " in the state that the timed windows left")
    if halves:
        found.append(f"the second half of its operations costs {halves['second'] / (halves['first'] or 1):.2f} times the first")
    if row.get("above_nops"):
        found.append("more instructions per cycle than NOPs")
    return found


def placements(row):
    """Returns the figure of each placement in core cycles."""
    return [c for c in row.get("interval", {}).get("placements_cycles", []) if c is not None]


def _ns(row, per_op, found):
    """Time is measured over the whole row; the core's clock during the row divides it among the placements. A row that
    costs about nothing has no meaningful proportions, so there each placement's cycles are converted by the core's
    clock. found: the figure in core cycles, or in ticks."""
    ns = per_op["ns"]
    if found is not None and ns > 0 and found.value > 0:
        scale = ns / found.value
    elif found is not None and row.get("core_hz", 0) > 0:
        scale = 1e9 / row["core_hz"]
    else:
        return Figure("ns", ns)
    lo, hi = (None if v is None else v * scale for v in (found.lo, found.hi))
    return Figure("ns", ns, lo, hi, [v * scale for v in found.samples])


def unit(row):
    """Returns the key of `per_op` that has the row's figure: core cycles if they are known; instructions if they
    replace time, so that there are no nanoseconds either; else ticks. None: it has no figure."""
    per_op = row.get("per_op", {})
    if per_op.get("cycles") is not None:
        return "cycles"
    if per_op.get("instructions") is not None and "ns" not in per_op and "cycle_source" not in row:
        return "instructions"  # with a source of cycles, the instructions were stepped: the figure is missing
    return "ticks" if per_op.get("ticks") is not None else None


def _of_interval(per_op):
    """Returns the name of the figure that an interval is of: core cycles, or the ticks of several cores."""
    return "cycles" if per_op.get("cycles") is not None else "ticks"


def ends(per_op):
    """Returns the ends of the figure's interval, or (None, None)."""
    name = _of_interval(per_op)
    found = per_op.get(f"{name}_lo"), per_op.get(f"{name}_hi")
    return (None, None) if None in found or per_op.get(name) is None else found


def half(per_op):
    """Returns the distance from the figure to the farther end of its interval, which need not be symmetric. None: it
    has no interval."""
    (lo, hi), value = ends(per_op), per_op.get(_of_interval(per_op))
    return None if lo is None else round(max(hi - value, value - lo), 6)


def is_near_zero(value, lo=None, loop=None):
    """Tests whether differences relative to a figure mean nothing, like lib/stats/estimate.h. lo: of its interval;
    loop: cost of an iteration of the loop that was subtracted, or None."""
    return value < (NEAR_ZERO if loop is None else loop / 2) or (lo is not None and lo <= 0)


def middle(rows, key):
    """Returns the median of a member of `per_op` over a row's records, one per launch; None: one of them lacks it."""
    found = [row["per_op"].get(key) for row in rows]
    return None if None in found else statistics.median(found)


def near_zero(rows):
    """Returns is_near_zero() of a row's records in core cycles, one per launch."""
    return is_near_zero(*(middle(rows, key) for key in ("cycles", "cycles_lo", "loop_cycles")))


def gross(per_op):
    """Returns core cycles of an iteration with the operation, or None. Reports of older programs have values below
    zero, which are noise."""
    found = per_op.get("gross_cycles")
    return found if found is not None and found > 0 else None


HIDES = {"maybe": "its loop may hide part of it", "part": "its loop hides part of it",
         "all": "its loop hides all of it"}  # bench/output/show.c prints the same


def hidden(row):
    """Returns a remark with the gross cost of an iteration, for a row whose cost the loop hides, completely or in part,
    or whose figure is near zero compared with the loop. Otherwise ""."""
    per_op = row.get("per_op", {})
    cycles, lo, loop = (per_op.get(key) for key in ("cycles", "cycles_lo", "loop_cycles"))
    hides = HIDES.get(per_op.get("hidden"))
    if None in (cycles, loop) or not (hides or is_near_zero(cycles, lo, loop)):
        return ""
    turn = gross(per_op)
    total = "gross not known (noise)" if turn is None else f"gross {turn:.3f} cycles an iteration"
    said = f"net {cycles:.3f}, {total}; the empty loop {loop:.3f}"
    return f"{hides}: {said}" if hides else said


def instructions(row):
    """Returns the exact instructions of an operation, or None if they were not counted. Prefers the stepped count,
    which is the same on every machine. Windows in which an emulator counts can contain more: the call of a body that
    is not doubled, each iteration of a string instruction."""
    steps = row.get("stepped", {})
    if "body" not in steps:
        return row.get("per_op", {}).get("instructions")
    net = steps["body"] - steps["empty"]
    if "body2" in steps:
        net = steps["body2"] - steps.get("empty2", steps["empty"]) - net
    return round(net / steps["ops"], 6)


def left_instructions(row):
    """Returns the same in the state that the row's timed windows left, which is another number only if the report has one."""
    steps = row.get("stepped", {})
    return steps.get("left_instructions", None if "left_why" in steps else instructions(row))


def iterations(row):
    """Returns the iterations of string instructions in an operation, or None if they were not counted."""
    steps = row.get("stepped", {})
    return steps.get("iterations", 0 if "body" in steps else None)


def of(row):
    """Returns {unit: Figure}, empty if the row has no figure. Ticks are there only in place of cycles and instructions.
    If time was measured, instructions are there too if they were counted."""
    per_op = row.get("per_op", {}) if row["status"] == "ok" else {}
    found = {}
    if per_op.get("instructions") is not None:
        found["instructions"] = Figure("instructions", per_op["instructions"])
        if unit(row) == "instructions":
            return found
    if per_op.get("cycles") is not None:
        found["cycles"] = Figure("cycles", per_op["cycles"], per_op.get("cycles_lo"), per_op.get("cycles_hi"), placements(row))
    elif per_op.get("ticks") is not None:
        passes = row.get("interval", {}).get("passes_ticks", ())
        found["ticks"] = Figure("ticks", per_op["ticks"], per_op.get("ticks_lo"), per_op.get("ticks_hi"), passes)
    if per_op.get("ns") is not None:
        found["ns"] = _ns(row, per_op, found.get("cycles", found.get("ticks")))
    return found


def shown(found):
    """Returns the figure that the table shows: cycles, instructions or ticks."""
    return next(found[unit] for unit in ("cycles", "instructions", "ticks", "ns") if unit in found)
