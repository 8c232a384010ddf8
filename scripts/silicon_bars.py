"""What scripts/silicon judges: each function takes launches and yields Bars, one a line.

Bars are over what was taken while the core was ours alone (docs/method.md "The witness"). A bar that a
machine in working order could miss (a neighbour, a CPU that was taken away, predictors that come and go)
asks for the reason first, and where there is one it is not judged and tells it."""
import json
import math
import os
import statistics
import subprocess
from itertools import combinations

import figures
import launches
import silicon_modes as modes
from silicon_quiet import (TOO_SHARED, Bar, away_ms, enough, had_cpu, is_quiet, net_ms, percent, quiet, shared_share,
                           taken_away, too_shared)

COVERAGE = os.path.join(launches.ROOT, "build/hosted/coverage")
PAIR = os.path.join(launches.ROOT, "build/hosted/pair")

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
    """The half-width of the 99% interval that a row's record gives."""
    return (record["per_op"]["cycles_hi"] - record["per_op"]["cycles_lo"]) / 2


# --- linearity ------------------------------------------------------------------------------------

def _errors(runs, recipe):
    """{N: (mean of e(N) over the launches, its half-width, the largest of one launch)}"""
    table = {}
    for i, point in enumerate(runs[0].linearity[recipe]["points"]):
        values = [r.linearity[recipe]["points"][i]["error_cycles"] for r in runs]
        table[point["adds"]] = (*figures.mean_half(values), max(values, key=abs))
    return table


def linearity_table(runs, recipes):
    """Lines: e(N) of each recipe, its half-width below."""
    tables = {recipe: _errors(runs, recipe) for recipe in recipes}
    adds = list(tables[recipes[0]])
    yield f"{'recipe / N':12}" + "".join(f"{n:>8}" for n in adds)
    for recipe, table in tables.items():
        yield f"{recipe:12}" + "".join(f"{table[n][0]:8.2f}" for n in adds)
        yield f"{'':12}" + "".join(f"{'+-%.2f' % table[n][1]:>8}" for n in adds)


STRAIGHT = 0.001  # docs/method.md "Linearity": of the slope


def linearity(runs):
    recipe = runs[0].run["recipe"]
    lines = [r.linearity[recipe] for r in runs]
    lines = [line for line in lines if 2 * line.get("quiet_groups", 0) >= line.get("groups", 1)]
    what, limit = f"{recipe} (the default), the line through N of 5 and more", "slope 1 within 0.1%, no bend"
    if enough(lines, runs):
        slope, width = figures.mean_half([line["slope"] for line in lines])
        hidden, hidden_width = figures.mean_half([line["shadow_cycles"] for line in lines])
        bent = sum(not line["straight"] for line in lines)
        yield Bar(what, f"slope 1 {percent(slope, 3)} off, +-{percent(width, 3)}; {bent} of"
                  f" {len(lines)} launches found a bend", limit,
                  abs(slope) + width <= STRAIGHT and not bent)
        yield Bar("what it hides: the line's intercept",
                  f"{hidden:+.2f} +-{hidden_width:.2f} cycles; a launch's point lies off the line by"
                  f" {statistics.median(line['bend_cycles'] for line in lines):.2f}, the median")
    else:
        yield too_shared(what, lines, runs, limit)
    for other in ("plain", "xfence"):
        if "points" not in runs[0].linearity[other]:
            yield Bar(f"{other} misses", runs[0].linearity[other]["why"])
            continue
        errors = _errors(runs, other)
        worst = min(errors, key=lambda n: errors[n][0])
        mean, width, _ = errors[worst]
        # How deep another recipe's shadow is depends on the CPU; that of no fence at all is long.
        limit = "tens: at least 10" if other == "plain" else ""
        yield Bar(f"{other} misses", f"{-mean:.1f} +-{width:.1f} cycles at N = {worst}", limit,
                  -mean - width >= 10)


# --- truth and repeatability ----------------------------------------------------------------------

def truth(runs):
    for name, issue_says in (("add", 1), ("ror", 1), ("imul", 3)):
        row = f"truth/{name}"
        documented = runs[0].rows[row].get("truth_cycles", issue_says)
        what, own = f"{name}, documented {documented:g}", quiet(runs, row)
        if not enough(own, runs):
            yield too_shared(what, own, runs, "within 0.5%")
            continue
        mean, width = figures.mean_half(all_cycles(own, row))
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


