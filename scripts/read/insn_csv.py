"""The figures of suite insn as comma-separated values, one line per figure.

Each line has the CPU and the licence, because readers of csv (csv.DictReader, pandas.read_csv, LibreOffice) take a comment
for the names of the columns."""
import csv
import io

from read import insn, origin

OTHER = " other history"  # after the name of a figure with another history of the registers
COLUMNS = ("form", "core", "figure", "value", "error", "at_most", "settled", "cpu", "licence")


def _cells(form, name, figure):
    return {"form": form.name, "core": form.core, "figure": name, "value": figure.value, "error": figure.error,
            "at_most": int(figure.at_most), "settled": int(figure.settled)}


def _every_figure(found):
    for form in insn.forms(found):
        for name in [*(v for v in insn.VARIANTS if v in form.figures), *insn.pairs(form)]:
            yield _cells(form, name, form.figures[name])
        for name, figure in form.history.items():
            yield _cells(form, name + OTHER, figure)


def text(report):
    """Returns the csv, with the names of the columns in its first line."""
    insn.must_have_cycles(report)
    written = io.StringIO()
    out = csv.DictWriter(written, COLUMNS, lineterminator="\n")
    out.writeheader()
    whose = {"cpu": origin.cpu(report), "licence": origin.licence(report)}
    out.writerows({**cells, **whose} for cells in _every_figure(report))
    return written.getvalue()
