"""`baretick plot`: pictures of a saved report, for a talk or a page."""
import collections
import os
import sys

from draw import calls as draw_calls
from draw import change as draw_change
from draw import cores as draw_cores
from draw import curves as draw_curves
from draw import forward as draw_forward
from draw import growth as draw_growth
from draw import ink
from draw import machine as draw_machine
from draw import row as draw_row
from draw.pictures import NoData
from judge import compare, compare_command, sides
from read import forward as read_forward
from read import saved, show
from tools.parser import Output, some_of

KINDS = {
    "calls": "the cost of each way of calling, net and gross (suite=calls)",
    "histogram": "a row's windows",
    "modes": "a row's modes, placements, rounds and interval",
    "sweep": "a row over offsets of code, stack and data (layout=sweep)",
    "curves": "latency and bandwidth by size, limits (suite=memory,limits)",
    "forward": "store forwarding by sizes and offset (suite=memory)",
    "growth": "how a row's figure grows with its argument (.args)",
    "linearity": "what each recipe hides of chains of adds",
    "cores": "transfers and contention between cores (suite=cores)",
    "gaps": "gaps of a core over time (suite=quiet)",
    "change": "old compared with new, row by row (--against)",
}
# File name endings that mean a picture, so a folder may not have them.
OTHER_FORMATS = (".pdf", ".jpg", ".jpeg", ".gif", ".eps", ".ps", ".webp", ".html")
ENDINGS = tuple(f".{form}" for form in ink.FORMATS)
OF_ROWS = {"histogram": draw_row.histogram, "modes": draw_row.modes, "sweep": draw_row.sweep}


Absent = collections.namedtuple("Absent", "kind what why")  # a picture that cannot be drawn


class Old:
    """The older report with which pictures are compared: compare's sides and lines, and its rows by name."""

    def __init__(self, path, new_path, args):
        # Histograms are drawn for the old one; those of the new one are in the report that is drawn.
        self.old, self.new = sides.Side("old", [path], None), sides.Side("new", [new_path])
        self.crossed = sides.fail_if_unlike(self.old, self.new, args.across)
        self.lines, self.differences = compare.compared(self.old, self.new, args)
        self.comparable = {(x["suite"], x["name"], x["core"]) for x in self.lines if x["verdict"] not in (compare.UNLIKE, compare.FAILED)}

    def row(self, row):
        """Returns (run, row) of the same row, or None if the two are not comparable."""
        key = row["suite"], row["name"], row.get("core")
        return (self.old.run, self.old.rows[key][0]) if key in self.comparable else None


def of_row(kind, run, row, old=None):
    """Returns a row's picture. Raises NoData."""
    if kind == "histogram":
        return draw_row.histogram(run, row, old.row(row) if old else None)
    return OF_ROWS[kind](run, row)


def attempt(kind, draw, *of, what=None):
    """Returns the picture draw(*of), or why it cannot be drawn. what: its name, if its kind is not enough."""
    try:
        return draw(*of)
    except NoData as why:
        return Absent(kind, what or kind, str(why))


def calls(report, args):
    return attempt("calls", draw_calls.calls, report, chosen(report, args))


def curves_by_group(report, args):
    """Returns [([Curve], picture or Absent)] of the curves that --suite, --bench and --core select."""
    return [(group, attempt("curves", draw_curves.curves, report, group)) for group in draw_curves.groups(report, show.choice(args))]


def _each(kind, draw, items, without):
    """Returns [picture or Absent] of the items by draw(item); without: the reason if there is no item."""
    return [attempt(kind, draw, item) for item in items] or [Absent(kind, kind, without)]


def forward(report, args):
    """Returns [picture or Absent] of the selected maps of store forwarding."""
    is_chosen = show.choice(args)
    maps = [m for m in read_forward.maps(report) if is_chosen(m.record)]
    return _each("forward", lambda m: draw_forward.forward(report, m), maps,
                 "the report has no map of store forwarding: suite=memory measures one")


def growth(report, rows):
    """Returns [picture or Absent] of each row with arguments, if some of them are among these."""
    events = [e for e in report.of("event") if e.get("kind") == "growth"]
    names = {(r["suite"], r["name"].rpartition("/")[0]) for r in rows if "arg" in r}
    of_rows = [e for e in events if (e.get("suite"), e.get("name")) in names]
    return _each("growth", lambda e: draw_growth.growth(report, e), of_rows,
                 "no row has arguments: .args of a user row gives them")


def of_machine(kind, report, core=None):
    """Returns [picture or Absent] of a kind that does not belong to a row."""
    if kind == "linearity":
        return [attempt(kind, draw_machine.linearity, report)]
    if kind == "cores":
        found, contentions = matrices(report), attempt(kind, draw_cores.contentions, report)
        # If pairs were measured, contentions need not be.
        return found if found and isinstance(contentions, Absent) else [*found, contentions]
    return _each(kind, lambda g: draw_machine.gaps(report, g),
                 [g for g in report.of("gaps") if core is None or g.get("core") == core], "nothing watched for gaps: suite=quiet does")


def matrices(report, suite=None):
    """Returns [picture or Absent] of the pairs of cores that a row of this suite, or of any, measured."""
    return [attempt("cores", draw_cores.pairs_of, report, m) for m in report.of("matrix") if suite in (None, m["suite"])]


def change(old):
    return attempt("change", draw_change.changes, old.old, old.new, old.lines)


def chosen(report, args):
    """Returns the rows of a report that --suite, --bench and --core select, packed."""
    rows, is_chosen = report.of("row"), show.choice(args)
    return rows and rows.picked(at for at, row in enumerate(rows) if is_chosen(row))


