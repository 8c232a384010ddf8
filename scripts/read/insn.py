"""`baretick insn`: the table of instructions of a saved report, and the differences between two."""
import collections
import fnmatch
import re
import sys

from read import curve, saved, table

# A figure: core cycles, or a number of slots; its error, whether it is an upper bound, whether its placements agree.
Figure = collections.namedtuple("Figure", "value error at_most settled")
# A form on a core. figures: by one of VARIANTS or a pair "input>output"; fault: None, or how a test of it ended;
# shares: positions in `insn_plan.blockers` of those that share a unit with it, None: not measured; unsettled: of those
# of which this is not settled; history: those of the figures that are others with another history of the registers;
# complex: only one decoder can decode it.
Form = collections.namedtuple("Form", "name core figures fault lcp shares unsettled history complex")
ENTRIES = ("same", "line", "straight")
VARIANTS = ("tp", *ENTRIES, "slots")
# In a report: [<]value[error in units of the value's last digit][?]. The error is a letter, c is 3, or in parentheses.
FIGURE = re.compile(r"(<?)(-?\d+(?:\.\d+)?)(?:\((\d+|\?)\)|([a-f]))?(\??)")
NUMBER = re.compile(r"\d+(\.\d+)?")
SHARED = re.compile(r"(\d)(\??)")  # in older reports each unsettled one has a mark
UNITS = 2  # of a figure without an error: lib/text/decimal.h
SLOTS_ERROR = 0.25  # the most of a number of slots in a report

COLUMNS = table.columns(
    ("form", "form", "<"), ("core", "core"), ("cycles", "tp"), ("+-", "error"), ("same reg.", "same"),
    ("same line", "line"), ("straight", "straight"), ("slots", "slots"), ("shares a unit with", "shares", "<"),
    ("latencies", "latencies", "<"), ("other history", "history", "<"), ("note", "note", "<"))
DIFFERENCES = table.columns(
    ("form", "form", "<"), ("figure", "figure", "<"), ("first", "first"), ("second", "second"),
    ("ratio", "ratio", ".2f"))


def word(name):
    """Returns the form's name as in bench=: "add_r64_m64"."""
    return name.replace(",", "").replace(" ", "_")


def matches(name, glob):
    """Tests a form's name. A GLOB has no sets of characters, as in bench=."""
    return any(fnmatch.fnmatchcase(one, glob.replace("[", "[[]")) for one in (name, word(name)))


def _likes(groups):
    """Returns, for each group, the index of the group that has its operands. Raises ValueError if a group refers to one
    without operands."""
    likes = [group[1] if len(group) == 2 and not isinstance(group[1], str) else i for i, group in enumerate(groups)]
    if wrong := [like for i, like in enumerate(likes) if like not in range(i + 1) or likes[like] != like]:
        raise ValueError(f"a group refers to the operands of group {wrong[0]}, which has no operands itself")
    return likes


def names_of(groups):
    """Returns the names of an array of forms: [mnemonic, operands of each form with it...], or [mnemonic, number of the
    group that has the same operands]."""
    return [f"{group[0]} {rest}".rstrip().replace(",", ", ") for group, like in zip(groups, _likes(groups))
            for rest in groups[like][1:]]


def _figure(text):
    """Returns the figure of `1.01c`, or `1.01(3)`: 1.01 +- 0.03. None: not measured, or no figure."""
    found = FIGURE.fullmatch(text)
    if not found:
        return None
    bound, value, units, letter, unsettled = found.groups()
    unit = 10 ** -len(value.partition(".")[2])
    if letter:
        units = ord(letter) - ord("a") + 1
    error = None if units == "?" else round(int(units or UNITS) * unit, 6)
    return Figure(float(value), error, bool(bound), not unsettled)


def _figures(words, names):
    """Returns {name: figure} of these words."""
    return {name: figure for name, word in zip(names, words) if (figure := _figure(word))}


def _entries(record, key):
    """Returns {position of a form: text}."""
    return {int(position): text for position, _, text in (entry.partition(" ") for entry in record.get(key, ()))}


def _named(text):
    """Returns {name: figure} of `name figure name figure ...`."""
    words = text.split()
    return {name: figure for name, word in zip(words[::2], words[1::2]) if (figure := _figure(word))}


