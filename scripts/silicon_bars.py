"""What scripts/silicon judges: each function takes launches and yields Bars, one a line.

Bars are over what was taken while the core was ours alone (docs/method.md "The witness"); where there
is too little of that, a bar is not judged."""
import json
import math
import os
import statistics
import subprocess
from dataclasses import dataclass
from itertools import combinations

import figures
import launches

COVERAGE = os.path.join(launches.ROOT, "build/hosted/coverage")
PAIR = os.path.join(launches.ROOT, "build/hosted/pair")

CALLS = ["direct", "plt", "got", "register", "virtual"]
TRUTH = ["add", "neg", "ror", "lea", "cmov", "imul", "imul64", "load"]
# Rows of the coverage test: every chain of known latency, every way of calling.
COVERED = ([f"truth/{n}" for n in TRUTH] + [f"calls/{n}" for n in CALLS]
           + [f"calls/{n}" for n in ("plt_endbr", "virtual_pic")]
           + [f"calls/{n}_inc" for n in CALLS])


@dataclass
class Bar:
    what: str
    figure: str
    limit: str = ""  # empty: shown, not judged
    holds: bool | None = True  # None: the core was shared for too much of the time to say


def cycles(launch, row):
    return launch.rows[row]["per_op"]["cycles"]


def all_cycles(runs, row):
    return [cycles(launch, row) for launch in runs]


def half(record):
    """The half-width of the 99% interval that a row's record gives."""
    return (record["per_op"]["cycles_hi"] - record["per_op"]["cycles_lo"]) / 2


def percent(x, digits=2):
    return f"{100 * x:.{digits}f}%"


# --- quiet launches -------------------------------------------------------------------------------

TOO_SHARED = "too shared to judge"


def is_quiet(launch, row):
    record = launch.rows.get(row, {})
    return record.get("quiet", True) and "cycles" in record.get("per_op", {})


def quiet(runs, *rows):
    """The launches of which each of these rows was measured on a core of our own."""
    return [r for r in runs if all(is_quiet(r, row) for row in rows)]


def enough(runs, of):
    """Whether so many launches can stand for all that were made."""
    return len(runs) >= max(3, len(of) / 8)


def too_shared(what, runs, of, limit):
    return Bar(what, f"{TOO_SHARED}: {len(runs)} of {len(of)} launches had the core to themselves",
               limit, None)


def witnesses(runs):
    return [w for r in runs for w in r.witnesses if "blocks" in w]


def shared_share(runs):
    """Of all blocks, those during which somebody else had part of the core; None: no witness ran."""
    found = witnesses(runs)
    blocks = sum(w["blocks"] for w in found)
    return sum(w["shared_blocks"] for w in found) / blocks if blocks else None


def neighbours(runs):
    """How much of the time the core was ours."""
    shares = [s for s in (shared_share([r]) for r in runs) if s is not None]
    if not shares:
        why = next((w["why"] for r in runs for w in r.witnesses if "why" in w), "no reason given")
        yield Bar("somebody else had this core", f"not known: {why}")
        return
    yield Bar("somebody else had this core",
              f"{percent(shared_share(runs), 1)} of the time; {percent(min(shares), 1)} to"
              f" {percent(max(shares), 1)} of a launch; {len(shares)} launches")


FALSE_ALARMS = 1 / 1000


def _half(launch, which):
    """Every other row, from the first or the second: (shared blocks, blocks)."""
    rows = [row for row in launch.rows.values() if "shared_blocks" in row][which::2]
    return sum(row["shared_blocks"] for row in rows), sum(row["windows"] / BLOCK for row in rows)


BLOCK = 16  # windows


def false_alarms(runs):
    """Where others may use the core, half of a launch's rows choose the launches that were alone, and the rows
    between them are judged: a neighbour is there for longer than a row."""
    what, limit = "blocks called shared on a core of one's own", "at most 1 in 1000"
    own = [r for r in runs if witnesses([r]) and _half(r, 0)[1] > 0]
    if any(r.run.get("hypervisor") for r in runs):
        own = [r for r in own if _half(r, 0)[0] == 0]
    if not enough(own, runs):
        yield too_shared(what, own, runs, limit)
        return
    shared, blocks = (sum(x) for x in zip(*(_half(r, 1) for r in own)))
    yield Bar(what, f"{1000 * shared / blocks:.2f} in 1000, over {len(own)} of {len(runs)} launches",
              limit, shared <= FALSE_ALARMS * blocks)


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
        yield Bar(f"{what}, {len(values)} launches",
                  f"median {statistics.median(values):.4f}, from {min(values):.4f} to"
                  f" {max(values):.4f} cycles: {percent(figures.spread(values))}",
                  "within 1%", figures.spread(values) <= 0.01)


