"""`baretick asm`: the cost of a line of assembly."""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from assembly import copies, latency, snippet, syntax, throughput
from launch import progress, start
from launch.start import Failed
from read import interval, report
from tools import help_text

HOSTED_SECONDS = 600
# The values that baretick's options allow: lib/config/options.c.
RECIPES = ("plain", "rdtscp", "xfence", "paoloni", "cpuid", "mfence", "lfence", "serialize", "auto")
SAMPLES = (16, 1000000)
DEADLINE = (1, 3600)
RETRY_BUDGET = (0, 1000)
ASSEMBLING = "assembling"
# Faults of code with operands that were not set, in a process and on the machine: division by 0, and address 0 with a
# small displacement.
_BAD_OPERAND = re.compile(r"SIGFPE at|#DE|(SIGSEGV|#PF).* address [0-9a-f]{1,3}\b")
# Of a process and of the machine.
_UNDEFINED = re.compile(r"SIGILL|#UD")
PILOT = ["samples=64", "rounds=1", "layout=fixed", "instructions=off"]


def read_file(path):
    """Reads one snippet per line: `@name instructions`, or instructions; # begins a comment. In output of objdump -d,
    each instruction that can be measured alone is a snippet."""
    try:
        with open(path, encoding="utf-8") as f:
            lines = f.read().splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise Failed(f"{path}: {getattr(e, 'strerror', None) or e}") from None
    found = []
    if syntax.is_dump(lines):
        dumped, left_out = syntax.alone(lines, path)
        print("".join(f"baretick: {why}\n" for why in left_out), end="", file=sys.stderr)
        found = [snippet.Snippet(text, where=f"{path}, line {number}", raw=code) for number, text, code in dumped]
        lines = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        name = ""
        if text.startswith("@"):
            name, _, text = text[1:].partition(" ")
            if not name or snippet.row_name(name) != name:
                raise Failed(f"{path}, line {number}: a name is letters, digits and _, at most "
                             f"{snippet.NAME_MOST}")
        if text or name:
            found.append(snippet.Snippet(text.strip(), where=f"{path}, line {number}", name=name))
    if not found:
        raise Failed(f"{path}: it has no snippet; write the instructions of one snippet per line")
    return found


def given_of(args):
    """Returns the snippets of the command line."""
    if sum(x is not None for x in (args.code, args.file, args.bytes)) != 1:
        raise Failed('exactly one of "INSTRUCTIONS", --file FILE and --bytes HEX is needed')
    if args.file is not None:
        return read_file(args.file)
    if args.bytes is not None:
        try:
            raw = bytes.fromhex(args.bytes.replace("0x", "").replace(",", " "))
        except ValueError:
            raise Failed(f"--bytes {args.bytes}: not hexadecimal digits, two per byte") from None
        return [snippet.Snippet("", raw=raw)]
    return [snippet.Snippet(args.code)]


def prepare(s, args):
    """Makes the copies that the options ask for. Raises Wrong if the snippet cannot be measured in this way."""
    s.init, s.late_init = args.init, args.late_init
    s.unroll, s.loop, s.basic = copies.COPIES if args.unroll is None else args.unroll, args.loop, args.basic
    syntax.take(s, args.syntax)
    if args.latency:
        latency.chain(s)
    if args.throughput:
        throughput.part(s)
    snippet.verify(s, calls=args.allow_syscalls or not args.hosted)


def snippets_of(args):
    """Returns (snippets to measure, messages about refused ones). Raises Wrong with all messages if all are refused."""
    found, refused = [], []
    for s in given_of(args):
        try:
            prepare(s, args)
            found.append(s)
        except snippet.Wrong as wrong:
            refused.append(str(wrong))
    if not found:
        raise snippet.Wrong("\n".join(dict.fromkeys(refused)))
    return found, refused


