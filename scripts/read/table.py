"""A table in the forms that people and programs read: text, markdown, csv, json.

Iterates over the rows twice, for the column widths and for the lines, so kept.Records has one dict in memory at a
time, and the text of all rows is never in memory at once.
"""
import csv
import io
import itertools
import json
import sys
import typing

FORMATS = ("text", "markdown", "csv", "json")


def printable(text):
    """Returns text of a report from an unknown source for printing: no escape code reaches the terminal, and a line
    stays one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def grouped(items, key):
    """Returns {key(item): [the items with this key]}, in the order of the items."""
    found = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def some(values, most):
    """Returns the first values in words: a, b and 3 more."""
    return ", ".join(map(str, values[:most])) + (f" and {len(values) - most} more" if len(values) > most else "")


def spans(numbers, between, step=1):
    """Returns ascending integers as texts, runs of them in short: 1, 3 to 5. between: the text between the ends of a run;
    step: each number is multiplied by it."""
    found = ([n for _, n in some] for _, some in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]))
    return [f"{some[0] * step}" + (f"{between}{some[-1] * step}" if len(some) > 1 else "") for some in found]


class Column(typing.NamedTuple):
    """title: for people; key: for programs; form: for people: a format, like ".3f", or "<" for text, which is aligned
    left."""
    title: str
    key: str
    form: str = ""

    @property
    def left(self):
        return self.form == "<"

    def text(self, value):
        if value is None:
            return "-"
        return printable(str(value)) if self.form in ("", "<") or isinstance(value, str) else format(value, self.form)


def columns(*of):
    """Returns the columns of a table, each from its title, key and form."""
    return tuple(Column(*one) for one in of)


def parts(*keys):
    """Returns columns for programs, which need no titles."""
    return tuple(Column("", key) for key in keys)


def retitled(columns, titles):
    """Returns columns with other titles. titles: {key: title}."""
    return [c._replace(title=titles.get(c.key, c.title)) for c in columns]


def filled(columns, rows):
    """Returns [(a column, its width)] of the columns that are not empty."""
    widths, holds = [len(c.title) for c in columns], [False] * len(columns)
    for row in rows:
        for i, c in enumerate(columns):
            value = row.get(c.key)
            holds[i] = holds[i] or value not in (None, "")
            widths[i] = max(widths[i], len(c.text(value)))
    return [(c, w) for c, w, holding in zip(columns, widths, holds) if holding]


def _lines(columns, rows):
    """Yields the cells of each line, the titles first."""
    yield [c.title for c in columns]
    for row in rows:
        yield [c.text(row.get(c.key)) for c in columns]


def text(columns, rows):
    """Yields lines of aligned columns."""
    columns = filled(columns, rows)
    for line in _lines([c for c, _ in columns], rows):
        yield "  ".join(cell.ljust(w) if c.left else cell.rjust(w) for cell, (c, w) in zip(line, columns)).rstrip()


def markdown(columns, rows):
    columns = [c for c, _ in filled(columns, rows)]
    for number, cells in enumerate(_lines(columns, rows)):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
        if number == 0:
            yield "| " + " | ".join("---" if c.left else "---:" for c in columns) + " |"


def write_comma_separated(columns, rows):
    """RFC 4180 except for line ends: every column, with values as in the report."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([c.key for c in columns])
    for row in rows:
        values = [row.get(c.key) for c in columns]
        writer.writerow(["" if v is None else printable(v) if isinstance(v, str) else v for v in values])


def csv_text(titles, lines):
    """Returns the same as a text, of lists of cells."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows(lines)
    return text.getvalue()


def json_lines(columns, rows):
    """Like json.dumps(..., indent=1). Unknown values are left out, as in a report."""
    before = "["
    for row in rows:
        one = json.dumps([{c.key: row[c.key] for c in columns if row.get(c.key) is not None}], indent=1)
        yield before + one[1:-2]  # without the brackets
        before = ","
    yield "\n]" if before == "," else "[]"


def write(form, columns, rows):
    """Prints the table."""
    if form == "csv":
        write_comma_separated(columns, rows)
    elif form == "json":
        for part in json_lines(columns, rows):
            print(part, end="")
        print()
    elif rows:
        for line in (markdown if form == "markdown" else text)(columns, rows):
            print(line)
