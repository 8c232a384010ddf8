"""Reports in the forms that other tools read. Each form is a function of the run and its rows; docs/ci.md lists
the readers of each form and how to use them.

A sample is a placement's figure, because tests of significance need samples. A row that failed is kept, and
marked as the form marks failures. If a form has no place for a row (hyperfine knows only time), it is left out and
named.
"""
import json
import re
import statistics
import sys

from read import figure, insn_export, kept, saved, table

EXACT = "assume=exact"


def number(value):
    """Returns a number with up to six decimals, as in the report, without trailing zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def iterations(row, samples):
    """Returns the number of operations of a sample."""
    return max(1, row.get("n", 1) * row["ops"] // samples)


def failed(row):
    """Tests whether a row failed. A row that this machine does not support did not fail."""
    return row["status"] == "wrong"


def why(row):
    """Returns why it failed, in one line."""
    return " ".join(row.get("why", "no reason given").split())


def _cpu(run):
    cpu = run.get("cpu", {})
    return cpu.get("brand") or cpu.get("vendor") or "not known"


# --- benchfmt: Go's benchmark format, golang.org/design/14313-benchmark-format ---------------------

def _config(run):
    """Returns the configuration lines. benchstat separates figures whose lines differ, so only properties that make
    figures incomparable are here."""
    cpu = run.get("cpu", {})
    found = {"cpu": _cpu(run), "execution": run.get("execution", "not known"), "platform": run.get("platform"),
             "microcode": cpu.get("microcode"), "recipe": run.get("recipe"), "cycle": run.get("cycle")}
    return [f"{key}: {value}" for key, value in found.items() if value is not None]


def _benchfmt_name(row):
    """Returns a benchmark name: a capital follows `Benchmark`, and a name has no blanks."""
    suite = re.sub(r"\s", "_", row["suite"])
    return f"Benchmark{suite[:1].upper()}{suite[1:]}/{re.sub(r'[^!-~]', '_', row['name'])}/core={row['core']}"


def benchfmt(run, rows):
    units = [u for u in figure.UNITS if any(u in found for _, found in rows)]
    lines = _config(run)
    lines += [f"Unit {u}/op better=lower{' ' + EXACT if u == 'instructions' else ''}" for u in units]
    lines.append("")
    for row, found in rows:
        if failed(row):  # as `go test` prints it; benchstat ignores these lines
            lines += [f"--- FAIL: {_benchfmt_name(row)}", f"    {why(row)}"]
            continue
        for i in range(len(figure.shown(found).samples)):
            values = [f"{number(f.samples[i])} {f.unit}/op" for u in units
                      if (f := found.get(u)) and i < len(f.samples)]
            lines.append("\t".join([_benchfmt_name(row), str(iterations(row, len(figure.shown(found).samples))),
                                    *values]))
    return "\n".join(lines) + "\n"


# --- google: what Google Benchmark's tools/compare.py reads ----------------------------------------

def _google_entry(row, name, family, i, run_type, many):
    return {"name": name, "family_index": family, "per_family_instance_index": 0, "run_name": figure.name(row),
            "run_type": run_type, "repetitions": many, "repetition_index": i, "threads": 1}


def _google_one(row, found, family, i):
    """compare.py supports only times. If no time is known, the figure takes its place, and the label states its unit."""
    many, time = len(figure.shown(found).samples), _google_time(found)
    ns = round(time.sample(i), 6)
    return {**_google_entry(row, figure.name(row), family, i, "iteration", many), "iterations": iterations(row, many),
            "real_time": ns, "cpu_time": ns, "time_unit": "ns",
            **({} if time.unit == "ns" else {"label": f"{time.unit} in place of ns"}),
            **{f.unit: round(f.sample(i), 6) for f in found.values() if f.unit != "ns"}}


def _google_time(found):
    return found.get("ns", figure.shown(found))


def _google_without_time(row, found, family):
    """compare.py computes the geometric mean of all times, so every time must be above zero. It ignores entries of
    run_type `aggregate`. Their name differs, because it compares entries of one name with each other."""
    mark = "failed" if failed(row) else "about_zero"
    entry = {**_google_entry(row, f"{figure.name(row)}/{mark}", family, 0, "aggregate", 1), "aggregate_name": mark}
    if failed(row):
        return {**entry, "error_occurred": True, "error_message": why(row)}
    entry["label"] = "costs about nothing: no time above zero at every placement"
    return {**entry, **{f.unit: round(f.value, 6) for f in found.values()}}


def google(run, rows):
    entries = []
    for family, (row, found) in enumerate(rows):
        if failed(row) or min(round(t, 6) for t in (_google_time(found).value, *_google_time(found).samples)) <= 0:
            entries.append(_google_without_time(row, found, family))
        else:
            entries += [_google_one(row, found, family, i) for i in range(len(figure.shown(found).samples))]
    cpus = run.get("topology", {}).get("logical_cpus", 1)
    context = {"executable": "baretick", "num_cpus": cpus, "mhz_per_cpu": round(run.get("tsc", {}).get("hz", 0) / 1e6),
               "cpu_scaling_enabled": False, "caches": [], "library_build_type": "release",
               "cpu": _cpu(run), "execution": run.get("execution", "not known"), "baretick": run.get("build", "")}
    return _json({"context": context, "benchmarks": entries})


# --- bencher: Bencher Metric Format, adapter `json` ------------------------------------------------

def _metric(f):
    return {"value": f.value, **({} if None in (f.lo, f.hi) else {"lower_value": round(f.lo, 6), "upper_value": round(f.hi, 6)})}


def bencher(_run, rows):
    """Bencher's built-in measure of ns is `latency`. A row that failed has only the measure `failed`."""
    return _json({figure.name(row): {"failed": {"value": 1}} if failed(row) else
                  {"latency" if u == "ns" else u: _metric(f) for u, f in found.items()} for row, found in rows})


