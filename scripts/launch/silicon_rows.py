"""Checks of rows: each function takes launches and yields checks, one per line.

The checks use measurements on an exclusive core (docs/witness.md "The witness"). A check that a machine in working order
could fail (a neighbour, a CPU that was taken away, predictors that change) first looks for such a reason. If it finds
one, it is not judged and states the reason.
"""
import math
import statistics
from itertools import combinations

from judge import estimate, significance
from launch import launches, silicon_neighbours
from read import figure, table
from launch.silicon_neighbours import Check, enough, exclusive, percent, too_shared

CALLS = ["direct", "plt", "got", "register", "virtual"]
TRUTH = ["add", "neg", "ror", "lea", "cmov", "imul", "imul64", "load"]
# Rows of the coverage test: every chain of known latency, every way of calling.
COVERED = ([f"truth/{n}" for n in TRUTH] + [f"calls/{n}" for n in CALLS]
           + [f"calls/{n}" for n in ("plt_endbr", "virtual_pic")]
           + [f"calls/{n}_inc" for n in CALLS])


def cycles(launch, row):
    return launch.rows[row]["per_op"]["cycles"]


def all_cycles(runs, row):
    return [cycles(launch, row) for launch in runs]


def half(record):
    """Returns the distance from the figure to the farther end of the row's interval."""
    return figure.half(record["per_op"])


MOVED = 1e-4  # the probability of such launches for a row that does not vary between launches


def moves(runs, row):
    """Tests whether the launches of a row differ by more than their placements explain, because some state outlasts a
    launch."""
    found = [p for p in (figure.placements(r.rows[row]) for r in exclusive(runs, row)) if p]
    return len(found) > 2 and significance.p_one_source(found) < MOVED


# --- linearity ------------------------------------------------------------------------------------

def _exclusive_lines(runs, recipe):
    """Returns a recipe's records of the launches that had an exclusive core for at least half of the groups."""
    lines = [r.linearity[recipe] for r in runs]
    return [line for line in lines if "points" in line and 2 * line.get("exclusive_groups", 0) >= line.get("groups", 1)
            and all(p.get("error_cycles") is not None for p in line["points"])]


def _errors(lines):
    """Returns {N: (mean of e(N) over the launches, its half-width)}."""
    return {points[0]["adds"]: silicon_neighbours.mean_half([p["error_cycles"] for p in points])
            for points in zip(*(line["points"] for line in lines))}


def linearity_table(runs, recipes):
    """Yields lines: e(N) of each recipe, its half-width below."""
    tables = {recipe: _errors(lines) for recipe in recipes if len(lines := _exclusive_lines(runs, recipe)) > 1}
    for recipe, errors in tables.items():
        if recipe == next(iter(tables)):
            yield f"{'recipe / N':12}" + "".join(f"{n:>8}" for n in errors)
        yield f"{recipe:12}" + "".join(f"{mean:8.2f}" for mean, _ in errors.values())
        yield f"{'':12}" + "".join(f"{'+-%.2f' % width:>8}" for _, width in errors.values())


STRAIGHT = 0.001  # docs/checks.md "Linearity": of the slope
BENT = 1e-6  # lib/stats/linearity.h: by chance, once in a million launches; the self-test fails


def linearity(runs):
    recipe = runs[0].run["recipe"]
    lines = _exclusive_lines(runs, recipe)
    what = f"{recipe} (the default), the line through N of 5 and more"
    limit = f"slope 1 within {percent(STRAIGHT, 1)}, +- included; no launch finds a bend ({BENT:g} by chance)"
    if enough(lines, runs):
        slope, width = silicon_neighbours.median_half([line["slope"] for line in lines])
        hidden, hidden_width = silicon_neighbours.mean_half([line["shadow_cycles"] for line in lines])
        bent = sum(line["bend_p"] <= BENT for line in lines)
        yield Check(what, f"slope 1 {percent(slope, 3)} off, +-{percent(width, 3)}; {bent} of"
                  f" {len(lines)} launches found a bend", limit, abs(slope) + width <= STRAIGHT and not bent)
        yield Check("core cycles that it hides: the line's intercept",
                  f"{hidden:+.2f} +-{hidden_width:.2f} cycles; a launch's point lies off the line by"
                  f" {statistics.median(line['bend_cycles'] for line in lines):.2f}, the median")
    else:
        yield too_shared(what, lines, runs, limit)
    for other in ("plain", "xfence"):
        yield _misses(runs, other)


