"""Two reports, or two sets of them, row by row."""
import collections.abc
import os
import statistics
import sys

from judge import difference, estimate, likeness, shift, significance
from read import figure, interval, kept, saved, show, table

# Both are probabilities: the share of rows called faster or slower that did not change; a false failure of
# --fail-if-slower.
RISK = 0.01
SLOWER, FASTER, SAME, UNLIKE = "slower", "faster", "same", "not comparable"
FAILED = "FAILED"  # the row is in a report of either side, without a figure there
MORE, FEWER = "more", "fewer"  # counted instructions are not time

COLUMNS = (
    table.Column("row", "row", left=True),
    table.Column("core", "core"),
    table.Column("unit", "unit", left=True),
    table.Column("old", "old", ".3f"),
    table.Column("+-", "old_half", ".3f"),
    table.Column("new", "new", ".3f"),
    table.Column("+-", "new_half", ".3f"),
    table.Column("change", "change"),
    table.Column("from", "change_from"),
    table.Column("to", "change_to"),
    table.Column("verdict", "verdict", left=True),
    table.Column("instr/op", "counts"),
    table.Column("IPC", "ipc"),
    table.Column("note", "why", left=True),
)
# For programs: numbers instead of texts, and separate members for what people read in one column.
TEXTS = ("change", "change_from", "change_to", "counts", "ipc")
PARTS = tuple(table.Column("", key) for key in (
    "shift", "shift_lo", "shift_hi", "ratio", "ratio_lo", "ratio_hi", "by", "old_instructions", "new_instructions",
    "count_verdict", "old_ipc", "new_ipc", "suite", "name", "old_lo", "old_hi", "new_lo", "new_hi", "old_percent",
    "new_percent", "old_launches", "new_launches", "p_adjusted"))


def headed(lines):
    """Returns COLUMNS, with the level of these Lines' intervals in the heading."""
    titles = {f"{side}_half": interval.heading(found) for side, found in lines.percents.items()}
    return [table.Column(titles.get(c.key, c.title), c.key, c.form, c.left) for c in COLUMNS]


# Fields of a row. likeness.py, estimate.py and difference.py list the fields that they need.
KEPT = kept.Fields(f"""{figure.FIELDS} {interval.FIELDS} why exclusive throttled doubt judged recipe cold share together
    form modes n disturbed shared per_op.ipc ticks.median ticks.p99 ticks.max interval.estimator interval.kappa
    interval.sd interval.rounds_sd interval.rounds_cycles process.involuntary_switches process.page_faults
    process.migrations process.steal_ms""")


class Index:
    """Data about a report's rows, gathered while they are read, because unpacking all rows again takes as long as
    parsing their JSON. places: {(suite, name, core): number}; twice: the first name that two rows have; estimators:
    those of all figures; rounds: how much those of all rows differ."""

    def __init__(self):
        self.places, self.twice, self.estimators, self._count = {}, None, set(), 0
        self.rounds = shift.Rounds()

    def take(self, row):
        key = row["suite"], row["name"], row.get("core")
        if self.places.setdefault(key, self._count) != self._count:
            self.twice = self.twice or key
        self._count += 1
        if estimator := likeness.estimator(row):
            self.estimators.add(estimator)
        self.rounds.add(difference.in_rounds(row))


class Launches(collections.abc.Mapping):
    """{(suite, name, core): [row of each launch]}; rows are unpacked on access."""

    def __init__(self, reports, indices):
        for report, index in zip(reports, indices):
            if index.twice:
                suite, name, core = index.twice
                raise saved.Unreadable(f"{report.path}: row {suite}/{name} is there twice on core {core}")
        self._launches = [(report.of("row"), index.places) for report, index in zip(reports, indices)]
        self._keys = dict.fromkeys(key for _, places in self._launches for key in places) if len(reports) > 1 \
            else self._launches[0][1]

    def __getitem__(self, key):
        if key not in self._keys:
            raise KeyError(key)
        return [rows[places[key]] for rows, places in self._launches if key in places]

    def __contains__(self, key):
        return key in self._keys

    def __iter__(self):
        return iter(self._keys)

    def __len__(self):
        return len(self._keys)