def read(args):
    """Returns the reports that can be read. Raises Unreadable if several would be compared with an older one."""
    reports = show.read(args.files)
    if reports and args.against and len(args.files) > 1:
        raise saved.Unreadable("--against sets one report against an older one: give one FILE")
    return reports


def drawn(report, args, old=None):
    """Returns (pictures, what cannot be drawn), in the order of the kinds."""
    pictures, absent = [], []
    for kind in args.kind:
        if kind in OF_ROWS:
            found = (attempt(kind, of_row, kind, report.one("run"), row, old, what=f"{row['suite']}/{row['name']}")
                     for row in chosen(report, args))
        elif kind == "calls":
            found = [calls(report, args)]
        elif kind == "curves":
            found = [picture for _, picture in curves_by_group(report, args)] or \
                [Absent(kind, kind, "the report has no curve: suite=memory measures some")]
        elif kind == "forward":
            found = forward(report, args)
        elif kind == "growth":
            found = growth(report, chosen(report, args))
        elif kind == "change":
            found = [change(old)] if old else [] if args.kind == list(KINDS) else \
                [Absent(kind, kind, "there is no older report: --against OLD names one")]
        else:
            found = of_machine(kind, report, args.core)
        for one in found:
            (absent if isinstance(one, Absent) else pictures).append(one)
    return pictures, absent


def reasons(absent):
    """Returns one line per reason for which pictures are missing."""
    together = {}
    for a in absent:
        kinds, names = together.setdefault((a.kind in OF_ROWS, a.why), ({}, {}))
        kinds[a.kind] = names[a.what] = True
    lines = []
    for (of_rows, why), (kinds, names) in together.items():
        first = next(iter(names))
        of = f" of {first if len(names) == 1 else f'{len(names)} rows ({first} ...)'}" if of_rows else ""
        lines.append(f"no {', '.join(kinds)}{of}: {why}")
    return lines


def places(pictures, out, form):
    """Returns the place of each picture: `out` is standard output, or a file if it ends in .svg or .png, else a
    folder."""
    if out.is_standard or out.endswith(ENDINGS):
        if len(pictures) > 1:
            raise saved.Unreadable(f"{len(pictures)} pictures do not fit in {out}: give a folder with -o, or choose "
                                   "one with --kind, --suite, --bench and --core")
        return [out]
    if out.lower().endswith(OTHER_FORMATS):
        raise saved.Unreadable(f"-o {out}: pictures are {' or '.join(ink.FORMATS)}: give a name that ends so, or a folder")
    found, taken = [], set()
    for p in pictures:
        name, n = p.stem, 1
        while name in taken:
            n += 1
            name = f"{p.stem}-{n}"
        taken.add(name)
        found.append(Output(os.path.join(out, f"{name}.{form}")))
    os.makedirs(out, exist_ok=True)
    return found


def command(args):
    """Returns 0: everything that the reports contain was drawn; 1: a report is damaged; 2: nothing could be drawn."""
    ink.find_library()
    form = args.format or ("png" if args.output.endswith(".png") else "svg")
    if args.output.endswith(ENDINGS) and not args.output.endswith("." + form):
        raise saved.Unreadable(f"--format {form} does not fit -o {args.output}")
    reports = read(args)
    if not reports:
        return 2
    wrong = [show.complain(r) and bool(r.damage) for r in reports]
    pictures, absent = [], []
    for r in reports:
        old = Old(args.against, r.path, args) if args.against else None
        show.fail_if_none_chosen([r], args, len(chosen(r, args)))
        found, lacking = drawn(r, args, old)
        pictures += found
        absent += lacking
    for line in reasons(absent):
        print(f"baretick: {line}", file=sys.stderr)
    if not pictures:
        raise saved.Unreadable("there is nothing to draw")
    for p, place in zip(pictures, places(pictures, args.output, form)):
        place.write(p.sheet().png() if form == "png" else p.sheet().svg())
        print(f"{place}: {p.title}")
    return 2 if len(reports) < len(args.files) else 1 if any(wrong) else 0


def add_against(p):
    p.add_argument("--against", metavar="OLD", help="an older report to compare FILE with")
    compare_command.add_across(p)


def add(commands):
    p = commands.add_parser(
        "plot", help="pictures of a saved report: SVG or PNG",
        description="Draws the contents of a report, one file per picture. It needs matplotlib: python3-matplotlib of the\n"
                    "distribution, which scripts/setup --test installs.\n\nkinds:\n"
                    + "\n".join(f"  {kind:10} {said}" for kind, said in KINDS.items()),
        epilog="What a report does not contain is named on stderr, with the option that provides it.\n"
               "Exit status: 0 drawn; 1 a report is damaged; 2 nothing could be drawn.\n\n"
               "examples:\n"
               "  baretick plot report.jsonl -o pictures --bench direct,plt\n"
               "  baretick plot report.jsonl -o plt.png --kind histogram --bench plt\n"
               "  baretick plot new.jsonl --against old.jsonl -o change.svg --kind change")
    p.add_argument("files", nargs="+", metavar="FILE", help="report.jsonl, or a serial log")
    p.add_argument("-o", dest="output", type=Output, default="pictures", metavar="OUT",
                   help="a folder, or one file that ends in .svg or .png; - is standard output (pictures)")
    p.add_argument("--format", choices=ink.FORMATS, help="of the files in a folder (svg)")
    p.add_argument("--kind", type=some_of(KINDS), default=list(KINDS), metavar="KIND,...", help="what to draw (everything)")
    add_against(p)
    show.add_choice(p)
    p.set_defaults(command=command)
