"""Prints a comparison of two sides, and the verdict of --fail-if-slower."""
import statistics
import sys

from judge import compare, exits, sides, significance
from read import saved, table

# --- a process against a bare machine --------------------------------------------------------------

TAILS = ("median", "p99", "max")


def tails(lines, both):
    """Returns columns and rows of the cost of an operating system next to the figure: windows, and the share of the
    core."""
    found = []
    for line in lines:
        key, row = (line["suite"], line["name"], line["core"]), {"row": line["row"], "core": line["core"]}
        for side in both:
            launches = [r for r in side.rows.get(key, []) if "ticks" in r]
            for name in TAILS:
                values = [r["ticks"][name] for r in launches if name in r["ticks"]]
                row[f"{side.title}_{name}"] = statistics.fmean(values) if values else None
            shares = [r["shared"] for r in launches if "shared" in r]
            row[f"{side.title}_shared"] = statistics.fmean(shares) if shares else None
        if any(v is not None for k, v in row.items() if k not in ("row", "core")):
            found.append(row)
    columns = [compare.COLUMNS[0], compare.COLUMNS[1]]
    for name, form in (*((n, ".0f") for n in TAILS), ("shared", ".1%")):
        columns += table.columns(*((f"{side.title} {name}", f"{side.title}_{name}", form) for side in both))
    return columns, found


def lost(side):
    """Returns, in words, the lost and shared time that a side's reports state."""
    rows = [row for rows in side.rows.values() for row in rows]
    said = []
    for r in side.reports:
        said += [f"core {w['core']} was shared {w['shared']:.1%} of the time"
                 for w in r.of("witness") if "shared" in w]
        said += [f"core {g['core']}: {g['gaps']} gaps took {g['gap_ticks'] / g['watched_ticks']:.3%} of it, "
                 f"the longest {g['longest_ticks']} ticks" for g in r.of("gaps") if g.get("watched_ticks")]
    if any("process" in row for row in rows):
        total = {key: sum(row.get("process", {}).get(key, 0) for row in rows)
                 for key in ("involuntary_switches", "page_faults", "migrations", "steal_ms")}
        said.append(f"{total['involuntary_switches']} times another program had the CPU, {total['page_faults']} "
                    f"page faults, {total['migrations']} moves, {total['steal_ms']:g} ms stolen by the hypervisor")
    disturbed = sum(row.get("disturbed", 0) for row in rows)
    said.append(f"{disturbed} of {sum(row.get('n', 0) for row in rows)} windows disturbed")
    smis = [r.one("end")["smis"] for r in side.reports if "smis" in r.one("end")]
    if smis:
        said.append(f"{sum(smis)} SMIs")
    return f"{side.title}: " + "; ".join(said)


# --- the verdicts ----------------------------------------------------------------------------------

def sentence(lines):
    order = (compare.FAILED, compare.SLOWER, compare.MORE, compare.FASTER, compare.FEWER, compare.SAME, compare.UNLIKE)
    said = f"{len(lines)} rows: " + ", ".join(f"{lines.verdicts[v]} {v}" for v in order if v in lines.verdicts)
    moved = [f"{v} in {lines.moved[v]}" for v in (compare.MORE, compare.FEWER) if v in lines.moved]
    return f"{said}; instructions an operation: {', '.join(moved)}" if moved else said


def explanation(lines, differences):
    """Returns sentences that explain the verdicts."""
    by, said = lines.by, []
    placements = by.get("placements", 0) + by.get("rounds", 0)
    if placements:
        said.append(f"Rows judged by their placements' figures: {placements}. The change is the median over all "
                    "pairs of a new and an old\nplacement (Hodges and Lehmann); from and to are its 99% interval by ranks.")
    if "rounds" in by:
        said.append(f"Of {by['rounds']} of them rounds seem to differ, so that their intervals are longer.")
    if "figures" in by:
        said.append(f"Rows judged by their figures and intervals: {by['figures']}. There are no figures of placements, or "
                    "too few, or\nfewer than 4 rounds, or launches differ by more than their placements explain.")
    if set(by) - {"counts"}:
        said.append(f"The intervals of changes are of 99%, each by itself. Over these {len(differences)} rows false alarms are held down "
                    f"(Benjamini-Hochberg):\nof rows called faster or slower at most {compare.RISK:.0%} are neither. "
                    "`same`: no difference is shown.")
    if "counts" in by or lines.moved:
        said.append("Counted instructions are exact: any difference is one. They are not time.")
    if lines.left:
        said.append("`left`: instructions in the state that the timed windows left.")
    if lines.left_out:
        said.append("Rows without the launches whose core was shared or throttled in it: "
                    + ", ".join(f"{n} {side}" for side, n in lines.left_out.items()) + ". Their other launches are compared.")
    return said


