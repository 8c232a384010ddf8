"""What scripts/silicon judges: each function takes launches and yields Bars, one a line.

Bars are over what was taken while the core was ours alone (docs/method.md "The witness"). A bar that a
machine in working order could miss (a neighbour, a CPU that was taken away, predictors that come and go)
asks for the reason first, and where there is one it is not judged and tells it."""
import json
import math
import os
import statistics
import subprocess

import figures
import launches
import silicon_modes as modes
from silicon_quiet import TOO_SHARED, Bar, enough, is_quiet, percent, quiet, too_shared

COVERAGE = os.path.join(launches.ROOT, "build/hosted/coverage")

CALLS = ["direct", "plt", "got", "register", "virtual"]
TRUTH = ["add", "neg", "ror", "lea", "cmov", "imul", "imul64", "load"]
# Rows of the coverage test: every chain of known latency, every way of calling.
COVERED = ([f"truth/{n}" for n in TRUTH] + [f"calls/{n}" for n in CALLS]
           + [f"calls/{n}" for n in ("plt_endbr", "virtual_pic")]
           + [f"calls/{n}_inc" for n in CALLS])


def cycles(launch, row):
    return launch.rows[row]["per_op"]["cycles"]


FAIL_OF = 200  # launches of which one may fail: a machine in working order does not


def rarely(failed, runs):
    """Whether so many of these launches are no more than one in FAIL_OF; None: one of fewer says nothing."""
    if failed == 1 and len(runs) < FAIL_OF:
        return None
    return failed <= len(runs) // FAIL_OF


def all_cycles(runs, row):
    return [cycles(launch, row) for launch in runs]


def half(record):
    """The half-width of the 99% interval that a row's record gives."""
    return (record["per_op"]["cycles_hi"] - record["per_op"]["cycles_lo"]) / 2


# --- linearity ------------------------------------------------------------------------------------

def _quiet_lines(runs, recipe):
    """A recipe's records of the launches that had the core to themselves for half of the groups and more."""
    lines = [r.linearity[recipe] for r in runs]
    return [line for line in lines if "points" in line and 2 * line.get("quiet_groups", 0) >= line.get("groups", 1)
            and all(p.get("error_cycles") is not None for p in line["points"])]


def _errors(lines):
    """{N: (mean of e(N) over the launches, its half-width)}"""
    table = {}
    for points in zip(*(line["points"] for line in lines)):
        table[points[0]["adds"]] = figures.mean_half([p["error_cycles"] for p in points])
    return table


def linearity_table(runs, recipes):
    """Lines: e(N) of each recipe, its half-width below."""
    tables = {recipe: _errors(lines) for recipe in recipes if len(lines := _quiet_lines(runs, recipe)) > 1}
    for recipe, table in tables.items():
        if recipe == next(iter(tables)):
            yield f"{'recipe / N':12}" + "".join(f"{n:>8}" for n in table)
        yield f"{recipe:12}" + "".join(f"{mean:8.2f}" for mean, _ in table.values())
        yield f"{'':12}" + "".join(f"{'+-%.2f' % width:>8}" for _, width in table.values())


STRAIGHT = 0.001  # docs/method.md "Linearity": of the slope


def linearity(runs):
    recipe = runs[0].run["recipe"]
    lines = _quiet_lines(runs, recipe)
    what, limit = f"{recipe} (the default), the line through N of 5 and more", "slope 1 within 0.1%, no bend"
    if enough(lines, runs):
        slope, width = figures.median_half([line["slope"] for line in lines])
        hidden, hidden_width = figures.mean_half([line["shadow_cycles"] for line in lines])
        bent = sum(not line["straight"] for line in lines)
        yield Bar(what, f"slope 1 {percent(slope, 3)} off, +-{percent(width, 3)}; {bent} of"
                  f" {len(lines)} launches found a bend", limit,
                  rarely(bent, lines) if abs(slope) + width <= STRAIGHT else False)
        yield Bar("what it hides: the line's intercept",
                  f"{hidden:+.2f} +-{hidden_width:.2f} cycles; a launch's point lies off the line by"
                  f" {statistics.median(line['bend_cycles'] for line in lines):.2f}, the median")
    else:
        yield too_shared(what, lines, runs, limit)
    for other in ("plain", "xfence"):
        yield _misses(runs, other)


