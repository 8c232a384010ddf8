"""`baretick show`: the table again, from a saved report; what is wrong with the report on stderr."""
import fnmatch
import sys

from read import curve, figure, forward, interval, kept, quiet, saved, table

COLUMNS = table.columns(
    ("file", "file", "<"), ("row", "row", "<"), ("core", "core"), ("at", "place"), ("ops", "ops"), ("min", "min"),
    ("median", "median", ".0f"), ("p99", "p99", ".0f"), ("max", "max"), ("cycles/op", "cycles", ".3f"),
    ("+-", "interval", ".3f"), ("instr/op", "instructions", ".3f"), ("IPC", "ipc", ".2f"),
    ("ticks/op", "ticks", ".3f"), ("ns/op", "ns", ".3f"), ("GB/s", "gb_per_s", ".2f"),
    ("ops/s", "operations_per_second", ".4g"), ("note", "note", "<"))
# For programs: the parts of what people read in one.
PARTS = table.parts("suite", "name", "status", "cycles_lo", "cycles_hi", "percent", "gross_cycles", "loop_cycles", "by", "at")
FOR_PEOPLE = ("place", "note")  # columns of COLUMNS that programs get in parts, or last
SORTS = ("report", "suite", "name", "core", "ops", "min", "median", "p99", "max", "cycles", "interval",
         "instructions", "ipc", "ticks", "ns", "operations_per_second")
KEPT = kept.Fields(f"""{figure.FIELDS} {interval.FIELDS} why exclusive throttled doubt modes ops per_op.ipc
    operations_per_second ticks.min ticks.median ticks.p99 ticks.max body.min body.median body.p99 body.max""")
TOLD = ("warning", "error", "fault", "nmi", "stopped", "cores_differ", "exits")


def note(row):
    """Returns the notes about a row's figure."""
    found = []
    if row["status"] != "ok":
        found.append(f"{row['status']}: {row.get('why', 'no reason given')}")
    elif row.get("why"):
        found.append(row["why"])
    if row["status"] == "ok" and "cycle_source" in row and row.get("per_op", {}).get("cycles") is None:
        found.append("no figure: windows were disturbed or failed, or the source of cycles was noise")
    if row.get("exclusive") is False:
        found.append("the core was shared")
    modes = row.get("modes", [])
    if len(modes) > 1:
        found.append("modes " + ", ".join(f"{m['cycles']:.3f} ({m['share']:.0%})" for m in modes))
    found += figure.history(row)
    if said := figure.hidden(row):
        found.append(said)
    if said := interval.note(row):
        found.append(said)
    if row.get("throttled"):
        found.append("throttled")
    if row.get("doubt"):
        found.append(row["doubt"])
    return "; ".join(found)


