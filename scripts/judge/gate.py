"""`baretick gate`: counted instructions against a baseline (docs/ci.md).

A report of an emulator that counts (execution `instructions`) has instructions per operation and per window. A report
of a CPU has instructions per operation, by single-stepping. These are the same numbers, so a baseline may come from
either.
"""
import collections
import json
import os
import re
import shlex
import stat
import sys

from judge import compare, sides
from read import figure, kept, run_folder, saved, show
from tools import places

FORMAT = 1
KINDS = ("instructions", "window")
LEFT = "left"  # instructions an operation in the state that timed windows left, of a row that has another number there
LEFT_TITLE = "instructions an operation in the state that timed windows left"
OTHER_COMPILER = 3  # exit status
KEPT = kept.Fields(f"{figure.FIELDS} object why stepped.why ticks.min ticks.max")  # of a row
ROW_NAME = re.compile(r".+/.+@[0-9]+")


class Taken:
    """The parts of a report that can be gated. compiler: of the program's rows, or None if all are of objects; words: {word: value} that windows depend on; windows: whether windows
    are gated; rows: {"suite/name@core": {"instructions", "window", "left"}}, per operation and per window; inexact, failed,
    unsupported: {row: why} for the other rows."""

    def __init__(self, report, args):
        run = report.one("run")
        options = run.get("options", {})
        self.counted = run.get("execution") == "instructions"  # all of it, including windows
        self.windows = self.counted and not args.instructions
        self.words = {}
        if self.counted and "ticks_per_instruction" not in run:
            raise saved.Unreadable(f"{report.path}: its record `run` has no `ticks_per_instruction`")
        if self.windows:
            if options.get("method", "doubled") != "doubled":
                raise saved.Unreadable(f"{report.path} was taken with method={options['method']}: "
                                       "windows of method=doubled are gated (--instructions leaves them out)")
            self.words = {"recipe": run.get("recipe"), **{word: options[word] for word in sides.measured(options)}}
            self.words = {key: value for key, value in self.words.items() if value is not None}
        self.rows, self.inexact, self.failed, self.unsupported = {}, {}, {}, {}
        chosen = show.chosen(report.of("row"), args)
        self.compiler = run.get("compiler") if any("object" not in row for row in chosen) else None
        for key, times in collections.Counter(figure.name(row) for row in chosen).items():
            if times > 1:
                raise saved.Unreadable(f"{report.path} has row {key} {times} times; one is allowed")
        if not self.counted and chosen and not any(figure.instructions(row) is not None for row in chosen):
            raise saved.Unreadable(f"{report.path} counts no instructions (execution {run.get('execution', '?')}): run "
                                   "with instructions=auto, or boot with ICOUNT=1, as `make run` does under TCG")
        for row in chosen:
            self._take(row, run.get("ticks_per_instruction"))
        rows = sum(row["status"] == "wrong" for row in report.of("row"))
        others = report.one("end").get("failures", 0) - rows
        if others > 0:
            self.failed["the run"] = f"{others} failures outside its rows: `baretick show {report.path}` names them"

    def _take(self, row, ticks):
        key = figure.name(row)
        if row["status"] == "unsupported":
            self.unsupported[key] = row.get("why", "unsupported")
        elif row["status"] != "ok":
            self.failed[key] = row.get("why", row["status"])
        elif self.counted:
            self._take_window(key, row, ticks)
        elif figure.instructions(row) is not None:
            self.rows[key] = {"instructions": figure.instructions(row), **left(row)}
        else:
            self.inexact[key] = row.get("stepped", {}).get("why", "its instructions were not counted")

    def _take_window(self, key, row, ticks):
        window = row.get("ticks", {})
        if not window:
            self.inexact[key] = "it has no windows"
        elif window["min"] != window["max"]:
            self.inexact[key] = f"windows of {window['min'] / ticks:g} to {window['max'] / ticks:g} instructions"
        else:
            counts = {"window": show.in_unit(window["min"], ticks), "instructions": figure.instructions(row)}
            kinds = KINDS if self.windows else ("instructions",)
            counts = {kind: counts[kind] for kind in kinds if counts[kind] is not None}
            if counts:
                self.rows[key] = {**counts, **left(row)}
            else:
                self.inexact[key] = "it has no instructions an operation"