def _points(record):
    """What a launch says of a row: (at, half-width, share) of its figure, or of each mode."""
    modes = record["modes"]
    if len(modes) < 2:
        return [(record["per_op"]["cycles"], half(record), 1)]
    points = []
    for m in modes:
        # A layout mode has as many independent values as placements, another as many as blocks.
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


def coverage(runs):
    rows = [row for row in COVERED if row in runs[0].rows]
    p = subprocess.run([COVERAGE], input="\n".join(_coverage_input(runs, rows)), text=True,
                       stdout=subprocess.PIPE, check=True)
    said = json.loads(p.stdout)
    own = statistics.fmean(len(quiet(runs, row)) for row in rows)
    if own < max(3, len(runs) / 8):
        yield Bar(f"{len(rows)} rows", f"{TOO_SHARED}: {own:.1f} of {len(runs)} launches a row had the"
                  " core to themselves", "not below 95% by more than two", None)
        return
    share, error = said["share"], said["se"]
    yield Bar(f"{len(rows)} rows, {said['pairs']:.0f} ordered pairs of launches",
              f"{percent(share)}, standard error {percent(error)}; nominal 99%",
              "not below 95% by more than two", len(rows) >= 10 and not said["fails"])
    worst = min((i for i in range(len(rows)) if said["rows"][i]["share"] is not None),
                key=lambda i: said["rows"][i]["share"])
    yield Bar("the row that is covered least",
              f"{rows[worst]}: {percent(said['rows'][worst]['share'])}")
    kappas = [r["kappa"] for r in said["rows"] if r["kappa"] is not None]
    yield Bar("kappa, fitted on these launches",
              f"median over the rows {statistics.median(kappas):.4f}, largest {max(kappas):.4f};"
              f" in use {runs[0].rows[rows[0]]['interval']['kappa']:.4f}")


# --- recorded windows, where this machine's are too shared ---------------------------------------

REPLAY = os.path.join(launches.ROOT, "build/hosted/replay")
RECORDED = os.path.join(launches.ROOT, "tests/replay/windows")
DOCUMENTED = {"add": 1, "imul": 3, "load": 5}  # of the CPU of the recordings


def replayed(*files):
    """What the program's own code makes of recorded windows, object by object."""
    p = subprocess.run([REPLAY, "windows", *files], text=True, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in p.stdout.splitlines()]


def _covered(judged):
    pairs = [(a, b) for a in judged for b in judged
             if a is not b and (a["file"], a["body"]) == (b["file"], b["body"])]
    return len(pairs), sum(a["lo"] <= b["cycles"] <= a["hi"] for a, b in pairs)


def recorded(objects):
    judged = [o for o in objects if o["judged"]]
    pairs, inside = _covered(judged)
    yield Bar(f"recorded launches that are judged, {len(judged)} of {len(objects)}; {pairs} pairs",
              percent(inside / pairs) if pairs else "none", "at least 95%",
              pairs > 0 and inside >= 0.95 * pairs)
    for body, wanted in DOCUMENTED.items():
        values = [o["cycles"] for o in judged if o["body"] == body]
        yield Bar(f"recorded {body}, documented {wanted}",
                  f"{min(values):.4f} to {max(values):.4f} cycles" if values else "none",
                  "within 1%", bool(values) and all(abs(v / wanted - 1) <= 0.01 for v in values))


SLOWER = 1.3  # what a sibling does to NOPs, at the least: 1.3 to 2.1 in these recordings
EVERY = 3


