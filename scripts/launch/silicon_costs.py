"""Checks of time: the cost of a figure and of a sample, planted rows, and other harnesses. Each function takes launches
and yields checks, one per line.

Time is CPU time, without what the system gave to other programs.
"""
import collections
import math
import operator
import random
import statistics

from read import figure
from launch import silicon_neighbours
from launch.silicon_neighbours import away_ms, Check, enough, exclusive, is_exclusive, net_ms, percent, shared_share, too_shared, TOO_SHARED
from launch.silicon_rows import all_cycles, cycles, half, moves, relative_to

MILLION = 1e6


def net_cycles(launch, *rows):
    """Returns the core cycles of sampling these rows, without the time that the system gave to other programs. Limits are
    in these, so that they suit every clock."""
    return net_ms(launch, *rows) / 1e3 * launch.run["tsc"]["hz"] / launch.run["ticks_per_cycle"]


STEP_CYCLES = 41  # core cycles of a step of the TSC where the limits were set: the noise of a figure is at least this


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


def _spent(runs, *rows):
    """Returns words for the time of these rows."""
    cycles = [net_cycles(launch, *rows) / MILLION for launch in runs]
    return f"{statistics.median(cycles):.2f} million core cycles, {min(cycles):.2f} to {max(cycles):.2f}: " \
           f"{statistics.median(net_ms(launch, *rows) for launch in runs):.2f} ms of CPU time, the median"


SAMPLING = 40 * MILLION  # core cycles, as COST and ALL
SAMPLING_LIMIT = f"at most {SAMPLING / MILLION:g} million core cycles"


def resolution(runs):
    rows = ["planted/adds20", "planted/adds21"]
    exclusive_runs = exclusive(runs, *rows)
    if not enough(exclusive_runs, runs):
        yield too_shared("21 cycles against 20", exclusive_runs, runs, "by each")
        yield too_shared("sampling of both rows", exclusive_runs, runs, SAMPLING_LIMIT)
        return
    apart, differences = 0, []
    for launch in exclusive_runs:
        a, b = (launch.rows[r] for r in rows)
        difference = b["per_op"]["cycles"] - a["per_op"]["cycles"]
        differences.append(difference)
        apart += difference > math.hypot(half(a), half(b))
    mean, width = silicon_neighbours.mean_half(differences)
    yield Check("21 cycles against 20",
              f"{mean:.3f} +-{width:.3f} cycles more; distinguished by {apart} of {len(exclusive_runs)} launches",
              "by each", apart == len(exclusive_runs))
    yield by_launches("sampling of both rows", _spent(exclusive_runs, *rows), SAMPLING_LIMIT,
                      [net_cycles(launch, *rows) / SAMPLING for launch in exclusive_runs])


PRECISE = 0.0025  # relative standard error
COST = 8 * MILLION


def cost(row, runs):
    """Checks that time buys precision: with four times the time, half the error."""
    what, exclusive_runs = row.split("/")[1], exclusive(runs, row)
    within = f"in at most {COST / MILLION:g} million core cycles"
    if not enough(exclusive_runs, runs):
        yield too_shared(what, exclusive_runs, runs, f"{percent(PRECISE)} {within}")
        return
    errors = [launch.rows[row]["interval"]["se"] / relative_to(launch.rows[row]) for launch in exclusive_runs]
    # By which factor a step of the TSC is longer, in core cycles, than where the limits were set; at least 1.
    coarse = [max(1, r.run["tsc"].get("step_ticks", 1) / r.run["ticks_per_cycle"] / STEP_CYCLES) for r in exclusive_runs]
    precise = PRECISE * statistics.median(coarse)
    limit = f"{percent(precise)} {within}; in less time proportionally less precise"
    if precise > 1.005 * PRECISE:
        limit += f" ({percent(PRECISE)} where the TSC's step is {STEP_CYCLES} cycles or less)"
    if figure.near_zero([launch.rows[row] for launch in exclusive_runs]):
        limit += "; of the gross cost, since the figure is near zero"
    yield by_launches(f"{what}, one placement, {len(exclusive_runs)} launches",
                      f"standard error {percent(statistics.median(errors), 3)} (worst {percent(max(errors), 3)})"
                      f" after {_spent(exclusive_runs, row)}", limit,
                      [error / (PRECISE * c) * math.sqrt(net_cycles(launch, row) / COST)
                       for error, c, launch in zip(errors, coarse, exclusive_runs)])


