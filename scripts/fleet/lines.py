"""The figures of a fleet for other programs: one line of CSV per figure of each intact report."""
import csv
import io
import math

COLUMNS = ("machine", "report", "kind", "verdict", "suite", "name", "core", "unit", "value", "lo", "hi", "peers_middle", "peers_spread",
           "judged", "change")


def _number(value):
    return "" if value is None or math.isnan(value) else format(value, ".10g")


def _of_report(report):
    """Yields (row, value, lo, hi) of a report, and its gaps."""
    for row, value, lo, hi, _ in report.figures():
        yield row, value, lo, hi
    for name in ("longest", "wait") if report.quiet else ():
        value = getattr(report.quiet, name)
        if value is not None:
            yield ("quiet", f"{name}_gap" if name == "longest" else name, "", "ns"), value, math.nan, math.nan


def lines(fleet):
    """Yields the cells of each line, by COLUMNS. `judged` is on the lines of a machine's newest report, `change` on the
    line at which a new level begins."""
    far = {(f.machine, f.row): f.verdict for f in fleet.found}
    for number, group in enumerate(fleet.groups, 1):
        for machine in group.machines:
            starts = {(c.row, c.at): c for c in machine.changes}
            for at, report in enumerate(machine.reports):
                if report.damage:
                    continue
                for row, value, lo, hi in _of_report(report):
                    band = group.bands.get(row) if report is machine.newest else None
                    change = starts.get((row, at))
                    yield (machine.name, report.name, number if report.kind == group.kind else "", report.verdict, *row, _number(value),
                           _number(lo), _number(hi), _number(band.middle) if band else "", _number(band.spread) if band else "",
                           far.get((machine.name, row), "like its peers") if band else "", _number(change.share) if change else "")


def write(fleet, file):
    """Writes the lines to a file that is open for bytes."""
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(lines(fleet))
    text.detach()