def _mode(record):
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


# --- calls ----------------------------------------------------------------------------------------

SAME = 0.01  # calls whose costs differ by less are the same to this CPU


def calls(runs):
    for name in CALLS:
        own = quiet(runs, f"calls/{name}")
        if len(own) >= 3:
            mean, width = figures.mean_half([_mode(r.rows[f"calls/{name}"])[0] for r in own])
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
    # Launches in which what wanders stood at one level can still be judged, level by level.
    groups = [(levels, of) for levels, of in modes.alike(own, restless) if enough(of, own)]
    why = "; ".join(modes.described(own, row) for row in restless)
    if not groups:
        return Bar(what, f"not judged: {why}", PAIR_LIMIT, None)
    judged = [(levels, *_told_apart(of, rows)) for levels, of in groups]
    said = "; ".join(" and ".join(f"where {row.split('/')[1]} takes {at:.2f}" for row, at in levels.items()) + f": {text}"
                     for levels, _, text in judged)
    return Bar(what, f"{said} ({why})", PAIR_LIMIT, all(held for _, held, _ in judged))


def _told_apart(own, rows):
    """Whether these launches tell two rows apart, or find them the same; and what they say."""
    told, differences = 0, []
    for launch in own:
        (x, dx), (y, dy) = (_mode(launch.rows[row]) for row in rows)
        told += abs(x - y) > math.hypot(dx, dy)
        differences.append((y - x) / x)
    mean, width = figures.mean_half(differences)
    same = abs(mean) + width <= SAME
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


# --- resolution and cost --------------------------------------------------------------------------

REFERENCE_HZ = 4e9  # of the core on which the bars of time were set: a slower one may take as much longer


def slower(launch, *rows):
    """How many times slower than the reference this core was while these rows were measured; 1 at the least."""
    clocks = [launch.rows[row]["core_hz"] for row in rows if "core_hz" in launch.rows[row]]
    return max(1, REFERENCE_HZ / statistics.fmean(clocks)) if clocks else 1


