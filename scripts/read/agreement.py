"""Compares forms of suite insn with figures that others have published: `baretick insn REPORT --published FILE`.

A FILE has lines of the InstLatx64 collection's text files, `Inst 409 X86 : ADD r64, r64 L: 0.33ns= 1.0c T: 0.08ns= 0.25c`,
or `extension TAB name TAB latency TAB cycles`. This project contains no such figures. docs/insn-agreement.md explains the
differences; its tables name the forms of each class."""
import collections
import fnmatch
import os
import re

from read import insn, saved, table

PAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "docs", "insn-agreement.md")
SHARE, CYCLES = 0.05, 0.1  # figures agree within the larger of these
NO_SLOT = 0.05  # cycles: no core executes that many instructions
LINE = re.compile(r"\s*Inst\s+\d+\s+\S+\s*:\s*(?P<name>.+?)\s+L:\s*(?:[\d.]+ns=\s*(?P<latency>[\d.]+)c|\[.*?\])"
                  r"\s*T:\s*[\d.]+ns=\s*(?P<cycles>[\d.]+)c")
CONDITIONS = {"ae": "nb", "e": "z", "ne": "nz", "a": "nbe", "ge": "nl", "g": "nle", "c": "b", "nc": "nb"}
PREFIX = re.compile(r"(lock |rep |repne |repe )?([a-z0-9]+)\s*(.*)$")
REGISTER = re.compile(r"(xmm|ymm|zmm|mm|xm|ym|zm|k)(\d)?|r(\d)_(\d+)|r(8|16|32|64)")
FIXED = re.compile(r"imm\d+|1|cl|al|ax|eax|rax|dx|st0")

# A published form. names: those that it may have here; one: all its operands of a register file are one register; latency may be None.
Published = collections.namedtuple("Published", "said names one latency cycles")
# How two figures compare. how: one of AGREES, or the class of the page, or UNSETTLED; None: they differ, and nothing explains it.
# here: those that could agree.
Result = collections.namedtuple("Result", "form kind published here how")
# A class of the page. kinds: of figures; patterns: of names of forms, with * and ? for any text or character; least, most: of
# the published figure, divided by the one here.
Class = collections.namedtuple("Class", "name kinds patterns least most")
KINDS = ("throughput", "latency")
SAME, ADDRESS, CHAIN, NOTHING, IMMEDIATE = ("agrees", "agrees with copies at one address", "agrees with copies that wait",
                                            "agrees with copies that wait for nothing", "agrees with another immediate")
TOO_FAST = "less than a slot"
IMMEDIATES = " [imm"  # begins the end of the name of a form with another immediate
UNSETTLED = "not settled in this report"
AGREES = (SAME, ADDRESS, CHAIN, NOTHING, IMMEDIATE)
COLUMNS = table.columns(
    ("form", "form", "<"), ("figure", "kind", "<"), ("published", "published"), ("here", "here"),
    ("class", "how", "<"))


# --- published figures -------------------------------------------------------------------------------

def _operand(text):
    """Returns an operand's name here and its register, or None if this has no counterpart."""
    text = text.replace("im8", "imm8") if text.startswith("im8") else text
    if memory := re.fullmatch(r"\[m(\d+)\]", text):
        return f"m{memory[1]}", None
    if found := REGISTER.fullmatch(text):
        file, number, gpr, width, plain = found.groups()
        if file:
            file = {"xm": "xmm", "ym": "ymm", "zm": "zmm"}.get(file, file)
            return file, ("vector" if file.endswith("mm") and file != "mm" else file, file, number)
        return f"r{width or plain}", ("r", "r", gpr)
    return (text, None) if FIXED.fullmatch(text) else None


