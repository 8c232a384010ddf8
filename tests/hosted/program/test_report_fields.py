"""The declared fields of a report, and the stored records of a CPU (report_runs.py) against them; tests/boot has both
programs' reports."""

import os
import re

from commands import output_of
import pytest
import report_fields
import report_runs
from conftest import ROOT


def test_the_document_and_the_scripts_have_what_is_declared():
    """`make fields` writes both."""
    output_of(ROOT / "scripts/build/fields", "--check", ROOT / "build/hosted/fields")


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


def declared_and_written(sources):
    """The names of fields whose declarations a function includes to write them, and those of macros for both."""
    writing = re.compile(r'#include "(?:bench/api/declare|lib/text/fields)\.h"')
    including = [text for text in sources if writing.search(text) and "FIELDS_DECLARED" not in text]
    included = {name for text in including for name in re.findall(r'^#include "([\w/]+\.def)"', text, re.MULTILINE)}
    texts = [(ROOT / name).read_text() for name in sorted(included)] + [(ROOT / "bench/api/declare.h").read_text()]
    macros = "F|FIELD|TEXT|LIST|LIST_BY|LIST_TEXT|REFUSED|BEGIN_OBJECT|BEGIN_EACH"
    paths = re.findall(rf'\b(?:{macros})\(\s*(?:path )?"([\w.\[\]]+)"', "\n".join(texts))
    return {path.rpartition(".")[2] for path in paths}


def test_the_program_writes_the_fields_of_the_stored_records():
    """Each name of a field is in its source, because stored records cannot prove that a removed field is still written."""
    sources = [p.read_text() for room in ("bench", "kernel", "lib", "hosted") for p in (ROOT / room).rglob("*.[ch]")]
    written = set(re.findall(r'"(\w+)"', "\n".join(sources))) | declared_and_written(sources)
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
