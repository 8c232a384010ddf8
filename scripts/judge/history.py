"""Many runs, row by row: the figures in order, the rows that changed first, and the run in which they changed."""
import os
import statistics

from judge import compare, compare_report, series, sides
from read import saved, show, table

COLUMNS = table.columns(
    ("row", "row", "<"), ("core", "core"), ("unit", "unit", "<"), ("verdict", "verdict", "<"), ("since", "since", "<"),
    ("change", "change"), ("from", "change_from"), ("to", "change_to"), ("a run", "slope"), ("from", "slope_from"),
    ("to", "slope_to"), ("p", "trend_p", ".2g"), ("figures, oldest first; | is a change", "figures", "<"),
    ("note", "why", "<"))
# For programs: one object per row.
PARTS = table.parts(
    "row", "suite", "name", "core", "unit", "verdict", "values", "changes", "slope", "slope_lo", "slope_hi",
    "trend_p", "instructions", "left_instructions", "iterations", "count_changes", "missing", "left_out", "why")


# --- runs ------------------------------------------------------------------------------------------

def runs_of(paths, across):
    """Returns (a sides.Side for each run, what differs although --across allows it). paths: the launches of each run."""
    found = [sides.Side(f"run {number}", launches) for number, launches in enumerate(paths, 1)]
    seen = {}
    for run in found:
        for report in run.reports:
            path = os.path.realpath(report.path)
            if path in seen:
                raise saved.Unreadable(f"{report.path}: it is both {seen[path]} and {run.title}")
            seen[path] = run.title
    crossed = []
    for run in found[1:]:
        crossed += sides.fail_if_unlike(found[0], run, across)
        if run.run.get("platform") != found[0].run.get("platform"):
            raise saved.Unreadable(f"{found[0].title} and {run.title} are not comparable: another platform: "
                                   f"{found[0].run.get('platform')} against {run.run.get('platform')}")
    return found, list(dict.fromkeys(crossed))


def judged(runs, args):
    """Returns (a series.Judged for each selected row, the risk of a false alarm for one row)."""
    keys = list(dict.fromkeys(key for run in reversed(runs) for key in run.rows))
    keys = [(k["suite"], k["name"], k["core"]) for k in
            show.chosen([{"suite": s, "name": n, "core": c} for s, n, c in keys], args)]
    rows = [series.Series(key, runs) for key in keys]
    risk = compare.RISK / max(1, sum(len(s.figures) >= series.LEAST_RUNS for s in rows))
    return [series.Judged(s, risk, args.least) for s in rows], risk


# --- in words --------------------------------------------------------------------------------------

def since(place, runs):
    """Returns a run's number and files."""
    alone = ", the newest alone" if place == len(runs) - 1 else ""
    return f"run {place + 1} ({', '.join(os.path.basename(r.path) for r in runs[place].reports)}{alone})"


def missing(s):
    """Returns in words which runs have no figure, or not of all launches, grouped by reason: `runs 1, 3 to 5: ...`."""
    every = {**s.missing, **s.left_out}
    reasons = table.grouped(sorted(every), every.get)
    return "; ".join(f"run{'s' if len(places) > 1 else ''} {', '.join(table.spans([p + 1 for p in places], ' to '))}: {why}"
                     for why, places in reasons.items())


def in_order(s, starts, texts):
    """Returns the texts, {place: text}, with | before each change, and - for runs without one."""
    shown = []
    for place in range(max([*s.places, *s.missing], default=-1) + 1):
        shown += ["|"] if place in starts else []
        shown.append(texts.get(place, "-"))
    return " ".join(shown)


