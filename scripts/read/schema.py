"""The fields that a report may have: scripts/read/fields.json, as `make fields` writes it from bench/api/fields."""
import functools
import json
import os

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