def by_launches(what, figure, limit, shares):
    """A bar over what the machine can only make worse: each launch's figure as a share of what is allowed. Within,
    by most launches, it holds. Beyond, by three quarters, it fails: the machine had its chances. Between the two
    the machine changed."""
    ranked = sorted(shares)
    if statistics.median(ranked) <= 1:
        return Bar(what, figure, limit, True)
    if ranked[len(ranked) // 4] > 1:
        return Bar(what, figure, limit, False)
    return Bar(what, f"not judged: the machine changed, {sum(x <= 1 for x in ranked)} of {len(ranked)} launches kept"
                     f" to it; {figure}", limit, None)


def times(values):
    return f"{statistics.median(values):.2f} ms of CPU time, the median; {min(values):.2f} to {max(values):.2f}"


def resolution(runs):
    rows = ["planted/adds20", "planted/adds21"]
    own = quiet(runs, *rows)
    if not enough(own, runs):
        yield too_shared("21 cycles against 20", own, runs, "by each")
        yield too_shared("sampling of both rows", own, runs, "at most 10 ms")
        return
    yield _twenty_one(own, rows)
    spent = [net_ms(launch, *rows) for launch in own]
    yield by_launches("sampling of both rows", f"{times(spent)}", "at most 10 ms",
                      [ms / (10 * slower(launch, *rows)) for ms, launch in zip(spent, own)])


def _twenty_one(quiet_ones, rows):
    own = had_cpu(quiet_ones, *rows)
    if not enough(own, quiet_ones):
        return taken_away("21 cycles against 20", own, quiet_ones, "by each")
    apart, differences = 0, []
    for launch in own:
        a, b = (launch.rows[r] for r in rows)
        difference = b["per_op"]["cycles"] - a["per_op"]["cycles"]
        differences.append(difference)
        apart += difference > math.hypot(half(a), half(b))
    mean, width = figures.mean_half(differences)
    return Bar("21 cycles against 20",
               f"{mean:.3f} +-{width:.3f} cycles more; told apart by {apart} of {len(own)} launches",
               "by each", apart == len(own))


PRECISE = 0.0025  # standard error, relative
COST_MS = 2


def cost(row, runs):
    what, limit, own = row.split("/")[1], "0.25% in at most 2 ms", quiet(runs, row)
    if not enough(own, runs):
        yield too_shared(what, own, runs, limit)
        return
    errors = [launch.rows[row]["interval"]["se"] / cycles(launch, row) for launch in own]
    spent = [net_ms(launch, row) for launch in own]
    yield by_launches(f"{what}, one placement, {len(own)} launches",
                      f"standard error {percent(statistics.median(errors), 3)} (worst {percent(max(errors), 3)})"
                      f" after {times(spent)}", limit,
                      # What is spent buys precision: with four times the time, half the error.
                      [error / PRECISE * math.sqrt(ms / (COST_MS * slower(launch, row)))
                       for error, ms, launch in zip(errors, spent, own)])


FAIL_OF = 200  # launches one may fail: a machine in working order does not


def verdicts(runs):
    what, limit = f"launches that failed by their own verdict, of {len(runs)}", f"at most 1 in {FAIL_OF}"
    failed = [r for r in runs if r.status]
    said = f"{len(failed)}{f': {launches.complaint(failed[0])}' if failed else ''}"
    if len(failed) == 1 and len(runs) < FAIL_OF:
        yield Bar(what, f"not judged: one says nothing with fewer than {FAIL_OF} launches; {said}", limit, None)
        return
    yield Bar(what, said, limit, len(failed) <= len(runs) // FAIL_OF)


def default_rows(runs):
    """All rows that a run without options has."""
    what, limit = "sampling of all default rows", "at most 3 s"
    own = [r for r in runs if (shared_share([r]) or 0) <= QUIET_RUN]
    if not own:
        yield Bar(what, f"{TOO_SHARED}: the least shared was {percent(min(map(_share, runs)), 1)}",
                  limit, None)
        return
    rows = [[n for n, row in r.rows.items() if "sampling_ticks" in row] for r in own]
    seconds = [net_ms(r, *names) / 1e3 for r, names in zip(own, rows)]
    away = [away_ms(r, *names) / 1e3 for r, names in zip(own, rows)]
    yield by_launches(f"{what}, {len(own[0].rows)} of them",
                      f"{statistics.median(seconds):.2f} s of CPU time, the median of {len(own)}, and"
                      f" {statistics.median(away):.2f} s without the CPU", limit,
                      [s / (ALL_SECONDS * slower(r, *names)) for s, r, names in zip(seconds, own, rows)])


ALL_SECONDS = 3
QUIET_RUN = 0.05  # shared blocks are taken again: with more of them a run's time is the neighbour's


def _share(run):
    return shared_share([run]) or 0


SAMPLE_TICKS = 110  # where the two readings take 60, as on the CPU that the bar was set on


def bare_pair(cpu):
    """Ticks of the recipe's two readings alone, back to back, on this CPU at this moment."""
    said = subprocess.run([PAIR], capture_output=True, text=True, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    return float(said.stdout)


def empty_sample(pairs):
    """pairs: (launch, what the two readings took just before). All of a sample but its body; a CPU whose readings
    take longer may take as much longer."""
    what, row = "an empty sample all in", "baseline/empty_lfence"
    runs = [r for r, _ in pairs]
    own = [(r, bare) for r, bare in pairs if r.rows[row].get("quiet", True)]
    if not enough(own, runs):
        yield too_shared(what, own, runs, f"at most {SAMPLE_TICKS}")
        return
    most = [max(SAMPLE_TICKS, SAMPLE_TICKS / 60 * bare) for _, bare in own]
    ticks = [net_ms(r, row) / 1e3 * r.run["tsc"]["hz"] / r.rows[row]["windows"] for r, _ in own]
    first = own[0][0]
    yield by_launches(f"{what}, of {first.rows[row]['windows']}, {len(own)} launches",
                      f"{statistics.median(ticks):.1f} ticks ({min(ticks):.1f} to {max(ticks):.1f}), which"
                      f" are {statistics.median(ticks) / first.run['ticks_per_cycle']:.0f} core cycles; its"
                      f" recipe's two readings alone, back to back: {statistics.median(b for _, b in own):.1f}",
                      f"at most {statistics.median(most):.0f}", [t / m for t, m in zip(ticks, most)])


# --- planted --------------------------------------------------------------------------------------

PLANTED_SHARE = 38 / 127  # bench/suites/planted/planted.c: states of the register that are dear


def two_speeds(runs):
    good, said, own = 0, [], quiet(runs, "planted/two_speeds")
    if not enough(own, runs):
        yield too_shared("100 or 106 cycles at 30%", own, runs, "two modes, shares right to 2%")
        return
    for launch in own:
        found = launch.rows["planted/two_speeds"]["modes"]
        right = len(found) == 2 and all(
            abs(m["cycles"] / at - 1) <= 0.01 and abs(m["share"] - share) <= 0.02
            for m, at, share in zip(found, (100, 106), (1 - PLANTED_SHARE, PLANTED_SHARE)))
        good += right
        said.append(", ".join(f"{m['cycles']:.2f} ({percent(m['share'], 1)})" for m in found))
    holds, figure = good == len(own), "; ".join(sorted(set(said)))
    if not holds and 2 * good > len(own):
        holds, figure = None, f"not judged: the machine changed, {good} of {len(own)} launches kept to it; {figure}"
    yield Bar(f"100 or 106 cycles at 30%, {len(own)} launches", figure, "two modes, shares right to 2%", holds)


def stopped(launch, least, most):
    """A launch that was stopped once, for between `least` and `most` seconds; longer where the system kept the
    CPU from it before or after, which its own CPU time tells."""
    row = launch.rows["planted/long"]
    hz, median = launch.run["tsc"]["hz"], row["ticks"]["median"]
    gaps = [(value - median) / hz for value, count in row["hist"] for _ in range(count)
            if value - median > least / 2 * hz]
    away = away_ms(launch, "planted/long") / 1e3
    text = ", ".join(f"{g * 1e3:.1f} ms" for g in gaps) or "none"
    figure = (f"{text}; stopped for {least * 1e3:.1f} to {most * 1e3:.1f} ms, {away * 1e3:.1f} ms without the CPU")
    holds = len(gaps) == 1 and least <= gaps[0] <= max(most, away + CLOCKS_APART)
    if len(gaps) > 1 and max(gaps) >= least and sum(gaps) <= away + CLOCKS_APART:
        figure, holds = f"not judged: the CPU was taken away at other times too; {figure}", None
    yield Bar("windows of half its length and more", figure, "one, of its length", holds)


CLOCKS_APART = 0.001  # s: a gap by the TSC and the same by CPU time


# --- peers ----------------------------------------------------------------------------------------

def peer(name, theirs, ours, empty_ns, vanished):
    """theirs: (ns of 500 adds, seconds of wall time) of each of their launches; ours: as many."""
    ns, seconds = zip(*theirs)
    in_ns = [launch.rows["truth/add"]["per_op"]["ns"] for launch in ours]
    in_cycles = all_cycles(ours, "truth/add")
    yield Bar(f"{name}: an add, {len(ns)} launches",
              f"{statistics.median(ns) / 500:.4f} ns, spread {percent(figures.spread(ns))}")
    yield Bar(f"baretick: the same, {len(ours)} launches",
              f"{statistics.median(in_cycles):.4f} cycles, spread"
              f" {percent(figures.spread(in_cycles))}; {statistics.median(in_ns):.4f} ns, spread"
              f" {percent(figures.spread(in_ns))}",
              "cycles spread less, or within 1%",
              figures.spread(in_cycles) < max(figures.spread(ns), SAME))
    ms = [net_ms(launch, "truth/add") for launch in ours]
    yield Bar(f"{name}: time a result", f"{statistics.median(seconds) * 1e3:.0f} ms")
    yield Bar("baretick: sampling of that result", f"{statistics.median(ms):.1f} ms", "less",
              statistics.median(ms) < min(seconds) * 1e3)
    row = vanished.rows["planted/vanished"]
    yield Bar(f"{name}: an empty body", f"{empty_ns:.1e} ns, no warning")
    what, limit = "baretick: an empty body", "reported as wrong"
    if not row.get("quiet", True):
        yield too_shared(what, [], [vanished], limit)
        return
    yield Bar(what, f"{row['status']}: {row.get('why', 'no warning')}", limit,
              row["status"] == "wrong" and vanished.status == 2)
