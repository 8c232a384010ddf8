"""`baretick stores`: dead stores, silent stores, silent and reread loads of a row, an object or a line of assembly."""
import glob
import json
import os
import re
import subprocess
import tempfile

from assembly import assembler, snippet, syntax
from launch import start
from launch.start import Failed
from tools import places
from tools.parser import number

PROGRAM = places.built("hosted/stores")
WIDTH = 100
LEAST_NAME = 12
CALLED = "called at "
MOST = 2 ** 64 - 1
STEPS = 10_000_000      # hosted/stores/main.c
ASM_OPERATIONS = 1000
LOADER_FAILED = 127     # the dynamic linker's: a library is missing
# Members of a record that are counts, the worst first.
COUNTS = ("dead_bytes", "silent_stores", "silent_loads", "reread_loads", "stores", "loads", "store_bytes", "load_bytes",
          "unread_bytes")
# The lists for people: title, what is looked for, columns of a record's counts with their two lines of heading.
LISTS = (
    ("dead stores", ("dead_bytes",), (("dead_bytes", "dead", "bytes"), ("store_bytes", "of", "bytes"),
                                      ("stores", "", "stores"))),
    ("silent stores", ("silent_stores",), (("silent_stores", "silent", "stores"), ("stores", "of", "stores"))),
    ("silent loads, reread loads", ("silent_loads", "reread_loads"),
     (("silent_loads", "silent", "loads"), ("reread_loads", "reread", "loads"), ("loads", "of", "loads"))),
)
BY = {"stack": "by_stack", "instruction": "by_instruction"}
FAULTED = 4             # lib/config/status.h
ROW = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?")


# --- the program -----------------------------------------------------------------------------------

def read(text):
    """Returns (the traces with their instructions, by instruction and by stack of calls; why other rows are
    refused)."""
    traces, refused = [], []
    for line in text.splitlines():
        record = json.loads(line)
        kind = record.pop("type")
        if kind == "trace":
            traces.append({**record, "by_instruction": [], "by_stack": []})
        elif kind == "instruction":
            traces[-1]["by_instruction"].append(record)
        elif kind == "stack":
            traces[-1]["by_stack"].append({**traces[-1]["by_instruction"][-1], **record})
        elif kind == "refused":
            refused.append(record["why"])
    for trace in traces:
        for record in trace["by_stack"]:
            del record["runs"]  # of the instruction, in all of them
    return traces, refused


def fail_as_it_says(ran, said):
    """Raises Failed with the reason why the program ended early, from its record of the fault if there is one."""
    if ran.returncode < 0:
        raise Failed(f"the program was ended by signal {-ran.returncode}: {said}")
    fault = re.search(r'"kind":"fault","message":("(?:[^"\\]|\\.)*")', ran.stdout)
    raise Failed(f"the program itself faulted: {json.loads(fault[1])}" if fault else
                 f"a fault ended the program, which did not report it: {said}")


def program(*words):
    """Returns (status, traces, why other rows are refused). On a terminal the program prints its progress itself."""
    start.fail_if_missing(PROGRAM, "make stores", "baretick-zydis")
    ran = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, encoding="utf-8", errors="backslashreplace", check=False,
                         stderr=None if os.isatty(2) else subprocess.PIPE)
    said = (ran.stderr or "").strip()
    if ran.returncode == LOADER_FAILED:
        raise Failed(f"{said}\nZydis, which decodes instructions, is a library: "
                     f"{places.get(f'{places.SETUP_TEST}, then `make stores`', 'baretick-zydis')}")
    if ran.returncode < 0 or ran.returncode == FAULTED:
        fail_as_it_says(ran, said)
    return ran.returncode, *read(ran.stdout)


# --- what is followed ------------------------------------------------------------------------------

def common_words(args):
    words = [f"steps={args.steps}"]
    if args.operations:
        words.append(f"operations={args.operations}")
    return words + (["verify=1"] if args.verify else [])


def around_snippet(label, prefix):
    """Returns the name of a label of the made object (scripts/assembly/snippet.py) for people. A user's label stays as
    it is."""
    if label == "copies_0.iteration":
        return "snippet"
    if label.startswith(f"{prefix}copy_1"):
        return "snippet" + label.removeprefix(f"{prefix}copy_1")
    return {"copies_0": "prologue", f"{prefix}after": "epilogue"}.get(label, label)