def _shares(text):
    """Returns Form.shares and Form.unsettled of `02/4`, of an older report's `024?`."""
    settled, _, rest = text.partition("/")
    found = SHARED.findall(settled)
    shares, unsettled = ([int(digit) for digit, mark in found if mark == wanted] for wanted in ("", "?"))
    return None if text == "-" else shares, unsettled + [int(digit) for digit in rest]


def _words_of(record, lists):
    """Returns the words of each form's figures. lists: the words of each group. An older record has an element per form
    instead."""
    groups, texts = record["forms"], record["cycles"]
    if len(texts) != len(groups):
        return [text.split() for text in texts]
    words = []
    for text, of in zip(texts, lists):
        left_over = text.split()
        for names in of:
            words.append(left_over[:1 + len(names)])
            del left_over[:1 + len(names)]
        if left_over:
            words.append(left_over)  # one form too many
    return words


def forms_of(record):
    """Returns the forms of a record, in its order. Raises ValueError if it contradicts itself."""
    names, likes = names_of(record["forms"]), _likes(record["forms"])
    if len(record["pairs_of"]) != sum(len(group) - 1 for i, group in enumerate(record["forms"]) if likes[i] == i):
        raise ValueError("`pairs_of` has not one element per form with operands")
    if not all(0 <= i < len(record["pairs"]) for i in record["pairs_of"]):
        raise ValueError("`pairs_of` has an element that `pairs` has not")
    elements, lists = iter(record["pairs_of"]), []  # the pairs of each group's forms, or those of the group that it refers to
    for i, like in enumerate(likes):
        lists.append(lists[like] if like != i else [record["pairs"][next(elements)].split() for _ in record["forms"][i][1:]])
    words = _words_of(record, lists)
    slots, shares = record.get("slots", "").split(), record.get("shares", "").split()
    if any(len(column) != len(names) for column in (words, *(c for c in (slots, shares) if c))):
        raise ValueError("its columns have not one element per form")
    variants = {key: _entries(record, key) for key in ENTRIES}
    faults, lcp, hard = _entries(record, "faults"), set(record.get("lcp", ())), set(record.get("complex", ()))
    history = _entries(record, "history")
    listed = [pairs for group in lists for pairs in group]
    for i, (name, of, measured) in enumerate(zip(names, listed, words)):
        if len(measured) != 1 + len(of):
            raise ValueError(f"{name} has {len(measured)} figures instead of {1 + len(of)}")
        figures = _figures(measured, ("tp", *of))
        for key, entries in variants.items():
            figures.update(_figures(entries.get(i, "").split(), (key,)))
        if slots and NUMBER.fullmatch(slots[i]):
            figures["slots"] = Figure(float(slots[i]), SLOTS_ERROR, False, True)
        yield Form(name, record["core"], figures, faults.get(i), i in lcp, *_shares(shares[i] if shares else "-"),
                   _named(history.get(i, "")), i in hard)


def _read(report, record, what):
    """Returns a list of what(record). Raises Unreadable if a text in the record has another form."""
    try:
        return list(what(record))
    except (KeyError, ValueError) as e:
        wrong = f"it lacks {e}" if isinstance(e, KeyError) else e
        raise saved.Unreadable(f"{report.path}: record {record['seq']}, {record['type']}: {wrong}") from e


NAMED = ("forms", "pairs", "pairs_of")


def _whole(report, kind):
    """The records of this kind, with the forms of those that they refer to. Without that one, which the damage of the
    report tells, nobody knows of which forms a record is."""
    own = {record["seq"]: {key: record[key] for key in NAMED if key in record} for record in report.of(kind)
           if "as" not in record}
    return [{**own.get(record.get("as"), {}), **record} for record in report.of(kind)
            if "as" not in record or record["as"] in own]


def forms(report):
    """Returns every form that ran, in the order of the report. Raises Unreadable for a record that contradicts itself."""
    return [form for record in _whole(report, "insn") for form in _read(report, record, forms_of)]


def of_first_core(report):
    """Returns the forms of the first core that ran any: for outputs that have no place for the number of a core."""
    found = forms(report)
    return [form for form in found if form.core == found[0].core]


def left(report):
    """Returns [(a form that did not run, its core, why)]."""
    return [(name, record["core"], record["why"]) for record in _whole(report, "insn_left")
            for name in _read(report, record, lambda r: names_of(r["forms"]))]


def said(figure):
    if figure is None:
        return None
    return f"{'<=' if figure.at_most else ''}{figure.value:g}{'' if figure.settled else '?'}"


