"""`baretick compare`: its options, and which of them need two sides or a history of runs."""
import argparse
import os

from judge import compare_report, history, series, sides
from read import run_folder, saved, show, table
from tools.parser import some_of


def launches_of(words):
    """Returns the paths of one side or run: a word that is not a file may be a list with commas."""
    return [path for word in words for path in ([word] if os.path.exists(word) else word.split(","))]


def command(args):
    if args.old and args.new and not args.reports and not args.history:
        return compare_report.command(args, launches_of(args.old), launches_of(args.new))
    if args.old or args.new:
        raise saved.Unreadable("--old FILE... needs --new FILE..., and the reverse, and no other files")
    if args.history or len(args.reports) > 2:
        kept = run_folder.files(args.history) if args.history else []
        if args.history and not kept:
            raise saved.Unreadable(f"{args.history}: no run is in it: no file ends in {' or '.join(run_folder.ENDINGS)}")
        return history.command(args, [launches_of([word]) for word in [*kept, *args.reports]])
    if len(args.reports) == 2:
        return compare_report.command(args, *(launches_of([word]) for word in args.reports))
    raise saved.Unreadable("compare needs OLD NEW, or --old FILE... --new FILE..., or three runs or more, or --history DIR")


def percent(text):
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1
    if not 0 <= value < 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: not a percentage like 2%")
    return value / 100


def add_across(p):
    p.add_argument("--across", type=some_of(sides.MAY_CROSS), default=[], metavar="KIND,...",
                   help="compare although these differ: " + ", ".join(sides.MAY_CROSS))


def add(commands):
    p = commands.add_parser(
        "compare", help="two reports, or sets of them, or many runs, row by row",
        description="Compares two reports row by row: both figures, their ratio with its interval, a verdict.\n"
                    "Of three reports or more it shows each row's figures in the order given, their trend, and the\n"
                    "run since which they are at another level.",
        epilog="Several files of a side are launches of one machine: they are pooled. Reports of different\n"
               "machines, recipes or options are refused.\n\n"
               "Exit status: 0 compared; 1 --fail-if-slower found a row that is slower (of many runs: one whose\n"
               "newest change made it slower), or that fails now and did not before; 2 a report cannot be read, is\n"
               "damaged, or nothing in it can be compared.\n\n"
               "examples:\n"
               "  baretick compare old.jsonl new.jsonl --fail-if-slower 2%\n"
               "  baretick compare --old a1.jsonl a2.jsonl --new b1.jsonl b2.jsonl\n"
               "  baretick compare monday.jsonl tuesday.jsonl wednesday.jsonl thursday.jsonl\n"
               "  baretick compare --history runs report.jsonl --fail-if-slower 2%")
    p.add_argument("reports", nargs="*", metavar="REPORT",
                   help="OLD NEW, or three and more, the oldest first; each may be a list of launches with commas")
    p.add_argument("--old", nargs="+", metavar="FILE", help="launches of the old side")
    p.add_argument("--new", nargs="+", metavar="FILE", help="launches of the new side")
    p.add_argument("--fail-if-slower", type=percent, metavar="P%",
                   help="exit 1 if a row is proven slower by more than this, or fails now and did not before")
    p.add_argument("--history", metavar="DIR",
                   help="the runs in this folder (*.jsonl, *.log), by the numbers in their names, then REPORT")
    p.add_argument("--least", type=percent, default=series.LEAST, metavar="P%",
                   help=f"of many runs: ignore smaller changes ({series.LEAST * 100:g}%%)")
    add_across(p)
    show.add_choice(p)
    p.add_argument("--format", choices=table.FORMATS, default="text", help="the format of the table (text)")
    p.set_defaults(command=command)
