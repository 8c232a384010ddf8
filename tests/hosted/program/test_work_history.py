"""Work that depends on what was done before: no such row passes without a remark."""

import re

import pytest

import made
import work_history

REMARK = re.compile(r"  \^ (FAIL: |its work |only |a call executes \d+ instructions besides )")


def remarked(table):
    """The rows that have a remark about their work."""
    row = None
    for line in table.splitlines():
        if match := re.match(r"(\w+) ", line):
            row = match[1]
        elif REMARK.match(line):
            yield row


@pytest.mark.parametrize(("part", "method"), [(0, "doubled"), (1, "doubled"), (2, "doubled"), (0, "kbest")])
def test_no_row_passes_in_silence_whose_work_depends_on_its_history(run, tmp_path, part, method):
    source, names, cured = work_history.source(work_history.PARTS[part])
    rows = made.of_source(tmp_path, "history", source)
    ran = run(f"objects={rows}", "suite=history", f"method={method}", "samples=16", "rounds=1", "retry_budget=0",
              "format=both")  # fmt: skip
    found = set(remarked(ran.out))
    assert not set(names) - found, (sorted(set(names) - found), ran.out)
    assert not found & set(cured), ran.out
