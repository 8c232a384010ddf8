"""Checks, for tests, the content of reports against the schema (scripts/read/shape.py) and against docs/report.md,
which lists the possible values of some fields: a section "### Values of `FIELD`" has a table of them, in which N means
any number.

A field's name is its path: `a.b` is a member of an object, `a[].b` a member of an object in an array. A star
stands for names that are data.
"""
import re

from read import shape
from read.shape import split_type, type_of, written

COMMON = ("baretick", "seq", "type", "crc")
EVERY = "every"  # the record type in the declarations of fields that all records have

TITLE = re.compile(r"^## `(\w+)`")
VALUES = re.compile(r"^### Values of `([^`]+)`")
VALUE = re.compile(r"^\|\s*`?([^`|]+?)`?\s*\|")


# As in the program's event `mistake` (lib/text/json.c), and in `written`.
DECLARED = {word: word.upper() for word in ("string", "integer", "number", "boolean", "object")}


def declaration(path, said):
    """Returns the line that declares a field, and the file for it. If the type has no word, the reader must write it."""
    return (f'declare it in bench/api/fields/*.def next to similar fields, then `make fields`:\n'
            f'FIELD("{path}", {DECLARED.get(said, "TYPE")}, "UNIT", PRESENT, "MEANING", VALUE)')


def mistakes(records):
    """Returns the program's complaints about fields that it wrote; one about an undeclared field has the line that
    declares it."""
    found = [r["message"] for r in records if r.get("type") == "event" and r.get("kind") == "mistake"]
    for i, message in enumerate(found):
        if field := re.match(r"(\S+) \((\w+)\) is not declared", message):
            found[i] = f"{message}: {declaration(*field.groups())}"
    return found


class Fields:
    """The content of some records: types[(record type, path)] is the set of the types found there, and words[...] the
    set of the strings."""

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


def listed_values(text):
    """Returns {(record type, path): its possible values in the document `text`}."""
    values, kind, path = {}, None, None
    for line in text.splitlines():
        if line.startswith("## "):
            kind, path = TITLE.match(line), None
        elif line.startswith("### "):
            path = VALUES.match(line)
        elif kind and path and (value := VALUE.match(line)) and value[1].strip("-") not in ("", "value"):
            values.setdefault((kind[1], path[1]), set()).add(value[1])
    return values


class Document:
    """types[(record type, path)] is the declared type; rare: fields that most reports lack; values[...]: the values
    that docs/report.md, whose text is passed, lists for a field."""

    def __init__(self, text, fields=None):
        self.types, self.rare, self.values = {}, set(), listed_values(text)
        self.members = {}  # by the path of their object: the name of each, and its declaration
        for path, field in (fields or shape.fields()).items():
            name = tuple(path.split(".", 1))
            self.types[name] = field["type"]
            if field.get("rare") or self._is_in_rare(name, field.get("with")):
                self.rare.add(name)
            inside, _, member = path.rpartition(".")
            self.members.setdefault(inside, {})[member] = field

    def _is_in_rare(self, name, other):
        """Tests whether an object around it, or the member that it depends on, is one of these; they are declared
        before it."""
        kind, path = name
        names = path.split(".")
        around = [".".join(names[:i]).removesuffix("[]") for i in range(1, len(names))]
        return any((kind, one) in self.rare for one in [*around, ".".join([*names[:-1], other or ""])])

    def find(self, field):
        """Returns the name under which it is declared, with a star in place of a name if there is one."""
        if field in self.types:
            return field
        kind, path = field
        for other, pattern in self.types:
            if other == kind and "*" in pattern and re.fullmatch(
                    re.escape(pattern).replace(r"\*", r"[^.\[\]]+"), path):
                return other, pattern
        return None


def fits(seen, stated):
    """Tests whether a value of the type `seen` is allowed where the document states `stated`."""
    if seen.startswith("array of ") and stated.startswith("array of "):
        inner = seen[len("array of "):]
        return inner == "nothing" or all(fits(one, stated[len("array of "):])
                                         for one in split_type(inner))
    return any(seen == one or (seen, one) == ("integer", "number") for one in stated.split(" or "))


def undeclared(fields, document):
    """Returns one line for each field that was found and is not declared, or has another type, or a value that is not
    listed."""
    wrong = []
    for field, types in sorted(fields.types.items()):
        found = document.find(field)
        if not found:
            said = declaration(f"{field[0]}.{field[1]}", written(types))
            wrong.append(f"not declared: {field[0]}: `{field[1]}`, {written(types)}: {said}")
        elif odd := sorted(t for t in types if not fits(t, document.types[found])):
            wrong.append(f"{field[0]}: `{field[1]}` is {' and '.join(odd)}; "
                         f"declared is {document.types[found]}")
    for field, values in document.values.items():
        for word in sorted(fields.words.get(field, ())):
            if word not in values and re.sub(r"\d+", "N", word) not in values:
                wrong.append(f"not among the values of the document: {field[0]}: `{field[1]}` {word}")
    return wrong


def amiss(record, document, older=False):
    """Returns one line for each object of the record that lacks a required member, or has a forbidden one. A record of
    an older program may lack a member that has been added since, except one that readers need."""
    return [*_amiss(record["type"], record, document, older)]


def _amiss(path, value, document, older):
    if isinstance(value, list):
        for element in value:
            yield from _amiss(path + "[]", element, document, older)
    elif isinstance(value, dict):
        for name, field in document.members.get(path, {}).items():
            may_lack = older and name not in value and not field.get("needed")
            if name != "*" and not may_lack and (why := _why_amiss(name in value, field, value)):
                yield f"{path}.{name} {why}"
        for name, member in value.items():
            yield from _amiss(f"{path}.{name}", member, document, older)


def _why_amiss(there, field, around):
    """Returns what is wrong about the presence of a member, or None."""
    if (field.get("needed") or field.get("always")) and not there:
        return "is missing"
    for word, asked in (("with", True), ("without", False)):
        if (other := field.get(word)) and there != ((other in around) == asked):
            return f"is {'present' if there else 'missing'}, but declared {word} `{other}`"
    return None


def unseen(fields, document):
    """Returns one line for each field that was not found, except those that most reports lack."""
    seen = {document.find(field) for field in fields.types}
    return [f"declared, and in no report: {kind}: `{path}`"
            for kind, path in sorted(set(document.types) - seen - document.rare)]
