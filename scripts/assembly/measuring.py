"""Measures snippets for `baretick asm`: assembles them into an object, runs it, and chooses the number of copies."""
import argparse
import os
import signal
import subprocess
import sys
import threading
import time

from assembly import assembler, copies, snippet
from launch import start
from launch.start import Failed
from read import report
from tools import places

HOSTED_SECONDS = 600
ASSEMBLING = "assembling"
PILOT = ["samples=64", "rounds=1", "layout=fixed", "instructions=off"]


def words_of(args):
    words = ["suite=asm*", "format=both", "hist=off", f"deadline={args.deadline}"]
    for key in ("recipe", "samples", "retry_budget"):
        if getattr(args, key) is not None:
            words.append(f"{key}={getattr(args, key)}")
    return words


def run_hosted(args, path, more=()):
    """Returns (lines of the report, messages)."""
    start.fail_if_missing(start.HOSTED, "make hosted")
    try:
        ran = subprocess.run([start.HOSTED, f"objects={path}", *words_of(args), *more], capture_output=True, check=False,
                             timeout=HOSTED_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"the program did not end within {HOSTED_SECONDS} s") from None
    said = ran.stderr.decode("utf-8", "replace")
    if ran.returncode < 0:
        said = f"the program was ended by signal {-ran.returncode} ({signal.strsignal(-ran.returncode)})"
    return ran.stdout.splitlines(), said


def chosen(args, snippets, folder, shown):
    """Sets the number of copies and iterations of each snippet from the cost of a copy in a short run. Returns the
    checks, {name: snippet}. A snippet that fails keeps its number."""
    rows = rows_of(measured(args, snippets, folder, shown, PILOT)[0])
    checks = {}
    for s in snippets:
        per_op = rows.get((s.suite, s.name), {}).get("per_op", {})
        cycles = per_op.get("cycles") or per_op.get("ticks")
        if cycles is None:
            continue
        if 2 * len(snippets) <= copies.ROWS_MOST:
            checks[s.name] = copies.check_of(s, cycles, len(snippets))
        if args.unroll is None:
            s.unroll, s.loop = copies.plan(s, cycles, len(snippets))
    return checks


def measured(args, snippets, folder, shown, more=(), checks=()):
    """Returns (records of the report, messages)."""
    shown.doing = ASSEMBLING
    path = os.path.join(folder, "asm.o")
    assembler.assemble([*snippets, *checks], path, os.path.join(places.ROOT, "bench/api"),
                     calls=args.allow_syscalls or not args.hosted)
    if os.path.getsize(path) > snippet.OBJECT_MOST:
        raise Failed(f"the copies take {os.path.getsize(path) >> 10} KiB; an object may have "
                     f"{snippet.OBJECT_MOST >> 10}: lower --unroll, or measure fewer snippets at once")
    if args.object and not more:
        with open(path, "rb") as f:
            args.object.write(f.read())
    shown.doing = "measuring"
    lines, said = run_hosted(args, path, more) if args.hosted else run_booted(args, path, folder)
    return records_of(lines), said


def measured_straight(args, snippets, folder, shown):
    """Measures like measured(), with a suitable number of copies for each snippet, and with checks. Also returns the
    checks, {name: snippet}. Snippets that fail in a loop, or cannot be checked, are measured without."""
    checks = chosen(args, snippets, folder, shown)
    while True:
        found, said = measured(args, snippets, folder, shown, checks=checks.values())
        rows = rows_of(found)
        failed = {key for key, row in rows.items() if row["status"] != "ok"}
        looped = [s for s in snippets if s.loop and (s.suite, s.name) in failed]
        unchecked = [name for name, check in checks.items() if (check.suite, name) in failed or check.loop and
                     any(s.name == name for s in looped)]
        if not looped and not unchecked:
            return found, said, checks
        for s in looped:
            s.unroll, s.loop = copies.COPIES, 0
        for name in unchecked:
            del checks[name]


def measured_for_a_stick(args, snippets, folder, shown):
    """Measures like measured(), for an object that is kept for another CPU: it gets the loops and checks that a run in
    this process has chosen. Snippets that may not run in a process stay straight copies, and a note states that."""
    tried, checks = [], {}
    snippet.named(snippets)
    if os.path.exists(start.HOSTED):
        tried = [s for s in snippets if harmless(s)]
    if tried:
        here = argparse.Namespace(**{**vars(args), "hosted": True, "object": None, "allow_syscalls": False})
        checks = measured_straight(here, tried, folder, shown)[2]
    for s in snippets:
        if not s.loop and s.name not in checks:
            s.notes.append(f"{args.object} has {copies.said(s)} without a loop, which may give a wrong figure on a CPU: "
                           "use --hosted --object, or --unroll and --loop")
    return (*measured(args, snippets, folder, shown, checks=checks.values()), checks)


def harmless(s):
    """Tests whether a process may run the snippet, because it makes no system call."""
    try:
        assembler.verify(s, calls=False)
    except snippet.Wrong:
        return False
    return True


def run_booted(args, path, folder):
    """The same in QEMU, whose files are in the folder."""
    args.objects, out = path, os.path.join(folder, "report.jsonl")
    ran = subprocess.run([sys.executable, os.path.join(places.ROOT, "scripts/run"), *start.machine_words(args),
                          "--out", folder, "--", *words_of(args)], capture_output=True, check=False)
    if not os.path.exists(out):
        return [], (ran.stdout + ran.stderr).decode("utf-8", "replace")
    with open(out, "rb") as f:
        return f.read().splitlines(), ran.stderr.decode("utf-8", "replace")


def records_of(lines):
    found = []
    for line in lines:
        if line.startswith(report.RECORD_START):
            try:
                found.append(report.parse(line))
            except report.Damaged as e:
                raise Failed(f"the report is damaged: a record {e}") from None
    return found


def rows_of(records):
    """Returns {(suite, name): row}."""
    return {(r["suite"], r["name"]): r for r in records if r["type"] == "row"}


# --- progress -------------------------------------------------------------------------------------

SECONDS = 3  # between two lines; less than 5 even on a busy machine


class Progress(threading.Thread):
    """A context that prints `doing`, which may change at any time, every few seconds."""

    def __init__(self, doing):
        super().__init__(daemon=True)
        self.doing, self._began, self._over = doing, time.monotonic(), threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self.join()

    def run(self):
        while not self._over.wait(SECONDS):
            print(f"baretick: {self.doing}, {time.monotonic() - self._began:.0f} s so far", file=sys.stderr, flush=True)