def pairs(form):
    """Returns the names of its pairs; those of flags are after those of operands."""
    return sorted((name for name in form.figures if name not in VARIANTS), key=lambda pair: pair.replace("f", "~"))


def with_error(figure, mark="+-"):
    return said(figure) + ("" if figure.error is None else f"{mark}{figure.error:g}")


def _together(figures, names):
    """Returns `1>0 3+-0.02  1>f 4+-0.2`: pairs with equal figures share one entry."""
    alike = table.grouped(names, lambda name: with_error(figures[name]))
    return "  ".join(f"{','.join(some)} {figure}" for figure, some in alike.items())


def blockers(report):
    """Returns the instructions that Form.shares counts."""
    return report.one("insn_plan").get("blockers", [])


def shared(form, names):
    """Returns the blockers in words, with the first operand if a mnemonic occurs twice: `mov r64` is the load. `imul?`
    is not settled, and `not settled` none of them."""
    if form.unsettled and len(form.unsettled) == sum(name is not None for name in names):
        return "not settled"
    words = [name.split(",")[0] if name else "" for name in names]
    mnemonics = [word.split(" ")[0] for word in words]
    short = [mnemonic if mnemonics.count(mnemonic) == 1 else word for mnemonic, word in zip(mnemonics, words)]
    found = sorted([(i, "") for i in form.shares or ()] + [(i, "?") for i in form.unsettled])
    return ",".join(short[i] + mark for i, mark in found if i < len(short)) or None


def decoding(form):
    """Returns what makes a form slow to decode, in words."""
    return [text for text, holds in (("length-changing prefix", form.lcp), ("complex decoder", form.complex)) if holds]


def flat(form, names=()):
    """Returns a form as the values of COLUMNS. names: of blockers."""
    tp = form.figures.get("tp")
    return {"form": form.name, "core": form.core, "error": tp and tp.error, "shares": shared(form, names),
            "latencies": _together(form.figures, pairs(form)),
            "history": _together(form.history, form.history) or None, "note": form.fault or ", ".join(decoding(form)),
            **{name: said(form.figures.get(name)) for name in VARIANTS}}


def differences(first, second):
    """Returns the figures of forms that both reports have on one core, and that differ by more than both errors together. If
    each report has forms of one core only, the numbers of these cores may differ. Raises ValueError if there are no such
    forms."""
    one = all(len({form.core for form in side}) == 1 for side in (first, second))
    other = {(form.name, one or form.core): form for form in second}
    both = [(form, other[key].figures) for form in first if (key := (form.name, one or form.core)) in other]
    if not both:
        raise ValueError("no form was measured in both reports, on cores with the same number")
    for form, there in both:
        for name in [*VARIANTS, *pairs(form)]:
            a, b = form.figures.get(name), there.get(name)
            if a and b and None not in (a.error, b.error) and abs(a.value - b.value) > a.error + b.error:
                yield {"form": form.name, "figure": name, "first": said(a), "second": said(b),
                       "ratio": b.value / a.value if a.value > 0 else None}


def read(path):
    """Returns a report that has suite insn. Raises Unreadable if it does not."""
    found = saved.read(path)
    for wrong in found.damage:
        print(f"baretick: {path}: {wrong}", file=sys.stderr)
    if not found.of("insn") and not found.of("insn_left"):
        raise saved.Unreadable(f"{path}: it has no forms of instructions: measure with suite=insn")
    return found


def why_no_cycles(report):
    """Returns why the figures are no core cycles of a CPU; None: they are."""
    execution = report.one("run").get("execution", "silicon")
    if execution == "instructions":
        return "instructions were counted: its figures are instructions per copy, not core cycles"
    return None if execution == "silicon" else "an emulator executed the code: its figures are not those of a CPU"


def must_have_cycles(report):
    """Raises an error if the figures are no core cycles of a CPU."""
    if why := why_no_cycles(report):
        raise saved.Unreadable(f"{report.path}: {why}")


def _chosen(found, args):
    return [form for form in forms(found) if matches(form.name, args.glob) and args.core in (None, form.core)]


# --- cores of several types ----------------------------------------------------------------------

TYPED = (("cycles", "tp", ""), ("+-", "error", ""), ("latencies", "latencies", "<"))