ALL = 12_000 * MILLION
ALL_LIMIT = f"at most {ALL / MILLION:g} million core cycles"
SHARED_MOST = 0.05  # shared blocks are repeated: with more of them the time of a run depends on the neighbour


def default_rows(runs):
    """Checks the time of all rows that a run without options has."""
    what = "sampling of all default rows"
    shared = [shared_share([r]) or 0 for r in runs]
    exclusive_runs = [r for r, share in zip(runs, shared) if share <= SHARED_MOST]
    if not exclusive_runs:
        yield Check(what, f"{TOO_SHARED}: the least shared was {percent(min(shared), 1)}", ALL_LIMIT, None)
        return
    rows = [name for name in exclusive_runs[0].rows if all("sampling_ticks" in r.rows[name] for r in exclusive_runs)]
    away = statistics.median(away_ms(r, *rows) for r in exclusive_runs) / 1e3
    yield by_launches(f"{what}, {len(exclusive_runs[0].rows)} of them, {len(exclusive_runs)} launches",
                      f"{_spent(exclusive_runs, *rows)}, and {away:.2f} s without the CPU", ALL_LIMIT,
                      [net_cycles(r, *rows) / ALL for r in exclusive_runs])


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
    exclusive_runs = exclusive(runs, "planted/two_speeds")
    if not enough(exclusive_runs, runs):
        yield too_shared("100 or 106 cycles at 30%", exclusive_runs, runs, SPEEDS_LIMIT)
        return
    wrong, said = [], []
    for launch in exclusive_runs:
        found = launch.rows["planted/two_speeds"]["modes"]
        off = [max(abs(m["cycles"] / at - 1) / 0.01, abs(m["share"] - share) / 0.02)
               for m, at, share in zip(found, (100, 106), (1 - PLANTED_SHARE, PLANTED_SHARE))]
        wrong.append(max(off) if len(found) == 2 else math.inf)
        said.append(", ".join(f"{m['cycles']:.2f} ({percent(m['share'], 1)})" for m in found))
    yield by_launches("100 or 106 cycles at 30%", "; ".join(sorted(set(said))), SPEEDS_LIMIT, wrong)


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
              f"{statistics.median(ns) / 500:.4f} ns, spread {percent(silicon_neighbours.spread(ns))}")
    yield Check(f"baretick: the same, {len(ours)} launches",
              f"{statistics.median(in_cycles):.4f} cycles, spread"
              f" {percent(silicon_neighbours.spread(in_cycles))}; {statistics.median(in_ns):.4f} ns, spread"
              f" {percent(silicon_neighbours.spread(in_ns))}",
              "cycles spread less, or within 1%",
              silicon_neighbours.spread(in_cycles) < max(silicon_neighbours.spread(ns), AS_STEADY))
    ms = [net_ms(launch, "truth/add") for launch in ours]
    yield Check(f"{name}: time a result", f"{statistics.median(seconds) * 1e3:.0f} ms")
    yield Check("baretick: sampling of that result", f"{statistics.median(ms):.1f} ms", "less",
              statistics.median(ms) < min(seconds) * 1e3)
    row = elided.rows["planted/elided"]
    yield Check(f"{name}: an empty body", f"{empty_ns:.1e} ns, no warning")
    # Instructions are counted, so a shared core has the same verdict.
    yield Check("baretick: an empty body", f"{row['status']}: {row.get('why', 'no warning')}", "reported as wrong",
              row["status"] == "wrong" and elided.status == 2)


# --- coverage -------------------------------------------------------------------------------------

BOOTSTRAPS = 1000  # the standard error itself is then accurate to 2%
POOLED, EACH = 0.98, 0.90  # the required shares: of all rows together, and of each row


class Coverage(collections.namedtuple("Coverage", "pairs share se")):
    """share: of the pairs that are covered, nan: no pair; se: by bootstrap over the launches, nan: not needed, or fewer than
    three launches."""

    def fails(self, wanted):
        """Tests whether the share is too small by more than two standard errors."""
        return self.share + 2 * self.se < wanted


def _sum(times, matrix):
    return sum(t * sum(map(operator.mul, times, line)) for t, line in zip(times, matrix) if t)


def _error(judged, covered):
    """Draws launches with replacement. A launch is not paired with itself or its own copies."""
    dice, n, shares = random.Random(1), len(judged), []
    for _ in range(BOOTSTRAPS):
        times = [0] * n
        for i in dice.choices(range(n), k=n):
            times[i] += 1
        pairs = _sum(times, judged)
        if pairs:  # else the same launch every time
            shares.append(_sum(times, covered) / pairs)
    return statistics.stdev(shares)