def left(row):
    steps = row.get("stepped", {})
    return {LEFT: steps["left_instructions"]} if "left_instructions" in steps else {}


# --- the baseline ----------------------------------------------------------------------------------

def _once(pairs):
    """Returns an object, and refuses members that are named twice: a merge may have left both lines, and one would be
    ignored."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, times in collections.Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"{twice} is listed twice")
    return found


def _no_constant(constant):
    raise ValueError(f"{constant} is not a number")


def read_baseline(path):
    """Returns (compiler, words, rows) of the file; a baseline need not name the compiler."""
    try:
        with open(path, encoding="utf-8") as f:
            found = json.load(f, object_pairs_hook=_once, parse_constant=_no_constant)
    except FileNotFoundError:
        raise saved.Unreadable(f"{path}: there is no such baseline: --update makes it") from None
    except (ValueError, RecursionError) as e:
        raise saved.Unreadable(f"{path} is not a baseline: {e}") from None
    if type(found) is not dict or found.get("baretick_gate") != FORMAT:
        raise saved.Unreadable(f"{path} is not a baseline: it does not say \"baretick_gate\": {FORMAT}")
    compiler, words, rows = (found.get(key) for key in ("compiler", "words", "rows"))
    if type(words) is not dict or type(rows) is not dict:
        raise saved.Unreadable(f"{path} is not a baseline: it needs `words` and `rows`")
    for key, row in rows.items():
        if not (ROW_NAME.fullmatch(key) and type(row) is dict and row and all(
                kind in (*KINDS, LEFT) and type(count) in (int, float) and abs(count) < 1e300 for kind, count in row.items())):
            raise saved.Unreadable(f"{path} is not a baseline: {key!r}: a row is suite/name@core with numbers for "
                                   f"{' and '.join(KINDS)}")
    if type(compiler) not in (str, type(None)):
        raise saved.Unreadable(f"{path} is not a baseline: `compiler` is not a text")
    return compiler, words, rows


def baseline_text(compiler, words, rows):
    """Writes one row per line, in the program's order, so that a diff shows one line per change."""
    def text(row):
        return json.dumps({kind: int(count) if count == int(count) else count for kind, count in row.items()}, sort_keys=True)

    rows = ",\n".join(f"  {json.dumps(key)}: {text(rows[key])}" for key in sorted(rows, key=figure.order))
    words = json.dumps(words, sort_keys=True)
    named = f' "compiler": {json.dumps(compiler)},\n' if compiler else ""
    return f'{{\n "baretick_gate": {FORMAT},\n{named} "words": {words},\n "rows": {{\n{rows}\n }}\n}}\n'


