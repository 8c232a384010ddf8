"""What scripts/silicon judges of calls: which of them can be told apart, and where they stand when one costs now
this and now that. Each function takes launches and yields Bars, one a line."""
import math
import statistics
from itertools import combinations

import figures
import silicon_modes as modes
from silicon_bars import CALLS, mode_of
from silicon_quiet import Bar, enough, percent, quiet, too_shared

SAME = 0.01  # calls whose costs differ by less are the same to this CPU
CONTRARY = 0.1  # of the launches


def calls(runs):
    for name in CALLS:
        own = quiet(runs, f"calls/{name}")
        if len(own) >= 3:
            mean, width = figures.mean_half([mode_of(r.rows[f"calls/{name}"])[0] for r in own])
            yield Bar(name, f"{mean:.3f} +-{width:.3f} cycles")
    for a, b in combinations(CALLS, 2):
        yield _pair(runs, a, b)


PAIR_LIMIT = "told apart by each, or the same within 1%"


def _pair(runs, a, b):
    rows, what = (f"calls/{a}", f"calls/{b}"), f"{a} against {b}"
    own = quiet(runs, *rows)
    if not enough(own, runs):
        return too_shared(what, own, runs, PAIR_LIMIT)
    holds, said = _told_apart(own, rows)
    restless = [] if holds else modes.wandering(runs, list(rows))
    if not restless:
        return Bar(what, said, PAIR_LIMIT, holds)
    # Launches that met the same can still be judged, each group of them by itself.
    groups = [of for of in modes.alike(own, restless) if enough(of, own)]
    why = "; ".join(modes.described(own, row) for row in restless)
    if not groups:
        return Bar(what, f"not judged: {why}", PAIR_LIMIT, None)
    judged = [_told_apart(of, rows) for of in groups]
    said = "; ".join(f"where {' and '.join(modes.reads(of, row) for row in restless)}: {text}, {len(of)} launches"
                     for of, (_, text) in zip(groups, judged))
    return Bar(what, f"{said} ({why})", PAIR_LIMIT, all(held for held, _ in judged))


def _told_apart(own, rows):
    """Whether these launches tell two rows apart, or find them the same; and what they say."""
    told, contrary, differences = 0, 0, []
    for launch in own:
        (x, dx), (y, dy) = (mode_of(launch.rows[row]) for row in rows)
        told += abs(x - y) > math.hypot(dx, dy)
        contrary += abs(x - y) > math.hypot(dx, dy) + SAME * x
        differences.append((y - x) / x)
    mean, width = figures.median_half(differences)
    # By most launches, and hardly any that is sure of the contrary.
    same = abs(mean) + width <= SAME and contrary <= CONTRARY * len(own)
    verdict = "the same" if same else f"told apart by {told} of {len(own)} launches"
    return same or told == len(own), f"{percent(mean):>7} +-{percent(width)}: {verdict}"


def flips(runs):
    """[(name, its modes, None or why their offsets cannot be told)]: rows of CALLS, with a counting callee and
    without, that show more than one mode by layout."""
    found = []
    for name in CALLS + [f"{n}_inc" for n in CALLS]:
        row = f"calls/{name}"
        records = [r.rows[row] for r in runs]
        lists = [[m for m in r["modes"] if m["share"] * r["placements"] >= modes.PLACES] for r in records]
        several = [m for m in lists if len(m) > 1 and any(x["kind"] == "layout" for x in m)]
        if 2 * len(several) <= len(runs):
            continue
        of_row, why = several[0], None
        if modes.wandering(runs, [row]):
            # Of what comes and goes no offset can be told, but of what stays with its place.
            of_row = modes.of_place(runs, row)
            why = modes.described(quiet(runs, row), row) if len(of_row) < 2 else None
        found.append((name, of_row, why))
    return found


NEAR = 0.1  # cycles: a swept offset shows a mode when it lies so close to it


def _offsets(part, at):
    """The offsets in bytes whose figure is this, as ranges."""
    step, hits = part["step_bytes"], []
    for i, value in enumerate(part["cycles"]):
        if value is not None and abs(value - at) <= NEAR:
            if hits and hits[-1][1] == i - 1:
                hits[-1][1] = i
            else:
                hits.append([i, i])
    return ", ".join(f"{a * step}" if a == b else f"{a * step}-{b * step}" for a, b in hits)


OFFSET_LIMIT = "an offset for each"


def middle(sweeps):
    """Of one part in several sweeps: the median at each offset, None where none of them had it quiet."""
    values = [[v for v in reads if v is not None] for reads in zip(*(part["cycles"] for part in sweeps))]
    return {"step_bytes": sweeps[0]["step_bytes"],
            "cycles": [statistics.median(reads) if reads else None for reads in values]}


def sweep(found, sweeps):
    """found: from flips(); sweeps: launches of those rows with layout=sweep."""
    for name, of_row, why in found:
        row, what = f"calls/{name}", f"{name}, both values and their offsets"
        own = quiet(sweeps, row)
        if why or not own:
            yield (Bar(what, f"not judged: {why}", OFFSET_LIMIT, None) if why
                   else too_shared(what, own, sweeps, OFFSET_LIMIT))
            continue
        records = [r.rows[row]["sweep"] for r in own]
        parts = {part: middle([record[part] for record in records]) for part in records[0]}
        named, said = True, []
        for m in of_row:
            where = {name: _offsets(part, m["cycles"]) for name, part in parts.items()}
            # The part of which only some offsets give this figure is the one that selects it.
            select = {p: o for p, o in where.items() if o and o != _everywhere(parts[p])}
            named = named and bool(select)
            text = " or ".join(f"{p} {o}" for p, o in select.items()) or "no offset of its own"
            said.append(f"{m['cycles']:.2f} ({percent(m['share'], 0)}): {text}")
        yield Bar(what, "; ".join(said), OFFSET_LIMIT, named)
    if not found:
        yield Bar("a row that flips with its placement", "none does on this CPU")


def _everywhere(part):
    return f"0-{(len(part['cycles']) - 1) * part['step_bytes']}"