# --- github-action: github-action-benchmark, tool `customSmallerIsBetter` --------------------------

def github_action(run, rows):
    entries = []
    for row, found in rows:
        if failed(row):  # a separate series, which is absent while the row does not fail
            entries.append({"name": f"{figure.name(row)}/failed", "unit": "failures", "value": 1, "extra": why(row)})
            continue
        f, counted = figure.shown(found), figure.instructions(row)
        interval = {} if None in (f.lo, f.hi) else {"range": f"± {number((f.hi - f.lo) / 2)}"}
        also = f"{number(found['ns'].value)} ns/op\n" if "ns" in found else ""
        if counted is not None and f.unit != "instructions":
            also += f"{number(counted)} instructions/op\n"
        entries.append({"name": figure.name(row), "unit": f"{f.unit}/op", "value": f.value, **interval,
                        "extra": f"{also}{_cpu(run)}\nexecution: {run.get('execution', 'not known')}"})
    return _json(entries)


# --- hyperfine: its --export-json, for its scripts -------------------------------------------------

def hyperfine(_run, rows):
    results = []
    for row, found in rows:
        times = [t * 1e-9 for t in found["ns"].samples]
        results.append({
            "command": figure.name(row), "mean": statistics.fmean(times),
            "stddev": statistics.stdev(times) if len(times) > 1 else None,
            "median": statistics.median(times), "user": statistics.fmean(times), "system": 0.0, "min": min(times),
            "max": max(times), "times": times, "exit_codes": [0] * len(times)})
    return _json({"results": results})


# --- csv: spreadsheets; every row, with its status -------------------------------------------------

CSV_ROW = ("suite", "name", "core", "status", "why", "object", "form", "recipe", "cold", "ops", "n", "placements",
           "shared", "exclusive")
CSV_PER_OP = ("ns", "cycles", "cycles_lo", "cycles_hi", "instructions", "ipc", "ticks")
CSV_RUN = ("execution", "platform", "build")


