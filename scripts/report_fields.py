"""Holds what reports have in them against docs/report.md, field by field.

The document has one section a record type, titled ## `TYPE`, and one for what all of them have, titled
## Every record. In their tables a row whose first cell is one name in backticks is a field, and its second
cell the type. "only: CONDITION" in a row says that most machines do not show this field.

A field's name is its path: `a.b` a member of an object, `a[].b` one of an object in an array. A star stands
for names that are data. Types: string, integer, number, boolean, null, object, "array of TYPE", alternatives
with " or ".
"""
import re

EVERY = "every record"
COMMON = ("baretick", "seq", "type", "crc")

TITLE = re.compile(r"^## (?:`(\w+)`|(Every record)\b)", re.IGNORECASE)
ROW = re.compile(r"^\|\s*`([^`]+)`\s*\|\s*([^|]*?)\s*\|(.*)$")
# A part of the document that lists a field's values, in place of fields; N in one stands for any number.
VALUES = re.compile(r"^### Values of `([^`]+)`")
VALUE = re.compile(r"^\|\s*`?([^`|]+?)`?\s*\|")


class Fields:
    """What some records have: types[(record type, path)] is the set of the types seen there, and words[...] that
    of the strings."""

    def __init__(self, records=()):
        self.types, self.words = {}, {}
        for record in records:
            self.add(record)

    def add(self, record):
        for name, value in record.items():
            kind = EVERY if name in COMMON else record["type"]
            self._value(kind, name, value)

    def _value(self, kind, path, value):
        self.types.setdefault((kind, path), set()).add(type_of(value))
        if isinstance(value, str):
            self.words.setdefault((kind, path), set()).add(value)
        self._inner(kind, path, value)

    def _inner(self, kind, path, value):
        if isinstance(value, dict):
            for name, member in value.items():
                self._value(kind, f"{path}.{name}", member)
        elif isinstance(value, list):
            for element in value:
                self._inner(kind, path + "[]", element)

    def update(self, other):
        for field, types in other.types.items():
            self.types.setdefault(field, set()).update(types)
        for field, words in other.words.items():
            self.words.setdefault(field, set()).update(words)


def type_of(value):
    if isinstance(value, list):
        return "array of " + (written({type_of(element) for element in value}) or "nothing")
    names = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
    return names.get(type(value), "null")


class Document:
    """types[(record type, path)] is the type as it is written; rare: the fields that say "only:"; values[...] what
    such a field can be, where there is a list of that."""

    def __init__(self, text):
        self.types, self.rare, self.values = {}, set(), {}
        kind = None
        for line in text.splitlines():
            if line.startswith("## "):
                title = TITLE.match(line)
                kind = title and (title[1] or EVERY)
                values = False
            elif line.startswith("### "):
                values = VALUES.match(line)
            elif kind and values and (value := VALUE.match(line)) and value[1].strip("-") not in ("", "value"):
                self.values.setdefault((kind, values[1]), set()).add(value[1])
            row = ROW.match(line)
            if row and kind and not values:
                field = (kind, row[1])
                if field in self.types:
                    raise ValueError(f"{kind}: `{row[1]}` stands there twice")
                self.types[field] = row[2]
                if "only:" in row[3]:
                    self.rare.add(field)

    def find(self, field):
        """The name under which the document has this field, a star in place of a name where it has one."""
        if field in self.types:
            return field
        kind, path = field
        for other, pattern in self.types:
            if other == kind and "*" in pattern and re.fullmatch(
                    re.escape(pattern).replace(r"\*", r"[^.\[\]]+"), path):
                return other, pattern
        return None


def fits(seen, stated):
    """Whether a value of the type `seen` may stand where the document states `stated`."""
    if seen.startswith("array of ") and stated.startswith("array of "):
        inner = seen[len("array of "):]
        return inner == "nothing" or all(fits(one, stated[len("array of "):])
                                         for one in split_type(inner))
    return any(seen == one or (seen, one) == ("integer", "number") for one in stated.split(" or "))


def split_type(name):
    """Alternatives, but those of an array's elements are the array's."""
    return [name] if name.startswith("array of ") else name.split(" or ")


def written(types):
    """A set of types as the document writes it. A number without a fraction looks like an integer."""
    types = set(types)
    for prefix in ("", "array of ", "array of array of "):
        if prefix + "number" in types:
            types.discard(prefix + "integer")
    if len(types) > 1:
        types.discard("array of nothing")
    return " or ".join(sorted(types))


def undocumented(fields, document):
    """A line for each field that is seen and that the document has not, or has with another type."""
    wrong = []
    for field, types in sorted(fields.types.items()):
        found = document.find(field)
        if not found:
            wrong.append(f"not in the document: {field[0]}: | `{field[1]}` | {written(types)} |")
        elif odd := sorted(t for t in types if not fits(t, document.types[found])):
            wrong.append(f"{field[0]}: `{field[1]}` is {' and '.join(odd)}; "
                         f"the document has {document.types[found]}")
    for field, values in document.values.items():
        for word in sorted(fields.words.get(field, ())):
            if word not in values and re.sub(r"\d+", "N", word) not in values:
                wrong.append(f"not among the values of the document: {field[0]}: `{field[1]}` {word}")
    return wrong


def unseen(fields, document):
    """A line for each field of the document that is not seen and does not say "only:"."""
    seen = {document.find(field) for field in fields.types}
    return [f"in the document, and in no report: {kind}: `{path}`"
            for kind, path in sorted(set(document.types) - seen - document.rare)]


def table(fields):
    """All fields as the document's sections would have them."""
    lines, before = [], None
    for (kind, path), types in sorted(fields.types.items()):
        if kind != before:
            lines += ["", f"## `{kind}`" if kind != EVERY else "## Every record", "",
                      "| field | type | unit | meaning |", "| --- | --- | --- | --- |"]
            before = kind
        lines.append(f"| `{path}` | {written(types)} | | |")
    return "\n".join(lines[1:])