def _misses(runs, recipe):
    """What a recipe that is not the default hides of a body."""
    # How deep another recipe's shadow is depends on the CPU; that of no fence at all is long.
    what, limit = f"{recipe} misses", "tens: at least 10" if recipe == "plain" else ""
    if "points" not in runs[0].linearity[recipe]:
        return Bar(what, runs[0].linearity[recipe]["why"])
    lines = _quiet_lines(runs, recipe)
    if not enough(lines, runs):
        return too_shared(what, lines, runs, limit)
    errors = _errors(lines)
    worst = min(errors, key=lambda n: errors[n][0])
    mean, width = errors[worst]
    return Bar(what, f"{-mean:.1f} +-{width:.1f} cycles at N = {worst}", limit, -mean - width >= 10)


# --- truth and repeatability ----------------------------------------------------------------------

def truth(runs):
    for name in ("add", "ror", "imul"):
        row = f"truth/{name}"
        documented = runs[0].rows[row].get("truth_cycles")
        if documented is None:
            yield Bar(name, "not judged: nothing is documented for this CPU", "within 0.5%", None)
            continue
        what, own = f"{name}, documented {documented:g}", quiet(runs, row)
        if not enough(own, runs):
            yield too_shared(what, own, runs, "within 0.5%")
            continue
        mean, width = figures.median_half(all_cycles(own, row))
        doubled = all(r.rows[row]["doubled"] for r in own)
        off = abs(mean / documented - 1) + width / documented
        yield Bar(what, f"{mean:.4f} +-{width:.4f} cycles{'' if doubled else ', NOT DOUBLED'}",
                  "within 0.5%", off <= 0.005 and doubled)
    for name in TRUTH:
        record = runs[0].rows[f"truth/{name}"]
        own = quiet(runs, f"truth/{name}")
        if name not in ("add", "ror", "imul") and "truth_cycles" in record and len(own) >= 3:
            mean, width = figures.mean_half(all_cycles(own, f"truth/{name}"))
            yield Bar(f"{name}, documented {record['truth_cycles']:g}",
                      f"{mean:.4f} +-{width:.4f} cycles")


def repeatability(runs):
    for row in ("truth/add", "truth/imul", "calls/direct"):
        what, own = f"{row.split('/')[1]}, the median over placements", quiet(runs, row)
        if not enough(own, runs):
            yield too_shared(what, own, runs, "within 1%")
            continue
        values = [r.rows[row]["per_op"]["cycles_median"] for r in own]
        said = (f"median {statistics.median(values):.4f}, from {min(values):.4f} to {max(values):.4f} cycles:"
                f" {percent(figures.spread(values))}")
        holds = figures.spread(values) <= 0.01
        if not holds and modes.wandering(runs, [row]):
            said, holds = f"not judged: {said}; {modes.described(own, row)}", None
        yield Bar(f"{what}, {len(values)} launches", said, "within 1%", holds)


def _points(record):
    """What a launch says of a row: (at, half-width, share) of its figure, or of each mode."""
    if len(record["modes"]) < 2:
        return [(record["per_op"]["cycles"], half(record), 1)]
    points = []
    for m in record["modes"]:
        # A layout mode has as many independent values as placements, another as many as blocks. Rounds
        # are not told apart: a mode has placements of each, and a value a round would make these
        # four times as wide. As they are they held 96.8% over 40 launches of a virtual Zen 5.
        n = m["share"] * record["placements"] if m["kind"] == "layout" else m["blocks"]
        n = max(int(n), 2)
        kappa = statistics.NormalDist().inv_cdf(0.995) * record["interval"]["kappa"] * m["cycles"]
        spread = figures.t_quantile(n - 1) * m["sd"]
        points.append((m["cycles"], math.sqrt((spread ** 2 / n + kappa ** 2) * 2), m["share"]))
    return points


