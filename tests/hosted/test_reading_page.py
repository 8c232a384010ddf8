"""docs/reading.md against the commands: their options, and what must be alike."""

import re

import compare
import likeness
from made_reports import ROOT, baretick

PAGE = (ROOT / "docs/reading.md").read_text(encoding="utf-8")
COMMANDS = ("show", "compare", "gate", "plot", "report")


def test_options_that_the_page_names_are_there_and_the_other_way_round():
    helps = "".join(baretick(command, "--help").stdout for command in (*COMMANDS, "run"))
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    assert len(named) > 8
    assert sorted(named - set(re.findall(r"--[a-z][a-z-]+", helps))) == []
    readers = "".join(baretick(command, "--help").stdout for command in COMMANDS)
    assert sorted(set(re.findall(r"--[a-z][a-z-]+", readers)) - named - {"--help"}) == []


def test_what_must_be_alike_is_named():
    options = {*likeness.OPTIONS, "takeover"}
    assert [f"`{name}=`" for name in sorted(options) if f"`{name}=`" not in PAGE] == []
    assert f"--across {','.join(likeness.MAY_CROSS)}`" in PAGE
    assert f"at most {compare.RISK:.0%} are neither" in PAGE
