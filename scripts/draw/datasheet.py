"""The parts of a page that make a datasheet of a CPU: its curves, its instructions, and what was not judged."""
import re

from draw import markup
from draw.markup import element
from read import curve, forward, insn, insn_export, interval, table

LEVELS = table.columns(
    ("curve", "curve", "<"), ("core", "core"), ("figure", "value", ".4g"), ("\N{PLUS-MINUS SIGN}", "half", ".2g"),
    ("unit", "unit", "<"), ("GB/s", "gb", ".4g"), ("from", "from"), ("to", "to"), ("ends", "ends", "<"))
STEPS = table.columns(
    ("limit", "curve", "<"), ("core", "core"), ("value", "value", "g"), ("not below", "from", "g"),
    ("not above", "to", "g"), ("of", "of", "<"), ("cost before", "before", ".4g"), ("after", "after", ".4g"),
    ("unit", "unit", "<"))
# Forms that many ask for, in this order; those that the report has are shown first.
COMMON = ("add r64, r64", "lea r64, address", "imul r64, r64", "div r64 [slow]", "div r64", "popcnt r64, r64", "shl r64, cl",
          "mov r64, m64", "mov m64, r64", "bswap r64", "crc32 r64, r64", "pdep r64, r64, r64", "addsd xmm, xmm",
          "mulsd xmm, xmm", "divsd xmm, xmm", "sqrtsd xmm, xmm", "vaddpd ymm, ymm, ymm", "vmulpd ymm, ymm, ymm",
          "vdivpd ymm, ymm, ymm", "vfmadd231pd ymm, ymm, ymm", "{evex} vfmadd231pd zmm, zmm, zmm", "vpaddd ymm, ymm, ymm",
          "vpmulld ymm, ymm, ymm", "vpermd ymm, ymm, ymm", "aesenc xmm, xmm", "pclmulqdq xmm, xmm, imm8")
HOW_TO_READ = ("Throughput is the time of one of many independent copies, in core cycles. Latency is from an input to an output: "
               "operands are numbered from 0, with hidden ones after the others; f is the flags, 2b and 2i the base and the "
               "index of the address of operand 2. The column latency has the longest of them, of a store "
               "that from its data. Copies share a unit with instructions "
               "next to which they take longer. <= is an upper bound, ? a figure whose placements do not agree. "
               "A latency of almost <=0 shows no dependency.")
MANY = 400  # rows: a longer table scrolls by itself, and is printed only as far as it is filtered
NAMES = 12  # of forms, in a list


# --- curves ----------------------------------------------------------------------------------------

def _points(c):
    """Returns a table of a curve's points, which a reader can open."""
    columns = table.columns(
        (c.by, "at"), (f"{c.unit} an operation", "value", ".2f"), (f"from ({interval.heading(c.percents, '')})", "lo", ".2f"),
        ("to", "hi", ".2f"), ("GB/s", "gb", ".2f") if c.moves else ("ns", "ns", ".2f"), ("note", "note", "<"))
    rows = [{**p._asdict(), "at": (c.place(p.at), p.at), "note": "the core was shared: not judged" if p.shared else ""}
            for p in c.points]
    said = f"{c.name}, core {c.core}: {len(rows)} points"
    return element("details", element("summary", said), markup.table(said, columns, rows, label=said), class_="points")


def _levels(c):
    for level in c.levels:
        ends = c.ends(level) if c.judged else "not judged"
        half, gb = c.of_level(level)
        yield {"curve": c.name, "core": c.core, "value": level["value"], "half": half, "unit": c.unit, "gb": gb, "ends": ends,
               "from": (c.place(level["from"]), level["from"]), "to": (c.place(level["to"]), level["to"])}


def _steps(c):
    for step in c.steps:
        counts = {key: round(step[at] / c.per, 2) for key, at in (("value", "at"), ("from", "from"), ("to", "to"))}
        yield {"curve": c.name, "core": c.core, "of": c.counted, "before": step["before"], "after": step["after"], "unit": c.unit,
               **counts}


