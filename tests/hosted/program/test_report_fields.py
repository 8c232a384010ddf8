"""The check of a report's fields, with made-up documents and reports (tests/boot has both programs' reports); and the
stored records of a CPU (report_runs.py).
"""

import os
import re
import subprocess

import pytest
import report_fields
import report_runs
from conftest import ROOT

LISTS = """
# The report

## `row`: one a row

| field | type | unit | meaning |
| --- | --- | --- | --- |
| `name` | string | | |

### Values of `name`

| value | meaning |
| --- | --- |
| `inline` | no call |
| plain_coreN | on core N |
"""
FIELDS = {
    **{f"every.{name}": {"type": "string" if name in ("type", "crc") else "integer"} for name in report_fields.COMMON},
    "row.name": {"type": "string"},
    "row.ticks": {"type": "object"},
    "row.ticks.mean": {"type": "number"},
    "row.hist": {"type": "array of array of integer"},
    "row.points": {"type": "array of object"},
    "row.points[].adds": {"type": "integer"},
    "row.by": {"type": "object"},
    "row.by.*": {"type": "integer or string"},
    "row.hot": {"type": "object", "rare": True},
    "row.hot.since": {"type": "integer"},
}
ROW = {
    "name": "inline",
    "ticks": {"mean": 1.5},
    "hist": [[1, 2]],
    "points": [{"adds": 1}],
    "by": {"x": 1, "y": "auto"},
}


def judge(row):
    """Returns (undeclared, unseen) of a report of one record."""
    record = {"baretick": 1, "seq": 0, "type": "row", **row, "crc": "00000000"}
    fields, document = report_fields.Fields([record]), report_fields.Document(LISTS, FIELDS)
    return report_fields.undeclared(fields, document), report_fields.unseen(fields, document)


def test_a_record_as_it_is_declared_has_no_complaint():
    assert judge(ROW) == ([], [])
    assert judge({**ROW, "hot": {"since": 1}}) == judge({**ROW, "name": "plain_core12"}) == ([], [])
    assert judge({**ROW, "ticks": {"mean": 2}, "hist": [], "points": [{"adds": 1}, {"adds": 2}]}) == ([], [])


@pytest.mark.parametrize(
    "change, field",
    [
        ({"new": 1}, "`new`, integer"),
        ({"ticks": {"mean": 1.5, "mode": 2.5}}, "`ticks.mode`, number"),
        ({"points": [{"adds": 1, "ticks": "x"}]}, "`points[].ticks`, string"),
        ({"stray": 1}, "`stray`, integer"),
        ({"inline": "x"}, "`inline`, string"),
        ({"name": 1}, "`name` is integer; declared is string"),
        ({"hist": [[1, 2.5]]}, "`hist` is array of array of number"),
        ({"points": [{"adds": 1.5}]}, "`points[].adds` is number"),
        ({"ticks": None}, "`ticks` is null"),
        ({"by": {"x": True}}, "`by.x` is boolean"),
        ({"name": "outline"}, "not among the values of the document: row: `name` outline"),
    ],
)
def test_an_undeclared_field_is_named(change, field):
    wrong, _ = judge({**ROW, **change})
    assert len(wrong) == 1 and field in wrong[0], wrong


def test_a_field_that_is_not_declared_comes_with_the_line_that_declares_it():
    (wrong,), _ = judge({**ROW, "new": True})
    assert '\nFIELD("row.new", BOOLEAN, ' in wrong and "make fields" in wrong
    event = {"type": "event", "kind": "mistake", "message": "run.psfd (boolean) is not declared in bench/api/fields"}
    (wrong,) = report_fields.mistakes([ROW, event])
    assert '\nFIELD("run.psfd", BOOLEAN, ' in wrong and wrong.startswith(event["message"])


# `kind` is in every object, `at` in those that have `size`, and `why` in those that lack it.
PART = {
    "row.part": {"type": "object", "always": True},
    "row.part.kind": {"type": "string", "needed": True},
    "row.part.size": {"type": "integer"},
    "row.part.at": {"type": "integer", "with": "size"},
    "row.part.why": {"type": "string", "without": "size"},
    "row.list": {"type": "array of object"},
    "row.list[].x": {"type": "integer", "always": True},
}
WHOLE = {"type": "row", "part": {"kind": "a", "size": 1, "at": 2}, "list": [{"x": 1}]}