def shown(args, old, new, crossed, lines, differences, found):
    if args.format in ("csv", "json"):
        columns = [c for c in compare.COLUMNS if c.key not in compare.TEXTS]
        parts = [*compare.PARTS, *(exits.PARTS if found else ())]
        table.write(args.format, [*columns[:-2], *parts, *columns[-2:]], found.added(lines) if found else lines)
        return
    print(old.line())
    print(new.line())
    for text in crossed:
        print(f"compared nevertheless: {text}")
    hosted = old.run.get("platform") != new.run.get("platform")
    print()
    one_core = len(lines.cores) == 1
    titles = {"old": old.title, "new": new.title}
    table.write(args.format, [c for c in table.retitled(compare.headed(lines), titles) if c.key != "core" or not one_core], lines)
    print()
    if hosted:
        print("A process against a bare machine. One window, in ticks of the TSC, and the time during "
              "which another program or guest had the core:")
        print()
        columns, rows = tails(lines, (old, new))
        table.write(args.format, [c for c in columns if c.key != "core" or not one_core], rows)
        print()
        print(lost(old))
        print(lost(new))
        print()
    if found:
        exits.shown(found, (old, new)[found.under or 0].title, args.format)
    print(sentence(lines))
    for said in explanation(lines, differences):
        print(said)


def command(args, old_paths, new_paths):
    """Compares two sides and prints the result. Returns 1 if --fail-if-slower found a row that is slower, or fails now;
    else 0."""
    old, new = sides.Side("old", old_paths), sides.Side("new", new_paths)
    crossed = sides.fail_if_unlike(old, new, args.across)
    if old.run.get("platform") != new.run.get("platform"):
        for side in (old, new):
            side.title = "hosted" if side.run.get("platform") == "hosted" else "bare"
    lines, differences = compare.compared(old, new, args, args.fail_if_slower)
    if not lines:
        raise saved.Unreadable("no row is chosen by --suite, --bench and --core")
    found = exits.Exits(old, new) if any(suite == "exits" for suite, _, _ in (*old.rows, *new.rows)) else None
    shown(args, old, new, crossed, lines, differences, found)
    broken = [line for line in lines if line.get("broke")] if args.fail_if_slower is not None else []
    if not (differences or broken or found):
        if not lines.moved or args.fail_if_slower is not None:
            raise saved.Unreadable("no row of the two can be compared" + (" by its time" if lines.moved else ""))
    if args.fail_if_slower is None:
        return 0
    adjusted = significance.holm([d.p_above for d in differences.values()])
    return verdict_on_slow(args, [lines[at] for at, p in zip(differences, adjusted) if p <= compare.RISK], broken, "Holm")


def verdict_on_slow(args, slow, broken, correction):
    """Returns the exit status of --fail-if-slower. slow: lines that are slower by more than it allows; broken: lines
    that fail and did not before."""
    for line in broken:
        print(f"baretick: {line['row']} on core {line['core']} fails, and did not before: {line['broke']}", file=sys.stderr)
    doubt = f"beyond doubt ({correction}, a risk of {compare.RISK:.0%} over all rows)"
    for line in slow:
        by = f"by {line['ratio'] - 1:.1%}" if line.get("ratio") else f"({line['old']:.3f} -> {line['new']:.3f})"
        print(f"baretick: {line['row']} on core {line['core']} is slower {line.get('since', '')}{by}: more than "
              f"{args.fail_if_slower * 100:g}% {doubt}", file=sys.stderr)
    if not slow and args.format in ("text", "markdown"):
        print(f"No row is slower by more than {args.fail_if_slower * 100:g}% {doubt}.")
    return 1 if slow or broken else 0
