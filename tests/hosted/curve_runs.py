"""What the tests of suites memory and limits share: one run of some rows, and the record of each row."""


def check_of_rows(ended, names):
    """Checks the end of a run of these rows, which have no windows."""
    assert ended.status in (0, 2), ended.out  # self-tests are not these tests'
    end = ended.report_in_table().end
    assert (end["rows"], end["curves"]) == (0, len(names))
    assert f" ({len(names)} curves, " in ended.out.splitlines()[-1], ended.out[-400:]


def record_of(name, records, names):
    """Returns the record of this name; the records are those of all names."""
    assert sorted(r["name"] for r in records) == sorted(names)
    (record,) = [r for r in records if r["name"] == name]
    return record
