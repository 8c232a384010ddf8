"""Checks of time: the cost of a figure and of a sample, planted rows, and other harnesses. Each function takes launches
and yields checks, one per line.

Time is CPU time, without what the system gave to other programs.
"""
import math
import statistics

from silicon_checks import figures
from silicon_checks.neighbours import Check, TOO_SHARED, away_ms, enough, net_ms, percent, exclusive, shared_share, too_shared
from silicon_checks.rows import all_cycles, half, relative_to
from read import figure

REFERENCE_HZ = 4e9  # of the core on which the limits of time were set: a slower core may take proportionally longer


def slower(launch, *rows):
    """Returns by which factor this core was slower than the reference while these rows were measured; at least 1."""
    clocks = [launch.rows[row]["core_hz"] for row in rows if "core_hz" in launch.rows[row]]
    return max(1, REFERENCE_HZ / statistics.fmean(clocks)) if clocks else 1


STEP_CYCLES = 41  # core cycles of a step of the TSC on that core: the noise of a figure is at least this


def coarser(launch):
    """Returns by which factor a step of the TSC is longer, in core cycles, than on the reference; at least 1."""
    return max(1, launch.run["tsc"].get("step_ticks", 1) / launch.run["ticks_per_cycle"] / STEP_CYCLES)


def at_most(most, unit, factors):
    """Returns the limit that applies, and why it is larger than on the reference."""
    factor = statistics.median(factors)
    if factor < 1.005:
        return f"at most {most:g} {unit}"
    return f"at most {most * factor:.2f} {unit}: {most:g} {unit} of a core of {REFERENCE_HZ / 1e9:g} GHz, times " \
           f"{factor:.2f} for this one's clock"


