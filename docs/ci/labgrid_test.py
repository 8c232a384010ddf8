"""baretick on a machine in a labgrid rack: switched on, read to its end, and switched off (docs/ci.md).

    pytest --lg-env docs/ci/labgrid.yaml docs/ci/labgrid_test.py
"""

import re

import pytest

ROW = re.compile(
    r"BT (?P<test_case_id>\S+) (?:(?P<measurement>-?[0-9]+(?:\.[0-9]+)?) (?P<units>[a-z]+)|- -) (?P<result>pass|fail)"
)


def rows_of(text):
    """{name: (measurement, units, result)} of what the serial line said."""
    found = (ROW.fullmatch(line.rstrip("\r")) for line in text.split("\n"))
    return {m["test_case_id"]: (m["measurement"], m["units"], m["result"]) for m in found if m}


@pytest.fixture(scope="session")
def rows(strategy):
    strategy.transition("measured")
    yield rows_of(strategy.text)
    strategy.transition("off")


def test_every_row_passed(rows, record_property):
    for name, (measurement, units, _) in rows.items():
        record_property(name, f"{measurement} {units}")
    assert "run/verdict@0" in rows
    assert [name for name, (_, _, result) in rows.items() if result != "pass"] == []