def text_lines(j, runs):
    """Returns the table's lines for a row: one per change, or a single one."""
    s, (suite, name, core) = j.series, j.series.key
    base = {"row": f"{suite}/{name}", "core": core, "unit": s.unit, "why": missing(s)}
    form = ".10g" if s.unit == "instructions" else ".3f"
    starts = {s.places[c.at] for c in j.changes}
    full = {**base, "verdict": j.verdict(), "figures": in_order(s, starts, {p: format(e.value, form) for p, e in zip(s.places, s.figures)})}
    if j.slope is not None:
        scale, form = (statistics.median(e.value for e in s.figures), "+.2%") if j.relative else (1, "+.3f")
        values = {"slope": j.slope.value, "slope_from": j.slope.lo, "slope_to": j.slope.hi}
        full.update({key: None if v is None else format(v / scale, form) for key, v in values.items()}, trend_p=j.trend_p)
        full["slope"] += "" if j.relative else f" {s.unit}"
    found = []
    for c in reversed(j.changes):  # newest first, because it is the present state of the figures
        found.append({**(base if found else full), "verdict": series.direction(s.unit, c), "since": since(s.places[c.at], runs),
                      **compare.change_of(c.d, s.unit)})
    if j.series.failed or not found and (j.drift or not j.has_moved() or full["verdict"] == compare.UNLIKE):
        found.insert(0, full)
    for key, title, _, near in compare.EXACT:
        moves = j.count_changes.get(key, ())
        for place, a, b in reversed(moves):
            texts = {p: compare.told(count, near).replace(" to ", "..") for p, count in s.counts[key].items()}
            found.append({**base, "unit": {"instructions": "instr/op"}.get(key, title.strip()),
                          "verdict": compare.MORE if b > a else compare.FEWER, "since": since(place, runs),
                          "change": f"{b - a:+.10g}", "figures": in_order(s, {p for p, _, _ in moves}, texts)})
    return found


def for_programs(j, runs):
    s, (suite, name, core) = j.series, j.series.key

    def change(c):
        d = c.d
        return {"run": s.places[c.at] + 1, "files": [r.path for r in runs[s.places[c.at]].reports],
                "old": c.old.value, "new": c.new.value, "shift": d.shift, "shift_lo": d.shift_lo, "shift_hi": d.shift_hi,
                "verdict": series.direction(s.unit, c), "p": d.p,
                **({"ratio": d.ratio, "ratio_lo": d.ratio_lo, "ratio_hi": d.ratio_hi} if d.relative else {})}

    at = dict(zip(s.places, (e.value for e in s.figures)))
    counts = {key: [s.number(key, p) for p in range(len(runs))] for key in j.count_changes}
    found = {"row": f"{suite}/{name}", "suite": suite, "name": name, "core": core, "unit": s.unit,
             "verdict": j.verdict(), "values": [at.get(p) for p in range(len(runs))],
             "changes": [change(c) for c in j.changes], "trend_p": j.trend_p,
             "count_changes": [{"run": p + 1, "of": key, "old": a, "new": b} for key, moves in j.count_changes.items()
                               for p, a, b in moves],
             "missing": [{"run": p + 1, "why": why} for p, why in s.missing.items()],
             "left_out": [{"run": p + 1, "why": why} for p, why in s.left_out.items()]}
    found.update({key: of for key, of in counts.items() if any(n is not None for n in of)})
    if j.slope is not None:
        found.update(slope=j.slope.value, slope_lo=j.slope.lo, slope_hi=j.slope.hi)
    return found


ORDER = (compare.FAILED, compare.SLOWER, compare.MORE, compare.FASTER, compare.FEWER, series.RISES, series.FALLS, compare.UNLIKE)


def changed(j):
    return bool(j.changes or j.has_moved() or j.drift or j.series.failed)


def rank(j):
    """Sorts: failed rows, then changed rows by size of the change, then rows that cannot be judged."""
    v = j.verdict()
    size = 0.0
    if j.changes:
        d = j.changes[-1].d
        size = abs(d.ratio - 1) if d.relative else abs(d.shift)
    return ORDER.index(v) if v in ORDER else ORDER.index(compare.MORE), -size


def rest_line(found):
    """Returns one line about the rows in which nothing changed."""
    steady = [j for j in found if not changed(j) and j.verdict() == compare.SAME]
    if not steady:
        return "No row is without a change."
    said = f"{len(steady)} rows without a change"
    steep = [j for j in steady if j.slope is not None and j.relative]
    if steep:
        def slope(j):
            return j.slope.value / statistics.median(e.value for e in j.series.figures)
        most = max(steep, key=lambda j: abs(slope(j)))
        said += (f"; the steepest trend among them: {most.series.key[0]}/{most.series.key[1]} {slope(most):+.2%} a run "
                 f"(p {most.trend_p:.2g})")
    return said + "."


