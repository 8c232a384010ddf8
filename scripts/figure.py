"""A row's figures out of its record, one truth for all that converts them: an operation's nanoseconds,
core cycles, instructions or ticks, with its interval and its samples (one a placement)."""

import re

UNITS = ("ns", "cycles", "instructions", "ticks")


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


def of(row):
    """{unit: Figure}, empty where the row has no figure. Ticks stand there only in place of cycles and
    instructions."""
    per_op = row.get("per_op", {}) if row["status"] == "ok" else {}
    if per_op.get("instructions") is not None:
        return {"instructions": Figure("instructions", per_op["instructions"])}
    found = {}
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