def maps(every):
    """Returns a text per pair of sizes about these maps of store forwarding, which a reader can open."""
    return markup.together(element("details", element("summary", f"{m.name}, core {m.core}: {len(m.cells)} offsets"),
                                   markup.listed(m.found), class_="points") for m in every if m.cells)


def curves(every):
    """Returns the tables of these curves: levels and steps, then points."""
    levels, steps = [line for c in every for line in _levels(c)], [line for c in every for line in _steps(c)]
    return markup.together([
        markup.table("Levels that were found in the curves, with a typical interval of their points, compared with CPUID", LEVELS, levels,
                     label="Levels"),
        markup.table("Limits: the largest count before a step of the curve, with its interval", STEPS, steps, label="Limits"),
        *(_points(c) for c in every if c.points)])


# --- instructions ----------------------------------------------------------------------------------

def _said(figure):
    """Returns `3.01 +-0.02`, with the figure's notes."""
    return insn.with_error(figure, " \N{PLUS-MINUS SIGN}")


def _together(figures, names):
    """Returns `0>0 1>0: 3.01 +-0.02; ...`: pairs with equal figures share one entry."""
    return "; ".join(f"{' '.join(some)}: {said}" for said, some in table.grouped(names, lambda name: _said(figures[name])).items())


def _unbroken(text):
    """Returns (text whose figures stay in one line with their pairs and errors, the key to sort by), or nothing."""
    shown = table.printable(text)
    for before, after in ((": ", ":\N{NO-BREAK SPACE}"), (" \N{PLUS-MINUS SIGN}", "\N{NO-BREAK SPACE}\N{PLUS-MINUS SIGN}")):
        shown = shown.replace(before, after)
    return (shown, text) if text else ""


def _latency(form):
    """Returns (text, key to sort by) of the longest latency, preferably a settled one that is not an upper bound. If all are
    upper bounds, as of a store, those that do not begin in an address."""
    found = {pair: form.figures[pair] for pair in insn.pairs(form)}
    for wanted in (lambda pair, f: not f.at_most, lambda pair, f: not f.at_most or not re.match(r"\d+[bi]>", pair),
                   lambda pair, f: f.settled):
        found = {pair: f for pair, f in found.items() if wanted(pair, f)} or found
    return _sortable(max(found.values(), key=lambda f: f.value)) if found else None


def _note(form):
    found = ([form.fault] if form.fault else []) + insn.decoding(form)
    for name, said in (("same", "with one register"), ("line", "at one address"), ("straight", "in a straight line")):
        if figure := form.figures.get(name):
            found.append(f"{_said(figure)} {said}")
    if form.history:
        found.append(f"with another history of the registers: {_together(form.history, form.history)}")
    return "; ".join(found)


def _columns(report, cores):
    """Returns the columns: the form, then the same figures for each core."""
    found = [("form", "form", "<")]
    for core in cores:
        of = f", {curve.title(report, core)}" if len(cores) > 1 else ""
        found += [(f"throughput{of}", f"tp{core}"), ("\N{PLUS-MINUS SIGN}", f"error{core}", "g"), ("slots", f"slots{core}"),
                  ("latency", f"latency{core}"), ("latencies by pair", f"pairs{core}", "<"),
                  ("shares a unit with", f"shares{core}", "<"), ("note", f"note{core}", "<")]
    return table.columns(*found)


def _sortable(figure):
    return None if figure is None else (insn.said(figure), figure.value)


def _cells(form, core, blockers):
    tp = form.figures.get("tp")
    return {f"tp{core}": _sortable(tp), f"error{core}": tp and tp.error, f"slots{core}": _sortable(form.figures.get("slots")),
            f"latency{core}": _latency(form), f"pairs{core}": _unbroken(_together(form.figures, insn.pairs(form))),
            f"shares{core}": (insn.shared(form, blockers) or "").replace(",", ", "), f"note{core}": _unbroken(_note(form))}