def by_launches(what, figure, limit, shares):
    """Returns a check of a value that the machine can only increase. `shares` are the launches' values divided by the
    allowed value. It holds if the median launch is within the limit, and fails if three quarters exceed it. In between
    it is not judged, because the machine changed."""
    ranked = sorted(shares)
    if statistics.median(ranked) <= 1:
        return Check(what, figure, limit, True)
    if ranked[len(ranked) // 4] > 1:
        return Check(what, figure, limit, False)
    return Check(what, f"not judged: the machine changed, {sum(x <= 1 for x in ranked)} of {len(ranked)} launches kept"
                     f" to it; {figure}", limit, None)


def times(values):
    return f"{statistics.median(values):.2f} ms of CPU time, the median; {min(values):.2f} to {max(values):.2f}"


SAMPLING_MS = 10


def resolution(runs):
    rows = ["planted/adds20", "planted/adds21"]
    exclusive_runs = exclusive(runs, *rows)
    if not enough(exclusive_runs, runs):
        yield too_shared("21 cycles against 20", exclusive_runs, runs, "by each")
        yield too_shared("sampling of both rows", exclusive_runs, runs, f"at most {SAMPLING_MS} ms")
        return
    apart, differences = 0, []
    for launch in exclusive_runs:
        a, b = (launch.rows[r] for r in rows)
        difference = b["per_op"]["cycles"] - a["per_op"]["cycles"]
        differences.append(difference)
        apart += difference > math.hypot(half(a), half(b))
    mean, width = figures.mean_half(differences)
    yield Check("21 cycles against 20",
              f"{mean:.3f} +-{width:.3f} cycles more; distinguished by {apart} of {len(exclusive_runs)} launches",
              "by each", apart == len(exclusive_runs))
    spent = [net_ms(launch, *rows) for launch in exclusive_runs]
    factors = [slower(launch, *rows) for launch in exclusive_runs]
    yield by_launches("sampling of both rows", f"{times(spent)}", at_most(SAMPLING_MS, "ms", factors),
                      [ms / (SAMPLING_MS * factor) for ms, factor in zip(spent, factors)])


PRECISE = 0.0025  # relative standard error
COST_MS = 2


def cost(row, runs):
    """Checks that time buys precision: with four times the time, half the error."""
    what, exclusive_runs = row.split("/")[1], exclusive(runs, row)
    if not enough(exclusive_runs, runs):
        yield too_shared(what, exclusive_runs, runs, f"{percent(PRECISE)} in at most {COST_MS} ms")
        return
    errors = [launch.rows[row]["interval"]["se"] / relative_to(launch.rows[row]) for launch in exclusive_runs]
    spent = [net_ms(launch, row) for launch in exclusive_runs]
    coarse, slow = [coarser(launch) for launch in exclusive_runs], [slower(launch, row) for launch in exclusive_runs]
    precise = PRECISE * statistics.median(coarse)
    limit = f"{percent(precise)} in {at_most(COST_MS, 'ms', slow)}; in less time proportionally less precise"
    if precise > 1.005 * PRECISE:
        limit += f" ({percent(PRECISE)} where the TSC's step is {STEP_CYCLES} cycles or less)"
    if figure.near_zero([launch.rows[row] for launch in exclusive_runs]):
        limit += "; of the gross cost, since the figure is near zero"
    yield by_launches(f"{what}, one placement, {len(exclusive_runs)} launches",
                      f"standard error {percent(statistics.median(errors), 3)} (worst {percent(max(errors), 3)})"
                      f" after {times(spent)}", limit,
                      [error / (PRECISE * c) * math.sqrt(ms / (COST_MS * s))
                       for error, ms, c, s in zip(errors, spent, coarse, slow)])


ALL_SECONDS = 3
SHARED_MOST = 0.05  # shared blocks are repeated: with more of them the time of a run depends on the neighbour


def default_rows(runs):
    """Checks the time of all rows that a run without options has."""
    what = "sampling of all default rows"
    exclusive_runs = [r for r in runs if (shared_share([r]) or 0) <= SHARED_MOST]
    if not exclusive_runs:
        yield Check(what, f"{TOO_SHARED}: the least shared was {percent(min(map(_share, runs)), 1)}",
                  f"at most {ALL_SECONDS} s", None)
        return
    rows = [[n for n, row in r.rows.items() if "sampling_ticks" in row] for r in exclusive_runs]
    seconds = [net_ms(r, *names) / 1e3 for r, names in zip(exclusive_runs, rows)]
    away = [away_ms(r, *names) / 1e3 for r, names in zip(exclusive_runs, rows)]
    factors = [slower(r, *names) for r, names in zip(exclusive_runs, rows)]
    yield by_launches(f"{what}, {len(exclusive_runs[0].rows)} of them",
                      f"{statistics.median(seconds):.2f} s of CPU time, the median of {len(exclusive_runs)}, and"
                      f" {statistics.median(away):.2f} s without the CPU", at_most(ALL_SECONDS, "s", factors),
                      [s / (ALL_SECONDS * factor) for s, factor in zip(seconds, factors)])


def _share(run):
    return shared_share([run]) or 0


def empty_sample(runs):
    """Shows everything of a sample except its body: two readings, and the state that is saved and verified."""
    row = "baseline/empty_lfence"
    ticks = [net_ms(r, row) / 1e3 * r.run["tsc"]["hz"] / r.rows[row]["windows"] for r in runs]
    yield Check(f"an empty sample all in, of {runs[0].rows[row]['windows']}, {len(runs)} launches",
              f"{statistics.median(ticks):.1f} ticks ({min(ticks):.1f} to {max(ticks):.1f}), which are"
              f" {statistics.median(ticks) / runs[0].run['ticks_per_cycle']:.0f} core cycles")


# --- planted --------------------------------------------------------------------------------------

PLANTED_SHARE = 38 / 127  # bench/suites/planted/planted.c: the share of states of the register that select 106 cycles


SPEEDS_LIMIT = "in most: two modes, their cycles right to 1%, their shares to 0.02"


def two_speeds(runs):
    good, said, exclusive_runs = 0, [], exclusive(runs, "planted/two_speeds")
    if not enough(exclusive_runs, runs):
        yield too_shared("100 or 106 cycles at 30%", exclusive_runs, runs, SPEEDS_LIMIT)
        return
    for launch in exclusive_runs:
        found = launch.rows["planted/two_speeds"]["modes"]
        good += len(found) == 2 and all(
            abs(m["cycles"] / at - 1) <= 0.01 and abs(m["share"] - share) <= 0.02
            for m, at, share in zip(found, (100, 106), (1 - PLANTED_SHARE, PLANTED_SHARE)))
        said.append(", ".join(f"{m['cycles']:.2f} ({percent(m['share'], 1)})" for m in found))
    holds = 2 * good > len(exclusive_runs) or (None if good else False)
    few = "" if holds or not good else "not judged: the core changed in the others; "
    yield Check(f"100 or 106 cycles at 30%, {good} of {len(exclusive_runs)} launches", few + "; ".join(sorted(set(said))),
              SPEEDS_LIMIT, holds)


def stopped(launch, least, most):
    """Checks a launch that was stopped once, for between `least` and `most` seconds. The gap may be longer if the
    system kept the CPU from it before or after, as its CPU time shows."""
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
    yield Check("windows of half its length and more", figure, "one, of its length", holds)


CLOCKS_APART = 0.001  # s: the difference of a gap by the TSC and by CPU time


# --- peers ----------------------------------------------------------------------------------------

AS_STEADY = 0.01  # a spread up to this is good enough


def peer(name, theirs, ours, empty_ns, elided):
    """theirs: (ns of 500 adds, seconds of elapsed time) of each of their launches; ours: as many launches."""
    ns, seconds = zip(*theirs)
    in_ns = [launch.rows["truth/add"]["per_op"]["ns"] for launch in ours]
    in_cycles = all_cycles(ours, "truth/add")
    yield Check(f"{name}: an add, {len(ns)} launches",
              f"{statistics.median(ns) / 500:.4f} ns, spread {percent(figures.spread(ns))}")
    yield Check(f"baretick: the same, {len(ours)} launches",
              f"{statistics.median(in_cycles):.4f} cycles, spread"
              f" {percent(figures.spread(in_cycles))}; {statistics.median(in_ns):.4f} ns, spread"
              f" {percent(figures.spread(in_ns))}",
              "cycles spread less, or within 1%",
              figures.spread(in_cycles) < max(figures.spread(ns), AS_STEADY))
    ms = [net_ms(launch, "truth/add") for launch in ours]
    yield Check(f"{name}: time a result", f"{statistics.median(seconds) * 1e3:.0f} ms")
    yield Check("baretick: sampling of that result", f"{statistics.median(ms):.1f} ms", "less",
              statistics.median(ms) < min(seconds) * 1e3)
    row = elided.rows["planted/elided"]
    yield Check(f"{name}: an empty body", f"{empty_ns:.1e} ns, no warning")
    # Instructions are counted, so a shared core has the same verdict.
    yield Check("baretick: an empty body", f"{row['status']}: {row.get('why', 'no warning')}", "reported as wrong",
              row["status"] == "wrong" and elided.status == 2)