def mode_of(record):
    """docs/method.md: with two modes or more the list is the figure; this is the one of most blocks. Its
    half-width with it."""
    at, width, _ = max(_points(record), key=lambda p: p[2])
    return at, width


def _coverage_input(runs, rows):
    yield f"{len(runs)} {len(rows)}"
    for launch in runs:
        for row in rows:
            record = launch.rows[row]
            if not is_quiet(launch, row):
                yield "0 nan nan 0"
                continue
            points = _points(record)
            # docs/method.md "The headline": over the rounds, or in one round over the placements.
            n, sd = record["placements"], record["interval"].get("sd", math.nan)
            if "rounds_sd" in record["interval"]:
                n, sd = record["rounds"], record["interval"]["rounds_sd"]
            yield " ".join(str(x) for x in (n, sd, cycles(launch, row),
                                            len(points), *(v for p in points for v in p)))


def with_intervals(launch):
    return [name for name, row in launch.rows.items()
            if "cycles" in row.get("per_op", {}) and "interval" in row and "modes" in row]


def _judge_coverage(runs, rows):
    p = subprocess.run([COVERAGE], input="\n".join(_coverage_input(runs, rows)), text=True,
                       stdout=subprocess.PIPE, check=True)
    return json.loads(p.stdout)


ROWS_LEAST = 10  # fewer prove nothing


def coverage(runs):
    rows = with_intervals(runs[0])
    said = _judge_coverage(runs, rows)
    own = statistics.fmean(len(quiet(runs, row)) for row in rows)
    if own < max(3, len(runs) / 8):
        yield Bar(f"{len(rows)} rows", f"{TOO_SHARED}: {own:.1f} of {len(runs)} launches a row had the"
                  " core to themselves", "not below 95% by more than two", None)
        return
    share, error = said["share"], said["se"]
    holds, more = len(rows) >= ROWS_LEAST and not said["fails"], ""
    restless = [] if holds else modes.wandering(runs, rows)
    if restless:
        # The interval is of a core that stays what it is: the rows of which it did are judged.
        steady = [row for row in rows if row not in restless]
        others = _judge_coverage(runs, steady) if len(steady) >= ROWS_LEAST else {"fails": True, "share": None}
        more = (f"; not judged: {len(restless)} rows read one level in this launch and another in that at one and"
                f" the same place ({modes.described(quiet(runs, restless[0]), restless[0])}); the other"
                f" {len(steady)}: {percent(others['share']) if others['share'] is not None else 'too few'}")
        holds = False if others["fails"] else None
    yield Bar(f"{len(rows)} rows, {said['pairs']:.0f} ordered pairs of launches",
              f"{percent(share)}, standard error {percent(error)}; nominal 99%{more}",
              "not below 95% by more than two", holds)
    shares = sorted((r["share"], row) for r, row in zip(said["rows"], rows) if r["share"] is not None)
    yield Bar("the rows that are covered least",
              ", ".join(f"{row} {percent(covered, 1)}" for covered, row in shares[:5]))
    # Relative to a figure: of rows that cost next to nothing it says nothing.
    kappas = [r["kappa"] for r, row in zip(said["rows"], rows)
              if r["kappa"] is not None and abs(cycles(runs[0], row)) > 0.5]
    yield Bar("kappa, fitted on these launches",
              f"median over the rows {statistics.median(kappas):.4f}, largest {max(kappas):.4f};"
              f" in use {runs[0].rows[rows[0]]['interval']['kappa']:.4f}")


# --- verdicts -------------------------------------------------------------------------------------

def verdicts(runs):
    failed = [r for r in runs if r.status]
    said = f"{len(failed)}{f': {launches.complaint(failed[0])}' if failed else ''}"
    holds = rarely(len(failed), runs)
    if holds is None:
        said = f"not judged: one says nothing with fewer than {FAIL_OF} launches; {said}"
    yield Bar(f"launches that failed by their own verdict, of {len(runs)}", said, f"at most 1 in {FAIL_OF}", holds)