class Side:
    """The reports of one side, which must be alike. rows: their Launches; estimators: those of one report's figures;
    rounds: [how much those of each report's rows differ]."""

    def __init__(self, title, paths, fields=KEPT):
        """fields: the fields of rows that are kept (saved.Saved)."""
        files = [os.path.realpath(path) for path in paths]
        for path, file in zip(paths, files):
            if files.count(file) > 1:
                raise saved.Unreadable(f"{path}: it is there twice among the launches of {title}: one launch more "
                                       "would be believed than there is")
        indices = [Index() for _ in paths]
        self.title = title
        self.reports = [saved.read_whole(path, fields, index.take) for path, index in zip(paths, indices)]
        for r in self.reports:
            if not r.one("run"):
                raise saved.Unreadable(f"{r.path}: no record `run`: nothing is known of the machine")
        self.run = self.reports[0].one("run")
        self.estimators = indices[0].estimators
        self.rounds = [index.rounds for index in indices]
        for r, index in zip(self.reports[1:], indices[1:]):
            self._fail_if_unlike(r, index.estimators)
        self.rows = Launches(self.reports, indices)

    def _fail_if_unlike(self, other, estimators):
        run = other.one("run")
        apart = [text for _, text in (*likeness.unlike(self.run, run),
                                      *likeness.unlike_estimators(self.estimators, estimators))]
        if run.get("platform") != self.run.get("platform"):
            apart.append(f"another platform: {self.run.get('platform')} against {run.get('platform')}")
        if apart:
            raise saved.Unreadable(f"{other.path} is not pooled with {self.reports[0].path}: " + "; ".join(apart))

    def line(self):
        build = self.run.get("build", "?")
        files = ", ".join(r.path for r in self.reports)
        several = f"{len(self.reports)} launches: " if len(self.reports) > 1 else ""
        failed = [f"; the verdict of {r.path} is {r.verdict}" for r in self.reports if r.verdict != "pass"]
        return (f"{self.title}: {several}{files} (baretick {self.run.get('version', '?')}, {build}, "
                f"{self.run.get('compiler', 'compiler unknown')}; {PLATFORMS.get(self.run.get('platform'), '?')})" + "".join(failed))


PLATFORMS = {"uefi": "bare machine", "hosted": "hosted: under an operating system"}


def half(e):
    return None if e.lo is None else round(max(e.hi - e.value, e.value - e.lo), 6)


def why_not(old, new):
    """Returns why the launches of a row cannot be compared, or None."""
    if not old or not new:
        return "only in the new report" if not old else "only in the old report"
    for side, rows in (("old", old), ("new", new)):
        for row in rows:
            if why := likeness.unfit(row):
                return f"{side}: {why}"
    for row in [*old[1:], *new]:
        if why := likeness.unlike_rows(old[0], row):
            return why
    return None


def counted(rows):
    """Returns (instructions per operation, or None if they are not known or differ between launches; the median IPC)."""
    found = {figure.instructions(row) for row in rows}
    ipc = [row["per_op"]["ipc"] for row in rows if "ipc" in row.get("per_op", {})]
    return found.pop() if len(found) == 1 else None, shift.middle(sorted(ipc)) if ipc else None


def arrow(old, new, form):
    """Returns "old -> new", or one of them if both read alike."""
    texts = ["-" if v is None else format(v, form) for v in (old, new)]
    return texts[0] if texts[0] == texts[1] else " -> ".join(texts)


