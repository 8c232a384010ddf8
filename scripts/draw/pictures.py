"""Pictures, and the texts that all of them have: row, figure with its interval, machine.

A picture paints itself on an ink.Sheet; until then matplotlib is not loaded. If a report does not contain what a
picture needs, NoData names the option that provides it, so no picture is ever empty.
"""
import math
import re

from draw import ink
from read import figure

UNITS = {"cycles": "core cycles", "instructions": "instructions", "ticks": "ticks of the TSC", "ns": "ns"}


class NoData(Exception):
    """The reason why nothing can be drawn, and the option that provides the data."""


class Picture:
    """kind: of plot.KINDS; stem: of a file's name; title, about: its heading; alt: its content in words, for readers
    who cannot see it; taller: additional inches."""

    def __init__(self, kind, stem, title, about, alt, paint, taller=0.0):
        self.kind, self.stem = kind, re.sub(r"[^A-Za-z0-9_.-]+", "_", stem)[:80] or "picture"
        self.title, self.about, self.alt, self.paint, self.taller = title, about, alt, paint, taller

    def sheet(self, page=False):
        sheet = ink.Sheet(self.title, self.about, page, self.taller)
        with sheet.style():
            self.paint(sheet)
        return sheet


def machine(run, core=None):
    """Returns where it ran, in a few words."""
    cpu, words = run.get("cpu", {}), []
    brand = cpu.get("brand") or cpu.get("vendor") or "CPU not known"
    words.append(re.sub(r"\s+", " ", re.sub(r"\((R|TM)\)", "", str(brand))).strip())
    if run.get("execution") == "instructions":
        words.append("instructions counted")
    elif run.get("execution") == "emulated":
        words.append("emulated")
    elif run.get("virtualised"):
        words.append("virtual")
    words.append({"uefi": "bare machine", "hosted": "under " + str(run.get("system", {}).get("name", "a system"))}
                 .get(run.get("platform"), "platform not known"))
    if core is not None:
        words.append(f"core {core}")
    return ", ".join(words)


def about(run, row):
    """Returns the second line of a row's picture."""
    words = [machine(run, row.get("core"))]
    if figure.unit(row) != "instructions" and figure.instructions(row) is not None:
        ipc = row["per_op"].get("ipc")
        words.append(f"{figure.instructions(row):g} instructions" + (f", IPC {ipc:.2f}" if ipc is not None else ""))
    if row.get("recipe"):
        words.append(f"recipe {row['recipe']}")
    if row.get("cold"):
        words.append("cold caches")
    if row["status"] == "wrong":
        words.append(f"FAILED: {row.get('why', 'no reason given')}")
    if row.get("exclusive") is False:
        words.append("the core was SHARED")
    return " · ".join(words)


def row_name(row):
    return f"{row['suite']}/{row['name']}"


def row_stem(row):
    return f"{row['suite']}-{row['name']}-core{row.get('core', 0)}"


def estimate(row, each=""):
    """Returns a row's figure with its interval in words, or None. each: " an operation", after the unit."""
    unit = figure.unit(row)
    if unit is None:
        return None
    per_op = row["per_op"]
    value, half = per_op[unit], figure.half(per_op)
    if half is not None:
        return f"{ink.figures(value)} \N{PLUS-MINUS SIGN} {ink.figures(half)} {UNITS[unit]}{each}"
    if unit == "instructions":
        window = row.get("ticks") or {}
        exact = ", exact" if "min" in window and window["min"] == window.get("max") else ""
        return f"{value:g} instruction{'' if value == 1 else 's'}{each}{exact}"
    return f"{ink.figures(value)} {UNITS[unit]}{each}"


def titled(row):
    """Returns `suite/name: figure`."""
    found = estimate(row, " an operation")
    return f"{row_name(row)}: {found}" if found else row_name(row)


def ns(ticks, run):
    """Returns ticks as ns, or None if the TSC's frequency is not known or its ticks are not time."""
    hz = run.get("clock_tsc_hz") or run.get("tsc", {}).get("hz")
    return ticks / hz * 1e9 if hz and run.get("execution") == "silicon" else None


def duration(nanoseconds):
    """Returns 0.05 ns, 12.3 us, 4.00 ms ..."""
    for name, factor in (("s", 1e9), ("ms", 1e6), ("\N{MICRO SIGN}s", 1e3)):
        if abs(nanoseconds) >= factor:
            return f"{nanoseconds / factor:.3g} {name}"
    return f"{nanoseconds:.3g} ns"


def spread(values, share=0.06):
    """Returns limits that contain these values and a margin; a single value has a margin too."""
    lo, hi = min(values), max(values)
    margin = (hi - lo) * share or max(abs(hi) * share, 1e-3)
    return lo - margin, hi + margin


def whole_step(value):
    """Returns the smallest of 1, 2, 5, 10, 20 ... that is not less."""
    if value <= 1:
        return 1
    power = 10 ** math.floor(math.log10(value))
    return next(int(m * power) for m in (1, 2, 5, 10) if m * power >= value * 0.999999)
