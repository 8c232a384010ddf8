"""Forms of suite insn as files that other tools read, each with the origin and the licence of its figures."""
import re

from read import insn, llvm_names, saved, table


def licence(report):
    """Returns the SPDX identifier of the licence of the program's figures; None: the report states none. Older reports
    have it in the record `insn_plan`."""
    return report.one("run").get("licence") or report.one("insn_plan").get("licence")


def cpu(report):
    """Returns the name of the CPU."""
    found = report.one("run").get("cpu", {})
    return found.get("brand") or found.get("vendor") or "an unknown CPU"


def head(report):
    """Returns the lines at the top of an exported file. Licences are stated as SPDX specifies it
    (https://spdx.dev/learn/handling-license-info/)."""
    run = report.one("run")
    said = [f"{cpu(report)}, measured by baretick {run.get('version', '?')} ({run.get('build', '?')})"]
    if licence(report):
        said.append(f"SPDX-License-Identifier: {licence(report)}")
    return [table.printable(line) for line in said]


# --- csv ------------------------------------------------------------------------------------------

# The figures of suite insn as comma-separated values, one line per figure.
#
# Each line has the CPU and the licence, because readers of csv (csv.DictReader, pandas.read_csv, LibreOffice) take a comment
# for the names of the columns.

OTHER = " other history"  # after the name of a figure with another history of the registers
CSV = ("form", "core", "figure", "value", "error", "at_most", "settled", "cpu", "licence")


def as_csv(report):
    """Returns the csv, with the names of the columns in its first line."""
    insn.must_have_cycles(report)
    lines, whose = [], (cpu(report), licence(report))
    for form in insn.forms(report):
        figures = {name: form.figures[name] for name in [*(v for v in insn.VARIANTS if v in form.figures), *insn.pairs(form)]}
        figures.update((name + OTHER, figure) for name, figure in form.history.items())
        lines += [(form.name, form.core, name, f.value, f.error, int(f.at_most), int(f.settled), *whose) for name, f in figures.items()]
    return table.csv_text(CSV, lines)


# --- InstLatx64 -----------------------------------------------------------------------------------

# Forms of suite insn in the layout of the InstLatx64 collection's text files (github.com/InstLatx64/InstLatx64):
#
#     Inst  409 X86   : ADD r64, r64                  L:   0.33ns=  1.0c  T:   0.08ns=  0.25c
#
# A latency is that from the first register that is read to the first that is written; without such a pair, the layout has
# words in its place. Lines about the CPU come first: readers take the lines that begin with `Inst`. The collection's names
# differ for some forms. This project contains no figures of the collection.

NAME = 30
WITHOUT = "[no true dep.]"
BOUND = "[memory dep.]"
KINDS = ((r"\{evex\}", "AVX512"), (r"v", "AVX"), (r".*\bmm\b", "MMX"), (r".*\bxmm\b", "SSE"), (r"f\w+( st|$| m)", "X87"),
         (r"(?!cmpxchg8b).*\b(r64|rax|m64)\b", "AMD64"), ("", "X86"))  # fmt: skip


def nanoseconds(report, core):
    """Returns the ns of a core cycle; None: not known."""
    run = report.one("run")
    ticks = next((c.get("ticks_per_cycle") for c in report.of("core") if c["core"] == core), None)
    hz = run.get("tsc", {}).get("hz")
    return ticks / hz * 1e9 if ticks and hz else None


def _name(name):
    bare = name.removeprefix("{evex} ")
    mnemonic, space, operands = bare.partition(" ")
    return mnemonic.upper() + space + re.sub(r"\bm(\d+)", r"[m\1]", operands)


def _first_latency(form, ns):
    pairs = [pair for pair in insn.pairs(form) if re.fullmatch(r"\d+>\d+", pair)]
    exact = [pair for pair in pairs if not form.figures[pair].at_most]
    if not exact:
        return BOUND if pairs else WITHOUT
    cycles = form.figures[exact[0]].value
    return f"{cycles * ns:6.2f}ns={cycles:5.1f}c"


def as_instlat(report):
    """Returns the origin, and one line per form. Raises Unreadable if the duration of a core cycle is not known."""
    insn.must_have_cycles(report)
    lines = []
    for form in insn.of_first_core(report):
        ns = nanoseconds(report, form.core)
        if ns is None:
            raise saved.Unreadable(f"{report.path}: the duration of a core cycle is not known, which this form needs")
        if "tp" in form.figures:
            tp, kind = form.figures["tp"].value, next(kind for pattern, kind in KINDS if re.match(pattern, form.name))
            lines.append(f"Inst {len(lines) + 1:4} {kind:6}: {_name(form.name):{NAME}}L: {_first_latency(form, ns):15}  "
                         f"T: {tp * ns:6.2f}ns={tp:6.2f}c\n")
    return "".join(f"{line}\n" for line in head(report)) + "\n" + "".join(lines)


# --- llvm-exegesis --------------------------------------------------------------------------------

# Forms of suite insn as the benchmark points of llvm-exegesis: YAML that `llvm-exegesis -mode=analysis` compares with
# LLVM's scheduling models (https://llvm.org/docs/CommandGuide/llvm-exegesis.html).
#
# A point's latency is the largest of those from a register to a register, since LLVM's models have one for each result.
# Upper bounds and figures that are not settled are left out.

TRIPLE = "x86_64-unknown-linux-gnu"
POINT = """---
mode:            {mode}
key:
  instructions:
    - '{instruction}'
  config:          ''
  register_initial_values: []
cpu_name:        {cpu}
llvm_triple:     {triple}
num_repetitions: 10000
measurements:
  - {{ key: {mode}, value: {value}, per_snippet_value: {value} }}
error:           ''
info:            '{info}'
assembled_snippet: {code}C3
...
"""


def _largest_latency(form):
    """Returns the largest latency from register to register, if all of them are settled."""
    found = [figure for pair, figure in form.figures.items() if re.fullmatch(r"\d+>\d+", pair)]
    if not found or any(figure.at_most or not figure.settled for figure in found):
        return None
    return max(figure.value for figure in found)


def _settled(figure):
    return figure.value if figure and figure.settled else None


MODES = {"latency": _largest_latency, "inverse_throughput": lambda form: _settled(form.figures.get("tp"))}


def as_exegesis(report, mode, cpu=None):
    """Returns the YAML, after a comment that states the origin. Raises Unreadable if no form has a point."""
    insn.must_have_cycles(report)
    cpu = cpu or llvm_names.name_of(report.one("run").get("cpu", {}))
    if not cpu:
        raise saved.Unreadable(f"{report.path}: LLVM's name of this CPU is not known: give it with --cpu, as in --cpu znver3")
    values = {form.name: value for form in insn.of_first_core(report) if (value := MODES[mode](form)) is not None}
    names = llvm_names.instructions(values, cpu)
    text = "".join(POINT.format(mode=mode, instruction=" ".join((names[name].opcode, *names[name].operands)), cpu=cpu,
                                triple=TRIPLE, value=f"{value:g}", info=name, code=names[name].code)
                   for name, value in values.items() if name in names)  # fmt: skip
    if not text:
        raise saved.Unreadable(f"{report.path}: no form has a settled {mode.replace('_', ' ')} and a name in LLVM")
    return "".join(f"# {line}\n" for line in head(report)) + text