def with_counts(line, old, new):
    """Returns the change of counted instructions next to a row's time. Counts are exact, so any difference is a change."""
    (a, ipc_a), (b, ipc_b) = counted(old), counted(new)
    line.update(old_instructions=a, new_instructions=b, old_ipc=ipc_a, new_ipc=ipc_b)
    if (a, b) != (None, None):
        line["counts"] = arrow(a, b, ".10g")
    if None not in (a, b):
        line["count_verdict"] = SAME if a == b else MORE if b > a else FEWER
        if a != b:
            line["counts"] += " " + line["count_verdict"]
    if (ipc_a, ipc_b) != (None, None):
        line["ipc"] = arrow(ipc_a, ipc_b, ".2f")


def with_change(line, d):
    """Returns the difference in words: in percent, or in the figure's unit if the old figure is near zero."""
    line.update(shift=round(d.shift, 6), shift_lo=d.shift_lo, shift_hi=d.shift_hi, by=d.by)
    if d.relative:
        line.update(ratio=d.ratio, ratio_lo=d.ratio_lo, ratio_hi=d.ratio_hi)
        values, form, unit = [v and v - 1 for v in (d.ratio, d.ratio_lo, d.ratio_hi)], "+.2%", ""
    else:
        values, form, unit = (d.shift, d.shift_lo, d.shift_hi), "+.3f", f" {line['unit']}"
    for key, value in zip(("change", "change_from", "change_to"), values):
        line[key] = None if value is None else format(value, form) + (unit if key == "change" else "")


def has_failed(rows):
    return any(row["status"] == "wrong" for row in rows)


def broke(old, new):
    """Returns why a row fails in the new launches and did not in the old ones, or ""."""
    failed = [row for row in new or () if has_failed([row])]
    return likeness.unfit(failed[0]) if failed and not has_failed(old or ()) else ""


def figure_left(old, new):
    """Returns the figure of the side that has one, for a row that failed on the other side."""
    found = {}
    for side, rows in (("old", old or ()), ("new", new or ())):
        if rows and not any(likeness.unfit(row) for row in rows):
            unit = figure.unit(rows[0])
            e = estimate.pooled([estimate.of_row(r, unit) for r in rows])
            found.update({"unit": unit, side: e.value, f"{side}_half": half(e), f"{side}_percent": e.percent})
    return found


def judged(key, old, new, all_differ):
    """Returns one line of the comparison, and its difference, or None. all_differ: the rounds of all rows seem to."""
    suite, name, core = key
    line = {"row": f"{suite}/{name}", "suite": suite, "name": name, "core": core, "why": why_not(old, new) or ""}
    if line["why"]:
        if has_failed((*(old or ()), *(new or ()))):
            return {**line, **figure_left(old, new), "verdict": FAILED, "broke": broke(old, new)}, None
        return {**line, "verdict": UNLIKE}, None
    unit = figure.unit(old[0])
    a, b = (estimate.pooled([estimate.of_row(r, unit) for r in rows]) for rows in (old, new))
    for side, e in (("old", a), ("new", b)):
        line.update({side: e.value, f"{side}_lo": e.lo, f"{side}_hi": e.hi, f"{side}_half": half(e),
                     f"{side}_percent": e.percent, f"{side}_launches": e.launches})
    line["unit"] = unit
    if unit != "instructions":
        with_counts(line, old, new)
    d, note = difference.of_rows(old, new, unit, a, b, all_differ)
    if d is None:
        return {**line, "verdict": UNLIKE, "why": note}, None
    with_change(line, d)
    several = "several modes" if any(len(r.get("modes", [])) > 1 for r in (*old, *new)) else ""
    line["why"] = "; ".join(said for said in (several, *intervals(old, new), note) if said)
    return line, d


def intervals(old, new):
    """Adds what must be known of each side's interval. The interval of several launches is computed here."""
    said = [interval.note(rows[0]) if len(rows) == 1 else "" for rows in (old, new)]
    if said[0] == said[1]:
        return said[:1]
    return [f"{side}: {text}" for side, text in zip(("old", "new"), said) if text]