def of_assembly(args):
    """Makes a loop around one copy; instructions before and after the copy are not counted."""
    iterations = args.operations or ASM_OPERATIONS
    if iterations > snippet.OPS_MOST:
        raise Failed(f"--operations {iterations}: of instructions 1 to {snippet.OPS_MOST} iterations are allowed")
    one = snippet.Snippet(args.what, late_init=args.init, unroll=1, loop=iterations, basic=True)
    syntax.take(one, "auto")
    with tempfile.TemporaryDirectory(prefix="baretick-stores-") as folder:
        path = os.path.join(folder, "asm.o")
        assembler.assemble([one], path, os.path.join(places.ROOT, "bench/api"))
        args.operations = iterations
        status, traces, refused = program(f"objects={path}", f"from=asm.{one.name}.copy_1",
                                          f"to=asm.{one.name}.after", *common_words(args), f"asm/{one.name}")
    for trace in traces:
        del trace["suite"], trace["row"], trace["object"]  # made for it alone
        for record in placed(trace):
            if "function" in record:
                record["function"] = around_snippet(record["function"], f"asm.{one.name}.")
    return status, traces, refused, None


def of_object(args):
    row = [args.row] if args.row else []
    return *program(f"objects={args.what}", *common_words(args), *row), args.what


def of_row(args):
    return *program(*common_words(args), args.what), None


def kind_of(args):
    """Returns the kind of the word: row, object or instructions. No instruction is a single word with a dot or a
    slash."""
    text = args.what
    if args.asm:
        return of_assembly
    if os.path.isfile(text) or text.endswith(".o"):
        return of_object
    if ROW.fullmatch(text):
        return of_row
    return of_object if os.path.isdir(text) or re.fullmatch(r"[^\s;]*[./][^\s;]*", text) else of_assembly


# --- lines of the source ---------------------------------------------------------------------------

def placed(trace):
    """Returns all records of the trace that have a place."""
    calls = [call for record in trace["by_stack"] for call in record["calls"]]
    return trace["by_instruction"] + trace["by_stack"] + calls + ([trace["ended"]] if "ended" in trace else [])


def add_lines(trace, object_path):
    """Adds to each place its `line`, if it is known; the function, if it is one of the program; and `readable`, the
    function's name in its language, if that differs."""
    defined = {}
    if object_path and os.path.isdir(object_path):
        object_path = os.path.join(object_path, trace["object"])
    if "objects" in trace:
        defined = that_define(places.ROOT, os.path.join(places.ROOT, trace["objects"]), "bench/suites")
    records = placed(trace)
    groups = {}
    for record in records:
        if "section" in record:
            paths = [object_path] if object_path else defined.get(record.get("function"), [])
            if len(paths) == 1:  # else several objects have a symbol of that name
                groups.setdefault((paths[0], record["section"]), []).append(record)
    for (path, section), group in groups.items():
        for record, (_, place) in zip(group, source_lines(path, [r["section_offset"] for r in group], "-j", section)):
            if place:
                record["line"] = place
    own = [r for r in records if "function" not in r and "section" not in r]
    for record, (function, place) in zip(own, source_lines(PROGRAM, [r["address"] for r in own])):
        record.update({k: v for k, v in (("function", function), ("line", place)) if v})
    names = readable(r["function"] for r in records if "function" in r)
    for record in records:
        name = record.get("function")
        if name and names[name] != name:
            record["readable"] = names[name]


# --- for people ------------------------------------------------------------------------------------

def cut(text, width):
    return text if len(text) <= width else text[:width - 3] + "..."


def place(record, width=WIDTH):
    """Returns `function+0x12, file.c:34`, with a shortened name if it is too long."""
    if "function" not in record:
        name, text = "", f"{record['address']:#x}"
    else:
        name = record.get("readable", record["function"])
        text = f"+{record['offset']:#x}" if record.get("offset") else ""
    text += f", {os.path.basename(record['line'])}" if "line" in record else ""
    return cut(cut(name, max(width - len(text), LEAST_NAME)) + text, width)


