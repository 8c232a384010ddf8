"""docs/reading.md, compare.md and table.md against the commands: their options, and the properties that must be equal."""

import re

from judge import compare, history, sides
import pytest
from read import show
from made_reports import ROOT, baretick

PAGE = "".join((ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("reading", "compare", "table"))
COMMANDS = ("show", "insn", "compare", "gate", "plot", "report")


def test_options_that_the_page_names_are_there_and_the_other_way_round():
    helps = "".join(baretick(command, "--help").stdout for command in (*COMMANDS, "run"))
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    assert len(named) > 8
    assert sorted(named - set(re.findall(r"--[a-z][a-z-]+", helps))) == []
    readers = "".join(baretick(command, "--help").stdout for command in COMMANDS)
    assert sorted(set(re.findall(r"--[a-z][a-z-]+", readers)) - named - {"--help"}) == []


def test_the_page_names_the_options_that_may_differ():
    text = " ".join(PAGE.split())
    assert f"--across {','.join(sides.MAY_CROSS)}`" in text
    assert f"at most {compare.RISK:.0%} are neither" in text


def section(name):
    return PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name, columns", [("show", show.COLUMNS), ("compare", compare.COLUMNS),
                                           ("compare many runs", history.COLUMNS)])
def test_the_tables_on_the_page_have_the_headings_of_today(name, columns):
    """In their order; a column that no row of the example has is left out."""
    heading = re.search(r"^    (row .*)$", section(name), re.MULTILINE)[1]
    titles, shown = iter([c.title for c in columns]), re.split(r" {2,}", heading)
    shown = [re.sub(r"^\+-98%$", "+-", t) for t in shown]  # the level of the intervals that are shown
    assert len(shown) > 8 and [t for t in shown if t not in titles] == []


def test_each_line_of_the_summary_is_explained():
    """The table has exactly the values that the program can write; the example has no others."""
    source = "".join((ROOT / f"bench/output/{name}.c").read_text(encoding="utf-8") for name in ("summary", "datasheet"))
    written = set(re.findall(r'\.label = "(\w+)"|show_text\("(\w+)"|source->label : "(\w+)"', source))
    rows = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "bench/suites").rglob("*.c"))
    written = {"".join(groups) for groups in written} | {*re.findall(r'\.label = "(\w+)"', rows)}
    text = section("The summary")
    explained = re.findall(r"^\| `(\w+)` \|", text.partition("The lines of a datasheet")[0], re.MULTILINE)
    assert len(written) > 8 and sorted(explained) == sorted(written)
    figures = re.findall(r'\{"([\w ]+)", \{"([^"]+)"(?:, "([^"]+)")?\}, SHEET_', rows)
    assert len(figures) == 10
    assert [name for figure in figures for name in figure if name and f"`{name}`" not in text] == []
    ways = re.findall(r'WAY\("(\w+)"\)', rows)
    assert ways and {*re.findall(r"^    (\w+) +\S", text, re.MULTILINE)} <= {*written, *ways}