def verdict(d, p):
    if p > RISK:
        return SAME
    if d.counts:
        return FEWER if d.less else MORE
    return FASTER if d.less else SLOWER


class Difference:
    """The part of a difference that is kept: whether the new figure is less, whether it counts instructions, p, and p of
    being above the limit."""

    __slots__ = ("less", "counts", "p", "p_above")

    def __init__(self, d, limit):
        self.less, self.counts = d.shift < 0, d.by == "counts"
        self.p, self.p_above = d.p, None if limit is None else d.p_above(limit)


class Lines(kept.Records):
    """The lines of a comparison, packed, with totals over all of them, gathered in one pass: verdicts; moved
    (instructions per operation); by (how many lines of each); cores; percents (the levels of each side's intervals)."""

    def __init__(self):
        super().__init__()
        self.verdicts, self.moved, self.by = (collections.Counter() for _ in range(3))
        self.cores, self.percents = set(), {"old": set(), "new": set()}

    def append(self, line):
        """Adds a line and counts it."""
        super().append(line)
        self.cores.add(line["core"])
        for kind, found in (("verdict", self.verdicts), ("count_verdict", self.moved), ("by", self.by)):
            if kind in line:
                found[line[kind]] += 1
        for side, found in self.percents.items():
            if line.get(f"{side}_half") is not None:
                found.add(line.get(f"{side}_percent"))

    def judge(self, at, said, p):
        """Adds the verdict to a line."""
        self.extend(at, verdict=said, p_adjusted=p)
        self.verdicts[said] += 1


def compared(old, new, args, limit=None):
    """Returns the Lines, and the Difference of each compared line, by position. limit: allowed slowdown, for
    too_slow()."""
    is_chosen, lines, differences = show.choice(args), Lines(), {}
    all_differ = shift.differ([*old.rounds, *new.rounds])
    for key in (*old.rows, *(k for k in new.rows if k not in old.rows)):
        if not is_chosen(dict(zip(("suite", "name", "core"), key))):
            continue
        line, d = judged(key, old.rows.get(key), new.rows.get(key), all_differ)
        if d:
            differences[len(lines)] = Difference(d, limit)
        lines.append(line)
    adjusted = significance.benjamini_hochberg([d.p for d in differences.values()])
    for (at, d), p in zip(differences.items(), adjusted):
        lines.judge(at, verdict(d, p), p)
    return lines, differences


def too_slow(lines, differences):
    """Returns the lines that are significantly slower by more than the limit of compared()."""
    adjusted = significance.holm([d.p_above for d in differences.values()])
    return [lines[at] for at, p in zip(differences, adjusted) if p <= RISK]


# --- a process against a bare machine --------------------------------------------------------------

TAILS = ("median", "p99", "max")


def tails(lines, sides):
    """Returns columns and rows of the cost of an operating system next to the figure: windows, and the share of the
    core."""
    found = []
    for line in lines:
        key, row = (line["suite"], line["name"], line["core"]), {"row": line["row"], "core": line["core"]}
        for side in sides:
            launches = [r for r in side.rows.get(key, []) if "ticks" in r]
            for name in TAILS:
                values = [r["ticks"][name] for r in launches if name in r["ticks"]]
                row[f"{side.title}_{name}"] = statistics.fmean(values) if values else None
            shares = [r["shared"] for r in launches if "shared" in r]
            row[f"{side.title}_shared"] = statistics.fmean(shares) if shares else None
        if any(v is not None for k, v in row.items() if k not in ("row", "core")):
            found.append(row)
    columns = [COLUMNS[0], COLUMNS[1]]
    for name, form in (*((n, ".0f") for n in TAILS), ("shared", ".1%")):
        columns += [table.Column(f"{side.title} {name}", f"{side.title}_{name}", form) for side in sides]
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


# --- the command -----------------------------------------------------------------------------------

