"""`baretick report`: one page of HTML. It needs no network and no other file, and can be read without scripts."""
import argparse
import os
import sys

from draw import ink, page, plot
from read import curve, insn, saved, show
from tools import distribution, help_text

MOST_ROWS = 24  # that get pictures, unless --plots says another number


def _counted(reports, args):
    """Returns `2 rows, 65 curves, 6634 forms of instructions, `: what the page shows. A kind that it lacks is left out."""
    counts = ((sum(len(plot.Chosen(r, args)) for r in reports), "row", ""), (sum(len(curve.curves(r)) for r in reports), "curve", ""),
              (sum(len(insn.forms(r)) for r in reports), "form", " of instructions"))
    return "".join(f"{n} {what}{'' if n == 1 else 's'}{of}, " for n, what, of in counts if n)


def command(args):
    """Returns 0: written, and every run passed; 1: a report is damaged or did not pass; 2: one cannot be read."""
    if args.plots:
        try:
            ink.find_library()
        except distribution.Missing as e:
            print(f"baretick: the page will have no pictures: {e}", file=sys.stderr)
    reports = show.read(args.files)
    if not reports:
        return 2
    if args.against and len(args.files) > 1:
        raise saved.Unreadable("--against sets one report against an older one: give one FILE")
    for path in [*args.files, *([args.against] if args.against else [])]:
        if os.path.realpath(path) == os.path.realpath(args.output):
            raise saved.Unreadable(f"-o {args.output} would overwrite the report: give the page another name")
    wrong = [show.complain(r) for r in reports]
    for r in reports:
        plot.fail_if_none_chosen(r, args)
    text = page.html(reports, args)
    with open(args.output, "w", encoding="utf-8", newline="\n") as f:
        f.write(text)
    print(f"written: {args.output}: {_counted(reports, args)}{len(text.encode()) / 1e6:.1f} MB")
    return 2 if len(reports) < len(args.files) else 1 if any(wrong) else 0


def number_of_plots(text):
    if text == "all":
        return sys.maxsize
    try:
        return int(text) if int(text) >= 0 else int("")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed are a number of rows, and `all`") from None


def add(commands):
    p = commands.add_parser(
        "report", help="one HTML page with everything in a saved report",
        formatter_class=help_text.Paragraphs,
        description="Makes one page of HTML: warnings, the essence, the machine, tables that can be sorted, and\n"
                    "pictures. It needs no network and no other file. Without matplotlib the page has no\n"
                    "pictures and states why.",
        epilog="Exit status: 0 written, and all runs passed; 1 a report is damaged, or its run did not pass: the page\n"
               "is written and states it; 2 a report cannot be read.\n\n"
               "examples:\n"
               "  baretick report report.jsonl -o report.html\n"
               "  baretick report new.jsonl --against old.jsonl -o change.html")
    p.add_argument("files", nargs="+", metavar="FILE", help="report.jsonl, or a serial log")
    p.add_argument("-o", dest="output", default="report.html", metavar="FILE", help="the page (report.html)")
    p.add_argument("--plots", type=number_of_plots, default=MOST_ROWS, metavar="N",
                   help=f"rows that get pictures, at most N; all, or 0 for no pictures ({MOST_ROWS})")
    plot.add_against(p)
    show.add_choice(p)
    p.set_defaults(command=command)
