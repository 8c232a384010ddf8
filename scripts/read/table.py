"""A table in the forms that people and programs read: text, markdown, csv, json."""
import csv
import io
import json

FORMATS = ("text", "markdown", "csv", "json")


def printable(text):
    """Of a report that may come from anywhere: no escape code reaches the terminal, and a line stays one."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


class Column:
    """title: for people; key: for programs; form: a format, like ".3f", for people; names stand left."""

    def __init__(self, title, key, form="", left=False):
        self.title, self.key, self.form, self.left = title, key, form, left

    def text(self, value):
        if value is None:
            return "-"
        return format(value, self.form) if self.form and not isinstance(value, str) else printable(str(value))


def text(columns, rows):
    """Aligned columns, of those that hold anything."""
    columns = [c for c in columns if any(row.get(c.key) not in (None, "") for row in rows)]
    cells = [[c.title for c in columns]] + [[c.text(row.get(c.key)) for c in columns] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    return "\n".join("  ".join(cell.ljust(w) if c.left else cell.rjust(w)
                               for cell, w, c in zip(line, widths, columns)).rstrip() for line in cells)


def markdown(columns, rows):
    columns = [c for c in columns if any(row.get(c.key) not in (None, "") for row in rows)]

    def line(cells):
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ["---" if c.left else "---:" for c in columns]
    return "\n".join([line([c.title for c in columns]), line(rule),
                      *(line([c.text(row.get(c.key)) for c in columns]) for row in rows)])


def comma_separated(columns, rows):
    """RFC 4180 but for its ends of lines: every column, and values as the report has them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([c.key for c in columns])
    for row in rows:
        writer.writerow(["" if row.get(c.key) is None else row[c.key] for c in columns])
    return out.getvalue()


def for_json(columns, rows):
    """What is not known is left out, as in a report."""
    return [{c.key: row[c.key] for c in columns if row.get(c.key) is not None} for row in rows]


def write(form, columns, rows):
    """Prints it."""
    if form == "csv":
        print(comma_separated(columns, rows), end="")
    elif form == "json":
        print(json.dumps(for_json(columns, rows), indent=1))
    elif rows:
        print((markdown if form == "markdown" else text)(columns, rows))