def plant_neighbour(lines):
    """Recorded blocks in which each third pass there and back has a slow witness at both ends; with them the
    share of the blocks that it makes shared."""
    made, ends = [], 0
    for line in lines:
        words = line.split()
        if words[4] == "W":
            if ends // 2 % EVERY == 0:
                words[5:] = [str(round(int(w) * SLOWER)) for w in words[5:]]
            ends += 1
        made.append(" ".join(words))
    passes = (ends + 1) // 2
    return made, -(-passes // EVERY) / passes


def sees_planted(planted, found):
    yield Bar(f"a slow-down planted in {percent(planted, 1)} of the blocks of a quiet recording",
              f"{percent(found, 1)} are seen as shared", "95% of them, and no others",
              0.95 * planted <= found <= planted + 0.01)


def sees_sibling(runs):
    """Launches on two threads of one core at once."""
    shares = [w["shared"] for w in witnesses(runs)]
    yield Bar("two busy sibling threads, each the other's neighbour",
              f"{percent(min(shares), 1)} to {percent(max(shares), 1)} of a thread's blocks are seen as"
              " shared", "at least 95%", min(shares) >= 0.95)


# --- calls ----------------------------------------------------------------------------------------

SAME = 0.01  # calls whose costs differ by less are the same to this CPU


def calls(runs):
    for name in CALLS:
        own = quiet(runs, f"calls/{name}")
        if len(own) >= 3:
            mean, width = figures.mean_half([_mode(r.rows[f"calls/{name}"])[0] for r in own])
            yield Bar(name, f"{mean:.3f} +-{width:.3f} cycles")
    limit = "told apart by each, or the same within 1%"
    for a, b in combinations(CALLS, 2):
        own = quiet(runs, f"calls/{a}", f"calls/{b}")
        if not enough(own, runs):
            yield too_shared(f"{a} against {b}", own, runs, limit)
            continue
        told, differences = 0, []
        for launch in own:
            (x, dx), (y, dy) = (_mode(launch.rows[f"calls/{n}"]) for n in (a, b))
            told += abs(x - y) > math.hypot(dx, dy)
            differences.append((y - x) / x)
        mean, width = figures.mean_half(differences)
        same = abs(mean) + width <= SAME
        verdict = "the same" if same else f"told apart by {told} of {len(own)} launches"
        yield Bar(f"{a} against {b}", f"{percent(mean):>7} +-{percent(width)}: {verdict}",
                  limit, same or told == len(own))


def flips(runs):
    """Rows of CALLS, with a counting callee and without, that show more than one mode by layout. What one
    placement alone shows can come of its page or line, which a sweep does not move."""
    found = []
    for name in CALLS + [f"{n}_inc" for n in CALLS]:
        records = [r.rows[f"calls/{name}"] for r in runs]
        modes = [[m for m in r["modes"] if m["share"] * r["placements"] >= 1.5] for r in records]
        several = [m for m in modes if len(m) > 1 and any(x["kind"] == "layout" for x in m)]
        if 2 * len(several) > len(runs):
            found.append((name, several[0]))
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


def sweep(found, swept):
    """found: from flips(); swept: a launch of those rows with layout=sweep."""
    for name, modes in found:
        record = swept.rows[f"calls/{name}"]
        named, said = True, []
        for m in modes:
            where = {part: _offsets(v, m["cycles"]) for part, v in record["sweep"].items()}
            # The part of which only some offsets give this figure is the one that selects it.
            select = {p: o for p, o in where.items() if o and o != _everywhere(record["sweep"][p])}
            named = named and bool(select)
            text = " or ".join(f"{p} {o}" for p, o in select.items()) or "no offset of its own"
            said.append(f"{m['cycles']:.2f} ({percent(m['share'], 0)}): {text}")
        yield Bar(f"{name}, both values and their offsets", "; ".join(said),
                  "an offset for each", named)
    if not found:
        yield Bar("a row that flips with its placement", "none does on this CPU")


def _everywhere(part):
    return f"0-{(len(part['cycles']) - 1) * part['step_bytes']}"


# --- resolution and cost --------------------------------------------------------------------------

def resolution(runs):
    rows = ["planted/adds20", "planted/adds21"]
    own = quiet(runs, *rows)
    if not enough(own, runs):
        yield too_shared("21 cycles against 20", own, runs, "by each")
        yield too_shared("sampling of both rows, the longest", own, runs, "at most 10 ms")
        return
    apart, differences = 0, []
    for launch in own:
        a, b = (launch.rows[r] for r in rows)
        difference = b["per_op"]["cycles"] - a["per_op"]["cycles"]
        differences.append(difference)
        apart += difference > math.hypot(half(a), half(b))
    mean, width = figures.mean_half(differences)
    longest = max(sum(launch.ms(r) for r in rows) for launch in own)
    yield Bar("21 cycles against 20",
              f"{mean:.3f} +-{width:.3f} cycles more; told apart by {apart} of {len(own)}"
              " launches",
              "by each", apart == len(own))
    yield Bar("sampling of both rows, the longest", f"{longest:.1f} ms", "at most 10 ms",
              longest <= 10)


def cost(row, runs):
    what, limit, own = row.split("/")[1], "0.25% in at most 2 ms", quiet(runs, row)
    if not enough(own, runs):
        yield too_shared(what, own, runs, limit)
        return
    errors = [launch.rows[row]["interval"]["se"] / cycles(launch, row) for launch in own]
    times = [launch.ms(row) for launch in own]
    yield Bar(f"{what}, one placement, {len(own)} launches",
              f"standard error {percent(statistics.median(errors), 3)} (worst"
              f" {percent(max(errors), 3)}) after {statistics.median(times):.2f} ms",
              limit, statistics.median(errors) <= 0.0025 and statistics.median(times) <= 2)


def default_rows(runs):
    """All rows that a run without options has."""
    what, limit = "sampling of all default rows", "at most 3 s"
    own = [r for r in runs if (shared_share([r]) or 0) <= QUIET_RUN]
    if not own:
        yield Bar(what, f"{TOO_SHARED}: the least shared was {percent(min(map(_share, runs)), 1)}",
                  limit, None)
        return
    seconds = [sum(r.ms(n) for n, row in r.rows.items() if "sampling_ticks" in row) / 1e3
               for r in own]
    yield Bar(f"{what}, {len(own[0].rows)} of them", f"{statistics.median(seconds):.2f} s, the"
              f" median of {len(own)}", limit, statistics.median(seconds) <= 3)


QUIET_RUN = 0.05  # shared blocks are taken again: with more of them a run's time is the neighbour's


def _share(run):
    return shared_share([run]) or 0


SAMPLE_TICKS = 110  # where the two readings take 60, as on the CPU that the bar was set on


def empty_sample(runs):
    """All of a sample but its body; a CPU whose readings take longer may take as much longer."""
    row = "baseline/empty_lfence"
    bare = float(subprocess.run([PAIR], capture_output=True, text=True, check=True).stdout)
    limit = max(SAMPLE_TICKS, SAMPLE_TICKS / 60 * bare)
    ticks = [r.rows[row]["sampling_ticks"] / r.rows[row]["windows"] for r in runs]
    yield Bar(f"an empty sample all in, of {runs[0].rows[row]['windows']}, {len(runs)} launches",
              f"{statistics.median(ticks):.1f} ticks ({min(ticks):.1f} to {max(ticks):.1f}), which"
              f" are {statistics.median(ticks) / runs[0].run['ticks_per_cycle']:.0f} core cycles; its"
              f" recipe's two readings alone, back to back: {bare:.1f}",
              f"at most {limit:.0f}", statistics.median(ticks) <= limit)


# --- planted --------------------------------------------------------------------------------------

PLANTED_SHARE = 38 / 127  # bench/suites/planted/planted.c: states of the register that are dear


def two_speeds(runs):
    good, said = 0, []
    for launch in runs:
        modes = launch.rows["planted/two_speeds"]["modes"]
        right = len(modes) == 2 and all(
            abs(m["cycles"] / at - 1) <= 0.01 and abs(m["share"] - share) <= 0.02
            for m, at, share in zip(modes, (100, 106), (1 - PLANTED_SHARE, PLANTED_SHARE)))
        good += right
        said.append(", ".join(f"{m['cycles']:.2f} ({percent(m['share'], 1)})" for m in modes))
    yield Bar(f"100 or 106 cycles at 30%, {len(runs)} launches", "; ".join(sorted(set(said))),
              "two modes, shares right to 2%", good == len(runs))


def stopped(launch, least, most):
    """A launch that was stopped once, for between `least` and `most` seconds."""
    row = launch.rows["planted/long"]
    hz, median = launch.run["tsc"]["hz"], row["ticks"]["median"]
    gaps = [(value - median) / hz for value, count in row["hist"] for _ in range(count)
            if value - median > least / 2 * hz]
    text = ", ".join(f"{g * 1e3:.1f} ms" for g in gaps) or "none"
    yield Bar("windows of half its length and more",
              f"{text}; stopped for {least * 1e3:.1f} to {most * 1e3:.1f} ms",
              "one, of its length", len(gaps) == 1 and least <= gaps[0] <= most)


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
              "cycles spread less", figures.spread(in_cycles) < figures.spread(ns))
    ms = [launch.ms("truth/add") for launch in ours]
    yield Bar(f"{name}: time a result", f"{statistics.median(seconds) * 1e3:.0f} ms")
    yield Bar("baretick: sampling of that result", f"{statistics.median(ms):.1f} ms", "less",
              max(ms) < min(seconds) * 1e3)
    row = vanished.rows["planted/vanished"]
    yield Bar(f"{name}: an empty body", f"{empty_ns:.1e} ns, no warning")
    yield Bar("baretick: an empty body", f"{row['status']}: {row.get('why', 'no warning')}",
              "reported as wrong", row["status"] == "wrong" and vanished.status == 2)