def representatives(report, measured):
    """Returns {type of core: its first core} among `measured` ones; empty if there is only one type."""
    types = curve.types(report)
    found = {types[core]: core for core in curve.one_of_each_type(report, measured) if core in types}
    return found if len(found) > 1 else {}


def _by_type(chosen, cores):
    """Returns one dict per form, and the columns: those of TYPED for each type of core."""
    columns, rows = [COLUMNS[0]], {}
    for kind, core in cores.items():
        columns += table.columns(*((f"{title} {kind}", f"{key} {kind}", form) for title, key, form in TYPED))
        for form in chosen:
            if form.core == core:
                values = flat(form)
                rows.setdefault(form.name, {"form": form.name}).update({f"{key} {kind}": values[key] for _, key, _ in TYPED})
    return columns, list(rows.values())


# --- the command ---------------------------------------------------------------------------------


def _must_have(report, path, core):
    """Raises an error if the core has no forms in the report; None: any core will do."""
    cores = sorted({form.core for form in forms(report)} | {core for _, core, _ in left(report)})
    if core is not None and core not in cores:
        raise saved.Unreadable(f"{path}: --core {core}: suite insn did not run on it; it ran on: {', '.join(map(str, cores))}")


def _must_match(chosen, path, glob):
    if not chosen:
        raise saved.Unreadable(f"{path}: no form that ran matches {glob}; --all includes those that did not run")


def command(args):
    first = read(args.report)
    _must_have(first, args.report, args.core)
    if why := why_no_cycles(first):
        print(f"baretick: {args.report}: {why}", file=sys.stderr)
    if args.published:
        must_have_cycles(first)
        return max(args.compare(first, args.core, args.published, args.format), 1 if first.damage else 0)
    if args.diff:
        second = read(args.diff)
        if why_no_cycles(first) != why_no_cycles(second):
            must_have_cycles(first)
            must_have_cycles(second)
        _must_have(second, args.diff, args.core)
        sides = [_chosen(side, args) for side in (first, second)]
        for chosen, path in zip(sides, (args.report, args.diff)):
            _must_match(chosen, path, args.glob)
        try:
            rows = list(differences(*sides))
        except ValueError as e:
            raise saved.Unreadable(f"{args.report}, {args.diff}: {e}") from None
        table.write(args.format, DIFFERENCES, rows)
        return 1 if first.damage or second.damage else 0
    chosen, measured = _chosen(first, args), {form.core for form in forms(first)}
    cores = {} if args.core is not None or args.all else representatives(first, measured)
    columns, rows = _by_type(chosen, cores) if cores else (COLUMNS, [flat(form, blockers(first)) for form in chosen])
    if cores and (others := sorted(measured - set(cores.values()))):
        print(f"baretick: cores {', '.join(map(str, others))} are of the same types and are left out: --core shows one",
              file=sys.stderr)
    if args.all:
        rows += [{"form": name, "core": core, "note": f"not run: {why}"} for name, core, why in left(first)
                 if matches(name, args.glob) and args.core in (None, core)]
    _must_match(rows, args.report, args.glob)
    table.write(args.format, columns, rows)
    return 1 if first.damage else 0


def add(commands, compare):
    """compare: agreement.command(), for --published."""
    p = commands.add_parser("insn",
                            help="the table of instructions of a report, or the differences of two",
                            description="Prints the figures of suite insn: the throughput, and the latency of each pair "
                                        "input>output. Throughputs with one register for all operands, with one "
                                        "address and in a straight line are printed if they differ. <= is an upper "
                                        "bound; ? is not settled. Each type of core has a column. Exit status 1: the "
                                        "report is damaged; its intact records are printed.")
    p.add_argument("report", metavar="REPORT", help="report.jsonl, or a serial log")
    p.add_argument("glob", metavar="GLOB", nargs="?", default="*", help="only these forms: 'add*', add_r64_m64")
    p.add_argument("--core", type=int, metavar="N", help="only the figures of core N, with all columns")
    p.add_argument("--diff", metavar="REPORT", help="the figures that differ in this report by more than their errors")
    p.add_argument("--published", metavar="FILE", help="compares the figures with those of InstLatx64's text file; exit "
                                                       "status 1: some differ and docs/insn-agreement.md does not explain it")
    p.add_argument("--all", action="store_true", help="also the forms that were not run, with the reason")
    p.add_argument("--format", choices=table.FORMATS, default="text", help="for people, or for programs")
    p.set_defaults(command=command, compare=compare)