def in_unit(ticks, ticks_per_unit):
    """Returns the value of a window in ticks, or in the instructions that they count."""
    if ticks is None:
        return None
    return ticks / ticks_per_unit if ticks % ticks_per_unit else int(ticks // ticks_per_unit)


def flat(path, row, ticks_per_unit):
    """Returns a row's record as the values of COLUMNS and PARTS."""
    per_op, window = row.get("per_op", {}), row.get("ticks") or row.get("body") or {}
    return {
        "file": path, "row": f"{row['suite']}/{row['name']}", "suite": row["suite"], "name": row["name"],
        "core": row.get("core"), "status": row["status"], "ops": row.get("ops"),
        **{key: in_unit(window.get(key), ticks_per_unit) for key in ("min", "median", "p99", "max")},
        **{key: per_op.get(key) for key in ("cycles", "instructions", "ipc", "ns", "cycles_lo", "cycles_hi",
                                           "loop_cycles")},
        "gross_cycles": figure.gross(per_op),
        "ticks": per_op.get("ticks") if figure.unit(row) == "ticks" else None,
        "operations_per_second": row.get("operations_per_second"),
        "interval": figure.half(per_op), "percent": interval.percent(row),
        "note": note(row),
    }


def flat_points(path, c):
    """Returns the points of a Curve as values of COLUMNS and PARTS; for a curve without points one line with the
    reason."""
    common = {"file": path, "row": c.full_name, "suite": c.suite, "name": c.name, "core": c.core,
              "status": c.record["status"]}
    if not c.points:
        yield {**common, "interval": None, "percent": None, "note": c.reason}
    for p in c.points:
        half = None if None in (p.value, p.lo, p.hi) else max(p.hi - p.value, p.value - p.lo)
        yield {**common, "by": c.by, "at": p.at, "place": c.place(p.at), "interval": half, "percent": p.percent,
               c.unit: p.value, "cycles_lo": p.lo, "cycles_hi": p.hi, "ns": p.ns, "gb_per_s": p.gb,
               "note": "the core was shared" if p.shared else ""}


def every_flat(reports):
    """Yields the rows of all reports, from flat(), and the points of their curves."""
    for r in reports:
        ticks_per_unit = r.one("run").get("ticks_per_instruction", 1)
        for row in r.of("row"):
            yield flat(r.path, row, ticks_per_unit)
        for c in curve.curves(r):
            yield from flat_points(r.path, c)


def headed(columns, rows):
    """Returns the columns, with the level of these rows' intervals in the heading. rows: from flat()."""
    title = interval.heading([r["percent"] for r in rows if r["interval"] is not None])
    return table.retitled(columns, {"interval": title})


def add_choice(p):
    """Adds --suite, --bench and --core."""
    p.add_argument("--suite", default="*", metavar="GLOB,...", help="only these suites")
    p.add_argument("--bench", default="*", metavar="GLOB,...", help="only rows with these names")
    p.add_argument("--core", type=int, metavar="N", help="only this core")


def matches(names, globs):
    return any(fnmatch.fnmatchcase(name, glob) for name in names for glob in globs)


def choice(args):
    """Returns a function that tests whether a row is selected."""
    suites, benches = args.suite.split(","), args.bench.split(",")
    if suites == benches == ["*"] and args.core is None:
        return lambda r: True
    # "name" selects "name/8" too, which has an argument, as with bench=.
    return lambda r: (matches([r["suite"]], suites) and matches([r["name"], r["name"].partition("/")[0]], benches)
                      and (args.core is None or r["core"] == args.core))


def chosen(rows, args):
    return list(filter(choice(args), rows))


def in_order(rows, key, reverse):
    """Sorts rows by a value. Rows without it come last, in either direction."""
    if key == "report":
        return rows[::-1] if reverse else rows
    values = [r.get(key) for r in rows]
    having = sorted((at for at, v in enumerate(values) if v is not None), key=values.__getitem__, reverse=reverse)
    return rows.picked(having + [at for at, v in enumerate(values) if v is None])


def title(report):
    """Returns a line about the program, the machine and the run."""
    run = report.one("run")
    if not run:
        return f"{report.path}: the record `run` is missing: nothing is known of the machine"
    build, cpu = run.get("build", "?"), run.get("cpu", {})
    words = [f"baretick {run.get('version', '?')} ({build})", run.get("platform", "?"),
             f"execution {run.get('execution', '?')}", cpu.get("brand") or cpu.get("vendor", "CPU unknown"),
             f"recipe {run.get('recipe', '?')}", f"windows in {run.get('unit', '?')}"]
    options = run.get("options", {})
    if options.get("method", "doubled") != "doubled":
        words.append(f"method {options['method']}")
    return f"{report.path}: " + ", ".join(words)


def ending(report):
    end, damaged = report.one("end"), "; the file is damaged" if report.damage else ""
    if not end:
        return f"verdict: none, the report has no record `end`{' that can be believed' if report.has_ended else ''}{damaged}"
    # Reports of older versions do not state the number of curves and forms.
    curves = end.get("curves", len(report.of("curve")) + len(report.of("limit")))
    forms = end.get("forms", sum(e.get("reached", 0) for e in report.of("insn_end")))
    counts = [(end["rows"], "row", ""), (curves, "curve", ""), (forms, "form", " of instructions")]
    measured = [f"{n} {what}{'' if n == 1 else 's'}{of}" for n, what, of in counts if n] or ["0 rows"]
    unproven = f", the work of {end['work_not_judged']} not judged" if end.get("work_not_judged") else ""
    return f"verdict: {end['verdict'].upper()} ({', '.join(measured)}, {end['failures']} failures{unproven}){damaged}"


def complain(report):
    """Prints all damage on stderr. Returns whether there is any."""
    for wrong in report.damage:
        print(f"baretick: {report.path}: {wrong}", file=sys.stderr)
    if report.damage:
        print(f"baretick: {report.path}: damaged in {len(report.damage)} places; what could be read is shown",
              file=sys.stderr)
    if report.reports > 1:
        print(f"baretick: {report.path}: {report.reports} reports, one after another: the last one is shown",
              file=sys.stderr)
    if report.verdict not in (None, "pass"):
        print(f"baretick: {report.path}: the run's verdict is {report.verdict}", file=sys.stderr)
    return bool(report.damage) or report.verdict != "pass"


def _of_curves(report):
    """Returns [Curve or Map]."""
    return [*curve.curves(report), *forward.maps(report)]


def below(report, args):
    """Returns the lines below the tables: findings and notes of the chosen curves and maps."""
    is_chosen = choice(args)
    for q in quiet.quiets(report):
        if is_chosen({**q.record, "core": args.core}):
            yield from q.lines()
    for c in _of_curves(report):
        if is_chosen(c.record):
            yield from (f"{c.full_name}, core {c.core}: {said}" for said in ([c.reason] if c.reason else [*c.found, *c.remarks]))


def show(reports, rows, args):
    several, cores = len(reports) > 1, len({r["core"] for r in rows}) > 1
    if args.format in ("csv", "json"):
        table.write(args.format, [*(c for c in COLUMNS if c.key not in FOR_PEOPLE), *PARTS, COLUMNS[-1]], rows)
        return
    hidden = {"file"} if not several else set()
    if not cores:
        hidden.add("core")
    heading = "- " if args.format == "markdown" else ""
    for r in reports:
        print(f"{heading}{table.printable(title(r))}")
    print()
    table.write(args.format, headed([c for c in COLUMNS if c.key not in hidden], rows), rows)
    if rows:
        print()
    for r in reports:
        before = f"{r.path}: " if several else ""
        for said in below(r, args):
            print(f"{heading}{before}{table.printable(said)}")
        for event in r.of("event"):
            if event.get("kind") in TOLD:
                print(f"{heading}{before}{event['kind']}: {table.printable(event['message'])}")
        print(f"{heading}{before}{ending(r)}")


def fail_if_none_chosen(reports, args, rows):
    """Raises Unreadable if no row or curve is selected. rows: the number of selected rows."""
    every, lines = sum(len(r.of("row")) for r in reports), [c.record for r in reports for c in _of_curves(r)]
    if rows or not every + len(lines) or any(map(choice(args), lines)):
        return
    curves = f" and {len(lines)} curves" if lines else ""
    raise saved.Unreadable(f"none of {every} rows{curves} is chosen by --suite, --bench and --core")


def read(paths, fields=None):
    """Returns the reports that can be read, with these fields (saved.Saved). Prints why others cannot be read."""
    found = []
    for path in paths:
        try:
            found.append(saved.read(path, fields))
        except saved.Unreadable as e:
            print(f"baretick: {e}", file=sys.stderr)
    return found


def machine(args):
    """Prints the lines of a recording that the word `dump` made. Returns 1 if the report is damaged, else 0."""
    if len(args.files) > 1:
        raise saved.Unreadable("--machine: one report is allowed")
    report = saved.read(args.files[0])
    if not report.of("machine"):
        raise saved.Unreadable(f"{report.path}: no records `machine`: start baretick with the word dump")
    wrong = complain(report)
    for record in report.of("machine"):
        for line in record.get("lines", []):
            print(table.printable(line))
    return int(wrong)


def command(args):
    """Returns 0: every report is intact and its run passed; 1: one is not, or did not; 2: one cannot be read."""
    if args.machine:
        return machine(args)
    reports = read(args.files, KEPT)
    if not reports:
        return 2
    wrong = [complain(r) for r in reports]
    rows = in_order(kept.Records(filter(choice(args), every_flat(reports))), args.sort, args.reverse)
    show(reports, rows, args)
    fail_if_none_chosen(reports, args, len(rows))
    return 2 if len(reports) < len(args.files) else 1 if any(wrong) else 0


def add(commands):
    p = commands.add_parser(
        "show", help="the table of a saved report",
        description="Shows the table of a saved report: report.jsonl, or a raw serial log.",
        epilog="Damage of a report is named on stderr: a record with a wrong crc, a gap in seq, a\n"
               "missing `end`. Exit status: 0 all are whole and their runs passed; 1 one is damaged, or its\n"
               "run did not pass; 2 one cannot be read at all.")
    p.add_argument("files", nargs="+", metavar="FILE", help="report.jsonl, or a serial log")
    p.add_argument("--sort", choices=SORTS, default="report", metavar="COLUMN",
                   help="one of " + ", ".join(SORTS) + " (report: the report's order)")
    p.add_argument("--reverse", action="store_true", help="show the largest value first")
    add_choice(p)
    p.add_argument("--machine", action="store_true",
                   help="instead: the recording of the machine that the word dump made, for tests/replay/cpuid")
    p.add_argument("--format", choices=table.FORMATS, default="text", help="the format of the table (text)")
    p.set_defaults(command=command)
