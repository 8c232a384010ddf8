"""`baretick asm`: the cost of a line of assembly."""
import sys
import tempfile

from assembly import assembler, copies, latency, measuring, result, snippet, syntax, throughput
from launch import start
from launch.start import Failed
from tools.parser import Output, number

# The values that baretick's options allow: lib/config/options.c.
RECIPES = ("plain", "rdtscp", "xfence", "paoloni", "cpuid", "mfence", "lfence", "serialize", "auto")
SAMPLES = (16, 1000000)
DEADLINE = (1, 3600)
RETRY_BUDGET = (0, 1000)


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
    assembler.verify(s, calls=args.allow_syscalls or not args.hosted)


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


def command(args):
    if args.hosted:
        start.refuse_machine(args)
    with tempfile.TemporaryDirectory(prefix="baretick-asm-") as folder, measuring.Progress(measuring.ASSEMBLING) as shown:
        snippets, refused = snippets_of(args)
        if args.hosted and not args.loop and not args.basic:
            records, said, checks = measuring.measured_straight(args, snippets, folder, shown)
        elif args.object and args.unroll is None and not args.loop and not args.basic:
            records, said, checks = measuring.measured_for_a_stick(args, snippets, folder, shown)
        else:
            (records, said), checks = measuring.measured(args, snippets, folder, shown), {}
    run = next((r for r in records if r["type"] == "run"), None)
    end = next((r for r in records if r["type"] == "end"), None)
    errors = [r["message"] for r in records if r["type"] == "event" and r.get("kind") == "error"]
    faults = [r["message"] for r in records if r["type"] == "event" and r.get("kind") == "fault"]
    if run is None:
        raise Failed("\n".join(errors or ["no report:", said.strip() or "nothing was said"]))
    if end is None or faults:
        errors += faults or [said.strip() or "the program ended before its report did"]
    rows = measuring.rows_of(records)
    done = [(result.print_json if args.json else result.tell)(s, rows.get((s.suite, s.name)), run, checks.get(s.name),
                                                rows.get((copies.CHECK, s.name))) for s in snippets]
    for message in [*refused, *errors]:
        print(f"baretick: {message}", file=sys.stderr)
    return 0 if all(done) and not refused and not errors else 1


def add(commands):
    p = commands.add_parser(
        "asm", help="the cost of a line of assembly",
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
    p.add_argument("--unroll", type=number(0), metavar="N",
                   help="number of copies (100; with --hosted as many as the figure needs)")
    p.add_argument("--loop", type=number(0), default=0, metavar="N", help="iterations of a loop around the copies (0: no loop)")
    p.add_argument("--basic", action="store_true", help="measure N copies minus none, instead of 2 N minus N")
    kind = p.add_mutually_exclusive_group()
    kind.add_argument("--latency", action="store_true", help="make each copy wait for the previous one, and print how")
    kind.add_argument("--throughput", action="store_true", help="make copies independent, as far as possible, and print how")
    p.add_argument("--hosted", action="store_true", help="as a process on this CPU, not in QEMU")
    p.add_argument("--allow-syscalls", action="store_true", help="with --hosted: execute int 0x80, syscall and sysenter")
    p.add_argument("--recipe", choices=RECIPES, metavar="R",
                   help=f"how the TSC is read, baretick's option recipe=: {', '.join(RECIPES)}")
    p.add_argument("--samples", type=number(*SAMPLES, "auto"), metavar="N", help="number of windows: baretick's option samples=")
    p.add_argument("--retry-budget", type=number(*RETRY_BUDGET), metavar="N",
                   help="limit on repeating shared blocks: baretick's option retry_budget=")
    p.add_argument("--deadline", type=number(*DEADLINE), default=20, metavar="S", help="time limit of a snippet in seconds (20)")
    p.add_argument("--object", type=Output, metavar="FILE", help="keep the assembled object as FILE")
    p.add_argument("--json", action="store_true", help="print one JSON object per snippet, with the row's record")
    start.add_machine(p)
    p.set_defaults(command=command)
