"""`baretick report`: one page of HTML. It needs no network and no other file, and can be read without scripts."""
import os
import sys

from draw import fleet_page, ink, page, plot
from judge import fleet
from read import curve, forward, insn, saved, show
from tools import distribution
from tools.parser import Output, number

PAGE = "report.html"
MOST_ROWS = 24  # that get pictures, unless --plots says another number


def _counted(reports, args):
    """Returns `2 rows, 65 curves, 6634 forms of instructions, `: what the page shows. A kind that it lacks is left out. Maps
    of store forwarding are curves, as in the record `end`."""
    lines = sum(bool(c.points) for r in reports for c in curve.curves(r))
    lines += sum(len({(m.name, m.core) for m in forward.maps(r) if m.cells}) for r in reports)
    counts = ((sum(len(plot.chosen(r, args)) for r in reports), "row", ""), (lines, "curve", ""),
              (sum(len(insn.forms(r)) for r in reports), "form", " of instructions"))
    return "".join(f"{n} {what}{'' if n == 1 else 's'}{of}, " for n, what, of in counts if n)


def _written(args, text, what):
    args.output.write(text)
    print(f"written: {args.output}: {what}{len(text.encode()) / 1e6:.1f} MB")


def _of_fleet(args):
    """Returns 0: every machine's newest report passed, no report is damaged, and there is no outlier; 1: else."""
    if len(args.files) > 1:
        raise saved.Unreadable(f"{args.files[0]}: a folder is a fleet: give no other FILE or folder")
    if args.against:
        raise saved.Unreadable("--against: the page of a folder has the history of each machine instead")
    found = fleet.read(args.files[0], show.choice(args))
    if args.to == "csv":
        with (args.output or Output("-")).opened() as f:
            fleet.write_csv(found, f)
    else:
        args.output = args.output or Output(PAGE)
        _written(args, fleet_page.html(found, args.files[0]), f"{found.reports} reports of {len(found.every)} machines, ")
    for report in found.damaged:
        print(f"baretick: {report.name}: {'; '.join(report.damage)}", file=sys.stderr)
    return 1 if found.damaged or found.wrong else 0


def command(args):
    """Returns 0: written, and every run passed; 1: a report is damaged or did not pass; 2: one cannot be read."""
    if folders := [path for path in args.files if os.path.isdir(path)]:
        args.files.sort(key=lambda path: path not in folders)
        return _of_fleet(args)
    if args.to != "html":
        raise saved.Unreadable(f"--to {args.to}: {args.files[0]} is not a folder of reports; `baretick convert` converts a single one")
    args.output = args.output or Output(PAGE)
    return _of_files(args)


def _of_files(args):
    if args.plots:
        try:
            ink.find_library()
        except distribution.Missing as e:
            print(f"baretick: the page will have no pictures: {e}", file=sys.stderr)
    reports = plot.read(args)
    if not reports:
        return 2
    for path in [*args.files, *([args.against] if args.against else [])]:
        if os.path.realpath(path) == os.path.realpath(args.output):
            raise saved.Unreadable(f"-o {args.output} would overwrite the report: give the page another name")
    wrong = [show.complain(r) for r in reports]
    for r in reports:
        show.fail_if_none_chosen([r], args, len(plot.chosen(r, args)))
    _written(args, page.html(reports, args), _counted(reports, args))
    return 2 if len(reports) < len(args.files) else 1 if any(wrong) else 0


def add(commands):
    p = commands.add_parser(
        "report", help="one HTML page: a saved report, or a fleet",
        description="Makes one page of HTML: warnings, the summary, the machine, tables that can be sorted, and\n"
                    "pictures. It needs no network and no other file. Without matplotlib the page has no\n"
                    "pictures and states why.\n\n"
                    "Of a folder, it makes the page of a fleet: each machine against its peers, which are\n"
                    "machines of the same kind; outliers; the history of each machine, with changes;\n"
                    "certificates. docs/fleet.md describes it, and how a folder is laid out.",
        epilog="Exit status: 0 written, and all runs passed; 1 a report is damaged, or its run did not pass: the page\n"
               "is written and states it, or a machine of a fleet is an outlier; 2 a report cannot be read.\n\n"
               "examples:\n"
               "  baretick report report.jsonl -o report.html\n"
               "  baretick report new.jsonl --against old.jsonl -o change.html\n"
               "  baretick report reports/ -o fleet.html")
    p.add_argument("files", nargs="+", metavar="FILE", help="report.jsonl, or a serial log; or one folder of them")
    p.add_argument("-o", dest="output", type=Output, metavar="FILE", help="the page; - is standard output (report.html)")
    p.add_argument("--to", choices=("html", "csv"), default="html",
                   help="of a folder: csv writes every figure, to -o or the output (html)")
    p.add_argument("--plots", type=number(0, None, "all"), default=MOST_ROWS, metavar="N",
                   help=f"maximum of rows that get pictures; all, or 0 for none ({MOST_ROWS})")
    plot.add_against(p)
    show.add_choice(p)
    p.set_defaults(command=command)