def instructions(report, core=None):
    """Returns the table of all forms, with a column per type of cores; above it a table of the forms of general
    interest."""
    forms = [form for form in insn.forms(report) if core in (None, form.core)]
    if not forms:
        return markup.Markup()
    blockers = insn.blockers(report)
    cores, rows = curve.one_of_each_type(report, {form.core for form in forms}), {}
    for form in forms:
        if form.core in cores:
            rows.setdefault(form.name, {"form": form.name}).update(_cells(form, form.core, blockers))
    columns, common = _columns(report, cores), [rows[name] for name in COMMON if name in rows]
    licence, why = insn_export.licence(report), insn.why_no_cycles(report)
    parts = [element("p", f"No core cycles of a CPU: {why}.")] if why else []
    parts += [element("p", HOW_TO_READ + (f" The licence of these figures is {licence}." if licence else ""), class_="soft")]
    if len(common) > 1 and len(rows) > len(common):
        parts.append(markup.table("Forms that many ask for", columns, common, label="Common instructions", kind="insn some"))
    parts.append(markup.table(f"All {len(rows)} forms of instructions that ran", columns, list(rows.values()),
                              label="All instructions", kind="insn long" if len(rows) > MANY else "insn"))
    if len(rows) > MANY:
        parts.append(element("p", f"The table of {len(rows)} forms is printed only as far as it is filtered.", class_="on-paper"))
    return markup.together(parts)


# --- what was not judged ---------------------------------------------------------------------------

def _of_instructions(report):
    for end in report.of("insn_end"):
        of = f"core {end['core']}: "
        if {"settled", "figures"} <= end.keys() and end["settled"] < end["figures"]:
            yield f"{of}{end['figures'] - end['settled']} of {end['figures']} throughputs and latencies are not settled: they have a ?"
        if end.get("not_reached"):
            yield f"{of}there was no time for {end['not_reached']} forms of instructions: a longer time= runs them"
        if end.get("shared_blocks"):
            yield (f"{of}the core was shared in {end['shared_blocks']} of {end.get('blocks', '?')} blocks of windows of suite insn, "
                   "after repeating")
    faulted = table.grouped((form for form in insn.forms(report) if form.fault), lambda form: (form.core, form.fault))
    yield from (f"core {core}: {len(forms)} forms faulted in a test, {fault}: {table.some([form.name for form in forms], NAMES)}"
                for (core, fault), forms in faulted.items())


def _left(report):
    """Returns [(why forms were not run, on which core, their names)]."""
    found = table.grouped(insn.left(report), lambda left: (left[2], left[1]))
    return [(why, core, [name for name, _, _ in some]) for (why, core), some in found.items()]


def _not_there(report):
    """Yields the parts of a datasheet that this report lacks, with the words that measure them."""
    suites = {c.suite for c in curve.curves(report)}
    for suite, has, what in (("insn", report.of("insn_end"), "instructions"),
                             ("memory", "memory" in suites, "latency and bandwidth of memory"),
                             ("limits", "limits" in suites, "the limits of the core"),
                             ("memory cores=types", report.of("matrix"), "transfers between cores")):
        if not has:
            yield f"{what}: suite={suite} measures this"


def is_one(report):
    """Tests whether the report has a part of a datasheet."""
    return bool(curve.curves(report) or forward.maps(report) or report.of("insn_end") or insn.forms(report))


def not_judged(report):
    """Returns the figures that are not judged, and the forms that were not run."""
    if not is_one(report):
        return markup.Markup()
    found = [f"{c.full_name}, core {c.core}: {said}" for c in [*curve.curves(report), *forward.maps(report)]
             for said in ([c.reason] if c.reason else c.remarks)]
    found += _of_instructions(report)
    found += [f"{m['suite']}/{m['name']}: not judged" for m in report.of("matrix") if m.get("judged") is False]
    parts = [markup.listed(found)] if found else [element("p", "All that was measured was judged.")]
    for why, core, names in _left(report):
        many = "1 form was" if len(names) == 1 else f"{len(names)} forms were"
        parts.append(element("details", element("summary", f"{many} not run on core {core}: {why}"),
                             element("p", ", ".join(names), class_="names")))
    if missing := list(_not_there(report)):
        parts += [element("p", "Not in this report:"), markup.listed(missing)]
    return markup.together(parts)