MISSED = 10  # cycles, of a recipe without fences


def _misses(runs, recipe):
    """Shows what a recipe other than the default hides of a body."""
    # The depth of another recipe's shadow depends on the CPU; without any fence it is always large.
    what, limit = f"{recipe} misses", f"at least {MISSED}, +- taken off" if recipe == "plain" else ""
    if "points" not in runs[0].linearity[recipe]:
        return Check(what, runs[0].linearity[recipe]["why"])
    lines = _exclusive_lines(runs, recipe)
    if not enough(lines, runs):
        return too_shared(what, lines, runs, limit)
    errors = _errors(lines)
    worst = min(errors, key=lambda n: errors[n][0])
    mean, width = errors[worst]
    return Check(what, f"{-mean:.1f} +-{width:.1f} cycles at N = {worst}", limit, -mean - width >= MISSED)


# --- truth and repeatability ----------------------------------------------------------------------

TRUE = 0.005
# The uncertainty of any window in core cycles: the limit of self-test `linearity` for a point (docs/checks.md).
# On a virtual Zen 3 a chain of 1000 two-byte adds takes two cycles more than twice what one of 500 takes.
WINDOW = 2


def truth(runs):
    for name in ("add", "ror", "imul"):
        row = f"truth/{name}"
        record = runs[0].rows[row]
        documented = record.get("truth_cycles")
        if documented is None:
            yield Check(name, "not judged: nothing is documented for this CPU", f"within {percent(TRUE, 1)}", None)
            continue
        allowed = TRUE + WINDOW / (record["ops"] * documented)
        limit = (f"within {percent(allowed, 2)}, +- included: {percent(TRUE, 1)}, and {WINDOW} cycles in"
                 f" {record['ops']} operations")
        what, exclusive_runs = f"{name}, documented {documented:g}", exclusive(runs, row)
        if not enough(exclusive_runs, runs):
            yield too_shared(what, exclusive_runs, runs, limit)
            continue
        mean, width = silicon_neighbours.median_half(all_cycles(exclusive_runs, row))
        doubled = all(r.rows[row]["doubled"] for r in exclusive_runs)
        off = abs(mean / documented - 1) + width / documented
        yield Check(what, f"{mean:.4f} +-{width:.4f} cycles{'' if doubled else ', NOT DOUBLED'}",
                  limit, off <= allowed and doubled)
    for name in TRUTH:
        record = runs[0].rows[f"truth/{name}"]
        exclusive_runs = exclusive(runs, f"truth/{name}")
        if name not in ("add", "ror", "imul") and "truth_cycles" in record and len(exclusive_runs) >= 3:
            mean, width = silicon_neighbours.mean_half(all_cycles(exclusive_runs, f"truth/{name}"))
            yield Check(f"{name}, documented {record['truth_cycles']:g}",
                      f"{mean:.4f} +-{width:.4f} cycles")


REPEATS = 0.01
# The extremes of 30 launches show single events next to the machine. A row that differs in a third of the launches does
# so in more than this share.
REPEATING = 0.9
REPEATS_LIMIT = f"{REPEATING:.0%} of the launches within {REPEATS:.0%}, of the gross cost where the figure is near zero"


def relative_to(record):
    """Returns the base of relative errors of a row's figure: the figure or, if that is near zero, the gross cost of an
    iteration."""
    per_op = record["per_op"]
    if not figure.near_zero([record]):
        return per_op["cycles"]
    return figure.gross(per_op) or figure.NEAR_ZERO


def narrowest(values, share):
    """Returns the ends of the shortest range that contains this share of the values."""
    ordered = sorted(values)
    n = math.ceil(share * len(ordered) - 1e-9)
    return min(((ordered[i], ordered[i + n - 1]) for i in range(len(ordered) - n + 1)), key=lambda ends: ends[1] - ends[0])


def repeatability(runs):
    for row in ("truth/add", "truth/imul", "calls/direct"):
        what, exclusive_runs = f"{row.split('/')[1]}, the median over placements", exclusive(runs, row)
        if not enough(exclusive_runs, runs):
            yield too_shared(what, exclusive_runs, runs, REPEATS_LIMIT)
            continue
        values = all_cycles(exclusive_runs, row)
        middle, (lo, hi) = statistics.median(values), narrowest(values, REPEATING)
        base = statistics.median(relative_to(r.rows[row]) for r in exclusive_runs)
        gross = f" of the gross {base:.4f}" if figure.near_zero([r.rows[row] for r in exclusive_runs]) else ""
        yield Check(f"{what}, {len(values)} launches",
                  f"median {middle:.4f}, {REPEATING:.0%} from {lo:.4f} to {hi:.4f} cycles: {percent((hi - lo) / base)}{gross};"
                  f" all from {min(values):.4f} to {max(values):.4f}",
                  REPEATS_LIMIT, hi - lo <= REPEATS * base)