def fail_if_unlike(old, new, across):
    """Returns, in words, what differs between the two sides although --across allows it."""
    apart = likeness.unlike(old.run, new.run) + likeness.unlike_estimators(old.estimators, new.estimators)
    refused = [text for kind, text in apart if kind not in across]
    if refused:
        also = [kind for kind, _ in apart if kind in likeness.MAY_CROSS and kind not in across]
        hint = f" (--across {','.join(sorted(set(also)))} compares them nevertheless)" \
            if len(also) == len(refused) else ""
        raise saved.Unreadable(f"{old.title} and {new.title} are not comparable: " + "; ".join(refused) + hint)
    return [text for _, text in apart]


def sentence(lines):
    order = (FAILED, SLOWER, MORE, FASTER, FEWER, SAME, UNLIKE)
    said = f"{len(lines)} rows: " + ", ".join(f"{lines.verdicts[v]} {v}" for v in order if v in lines.verdicts)
    moved = [f"{v} in {lines.moved[v]}" for v in (MORE, FEWER) if v in lines.moved]
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
                    f"(Benjamini-Hochberg):\nof rows called faster or slower at most {RISK:.0%} are neither. "
                    "`same`: no difference is shown.")
    if "counts" in by or lines.moved:
        said.append("Counted instructions are exact: any difference is one. They are not time.")
    return said


def shown(args, old, new, crossed, lines, differences):
    if args.format in ("csv", "json"):
        columns = [c for c in COLUMNS if c.key not in TEXTS]
        table.write(args.format, [*columns[:-2], *PARTS, *columns[-2:]], lines)
        return
    print(old.line())
    print(new.line())
    for text in crossed:
        print(f"compared nevertheless: {text}")
    hosted = old.run.get("platform") != new.run.get("platform")
    print()
    one_core = len(lines.cores) == 1
    titles = {"old": old.title, "new": new.title}
    table.write(args.format, [table.Column(titles.get(c.key, c.title), c.key, c.form, c.left) for c in headed(lines)
                              if c.key != "core" or not one_core], lines)
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
    print(sentence(lines))
    for said in explanation(lines, differences):
        print(said)


def command(args, old_paths, new_paths):
    """0: compared; 1: --fail-if-slower found a row that is slower, or fails now."""
    old, new = Side("old", old_paths), Side("new", new_paths)
    crossed = fail_if_unlike(old, new, args.across)
    if old.run.get("platform") != new.run.get("platform"):
        for side in (old, new):
            side.title = "hosted" if side.run.get("platform") == "hosted" else "bare"
    lines, differences = compared(old, new, args, args.fail_if_slower)
    if not lines:
        raise saved.Unreadable("no row is chosen by --suite, --bench and --core")
    shown(args, old, new, crossed, lines, differences)
    broken = [line for line in lines if line.get("broke")] if args.fail_if_slower is not None else []
    if not differences and not broken:
        raise saved.Unreadable("no row of the two can be compared")
    if args.fail_if_slower is None:
        return 0
    return verdict_on_slow(args, too_slow(lines, differences), broken, "Holm")


def verdict_on_slow(args, slow, broken, correction):
    """Returns the exit status of --fail-if-slower. slow: lines that are slower by more than it allows; broken: lines
    that fail and did not before."""
    for line in broken:
        print(f"baretick: {line['row']} on core {line['core']} fails, and did not before: {line['broke']}", file=sys.stderr)
    doubt = f"beyond doubt ({correction}, a risk of {RISK:.0%} over all rows)"
    for line in slow:
        by = f"by {line['ratio'] - 1:.1%}" if line.get("ratio") else f"({line['old']:.3f} -> {line['new']:.3f})"
        print(f"baretick: {line['row']} on core {line['core']} is slower {line.get('since', '')}{by}: more than "
              f"{args.fail_if_slower * 100:g}% {doubt}", file=sys.stderr)
    if not slow and args.format in ("text", "markdown"):
        print(f"No row is slower by more than {args.fail_if_slower * 100:g}% {doubt}.")
    return 1 if slow or broken else 0
