"""The report of which README.md shows an excerpt is what its command prints now."""

import re
from pathlib import Path

from machine import SUCCESS

README = Path(__file__).parents[2] / "README.md"


def rows(lines):
    """Returns the names of the rows among a table's lines."""
    found = [re.match(r"([a-z0-9_]+) +\d+(?: +[\d.]+){5}$", line) for line in lines]
    return [match[1] for match in found if match]


def test_the_pasted_report_is_true(boot):
    pasted = README.read_text().split("<!-- report -->\n```\n")[1].split("```\n<!-- /report -->")[0]
    words = re.search(r"^options   (suite=\S+ bench=\S+)", pasted, re.MULTILINE)[1]
    wanted = pasted.splitlines()
    said = iter(boot(words).must(SUCCESS).text.replace("\r", "\n").splitlines())
    assert rows(wanted)
    for line in wanted:
        # `in` continues where it stopped, so the lines are in this order.
        assert line == "..." or line in said, line