def number_of(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def share(part, whole, what):
    return number_of(part, what) + (f" ({part / whole:.0%})" if whole else "")


def worst(record):
    return [-record[key] for key in COUNTS] + [record["address"]]


def table(records, columns):
    widths = [max(len(second), len(first), *(len(str(r[key])) for r in records)) for key, first, second in columns]
    heads = [[c[i].rjust(w) for c, w in zip(columns, widths)] for i in (1, 2)]
    margin = sum(widths) + 2 * (len(widths) - 1) + 3
    yield "  ".join(heads[0]).rstrip()
    yield "  ".join(heads[1]) + "   instruction, and where it is"
    for record in records:
        figures = "  ".join(str(record[key]).rjust(w) for (key, _, _), w in zip(columns, widths))
        yield f"{figures}   {cut(record['text'], WIDTH - margin)}"
        yield " " * margin + place(record, WIDTH - margin)
        for call in record.get("calls", ()):
            yield " " * margin + CALLED + place(call, WIDTH - margin - len(CALLED))


def lists(trace, by, top):
    """Yields the lines of those of the three lists that have entries, the worst first."""
    for title, keys, columns in LISTS:
        found = [r for r in trace[BY[by]] if any(r[key] for key in keys)]
        found.sort(key=lambda r: (-max(r[key] for key in keys), worst(r)))
        shown = found[:top] if top else found
        if found:
            yield from ("", title, *table(shown, columns))
        if len(shown) < len(found):
            yield f"... and {len(found) - len(shown)} more; --top 0 shows all"


def totals(trace):
    yield (f"{number_of(trace['stores'], 'store')} of {number_of(trace['store_bytes'], 'byte')}: "
           f"{share(trace['dead_bytes'], trace['store_bytes'], 'byte')} dead, "
           f"{share(trace['silent_stores'], trace['stores'], 'store')} silent")
    yield (f"{number_of(trace['loads'], 'load')} of {number_of(trace['load_bytes'], 'byte')}: "
           f"{share(trace['silent_loads'], trace['loads'], 'load')} silent, "
           f"{share(trace['reread_loads'], trace['loads'], 'load')} reread")
    if trace["unread_bytes"]:
        stand = "is" if trace["unread_bytes"] == 1 else "are"
        yield (f"{number_of(trace['unread_bytes'], 'byte')} {stand} unread at the end: not counted as dead, "
               "the caller may read them")


def tell(trace, by, top):
    row = f"{trace['suite']}/{trace['row']}: " if "row" in trace else ""
    yield cut(row + trace["what"], WIDTH)
    yield f"{number_of(trace['operations'], 'operation')} in one call, {number_of(trace['steps'], 'step')}"
    yield from lists(trace, by, top)
    yield ""
    yield from totals(trace)
    if "ended" in trace:
        ended = trace["ended"]
        at = f"{cut(ended['text'], 50)} at " if "text" in ended else "at "
        yield cut(f"the trace ended after {number_of(trace['steps'], 'step')}: {ended['why']}", WIDTH)
        yield f"    {at}{place(ended, WIDTH - 4 - len(at))}"
    if "wrong" in trace:
        yield cut(f"the call did not do its work: {trace['wrong']}", WIDTH)
    if "changed" in trace:
        yield cut(f"{row}the call changed what a function must leave as it was: {', '.join(trace['changed'])}", WIDTH)


# --- the words -------------------------------------------------------------------------------------

def command(args):
    kind = kind_of(args)
    if args.row and kind != of_object:
        raise Failed("--row names a row of an object; a built-in row is named by itself")
    if args.init and kind != of_assembly:
        raise Failed("--init goes with instructions; a row's own setup runs before it")
    status, traces, refused, object_path = kind(args)
    for number, trace in enumerate(traces):
        add_lines(trace, object_path)
        if args.json:
            for records in BY.values():
                trace[records].sort(key=worst)
            print(json.dumps(trace))
        else:
            print("\n".join(([""] if number else []) + list(tell(trace, args.by, args.top))))
    if refused:
        hint = f"; a folder is {args.what}/" if os.path.isdir(args.what) else "; an instruction of one word takes --asm"
        raise Failed("\n".join(refused) + (hint if kind == of_row and refused[0].startswith("no row") else ""))
    return status


def add(commands):
    p = commands.add_parser(
        "stores", help="redundant stores and loads",
        description="Follows one call of a row's body in a process, instruction by instruction, and counts the\n"
                    "redundant stores and loads of each instruction:\n"
                    "  dead bytes     stored, and overwritten or popped before anything read them\n"
                    "  silent stores  store the value that is already there\n"
                    "  silent loads   return the value of the instruction's previous load from there\n"
                    "  reread loads   of bytes that any instruction has read since they were\n"
                    "                 stored: the rule for silent loads of Valgrind's deadstores\n"
                    "Each list begins with the highest count. The row's setup is not counted. docs/stores.md\n"
                    "defines the counts.",
        epilog="examples:\n"
               "  baretick stores compiler/silent_cure\n"
               "  baretick stores mine.o --operations 100\n"
               '  baretick stores "mov [r14], rax; mov rbx, [r14]"')
    p.add_argument("what", metavar="ROW|OBJECT|\"ASM\"", help="suite/name of a row, or its name alone; a user object, "
                   "or a folder of them (docs/own-code.md); or instructions as for `baretick asm`, which are run in a loop")
    p.add_argument("--operations", type=number(1, MOST), metavar="N",
                   help=f"operations of the call (default: those of a window; for instructions {ASM_OPERATIONS} iterations)")
    p.add_argument("--steps", type=number(1, MOST), default=STEPS, metavar="N", help=f"maximum of steps ({STEPS})")
    p.add_argument("--row", help="of an object: only this row")
    p.add_argument("--asm", action="store_true", help="the argument is instructions, not a row or an object")
    p.add_argument("--init", default="", metavar="CODE", help="instructions that run before the counted ones")
    p.add_argument("--by", choices=BY, default="stack", help="stack: list an instruction once for each call stack "
                   "that it ran in, up to five calls deep; instruction: list it once (stack)")
    p.add_argument("--top", type=number(0), default=10, metavar="N", help="lines of each list (10); 0: all")
    p.add_argument("--verify", action="store_true", help="search all memory at each step for a store that was "
                   "missed; slow")
    p.add_argument("--json", action="store_true", help="one JSON object per row")
    p.set_defaults(command=command)


# --- source lines ---------------------------------------------------------------------------------

# Source lines of instructions, by addr2line, if there is debug information; names of functions in their language, by
# c++filt.

def _run(*words, said=None):
    """Returns the output of a command; "" if it fails. said: its standard input, because there may be too many lines
    for words."""
    text = None if said is None else "".join(f"{line}\n" for line in said)
    try:
        return subprocess.run(words, input=text, capture_output=True, encoding="utf-8", errors="backslashreplace", check=False).stdout
    except OSError:
        return ""


def source_lines(path, addresses, *of):
    """Returns [(function, file:line)] of each address of a linked program, or offset into a section of an object (of: -j, its
    name); None for each that is not known."""
    lines = _run("addr2line", "-f", *of, "-e", path, said=map(hex, addresses)).splitlines() if addresses else ()
    found = []
    for function, place in zip(lines[::2], lines[1::2]):
        place = place.partition(" (discriminator")[0]
        known = not place.endswith((":0", ":?"))
        found.append((None if function == "??" else function, os.path.normpath(place) if known else None))
    return found if len(found) == len(addresses) else [(None, None)] * len(addresses)


def that_define(tree, objects, below):
    """Returns the objects of this part of a tree by the symbols that they define: {name: [path]}. Leaves out objects
    whose source was deleted."""
    paths = sorted(glob.glob(os.path.join(objects, below, "**/*.o"), recursive=True))
    paths = [p for p in paths if os.path.exists(os.path.join(tree, os.path.relpath(p, objects)[: -len(".o")]))]
    defined = {}
    for line in _run("nm", "-A", "--defined-only", *paths).splitlines() if paths else ():
        path, _, rest = line.partition(":")
        defined.setdefault(rest.split()[-1], []).append(path)
    return defined


def readable(names):
    """Returns {name: the name in C++ or Rust, without its arguments}."""
    names = sorted(set(names))
    said = _run("c++filt", "-p", said=names).splitlines()
    return dict(zip(names, said if len(said) == len(names) else names))