def _names(said):
    """Returns (names here, whether all operands of a register file are one register), or None if the form has no counterpart."""
    evex, text = "{EVEX}" in said, said.replace("{EVEX}", "").strip().lower()
    found = None if re.search(r"[+/(]|pair|\{k\}|_0", text) else PREFIX.match(text)
    if not found:
        return None
    prefix, mnemonic, rest = found[1] or "", found[2], found[3]
    operands = [_operand(x) for x in re.split(r"[ ,]+", rest.strip()) if x]
    if None in operands:
        return None
    files = collections.defaultdict(list)
    for register in (register for _, register in operands if register):
        files[register[0]].append(register)
    several = [registers for registers in files.values() if len(registers) > 1]
    if any(1 < len(set(registers)) < len(registers) for registers in several):
        return None  # some of the operands are one register
    mnemonics = [mnemonic] + [p + CONDITIONS[mnemonic[len(p):]] for p in ("j", "set", "cmov")
                              if mnemonic.startswith(p) and mnemonic[len(p):] in CONDITIONS]
    listed = " " + ", ".join(name for name, _ in operands) if operands else ""
    names = [f"{e}{prefix}{m}{listed}" for m in mnemonics for e in (("{evex} ",) if evex else ("", "{evex} "))]
    return names, bool(several) and all(len(set(registers)) == 1 for registers in several)


def _fields(line):
    """Returns (name, latency, cycles) of a line of a published file, or None."""
    if found := LINE.match(line):
        return found["name"], found["latency"], found["cycles"]
    parts = line.rstrip("\r\n").split("\t")
    return parts[1:4] if len(parts) == 4 else None


def published(path):
    """Returns every Published of a file that has a counterpart. Raises Unreadable if no line has figures."""
    with open(path, encoding="utf-8", errors="replace") as f:
        fields = [found for line in f if (found := _fields(line))]
    if not fields:
        raise saved.Unreadable(f"{path}: no line has published figures: InstLatx64's text, or extension, name, latency and "
                               "cycles with tabs between them")
    number = re.compile(r"\d+(\.\d+)?")
    return [Published(said, *names, float(latency) if number.fullmatch(latency or "") else None, float(cycles))
            for said, latency, cycles in fields if (names := _names(said)) and number.fullmatch(cycles)]


# --- classes -----------------------------------------------------------------------------------------

def classes(path=PAGE):
    """Returns each Class of the page's tables, whose cells are its name, figure, forms, here, ratio and why. Raises ValueError
    for another line."""
    with open(path, encoding="utf-8") as f:
        lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in f if line.startswith("| ")]
    found = []
    for cells in lines:
        if cells[0] in ("class", "---"):
            continue
        ratio = re.fullmatch(r"([\d.]+) to ([\d.]+)", cells[4]) if len(cells) == 6 else None
        patterns = re.findall(r"`([^`]+)`", cells[2]) if ratio else []
        if not patterns or cells[1] not in (*KINDS, "both"):
            raise ValueError(f"{path}: {cells[0]}: a line of classes has a name, throughput, latency or both, forms in `, the "
                             "figure here, a ratio such as 0.9 to 1.1, and a reason")
        found.append(Class(cells[0], KINDS if cells[1] == "both" else (cells[1],), patterns, *map(float, ratio.groups())))
    return found


def _class_of(form, kind, ratio, of):
    """Returns the name of the class that explains this ratio of a form's figures, or None."""
    return next((c.name for c in of if kind in c.kinds and c.least <= ratio <= c.most
                 and any(fnmatch.fnmatchcase(form, p.replace("[", "[[]")) for p in c.patterns)), None)


# --- the comparison ----------------------------------------------------------------------------------

def near(here, there):
    return abs(here - there) <= max(SHARE * there, CYCLES)


def _latencies(form, memory):
    """Returns the latencies between operands, not of flags; with memory also those of addresses."""
    wanted = re.compile(r"\d+[bi]?>\d+" if memory else r"\d+>\d+")
    return [figure for pair, figure in form.figures.items() if wanted.fullmatch(pair)]


def _independent(form, p):
    """Returns the figures of independent copies. If all operands of the published copies are one register, so may they be here."""
    return [form.figures[key] for key in ("tp", *(["same"] if p.one else [])) if key in form.figures]


