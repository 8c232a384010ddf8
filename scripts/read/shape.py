"""Checks a record before anything reads it: the types of docs/report.md, and the fields that are always present.

The crc proves that a record arrived as it was written, not that it was written correctly: it may be from another
version or another program. A field that is not declared is accepted, because newer versions may add fields.
"""
import functools
import itertools
import json
import os

NUMBER_LIMIT = 1e300  # JSON has no infinity, but 1e999 is read as one
NUMBERS = {int, float}
# Integers and other numbers are not distinguished: readers accept both.
PYTHON = {"string": (str,), "boolean": (bool,), "object": (dict,), "null": (type(None),), "integer": (int, float),
          "number": (int, float)}
STATUSES = "ok", "wrong", "unsupported"
# The words of fields on whose value a verdict depends.
WORDS = {**{f"{kind}.status": STATUSES for kind in ("row", "quiet", "curve", "forward", "limit")},
         "selftest.result": ("pass", "fail", "not judged"), "end.verdict": ("pass", "fail", "stopped")}
# Probabilities and proportions.
PROPORTIONS = frozenset(("run.witness.shared", "witness.shared", "linearity.bend_p", "quiet.least_watched", "row.shared",
                         "row.interval.confidence", "row.interval.median_confidence", "row.modes[].share"))


class Node:
    """One field: the types that it may have, and its members. needed: names of members, as the keys of a dict; length: of
    an array, or of the inner ones of an array of arrays."""

    def __init__(self, path):
        self.path, self.stated, self.allowed = path, "", frozenset()
        self.members, self.needed, self.inner, self.length, self.above_0 = {}, {}, None, None, False
        self.words, self.is_proportion = WORDS.get(path), path in PROPORTIONS

    def declare(self, stated, length=None, above_0=False):
        """`stated` is a type in words."""
        self.stated, self.length, self.above_0 = stated, length, above_0
        self.allowed = frozenset(python for one in split_type(stated)
                                 for python in PYTHON.get(one, (list,)))
        if stated.startswith("array of "):
            self.inner = self.inner or Node(self.path + "[]")
            self.inner.declare(stated[len("array of "):])

    def way(self, names):
        """Returns the node of a member by the rest of its path; creates missing nodes."""
        node = self
        for name in names:
            bare = name.rstrip("[]")
            node = node.members.setdefault(bare, Node(f"{node.path}.{bare}" if node.path else bare))
            if name != bare:
                node.inner = node.inner or Node(node.path + "[]")
                node = node.inner
        return node

    def wrong(self, value):
        """Returns, in words, what is wrong with a value of the field, or None."""
        kind = type(value)
        if kind not in self.allowed:
            return self._is(value)
        if kind is float or kind is int:
            if not -NUMBER_LIMIT < value < NUMBER_LIMIT:
                return self._is(value)
            if self.is_proportion and not 0 <= value <= 1:
                return f"`{self.path}` is {shown(value)}, not a number from 0 to 1"
            return f"`{self.path}` is {shown(value)}, not a number above 0" if self.above_0 and value <= 0 else None
        if self.words and value not in self.words:
            return f"`{self.path}` is {shown(value)}, not one of {', '.join(self.words)}"
        if kind is dict:
            return self.wrong_members(value)
        if kind is list:
            for element in () if self.length is None else value if self.inner.inner else (value,):
                if type(element) is list and len(element) != self.length:
                    return f"`{self.path}` has an element of {len(element)}, not of {self.length}"
            return self.inner.wrong_of_all(value)
        return None

    def wrong_of_all(self, values):
        """The same for several values. A report may have millions of numbers in arrays, so these are checked together."""
        kinds = set(map(type, values))
        if kinds and kinds <= NUMBERS & self.allowed:
            values = min(values), max(values)
        elif kinds == {list} and list in self.allowed and self.length is None:
            return self.inner.wrong_of_all(list(itertools.chain.from_iterable(values)))
        return next((wrong for value in values if (wrong := self.wrong(value))), None)

    def _is(self, value):
        return f"`{self.path}` is {shown(value)}, not {self.stated}"

    def wrong_members(self, value):
        """The same for the members of an object."""
        if not self.needed.keys() <= value.keys():
            return f"`{self.path}.{next(name for name in self.needed if name not in value)}` is missing"
        members, other = self.members, self.members.get("*")
        for name, member in value.items():
            node = members.get(name, other)
            if node and (wrong := node.wrong(member)):
                return wrong
        return None


def shown(value):
    """Returns a value for a message: the value itself if it is short, else its kind."""
    if type(value) is int and abs(value) > NUMBER_LIMIT:
        return "above all bounds"
    return repr(value) if type(value) in (int, float, str) and len(repr(value)) < 40 else type_of(value)


@functools.cache
def types():
    """Returns {type of a record: its Node}."""
    root = Node("")
    for path, field in fields().items():
        names = path.split(".")
        parent = root.way(names[:-1])
        parent.way(names[-1:]).declare(field["type"], field.get("length"), field.get("above_0", False))
        if field.get("needed"):
            parent.needed[names[-1]] = True
    return root.members


def wrong(record):
    """Returns, in words, what is missing or wrong in a record, or None. Accepts a record whose type is not declared."""
    node = types().get(record["type"])
    return node.wrong_members(record) if node else None


FIELDS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "fields.json")


@functools.cache
def fields():
    """Returns {path: its declaration}; the path begins with the record's type."""
    with open(FIELDS, encoding="utf-8") as f:
        return {field["path"]: field for field in json.load(f)}


def type_of(value):
    if isinstance(value, list):
        if value and all(isinstance(element, list) for element in value):
            return "array of " + type_of([inner for element in value for inner in element])
        return "array of " + (written({type_of(element) for element in value}) or "nothing")
    names = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
    return names.get(type(value), "null")


def split_type(name):
    """Splits a type into its alternatives. Those of an array's elements belong to the array."""
    return [name] if name.startswith("array of ") else name.split(" or ")


def written(types):
    """Returns a declared type as a set. A number without a fraction looks like an integer."""
    types = set(types)
    for prefix in ("", "array of ", "array of array of "):
        if prefix + "number" in types:
            types.discard(prefix + "integer")
    if len(types) > 1:
        types.discard("array of nothing")
    return " or ".join(sorted(types))