def write_baseline(path, text):
    """Writes the whole file or nothing. A link remains a link, and the file keeps its permissions."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise saved.Unreadable(f"{path}: it is not a file that a baseline can be written to")
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else 0o644
        places.replace(target, f"{target}.{os.getpid()}.new", text.encode(), lambda f: os.chmod(f.fileno(), mode))
    except OSError as e:
        raise saved.Unreadable(f"{path} cannot be written: {e.strerror or e}") from None


# --- what changed ----------------------------------------------------------------------------------

def moved(before, after):
    """Returns how a row changed, in words, or None. Windows are compared only if both sides have them: a CPU's report
    lacks them. So are counts in the state that timed windows left: a slow machine may not step windows that long."""
    said = []
    for key, title in zip((*KINDS, LEFT), ("instructions an operation", "instructions a window", LEFT_TITLE)):
        old, new = before.get(key), after.get(key)
        if old == new or (key != "instructions" and None in (old, new)):
            continue
        if key == LEFT and abs(new - old) <= compare.NEARLY * max(abs(old), abs(new)):
            continue
        if None in (old, new):
            said.append(f"{title}: {before.get(key, 'none')} -> {after.get(key, 'none')}")
        else:
            share = "" if figure.is_near_zero(old) else f", {(new - old) / old:+.2%}"
            said.append(f"{title}: {old:.10g} -> {new:.10g} ({new - old:+.6g}{share})")
    return "; ".join(said) or None


def ungated(baseline, taken):
    """Returns the rows of the baseline that this report cannot be compared with: an emulator counted their operations
    and the CPU could not, or not in time; or the baseline has only their windows, and the report's windows are not
    gated."""
    emulated = set() if taken.counted else {key for key, row in baseline.items() if {*KINDS} <= {*row}}
    windows_alone = set() if taken.windows else {key for key, row in baseline.items() if "instructions" not in row}
    return emulated & {*taken.inexact} | windows_alone - {*taken.rows} - {*taken.failed}


def changes(baseline, taken):
    """Returns [(what, row, how)] of everything that differs from the baseline."""
    found, left_out = [], ungated(baseline, taken)
    for key in sorted({*baseline, *taken.rows, *taken.failed} - left_out, key=figure.order):
        if key in taken.failed:
            found.append(("failed", key, taken.failed[key]))
        elif key not in baseline:
            found.append(("new", key, "the baseline does not have it"))
        elif key in taken.rows:
            if how := moved(baseline[key], taken.rows[key]):
                found.append(("moved", key, how))
        elif key in taken.inexact:
            found.append(("no longer exact", key, taken.inexact[key]))
        else:
            found.append(("gone", key, taken.unsupported.get(key, "the report does not have it")))
    return found


def fail_if_other_words(path, words, taken):
    if not words or not taken.words:  # one side has no windows, so the words do not matter
        return
    apart = [f"{key}={words[key]}, now {taken.words[key]}"
             for key in sorted({*words} & {*taken.words}) if words[key] != taken.words[key]]
    if apart:
        raise saved.Unreadable(f"{path} was taken with other words: " + "; ".join(apart))


def note_new(path, new, words, taken, failed):
    """Prints the rows and options that the baseline does not have, and the command that adds them. An option that only
    one side knows is not a reason to refuse: the counts show whether it matters."""
    if words and taken.words and (unknown := sorted({*taken.words} - {*words})):
        print(f"note: {path} was taken before there were the options {', '.join(f'{key}=' for key in unknown)}")
    if not new:
        return
    print(f"note: rows that are not in {path} are not gated: {len(new)}")
    if failed:
        print("note: once the other rows pass, --update adds them")
    else:
        print(f"note: {shlex.join([*sys.argv, '--update'])} adds them")


def chosen_keys(rows, args):
    """Returns the rows of a baseline that --suite, --bench and --core select."""
    split = [(key, *key.rpartition("@")[0].split("/", 1), key.rpartition("@")[2]) for key in rows]
    flat = [{"key": k, "suite": s, "name": n, "core": int(c)} for k, s, n, c in split]
    return {r["key"]: rows[r["key"]] for r in show.chosen(flat, args)}


# --- the runs before -------------------------------------------------------------------------------

def earlier(args):
    """Returns [(name of a file, its Taken)] of the runs that --history kept, oldest first."""
    if not args.history or not os.path.isdir(args.history):
        return []
    return [(os.path.basename(path), Taken(saved.read_whole(path, KEPT), args))
            for path in run_folder.files(args.history)]


def remembered(before, key, taken):
    """Returns, in words, what earlier runs had for a row that differs from its baseline: since when it is as in the
    newest of them, and which of them had the present count. Compares instructions per operation."""
    def count(run):
        return run.rows.get(key, {}).get("instructions")

    known = [(name, count(run)) for name, run in before if count(run) is not None]
    if not known:
        return ""
    newest = known[-1][1]
    since = next(at for at in range(len(known)) if all(n == newest for _, n in known[at:]))
    said = f"; {newest:.10g} in each run since {known[since][0]}"
    now = count(taken)
    if same := [name for name, n in known[:since] if n == now]:
        said += f"; {now:.10g} last in {same[-1]}"
    return said


def command(args):
    report = saved.read_whole(args.report, KEPT)
    taken = Taken(report, args)
    for key, why in sorted(taken.inexact.items(), key=lambda item: figure.order(item[0])):
        print(f"baretick: {key} is not exact and not gated: {why}", file=sys.stderr)
    if not taken.rows and not taken.failed:
        raise saved.Unreadable(f"{args.report}: it has no exact row that is chosen")
    fresh = args.update and not os.path.exists(args.baseline)
    compiler, words, rows = (None, taken.words, {}) if fresh else read_baseline(args.baseline)
    chosen = chosen_keys(rows, args)
    if not chosen and not args.update:
        raise saved.Unreadable(f"{args.baseline}: it has none of the chosen rows; --update adds them")
    left_alone = {key: row for key, row in rows.items() if key not in chosen}
    if left_alone or not args.update:
        if None not in (compiler, taken.compiler) and compiler != taken.compiler:
            print(f"baretick: {args.baseline} has the counts of {compiler}, {args.report} those of {taken.compiler}: compilers "
                  "differ in their counts", file=sys.stderr)
            return OTHER_COMPILER
        fail_if_other_words(args.baseline, words, taken)
    found = changes(chosen, taken)
    for key in sorted({*chosen} & {*taken.rows}, key=figure.order):
        if LEFT in taken.rows[key] and LEFT not in chosen[key] and not args.update:
            print(f"note: {key}: {LEFT_TITLE}: {taken.rows[key][LEFT]:.10g}; they are not in {args.baseline} and not gated")
    before = earlier(args)
    for what, key, how in found if not fresh else [f for f in found if f[0] == "failed"]:
        print(f"{what}: {key}: {how}{remembered(before, key, taken)}")
    new = [key for what, key, _ in found if what == "new"]
    changed = len(found) - (0 if args.update else len(new))
    counts = f"{len(taken.rows)} exact rows, {changed} changes"
    if not taken.windows:
        counts += " of instructions an operation"
    if left_out := len(ungated(chosen, taken)):
        counts += f", {left_out} not gated"
    if args.update and taken.failed:
        print(f"FAIL: {counts}; nothing is written, since something failed")
        return 1
    if args.update:
        words = taken.words or (words if any("window" in row for row in left_alone.values()) else {})
        write_baseline(args.baseline, baseline_text(taken.compiler or compiler, words, {**left_alone, **taken.rows}))
        print(f"written: {args.baseline}: {counts}")
    else:
        note_new(args.baseline, new, words, taken, failed=changed)
        print(f"{'FAIL' if changed else 'PASS'}: {counts} against {args.baseline}")
        if changed:
            return 1
    if args.history:
        print(f"kept: {run_folder.keep(args.history, report)}")
    return 0


def add(commands):
    p = commands.add_parser(
        "gate", help="fails if a row's instruction count changed",
        description="Compares a report's counted instructions with a baseline. They are exact: any change fails.",
        epilog="A row's instructions per operation are compared on any machine, those of its windows where an "
               "emulator counts. A row fails, and is named, if its count changed, if it is missing, if it "
               "failed, or if it is no longer exact. These rows are named and do not fail: those that an emulator "
               "counted and this CPU could not count, and those that the baseline does not have. --update adds "
               "the latter.\n\n"
               "Exit status: 0 no row failed, or --update accepted the changes; 1 a row failed; 2 the report is "
               "damaged or counts no instructions, or the baseline was taken with other options; 3 the baseline has the "
               "counts of another compiler.\n\n"
               "examples:\n"
               "  baretick run --icount 1 suite=calls\n"
               "  baretick gate calls.json build/run/report.jsonl\n"
               "  baretick gate calls.json build/run/report.jsonl --update\n"
               "  baretick gate calls.json report.jsonl --history runs")
    p.add_argument("baseline", metavar="BASELINE", help="a JSON file, kept with the source")
    p.add_argument("report", metavar="REPORT", help="report.jsonl, or a serial log")
    p.add_argument("--instructions", action="store_true",
                   help="compare only instructions per operation, which are the same on every machine, and no windows")
    p.add_argument("--history", metavar="DIR",
                   help="keep each report that passes or is accepted in this folder, and name the runs since which a "
                        "row had its count")
    p.add_argument("--update", action="store_true", help="accept the changes: rewrite the baseline")
    show.add_choice(p)
    p.set_defaults(command=command)