# --- verdicts -------------------------------------------------------------------------------------

def verdicts(runs):
    """Checks that no launch has FAIL: FAIL is proof that something is broken, and a machine in working order gets no FAIL."""
    failed = [r for r in runs if r.status]
    said = f"{len(failed)}{f': {launches.complaint(failed[0])}' if failed else ''}"
    yield Check(f"launches whose verdict is FAIL, of {len(runs)}", said,
              f"none (a bend: {BENT:g} of the launches by chance)", not failed)


def elided_row(method):
    """Returns the planted row without work that a method can measure: adaptive needs a loop."""
    return "elided_loop" if method == "adaptive" else "elided"


def elided(by_method):
    """by_method: {method: launches of its elided_row}. Checks that each of them reports the missing work."""
    for method, runs in by_method.items():
        name = f"planted/{elided_row(method)}"
        rows = [r.rows[name] for r in runs]
        if all(row["status"] == "unsupported" for row in rows):
            yield Check(f"{name}, method={method}", f"not judged: {rows[0]['why']}", "all of them", None)
            continue
        seen = sum(r.rows[name]["status"] == "wrong" and r.status == 2 for r in runs)
        yield Check(f"{name}, method={method}", f"{seen} of {len(runs)} launches report it", "all of them",
                  seen == len(runs))


# --- calls ----------------------------------------------------------------------------------------

# Checks of calls: which ways of calling can be distinguished, and which placements select the levels of one that has
# several. Each function takes launches and yields checks, one per line.

SAME = 0.01         # calls whose costs differ by less count as equal, ...
SAME_CYCLES = 0.02  # ... or by less than this


def calls(runs):
    for name in CALLS:
        exclusive_runs = exclusive(runs, f"calls/{name}")
        if len(exclusive_runs) >= 3:
            middle, width = silicon_neighbours.median_half([cycles(r, f"calls/{name}") for r in exclusive_runs])
            yield Check(name, f"{middle:.3f} +-{width:.3f} cycles")
    for a, b in combinations(CALLS, 2):
        yield _pair(runs, a, b)


PAIR_LIMIT = f"distinguished by all launches together, or the same within {SAME:.0%} or {SAME_CYCLES:g} cycles"


def _pair(runs, a, b):
    rows, what = (f"calls/{a}", f"calls/{b}"), f"{a} against {b}"
    exclusive_runs = exclusive(runs, *rows)
    if not enough(exclusive_runs, runs):
        return too_shared(what, exclusive_runs, runs, PAIR_LIMIT)
    both = [[figure.placements(r.rows[row]) for row in rows] for r in exclusive_runs]
    apart = significance.Shift(*(sum(found, []) for found in zip(*both)))
    base = statistics.median(v for x, _ in both for v in x)
    within = max(SAME * base, SAME_CYCLES)
    relative = "" if figure.near_zero([r.rows[rows[0]] for r in exclusive_runs]) else f", {percent(apart.value / base)}"
    told = sum(significance.Shift(x, y).p <= 1 - estimate.CONFIDENCE for x, y in both)
    said = f"{apart.value:+.3f} cycles ({apart.lo:+.3f} to {apart.hi:+.3f}{relative})"
    if apart.p <= 1 - estimate.CONFIDENCE:
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
    hits = [i for i, value in enumerate(part["cycles"]) if value is not None and abs(value - at) <= NEAR]
    return ", ".join(table.spans(hits, "-", part["step_bytes"]))


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
            select = {p: o for p, o in where.items() if o and o != f"0-{(len(parts[p]['cycles']) - 1) * parts[p]['step_bytes']}"}
            text = " or ".join(f"{p} {o}" for p, o in select.items()) or "not explained by code, stack or data offset"
            said.append(f"{m['cycles']:.2f} ({percent(m['share'], 0)}): {text}")
        yield Check(what, "; ".join(said))
    if not found:
        yield Check("a row that flips with its placement", "none does on this CPU")