def as_csv(run, rows):
    lines = []
    for row, _ in rows:
        per_op = row.get("per_op", {})
        cells = [row.get(k, "") for k in CSV_ROW]
        lines.append([*(str(c).lower() if isinstance(c, bool) else c for c in cells), *(per_op.get(k, "") for k in CSV_PER_OP),
                      *(run.get(k, "") for k in CSV_RUN), _cpu(run)])
    return table.csv_text([*CSV_ROW, *CSV_PER_OP, *CSV_RUN, "cpu"], lines)


# --- the forms of suite insn -----------------------------------------------------------------------

# Of these forms only csv also has rows; a report has its instruction forms if its rows are all maps of cores, as in a
# datasheet.
OF_FORMS = {"csv": lambda report, _: insn_export.as_csv(report),
            "exegesis": lambda report, cpu: insn_export.as_exegesis(report, "latency", cpu),
            "exegesis-throughput": lambda report, cpu: insn_export.as_exegesis(report, "inverse_throughput", cpu),
            "instlat": lambda report, _: insn_export.as_instlat(report)}


def _is_of_forms(form, report):
    if form in FORMS:
        maps = {(m["suite"], m["name"]) for m in report.of("matrix")}
        return form in OF_FORMS and report.of("insn") and all((r["suite"], r["name"]) in maps for r in report.of("row"))
    if not report.of("insn"):
        raise saved.Unreadable(f"{report.path}: it has no forms of instructions, of which --to {form} is: "
                               "measure with suite=insn")
    return True


# --- all -------------------------------------------------------------------------------------------

def _json(value):
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


KEPT = kept.Fields(" ".join((figure.FIELDS, *CSV_ROW, *(f"per_op.{name}" for name in CSV_PER_OP))))
FORMS = {"benchfmt": benchfmt, "google": google, "bencher": bencher, "github-action": github_action,
         "hyperfine": hyperfine, "csv": as_csv}


def _fits(form, row, found):
    if form == "hyperfine":
        return "ns" in found
    return form == "csv" or failed(row) or bool(found)


def converted(form, report, cpu=None):
    """Returns (the text, the names of rows that are left out). Raises Unreadable if no row is left."""
    if _is_of_forms(form, report):
        return OF_FORMS[form](report, cpu), [figure.name(row) for row in report.of("row")] if form in FORMS else []
    run = report.one("run")
    rows = [(r, figure.of(r)) for r in report.of("row")]
    kept = [(row, found) for row, found in rows if _fits(form, row, found)]
    if not kept:
        what = "a time: instructions were counted, or the clock is not known" if form == "hyperfine" else "a figure"
        raise saved.Unreadable(f"{report.path}: no row of {len(rows)} has {what}")
    return FORMS[form](run, kept), [figure.name(row) for row, found in rows if not _fits(form, row, found)]


def command(args):
    found = saved.read(args.file, KEPT)
    for wrong in found.damage:
        print(f"baretick: {args.file}: {wrong}", file=sys.stderr)
    if found.reports > 1:
        print(f"baretick: {args.file}: {found.reports} reports, one after another: the last one is converted",
              file=sys.stderr)
    text, left = converted(args.to, found, args.cpu)
    if left:
        print(f"baretick: {args.file}: left out, because they have no figure for {args.to}: {', '.join(left)}",
              file=sys.stderr)
    lost = [f"{figure.name(r)} ({why(r)})" for r in found.of("row") if failed(r)]
    if lost:
        print(f"baretick: {args.file}: failed, and has no figure: {', '.join(lost)}", file=sys.stderr)
    sys.stdout.write(text)
    return 1 if found.damage else 0


def add(commands):
    p = commands.add_parser("convert", help="a report for benchstat, compare.py, Bencher and others",
                            description="Writes a report in a form that another tool reads. Exit status 1: the "
                                        "report is damaged; its intact records are written.")
    p.add_argument("file", metavar="FILE", help="report.jsonl, or a serial log")
    every = dict.fromkeys((*FORMS, *OF_FORMS))
    p.add_argument("--to", required=True, choices=every, metavar="FORM", help=f"the form: {', '.join(every)}")
    p.add_argument("--cpu", metavar="NAME", help="exegesis: LLVM's name of the CPU; default: by its family and model")
    p.set_defaults(command=command)