def of_rows(rows, wanted):
    """rows: for each row a list with (figure, lo, hi) of each launch; None: no figure. Returns the Coverage of all of them
    together. `se` is left out if the share is as large as wanted."""
    launches = range(len(rows[0]))
    judged, covered = [[0] * len(launches) for _ in launches], [[0] * len(launches) for _ in launches]
    for row in rows:
        for i, j in ((i, j) for i in launches for j in launches if i != j and row[i] and row[j]):
            judged[i][j] += 1
            covered[i][j] += row[i][1] <= row[j][0] <= row[i][2]
    pairs = sum(map(sum, judged))
    share = sum(map(sum, covered)) / pairs if pairs else math.nan
    # Two launches have only one set of pairs.
    return Coverage(pairs, share, _error(judged, covered) if share < wanted and len(launches) > 2 else math.nan)


def judge(rows):
    """rows: as in of_rows(), by name. Returns the Coverage of all of them together, and {name: that of each}."""
    return of_rows(list(rows.values()), math.inf), {name: of_rows([row], EACH) for name, row in rows.items()}


# --- the check ------------------------------------------------------------------------------------

ROWS_LEAST = 10  # fewer prove nothing
LIMIT = f"at least {POOLED:.0%} pooled and {EACH:.0%} in each row; not judged if less than two standard errors below"
MOVING = 1 / 2  # maximum share of varying rows; if more rows vary, none is excluded
# The state that outlasts a launch, if it is known.
WHAT_MOVES = {"sum/cold": "the memory, which is slower at one time than at another"}


def _interval(launch, row):
    per_op = launch.rows[row]["per_op"]
    return (per_op["cycles"], per_op["cycles_lo"], per_op["cycles_hi"]) if is_exclusive(launch, row) else None


def _holds(pooled, each):
    """Returns None if a share is below a limit by no more than launches differ by chance."""
    if len(each) < ROWS_LEAST or pooled.fails(POOLED) or any(row.fails(EACH) for row in each.values()):
        return False
    return True if pooled.share >= POOLED and not any(row.share < EACH for row in each.values()) else None


def _told(runs, row):
    """Returns the range of the figures of a row that varies between launches, and the cause if it is known."""
    values = [cycles(r, row) for r in exclusive(runs, row)]
    why = f": {WHAT_MOVES[row]}" if row in WHAT_MOVES else ""
    return f"{row} {min(values):.3f} to {max(values):.3f}{why}"


def _excused(runs, rows):
    """Returns rows that vary between launches, which the interval of one launch cannot know. Chains of known latency do
    not vary on a machine in working order: if they do, the measurement is wrong, and nothing is excused."""
    moving = [row for row in rows if moves(runs, row)]
    if len(moving) > MOVING * len(rows) or any(row.startswith("truth/") for row in moving):
        return []
    return moving


def coverage(runs):
    """Checks the coverage of all rows together and of each."""
    rows = {name: [_interval(launch, name) for launch in runs] for name, row in runs[0].rows.items()
            if "cycles" in row.get("per_op", {}) and "interval" in row}
    a_row = statistics.fmean(len(list(filter(None, row))) for row in rows.values())
    if a_row < max(3, len(runs) / 8):
        yield Check(f"{len(rows)} rows", f"{TOO_SHARED}: {a_row:.1f} of {len(runs)} launches, the mean over the rows, had"
                    " the core to themselves", LIMIT, None)
        return
    (pooled, each), moving = judge(rows), []
    if not _holds(pooled, each):
        moving = _excused(runs, rows)
    if moving:
        pooled, each = judge({name: row for name, row in rows.items() if name not in moving})
    holds = _holds(pooled, each)
    shares = sorted((row.share, name) for name, row in each.items() if row.pairs)
    yield Check(f"{len(each)} rows, {pooled.pairs} ordered pairs of launches",
                f"{'not judged: too close to a limit: ' if holds is None else ''}{percent(pooled.share)}, standard error"
                f" {percent(pooled.se)}; the least of a row {percent(min(shares)[0])}", LIMIT, holds)
    yield Check("the rows that are covered least", ", ".join(f"{name} {percent(share, 1)}" for share, name in shares[:5]))
    if moving:
        yield Check("not judged, because they vary between launches, cycles", "; ".join(_told(runs, row) for row in moving))
