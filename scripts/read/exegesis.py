"""Forms of suite insn as the benchmark points of llvm-exegesis: YAML that `llvm-exegesis -mode=analysis` compares with
LLVM's scheduling models (https://llvm.org/docs/CommandGuide/llvm-exegesis.html).

A point's latency is the largest of those from a register to a register, since LLVM's models have one for each result.
Upper bounds and figures that are not settled are left out."""
import re

from read import insn, llvm_names, origin, saved

# LLVM's names of CPUs by vendor, family and model: llvm/lib/TargetParser/Host.cpp. In the order of the models.
AMD = {
    23: ((0x2f, "znver1"), (0xff, "znver2")),
    25: ((0x0f, "znver3"), (0x1f, "znver4"), (0x5f, "znver3"), (0xaf, "znver4")),
    26: ((0xff, "znver5"),),
}
INTEL = {
    "skylake": (0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6), "icelake-client": (0x7d, 0x7e), "icelake-server": (0x6a, 0x6c),
    "tigerlake": (0x8c, 0x8d), "rocketlake": (0xa7,), "alderlake": (0x97, 0x9a, 0xb7, 0xba, 0xbf),
    "sapphirerapids": (0x8f,), "emeraldrapids": (0xcf,), "graniterapids": (0xad,), "meteorlake": (0xaa, 0xac),
}  # fmt: skip
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


def cpu_name(run):
    """Returns LLVM's name of a report's CPU, or None."""
    cpu = run.get("cpu", {})
    family, model = cpu.get("family"), cpu.get("model")
    if cpu.get("vendor") == "AuthenticAMD":
        return next((name for last, name in AMD.get(family, ()) if model <= last), None)
    if cpu.get("vendor") == "GenuineIntel" and family == 6:
        return next((name for name, models in INTEL.items() if model in models), None)
    return None


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
    cpu = cpu or cpu_name(report.one("run"))
    if not cpu:
        raise saved.Unreadable(f"{report.path}: LLVM's name of this CPU is not known: give it with --cpu, as in --cpu znver3")
    values = {form.name: value for form in insn.forms(report) if (value := MODES[mode](form)) is not None}
    names = llvm_names.instructions(values, cpu)
    text = "".join(POINT.format(mode=mode, instruction=" ".join((names[name].opcode, *names[name].operands)), cpu=cpu,
                                triple=TRIPLE, value=f"{value:g}", info=name, code=names[name].code)
                   for name, value in values.items() if name in names)  # fmt: skip
    if not text:
        raise saved.Unreadable(f"{report.path}: no form has a settled {mode.replace('_', ' ')} and a name in LLVM")
    return "".join(f"# {line}\n" for line in origin.lines(report)) + text