def option_number(low, high, *words):
    """Returns a type for argparse: a number within the limits of baretick's option (lib/config/options.c), or one of
    the words."""
    def parse(text):
        if text in words:
            return text
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r}: {', '.join([*words, f'{low} to {high}'])} is allowed")
        return int(text)
    return parse


def words_of(args):
    words = ["suite=asm*", "format=both", "hist=off", f"deadline={args.deadline}"]
    for key in ("recipe", "samples", "retry_budget"):
        if getattr(args, key) is not None:
            words.append(f"{key}={getattr(args, key)}")
    return words


def died(status):
    """Returns how a signal ended the program, or ""."""
    return f"the program was ended by signal {-status} ({signal.strsignal(-status)})" if status < 0 else ""


def run_hosted(args, path, out, more=()):
    """Returns (lines of the report, messages)."""
    start.fail_if_missing(start.HOSTED, "make hosted")
    with subprocess.Popen([start.HOSTED, f"objects={path}", *words_of(args), *more], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as ran:
        said, errors = wait_for(ran)
    with open(out, "wb") as f:
        f.write(said)
    return said.splitlines(), died(ran.returncode) or errors.decode("utf-8", "replace")


def wait_for(ran):
    """Returns the output of a program that must end within HOSTED_SECONDS."""
    try:
        return ran.communicate(timeout=HOSTED_SECONDS)
    except subprocess.TimeoutExpired:
        ran.kill()
        raise Failed(f"the program did not end within {HOSTED_SECONDS} s") from None
    except BaseException:
        ran.kill()
        raise


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
    snippet.assemble([*snippets, *checks], path, os.path.join(start.HERE, "bench/api"),
                     calls=args.allow_syscalls or not args.hosted)
    if os.path.getsize(path) > snippet.OBJECT_MOST:
        raise Failed(f"the copies take {os.path.getsize(path) >> 10} KiB; an object may have "
                     f"{snippet.OBJECT_MOST >> 10}: lower --unroll, or measure fewer snippets at once")
    if args.object and not more:
        shutil.copyfile(path, args.object)
    out = os.path.join(folder, "report.jsonl")
    shown.doing = "measuring"
    lines, said = run_hosted(args, path, out, more) if args.hosted else run_booted(args, path, out)
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
        snippet.verify(s, calls=False)
    except snippet.Wrong:
        return False
    return True


def run_booted(args, path, out):
    folder = os.path.dirname(out)
    args.objects = path
    ran = subprocess.run([sys.executable, os.path.join(start.HERE, "scripts/run"), *start.machine_words(args),
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


def digits(value):
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.1f}"


def figure(row, run):
    """Returns the figure of a measured row in words."""
    per_op = row.get("per_op", {})
    if "ticks" not in per_op:
        return None
    if run.get("execution") == "instructions":
        return f"{digits(per_op['instructions'])} instructions a copy, counted by the emulator: not time"
    if run.get("execution") == "emulated":
        return f"{digits(per_op['ticks'])} ticks a copy, of an emulator's clock: not any CPU's time"
    if per_op.get("cycles") is None:
        return f"{digits(per_op['ticks'])} ticks of the TSC a copy; core cycles are not known here"
    text = f"{digits(per_op['cycles'])} cycles a copy"
    if per_op.get("cycles_lo") is not None:
        level = interval.heading_of([row], "")
        text += f" ({digits(per_op['cycles_lo'])} to {digits(per_op['cycles_hi'])}{level and ', '}{level})"
    return text


def instructions(row, run):
    """Returns the stepped count in words, or None."""
    steps, per_op = row.get("stepped"), row["per_op"]
    if steps is None or run.get("execution") == "instructions":
        return None
    if "why" in steps:
        return f"instructions not counted: {steps['why']}"
    text = f"{digits(per_op['instructions'])} instructions a copy"
    if steps.get("iterations"):
        text += f", {digits(steps['iterations'])} iterations of repeated string instructions"
    return text + (f", {per_op['ipc']:.3g} a cycle" if "ipc" in per_op else "")


def compared(s, row, check, checked):
    """Returns in words how the row with another number of copies differs, or None."""
    if not checked or not copies.differ(row, checked):
        return None
    figures = [digits(r["per_op"]["cycles"]) for r in (row, checked)]
    return (f"it depends on how many copies there are: {figures[0]} with {copies.said(s)}, {figures[1]} with "
            f"{copies.said(check)}")


def tell(s, row, run, check=None, checked=None):
    """Prints a snippet's result. Returns whether it was measured."""
    print(snippet.what(s))
    for note in s.notes:
        print(f"    {note}")
    if row is None:
        print("    not measured")
        return False
    if row["status"] != "ok":
        print(f"    {row['status']}: {row.get('why', '')}")
        if run.get("platform") == "hosted" and "SIGSEGV at" in row.get("why", ""):
            print("    (causes: a privileged instruction, which a process may not execute: run it without --hosted; or an operand in\n"
                  "    memory that must be aligned: the areas begin at multiples of 64)")
        if _UNDEFINED.match(row.get("why", "")):
            print("    (the CPU does not have this instruction, or it is not enabled"
                  f"{s.extension and f'; it belongs to {s.extension}, by Zydis'})")
        if not s.init and not s.late_init and _BAD_OPERAND.search(row.get("why", "")):
            print("    (registers that are not set are 0: set operands with --init, for example \"mov ebx, 3\" for a divisor, "
                  '"mov rbx, r14" for an address)')
        return False
    text = figure(row, run)
    if text is None:
        print(f"    no figure: {row.get('disturbed', 0)} of {row.get('windows', 0)} windows were disturbed")
        return False
    print(f"    {text}")
    differs = compared(s, row, check, checked)
    if differs:
        print(f"    {differs}")
    if row.get("changed"):
        print(f"    it changed {row['changed']}, which was restored")
    if row.get("x87_stack_fault"):
        print("    it overflowed or underflowed the x87 stack, and the figure includes the CPU's handling of that;\n"
              '    set operands, for example --init "fld1; fld1", and let it pop what it pushes')
    if row.get("exclusive") is False:
        print(f"    the core was shared in {row['shared']:.0%} of the blocks, even after repeating them")
    counted = instructions(row, run)
    if counted:
        print(f"    {counted}")
    if row.get("modes") and len(row["modes"]) > 1:
        print("    modes: " + ", ".join(f"{digits(m['cycles'])} ({m['share']:.0%})" for m in row["modes"]))
    return True


def print_json(s, row, run, check, checked):
    """Prints a snippet's result as one JSON object."""
    kept = {"copies": check.unroll, "iterations": check.loop, "row": checked} if checked else None
    print(json.dumps({"snippet": snippet.what(s), "notes": s.notes, "execution": run["execution"], "copies": s.unroll,
                      "iterations": s.loop, "row": row, "check": kept}))
    return bool(row) and row["status"] == "ok" and "ticks" in row.get("per_op", {})


def command(args):
    if args.hosted:
        start.refuse_machine(args)
    with tempfile.TemporaryDirectory(prefix="baretick-asm-") as folder, progress.Progress(ASSEMBLING) as shown:
        snippets, refused = snippets_of(args)
        if args.hosted and not args.loop and not args.basic:
            records, said, checks = measured_straight(args, snippets, folder, shown)
        elif args.object and args.unroll is None and not args.loop and not args.basic:
            records, said, checks = measured_for_a_stick(args, snippets, folder, shown)
        else:
            (records, said), checks = measured(args, snippets, folder, shown), {}
    run = next((r for r in records if r["type"] == "run"), None)
    end = next((r for r in records if r["type"] == "end"), None)
    errors = [r["message"] for r in records if r["type"] == "event" and r.get("kind") == "error"]
    faults = [r["message"] for r in records if r["type"] == "event" and r.get("kind") == "fault"]
    if run is None:
        raise Failed("\n".join(errors or ["no report:", said.strip() or "nothing was said"]))
    if end is None or faults:
        errors += faults or [said.strip() or "the program ended before its report did"]
    rows = rows_of(records)
    done = [(print_json if args.json else tell)(s, rows.get((s.suite, s.name)), run, checks.get(s.name),
                                                rows.get((copies.CHECK, s.name))) for s in snippets]
    for message in [*refused, *errors]:
        print(f"baretick: {message}", file=sys.stderr)
    return 0 if all(done) and not refused and not errors else 1


def add(commands):
    p = commands.add_parser(
        "asm", help="the cost of a line of assembly", formatter_class=help_text.Paragraphs,
        description="Measures instructions, separated by `;`. They are written for NASM, in the Intel syntax of GNU as\n"
                    "(dword ptr [r14]), in AT&T syntax, or are lines of objdump -d.",
        epilog="R14, RDI, RSI, RSP and RBP point into the middle of areas of 1 MiB each. R15 counts the\n"
               "iterations if there is a loop. All other registers are 0 and free for the snippet.\n\n"
               "examples:\n"
               '  baretick asm "imul rax, rbx" --hosted\n'
               '  baretick asm "mov rax, [r14]" --latency --hosted\n'
               '  baretick asm "mov rax, cr3"\n'
               '  baretick asm --file snippets.txt --unroll 50 --loop 20')
    p.add_argument("code", nargs="?", metavar="INSTRUCTIONS", help='for example "add rax, rbx; imul rcx, rax"')
    p.add_argument("--file", help="one snippet per line; each is a row. `@name ` before a snippet names its row; # begins a comment")
    p.add_argument("--bytes", metavar="HEX", help="machine code instead of instructions")
    p.add_argument("--syntax", choices=syntax.SYNTAXES, default="auto",
                   help="nasm; intel, att: GNU as; auto: att if it has %%rax, intel if it has dword ptr, else nasm")
    p.add_argument("--init", default="", metavar="CODE", help="code that runs before each window's first reading of the TSC")
    p.add_argument("--late-init", default="", metavar="CODE", help="code that runs directly before the first copy")
    p.add_argument("--unroll", type=start.number, metavar="N",
                   help="number of copies (100; with --hosted as many as the figure needs)")
    p.add_argument("--loop", type=start.number, default=0, metavar="N", help="iterations of a loop around the copies (0: no loop)")
    p.add_argument("--basic", action="store_true", help="measure N copies minus none, instead of 2 N minus N")
    kind = p.add_mutually_exclusive_group()
    kind.add_argument("--latency", action="store_true", help="make each copy wait for the previous one, and print how")
    kind.add_argument("--throughput", action="store_true", help="make copies independent, as far as possible, and print how")
    p.add_argument("--hosted", action="store_true", help="as a process on this CPU, not in QEMU")
    p.add_argument("--allow-syscalls", action="store_true", help="with --hosted: execute int 0x80, syscall and sysenter")
    p.add_argument("--recipe", choices=RECIPES, metavar="R",
                   help=f"how the TSC is read, baretick's option recipe=: {', '.join(RECIPES)}")
    p.add_argument("--samples", type=option_number(*SAMPLES, "auto"), metavar="N", help="number of windows: baretick's option samples=")
    p.add_argument("--retry-budget", type=option_number(*RETRY_BUDGET), metavar="N",
                   help="limit on repeating shared blocks: baretick's option retry_budget=")
    p.add_argument("--deadline", type=option_number(*DEADLINE), default=20, metavar="S", help="time limit of a snippet in seconds (20)")
    p.add_argument("--object", metavar="FILE", help="keep the assembled object as FILE")
    p.add_argument("--json", action="store_true", help="print one JSON object per snippet, with the row's record")
    start.add_machine(p)
    p.set_defaults(command=command)
