"""Forms of suite insn in the layout of the InstLatx64 collection's text files (github.com/InstLatx64/InstLatx64):

    Inst  409 X86   : ADD r64, r64                  L:   0.33ns=  1.0c  T:   0.08ns=  0.25c

A latency is that from the first register that is read to the first that is written; without such a pair, the layout has
words in its place. Lines about the CPU come first: readers take the lines that begin with `Inst`. The collection's names
differ for some forms. This project contains no figures of the collection."""
import re

from read import insn, origin, saved

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


def _kind(name):
    return next(kind for pattern, kind in KINDS if re.match(pattern, name))


def _name(name):
    bare = name.removeprefix("{evex} ")
    mnemonic, space, operands = bare.partition(" ")
    return mnemonic.upper() + space + re.sub(r"\bm(\d+)", r"[m\1]", operands)


def _latency(form, ns):
    pairs = [pair for pair in insn.pairs(form) if re.fullmatch(r"\d+>\d+", pair)]
    exact = [pair for pair in pairs if not form.figures[pair].at_most]
    if not exact:
        return BOUND if pairs else WITHOUT
    cycles = form.figures[exact[0]].value
    return f"{cycles * ns:6.2f}ns={cycles:5.1f}c"


def _line(number, form, ns):
    tp = form.figures["tp"].value
    return (f"Inst {number:4} {_kind(form.name):6}: {_name(form.name):{NAME}}L: {_latency(form, ns):15}  "
            f"T: {tp * ns:6.2f}ns={tp:6.2f}c\n")


def text(report):
    """Returns the origin, and one line per form. Raises Unreadable if the duration of a core cycle is not known."""
    insn.must_have_cycles(report)
    lines = []
    for form in insn.of_first_core(report):
        ns = nanoseconds(report, form.core)
        if ns is None:
            raise saved.Unreadable(f"{report.path}: the duration of a core cycle is not known, which this form needs")
        if "tp" in form.figures:
            lines.append(_line(len(lines) + 1, form, ns))
    return "".join(f"{line}\n" for line in origin.lines(report)) + "\n" + "".join(lines)
