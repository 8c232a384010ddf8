"""baretick on a machine in a labgrid rack: switched on, and read to its end (docs/ci.md).

    pytest --lg-env docs/ci/labgrid.yaml docs/ci/labgrid_test.py
"""

import re

import pytest

ROW = re.compile(
    r"BT (?P<test_case_id>\S+) (?:(?P<measurement>-?[0-9]+(?:\.[0-9]+)?) (?P<units>[a-z]+)|- -) (?P<result>pass|fail)"
)
SECONDS = 1200


def rows_of(text):
    """{name: (measurement, units, result)} of what the serial line said."""
    found = (ROW.fullmatch(line.rstrip("\r")) for line in text.split("\n"))
    return {m["test_case_id"]: (m["measurement"], m["units"], m["result"]) for m in found if m}


@pytest.fixture(scope="session")
def rows(target):
    serial = target.get_driver("ConsoleProtocol")
    power = target.get_driver("PowerProtocol")
    power.cycle()
    serial.expect("baretick: left firmware", timeout=SECONDS)
    _, before, _, _ = serial.expect(r'"type":"end"', timeout=SECONDS)
    return rows_of(before.decode("utf-8", "replace"))


def test_every_row_passed(rows, record_property):
    for name, (measurement, units, _) in rows.items():
        record_property(name, f"{measurement} {units}")
    assert "run/verdict@0" in rows
    assert [name for name, (_, _, result) in rows.items() if result != "pass"] == []