def _throughput(form, p):
    """Returns how a published throughput agrees, or None. Copies of others may have one register for all operands, or one
    address, or one destination, so that they wait for each other: such copies have figures here, too."""
    if any(near(f.value, p.cycles) for f in _independent(form, p)):
        return SAME
    if "line" in form.figures and near(form.figures["line"].value, p.cycles):
        return ADDRESS
    if any(near(f.value, p.cycles) for f in _latencies(form, False) if not f.at_most):
        return CHAIN
    return TOO_FAST if p.cycles < NO_SLOT else None


def _chained(form, p):
    """Returns the figures of chains through operands. A published chain of a form with memory may go through its address."""
    return _latencies(form, "[m" in p.said.lower())


def _latency(form, p):
    """Returns how a published latency agrees, or None. If nothing waits in a published chain, its latency is a throughput."""
    if any(near(f.value, p.latency) for f in _chained(form, p)):
        return SAME
    idle = [form.figures[key].value for key in ("same", "tp") if key in form.figures]
    waits = p.latency >= 1 and not near(p.latency, p.cycles)
    return NOTHING if not waits and any(near(value, p.latency) for value in idle) else None


# Of each kind of figure: how a published one agrees, or None; and those here that could agree.
HOW = {"throughput": (_throughput, _independent), "latency": (_latency, _chained)}


def _result(form, p, kind, others, of):
    """Returns the Result of a published figure. others: the form with other immediates; the published one is not known. The
    nearest of the candidates tells whether a class explains the difference."""
    there = p.cycles if kind == "throughput" else p.latency
    agrees, here = HOW[kind]
    how, candidates = agrees(form, p), here(form, p)
    if how is None and any(agrees(other, p) == SAME for other in others):
        how = IMMEDIATE
    nearest = min(candidates, key=lambda f: abs(f.value - there))
    ratio = there / nearest.value if nearest.value > 0 else float("inf")
    return Result(p.said, kind, there, ", ".join(insn.said(f) for f in candidates[:4]),
                  how or _class_of(form.name, kind, ratio, of) or (None if nearest.settled else UNSETTLED))


def compare(forms, there, of):
    """Returns a Result per figure that both have. forms: of one core; there: Published ones; of: classes()."""
    by_name, results = {form.name: form for form in forms}, []
    others = table.grouped((form for form in forms if IMMEDIATES in form.name), lambda form: form.name.partition(IMMEDIATES)[0])
    for p in there:
        form = next((by_name[name] for name in p.names if name in by_name), None)
        if form is None or "tp" not in form.figures:
            continue
        results.append(_result(form, p, "throughput", others.get(form.name, ()), of))
        if p.latency is not None and _chained(form, p):
            results.append(_result(form, p, "latency", others.get(form.name, ()), of))
    return results


def _summary(results):
    for kind in ("throughput", "latency"):
        counts = collections.Counter(r.how for r in results if r.kind == kind)
        agree, every, too_fast = sum(counts[how] for how in AGREES), sum(counts.values()), counts[TOO_FAST]
        if every:
            yield (f"{kind}: {agree} of {every} agree ({100 * agree / every:.1f}%)"
                   + (f"; without {too_fast} published figures that are less than a slot {100 * agree / (every - too_fast):.1f}%"
                      if 0 < too_fast < every else ""))
            yield from (f"  {n} {how or 'differ, and no class explains it'}" for how, n in counts.most_common())


def command(found, core, path, form):
    """Prints the figures that differ, and how many agree. Returns 1 if one differs that no class of the page explains."""
    forms = insn.forms(found)
    core = forms[0].core if core is None and forms else core
    results = compare([f for f in forms if f.core == core], published(path), classes())
    if not results:
        raise saved.Unreadable(f"{path}: no form is one of core {core} of the report")
    differ = [r for r in results if r.how not in AGREES]
    table.write(form, COLUMNS, [{**r._asdict(), "how": r.how or "none"} for r in differ])
    if form == "text":
        print("\n".join(["", *_summary(results)]))
    return 1 if any(r.how is None for r in results) else 0


def add(commands):
    """Adds the command `insn`, which calls command() for --published."""
    insn.add(commands, command)
