"""Checks of calls: which ways of calling can be distinguished, and which placements select the levels of one that has
several. Each function takes launches and yields checks, one per line."""
import statistics
from itertools import combinations

from silicon_checks import figures
from silicon_checks.neighbours import Check, enough, percent, exclusive, too_shared
from silicon_checks.rows import CALLS, cycles
from judge import difference, shift
from read import figure

SAME = 0.01         # calls whose costs differ by less count as equal, ...
SAME_CYCLES = 0.02  # ... or by less than this


def calls(runs):
    for name in CALLS:
        exclusive_runs = exclusive(runs, f"calls/{name}")
        if len(exclusive_runs) >= 3:
            middle, width = figures.median_half([cycles(r, f"calls/{name}") for r in exclusive_runs])
            yield Check(name, f"{middle:.3f} +-{width:.3f} cycles")
    for a, b in combinations(CALLS, 2):
        yield _pair(runs, a, b)


PAIR_LIMIT = f"distinguished by all launches together, or the same within {SAME:.0%} or {SAME_CYCLES:g} cycles"


def _pair(runs, a, b):
    rows, what = (f"calls/{a}", f"calls/{b}"), f"{a} against {b}"
    exclusive_runs = exclusive(runs, *rows)
    if not enough(exclusive_runs, runs):
        return too_shared(what, exclusive_runs, runs, PAIR_LIMIT)
    both = [[difference.placements(r.rows[row]) for row in rows] for r in exclusive_runs]
    apart = shift.Shift(*(sum(found, []) for found in zip(*both)))
    base = statistics.median(v for x, _ in both for v in x)
    within = max(SAME * base, SAME_CYCLES)
    relative = "" if figure.near_zero([r.rows[rows[0]] for r in exclusive_runs]) else f", {percent(apart.value / base)}"
    told = sum(shift.Shift(x, y).p <= 1 - difference.CONFIDENCE for x, y in both)
    said = f"{apart.value:+.3f} cycles ({apart.lo:+.3f} to {apart.hi:+.3f}{relative})"
    if apart.p <= 1 - difference.CONFIDENCE:
        return Check(what, f"{said}: distinguished, by {told} of {len(exclusive_runs)} launches alone", PAIR_LIMIT, True)
    if -within <= apart.lo and apart.hi <= within:
        return Check(what, f"{said}: the same", PAIR_LIMIT, True)
    if any(len(r.rows[row]["modes"]) > 1 for r in exclusive_runs for row in rows):
        return Check(what, f"not judged: {said}; they have several levels, which overlap", PAIR_LIMIT, None)
    return Check(what, f"{said}: neither", PAIR_LIMIT, False)


PLACES = 1.5  # placements: a level of a single placement may be caused by its page or line, which a sweep does not move


def flips(runs):
    """Returns [(name, its modes)]: rows of CALLS, with a counting callee and without, that show more than one mode by
    layout in most launches."""
    found = []
    for name in CALLS + [f"{n}_inc" for n in CALLS]:
        records = [r.rows[f"calls/{name}"] for r in runs]
        lists = [[m for m in r["modes"] if m["share"] * r["placements"] >= PLACES] for r in records]
        several = [m for m in lists if len(m) > 1 and any(x["kind"] == "layout" for x in m)]
        if 2 * len(several) > len(runs):
            found.append((name, several[0]))
    return found


NEAR = 0.1  # cycles: an offset of the sweep shows a mode if it is this near to it


def _offsets(part, at):
    """Returns the offsets in bytes that have this figure, as ranges."""
    step, hits = part["step_bytes"], []
    for i, value in enumerate(part["cycles"]):
        if value is not None and abs(value - at) <= NEAR:
            if hits and hits[-1][1] == i - 1:
                hits[-1][1] = i
            else:
                hits.append([i, i])
    return ", ".join(f"{a * step}" if a == b else f"{a * step}-{b * step}" for a, b in hits)


def middle(sweeps):
    """Returns the median at each offset of one part in several sweeps; None if no sweep had an exclusive core there."""
    values = [[v for v in reads if v is not None] for reads in zip(*(part["cycles"] for part in sweeps))]
    return {"step_bytes": sweeps[0]["step_bytes"],
            "cycles": [statistics.median(reads) if reads else None for reads in values]}


def sweep(found, sweeps):
    """found: from flips(); sweeps: launches of those rows with layout=sweep. Shown and not judged, because a level may
    have another cause than an offset."""
    for name, of_row in found:
        row, what = f"calls/{name}", f"{name}, its levels and their offsets"
        exclusive_runs = exclusive(sweeps, row)
        if not exclusive_runs:
            yield too_shared(what, exclusive_runs, sweeps, "")
            continue
        records = [r.rows[row]["sweep"] for r in exclusive_runs]
        parts = {part: middle([record[part] for record in records]) for part in records[0]}
        said = []
        for m in of_row:
            where = {part: _offsets(values, m["cycles"]) for part, values in parts.items()}
            # The part of which only some offsets have this figure is the one that selects it.
            select = {p: o for p, o in where.items() if o and o != _everywhere(parts[p])}
            text = " or ".join(f"{p} {o}" for p, o in select.items()) or "not explained by code, stack or data offset"
            said.append(f"{m['cycles']:.2f} ({percent(m['share'], 0)}): {text}")
        yield Check(what, "; ".join(said))
    if not found:
        yield Check("a row that flips with its placement", "none does on this CPU")


def _everywhere(part):
    return f"0-{(len(part['cycles']) - 1) * part['step_bytes']}"
