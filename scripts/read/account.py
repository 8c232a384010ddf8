"""Checks what the records of a report state about each other: a row is in it once, and the record `end` counts what is there.

A report without `end` broke off: saved.py names that, and all that arrived is read.
"""

# Types of records that can each tell of a failure that is not a row's.
TELL = frozenset(("event", "quiet", "c_program", "core"))


class Account:
    """What has arrived of one report."""

    def __init__(self):
        self._rows, self._count, self._failed, self._told = set(), 0, 0, 0
        self._begun = False

    def twice(self, row):
        """Counts a row. Returns, in words, which row it repeats, or None."""
        key = row["suite"], row["name"], row["core"]
        if hash(key) in self._rows:  # of 64 bits: the names themselves would take much memory
            return f"row {key[0]}/{key[1]} on core {key[2]} is in the report already"
        self._rows.add(hash(key))
        return None

    def take(self, record):
        """Counts a record, whatever is wrong with it."""
        kind = record["type"]
        self._begun = self._begun or kind == "run"
        self._count += kind == "row"
        self._failed += kind == "row" and record.get("status") == "wrong" or kind == "selftest" and record.get("result") == "fail"
        self._told += kind in TELL or record.get("status") == "wrong" or record.get("result") == "fail"

    def missing(self, end):
        """Returns, in words, what the record `end` counts and the report lacks, or None.

        A report of format=lines has no other record than `end`."""
        if not self._begun:
            return None
        if end["rows"] > self._count:
            return f"`end.rows` is {end['rows']}, and the report has {self._count}"
        if end["failures"] > self._told:
            return f"`end.failures` is {end['failures']}, and the report tells of {self._told or 'none'}"
        return None

    def contradicts(self, end):
        """Returns, in words, what the report has although the record `end` denies it, or None."""
        verdict, failures = end["verdict"], end["failures"]
        if end["rows"] < self._count:
            return f"`end.rows` is {end['rows']}, and the report has {self._count}"
        if failures < self._failed:
            return f"`end.failures` is {failures}, and {self._failed} rows and self-tests failed"
        if (verdict == "fail") != (failures > 0) or verdict == "pass" and end.get("stopped"):
            stopped = " of a stopped run" if end.get("stopped") else ""
            return f"`end.verdict` is {verdict!r} with {failures} failures{stopped}"
        return None
