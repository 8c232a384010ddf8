"""Forms of suite insn as the benchmark points of llvm-exegesis: YAML that `llvm-exegesis -mode=analysis` compares with
LLVM's scheduling models (https://llvm.org/docs/CommandGuide/llvm-exegesis.html).

A point's latency is the largest of those from a register to a register, since LLVM's models have one for each result.
Upper bounds and figures that are not settled are left out."""
import re

from read import insn, llvm_cpus, llvm_names, origin, saved

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


def _latency(form):
    """Returns the largest latency from register to register, if all of them are settled."""
    found = [figure for pair, figure in form.figures.items() if re.fullmatch(r"\d+>\d+", pair)]
    if not found or any(figure.at_most or not figure.settled for figure in found):
        return None
    return max(figure.value for figure in found)


def _throughput(form):
    tp = form.figures.get("tp")
    return tp.value if tp and tp.settled else None


MODES = {"latency": _latency, "inverse_throughput": _throughput}


def points(report, mode, cpu=None):
    """Returns the YAML, after a comment that states the origin. Raises Unreadable if no form has a point."""
    insn.must_have_cycles(report)
    cpu = cpu or llvm_cpus.name_of(report.one("run").get("cpu", {}))
    if not cpu:
        raise saved.Unreadable(f"{report.path}: LLVM's name of this CPU is not known: give it with --cpu, as in --cpu znver3")
    values = {form.name: value for form in insn.of_first_core(report) if (value := MODES[mode](form)) is not None}
    names = llvm_names.instructions(values, cpu)
    text = "".join(POINT.format(mode=mode, instruction=" ".join((names[name].opcode, *names[name].operands)), cpu=cpu,
                                triple=TRIPLE, value=f"{value:g}", info=name, code=names[name].code)
                   for name, value in values.items() if name in names)  # fmt: skip
    if not text:
        raise saved.Unreadable(f"{report.path}: no form has a settled {mode.replace('_', ' ')} and a name in LLVM")
    return "".join(f"# {line}\n" for line in origin.lines(report)) + text
