"""A record whose crc is right and whose fields are not: every reader names it and skips it."""

import argparse
import copy
import json
import traceback

from draw import page, plot
from judge import gate
from read import convert
import pytest
from read import saved, shape, show
from made_reports import END, EVERY, counted, counting, report, row
from pictured import everything

ODD = ("text", True, None, 0, -1.5, [], [[]], [None], {}, {"a": 1}, 10**400)
TABLE = argparse.Namespace(**EVERY, format="text", sort="report", reverse=False)


def test_chains_that_were_disturbed_in_all_windows_have_no_ticks():
    assert shape.wrong({"type": "linearity", "recipe": "rdtscp", "points": [{"adds": 0}, {"adds": 1}]}) is None


@pytest.mark.parametrize("record, said", [
    ({"type": "row", "suite": "made", "name": "a", "core": 0, "ops": 1}, ("`row.status`", "missing")),
    ({**row("a", 1), "per_op": [1]}, ("`row.per_op`", "array of integer", "object")),
    ({**row("a", 1), "per_op": {"cycles": "1.5"}}, ("`row.per_op.cycles`", "'1.5'", "number")),
    ({**row("a", 1), "modes": [{"share": 1}]}, ("`row.modes[].cycles`", "missing")),
    ({**row("a", 1), "hist": [[1, 2], [3]]}, ("`row.hist`", " 1", " 2")),
    ({**row("a", 1), "ops": 10**400}, ("`row.ops`", "integer")),
    ({**row("a", 1), "ops": 0}, ("`row.ops`", " 0", "above 0")),
    ({**row("a", 1), "exclusive": 1}, ("`row.exclusive`", " 1", "boolean")),
    ({**row("a", 1), "interval": {"placements_cycles": [1, None, "2"]}},
     ("`row.interval.placements_cycles[]`", "'2'", "number or null")),
])
def test_a_wrong_record_has_its_error_named(record, said):
    wrong = shape.wrong(record)
    assert wrong.startswith(said[0]) and all(words in wrong for words in said), wrong


def test_unknown_fields_and_records_are_accepted():
    assert shape.wrong({**row("a", 1), "newer": {"than": "this"}}) is None
    assert shape.wrong({"type": "newer", "than": "this"}) is None
    assert shape.wrong({**row("a", 1), "interval": {"placements_cycles": [1, None, 2.5]}}) is None


LAME = {key: value for key, value in row("lame", 3).items() if key != "status"}
CASES = {"a record without a required field is named and the others are read": (
    {"r": report([counting(), counted("a", 5), LAME, counted("b", 6), END])}, "show r", "compare r r",
    "gate base.json r --update", "ls .")}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_of_a_wrong_record_is_as_stored(said, name):
    said(CASES, name)


# --- every field of every record, missing or odd -----------------------------------------------------

def places(value, before=()):
    """Returns the path to each field and to the first element of each array."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, member in inner:
        yield (*before, key)
        yield from places(member, (*before, key))


def changed(record, place, *value):
    """Returns the record without that member, or with another value."""
    record = inner = copy.deepcopy(record)
    for key in place[:-1]:
        inner = inner[key]
    if value:
        inner[place[-1]] = value[0]
    else:
        del inner[place[-1]]
    return record


def read_by_all(found):
    """Runs the commands on it: they may raise only Unreadable."""
    show.show([found], [show.flat(found.path, r, found.one("run").get("ticks_per_instruction", 1))
                        for r in found.of("row")], TABLE)
    for form in convert.FORMS:
        json.dumps(convert.converted(form, found)[0])
    page.html([found], argparse.Namespace(**EVERY, plots=0, against=None, across=[]))
    plot.drawn(found, argparse.Namespace(**EVERY, kind=list(plot.KINDS)))
    if found.one("run").get("execution") == "instructions":
        gate.Taken(found, TABLE)


@pytest.mark.parametrize("records", [everything(), [counting(), counted("a", 5), {"type": "advice", "topic": "smi",
                                                    "change": True, "text": "switch it off"}]])
def test_no_field_missing_or_odd_ends_in_a_traceback(records, capsys):
    tried, ended = set(), []
    for i, record in enumerate(records):
        for place in places(record):
            name = (record["type"], *(0 if isinstance(p, int) else p for p in place))
            if place == ("type",) or name in tried:
                continue
            tried.add(name)
            for value in ((), *((v,) for v in ODD)):
                other = changed(record, place, *value)
                if shape.wrong(other):
                    continue  # it is skipped
                found = saved.take("made.jsonl", report([*records[:i], other, *records[i + 1:], END]))
                try:
                    read_by_all(found)
                except saved.Unreadable:
                    pass
                except Exception as e:
                    at = traceback.extract_tb(e.__traceback__)[-1]
                    ended.append((name, value or "missing", repr(e), at.filename, at.lineno))
                capsys.readouterr()
    assert ended == [] and len(tried) > 20