@pytest.mark.parametrize(
    "change, said",
    [
        ({}, []),
        ({"part": {"kind": "a", "why": "lost"}, "list": []}, []),
        ({"list": [{"x": 1}, {}]}, ["row.list[].x is missing"]),
        ({"part": {"size": 1, "at": 2}}, ["row.part.kind is missing"]),
        ({"part": {"kind": "a", "size": 1}}, ["row.part.at is missing, but declared with `size`"]),
        ({"part": {"kind": "a", "at": 1, "why": "lost"}}, ["row.part.at is present, but declared with `size`"]),
        ({"part": {"kind": "a"}}, ["row.part.why is missing, but declared without `size`"]),
        (
            {"part": {"kind": "a", "size": 1, "at": 2, "why": "lost"}},
            ["row.part.why is present, but declared without `size`"],
        ),
    ],
)
def test_a_member_that_is_missing_or_must_not_be_there_is_named(change, said):
    assert report_fields.amiss({**WHOLE, **change}, report_fields.Document("", PART)) == said


def test_a_member_of_the_record_that_is_missing_is_named():
    assert report_fields.amiss({"type": "row"}, report_fields.Document("", PART)) == ["row.part is missing"]


def test_an_older_record_may_lack_what_no_reader_needs():
    for word, wrong in (("always", []), ("needed", ["row.new is missing"])):
        document = report_fields.Document("", {**PART, "row.new": {"type": "integer", word: True}})
        assert report_fields.amiss(WHOLE, document) == ["row.new is missing"]
        assert report_fields.amiss(WHOLE, document, older=True) == wrong


def test_a_declared_field_that_no_report_has_is_named():
    for name, fields in (("name", ["name"]), ("ticks", ["ticks", "ticks.mean"]), ("by", ["by", "by.*"])):
        _, gone = judge({k: v for k, v in ROW.items() if k != name})
        assert gone == [f"declared, and in no report: row: `{f}`" for f in fields]


def test_the_document_and_the_scripts_have_what_is_declared():
    """`make fields` writes both."""
    checked = subprocess.run([ROOT / "scripts/build/fields", "--check", ROOT / "build/hosted/fields"], capture_output=True,
                             text=True, check=False)  # fmt: skip
    assert checked.returncode == 0, checked.stderr


# --- the stored records -----------------------------------------------------------------------------

ANEW = report_runs.__doc__


def of_the_document():
    return report_fields.Document((ROOT / "docs/report.md").read_text())


def test_every_field_of_stored_records_is_declared():
    wrong = report_fields.undeclared(report_fields.Fields(report_runs.stored()), of_the_document())
    assert not wrong, "\n".join([*wrong, ANEW])


def test_stored_records_have_every_field_that_readers_need():
    """A member that was added since is not a reason to regenerate the records."""
    document = of_the_document()
    wrong = [said for record in report_runs.stored() for said in report_fields.amiss(record, document, older=True)]
    assert not wrong, "\n".join([*wrong, ANEW])


def test_each_required_member_that_is_taken_out_of_a_stored_record_is_missed():
    document, taken_out = of_the_document(), 0
    for record in report_runs.stored():
        for name, field in document.members[record["type"]].items():
            if name in record and (field.get("always") or field.get("needed")):
                rest = {key: value for key, value in record.items() if key != name}
                assert f"{record['type']}.{name} is missing" in report_fields.amiss(rest, document)
                taken_out += 1
    assert taken_out > 20


def test_the_stored_records_are_of_a_cpu_with_a_counter():
    """The fields that the records are stored for."""
    (run,) = {r["execution"]: r for r in report_runs.stored() if r["type"] == "run"}.values()
    assert run["execution"] == "silicon"
    counted = [r for r in report_runs.stored() if r["type"] == "row" and "cycles_counter" in r.get("per_op", {})]
    assert any({"cycles_lo", "counter_off"} <= set(r["per_op"]) for r in counted)


def test_the_program_writes_the_fields_of_the_stored_records():
    """Each name of a field is in its source, because stored records cannot prove that a removed field is still written."""
    sources = [p.read_text() for room in ("bench", "kernel", "lib", "hosted") for p in (ROOT / room).rglob("*.[ch]")]
    written = set(re.findall(r'"(\w+)"', "\n".join(sources)))
    document = of_the_document()
    found = [document.find(field) for field in report_fields.Fields(report_runs.stored()).types]
    names = {name for _, path in found for name in re.findall(r"\w+", path)}
    assert len(names) > 100 and names - written <= {"baretick", "type", "seq", "crc"}, (names - written, ANEW)


@pytest.mark.silicon
@pytest.mark.every_cpu
def test_a_cpu_writes_the_fields_of_the_stored_report():
    """All fields except those that few machines have."""
    lines = report_runs.lines_of_a_cpu()
    if os.environ.get("UPDATE"):
        report_runs.STORED.write_bytes(b"\n".join(lines) + b"\n")
    document, live = of_the_document(), report_fields.Fields(map(report_runs.report.parse, lines))
    gone = set(report_fields.Fields(report_runs.stored()).types) - set(live.types)
    gone = {field for field in gone if document.find(field) not in document.rare}
    assert not gone, (sorted(gone), ANEW)