def explanation(runs, found, risk, least):
    said = [f"A change: the runs from there on differ from those before beyond doubt, and by {least * 100:g}% of the figure and "
            f"more.\nThe risk that a row without a change shows one is {risk:.1g}, over all rows {compare.RISK:.0%} (Bonferroni)."]
    said.append("`a run`: the slope of Theil and Sen with its 99% interval; p: of Mann and Kendall's test, each by itself.")
    if any(s.series.unit == "instructions" or s.has_moved() for s in found):
        said.append("Counted instructions are exact: any difference is a change. They are not time.")
    if len(runs) < 5:
        said.append(f"With {len(runs)} runs no trend can be shown, and of a row whose runs differ by themselves only a large change.")
    return said


# --- the command -----------------------------------------------------------------------------------

def shown(args, runs, crossed, found, risk):
    if args.format in ("csv", "json"):
        lines = [for_programs(j, runs) for j in sorted(found, key=rank)]
        if args.format == "csv":
            lines = [{k: " ".join("-" if x is None else str(x) for x in v) if k in ("values", *(key for key, *_ in compare.EXACT)) else
                      "; ".join(f"run {x['run']}" for x in v) if isinstance(v, list) else v
                      for k, v in line.items()} for line in lines]
        table.write(args.format, PARTS, lines)
        return
    print(f"{len(runs)} runs, oldest first, in the order in which they are given:")
    for run in runs:
        print(run.line())
    for text in crossed:
        print(f"compared nevertheless: {text}")
    print()
    lines = [line for j in sorted(found, key=rank) if changed(j) or j.verdict() == compare.UNLIKE
             for line in text_lines(j, runs)]
    one_core = len({j.series.key[2] for j in found}) == 1
    if lines:
        table.write(args.format, [c for c in COLUMNS if c.key != "core" or not one_core], lines)
        print()
    print(rest_line(found))
    for said in explanation(runs, found, risk, args.least):
        print(said)


def line_of(j, **more):
    """Returns a row in the form that compare_report.verdict_on_slow takes."""
    suite, name, core = j.series.key
    return {"row": f"{suite}/{name}", "core": core, **more}


def command(args, paths):
    """Returns 0: compared; 1: --fail-if-slower found a row that is slower, or fails now. paths: the launches of each
    run, oldest run first."""
    if len(paths) < 2:
        raise saved.Unreadable(f"{paths[0][0]}: one run is not a history: name a second one")
    runs, crossed = runs_of(paths, args.across)
    found, risk = judged(runs, args)
    if not found:
        raise saved.Unreadable("no row is chosen by --suite, --bench and --core")
    shown(args, runs, crossed, found, risk)
    broken = [line_of(j, broke=j.series.missing[max(j.series.missing)]) for j in found
              if j.series.broke and args.fail_if_slower is not None]
    counted = any(len(s.series.counts["instructions"]) > 1 for s in found) and args.fail_if_slower is None
    if not (broken or counted) and all(j.verdict() in (compare.UNLIKE, compare.FAILED) for j in found):
        raise saved.Unreadable(f"no row can be compared over these {len(runs)} runs: a figure with an error takes "
                               f"{series.LEAST_RUNS} runs that have it")
    if args.fail_if_slower is None:
        return 0
    newest = [(j, j.changes[-1]) for j in found if j.changes]
    slow = [(j, c) for j, c in newest if series.direction(j.series.unit, c) in (compare.SLOWER, compare.MORE)
            and c.d.p_above(args.fail_if_slower) <= risk]
    return compare_report.verdict_on_slow(args, [
        line_of(j, old=c.old.value, new=c.new.value, ratio=c.d.ratio, since=f"since {since(j.series.places[c.at], runs)} ")
        for j, c in slow], broken, "Bonferroni")
