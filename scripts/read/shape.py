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


class Node:
    """One field: the types that it may have, and its members."""

    def __init__(self, path):
        self.path, self.stated, self.allowed = path, "", frozenset()
        self.members, self.needed, self.needed_names = {}, [], set()
        self.inner, self.length, self.above_0 = None, None, False

    def declare(self, field):
        """`field` is its declaration."""
        self.state(field["type"])
        self.length, self.above_0 = field.get("length"), field.get("above_0", False)

    def state(self, stated):
        """`stated` is a type in words."""
        self.stated = stated
        self.allowed = frozenset(python for one in split_type(stated)
                                 for python in PYTHON.get(one, (list,)))
        if stated.startswith("array of "):
            self.inner = self.inner or Node(self.path + "[]")
            self.inner.state(stated[len("array of "):])

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

    def wrong(self, values):
        """Returns, in words, what is wrong with these values of the field, or None. Checks all of them in one call,
        because a report may have millions of numbers."""
        found = set(map(type, values))
        if not found <= self.allowed:
            return self._is(next(v for v in values if type(v) not in self.allowed))
        if not found.isdisjoint(NUMBERS):
            numbers = values if found <= NUMBERS else [v for v in values if type(v) in NUMBERS]
            if not -NUMBER_LIMIT < min(numbers) <= max(numbers) < NUMBER_LIMIT:
                return self._is(max(numbers, key=abs))
            if self.above_0 and min(numbers) <= 0:
                return f"`{self.path}` is {shown(min(numbers))}, not a number above 0"
        elif list in found:
            return self._wrong_elements(values)
        elif dict in found:
            return next((wrong for v in values if (wrong := self.wrong_members(v))), None)
        return None

    def _fit(self, value):
        """Tests cheaply whether all members of an object are valid, as nearly all are. wrong() finds the error."""
        if not self.needed_names <= value.keys():
            return False
        members, other = self.members, self.members.get("*")
        for name, member in value.items():
            node, kind = members.get(name, other), type(member)
            if node is None:
                continue
            if kind not in node.allowed:
                return False
            if kind is float or kind is int:
                if not -NUMBER_LIMIT < member < NUMBER_LIMIT or (node.above_0 and member <= 0):
                    return False
            elif kind is dict:
                if not node._fit(member):
                    return False
            elif kind is list and node._wrong_elements((member,)):
                return False
        return True

    def _is(self, value):
        return f"`{self.path}` is {shown(value)}, not {self.stated}"

    def _wrong_elements(self, arrays):
        if self.length is not None:
            # For an array of arrays, the length is that of the inner ones.
            for element in arrays[0] if self.inner.inner else arrays:
                if type(element) is list and len(element) != self.length:
                    return f"`{self.path}` has an element of {len(element)}, not of {self.length}"
        together = list(itertools.chain.from_iterable(arrays))
        return self.inner.wrong(together) if together else None

    def wrong_members(self, value):
        if self._fit(value):
            return None
        for name in self.needed:
            if name not in value:
                return f"`{self.path}.{name}` is missing"
        for name, member in value.items():
            node = self.members.get(name) or self.members.get("*")
            if node and (wrong := node.wrong((member,))):
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
        parent.way(names[-1:]).declare(field)
        if field.get("needed"):
            parent.needed.append(names[-1])
            parent.needed_names.add(names[-1])
    return root.members


def wrong(record):
    """Returns, in words, what is missing or wrong in a record, or None. Accepts a record whose type is not declared."""
    node = types().get(record["type"])
    return node.wrong_members(record) if node else None


FIELDS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "fields.json")
EVERY = "every"  # stands for the type of any record in a path


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
