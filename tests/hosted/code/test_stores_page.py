"""docs/stores.md: its examples are what the program prints."""

import json
import re
import textwrap
from pathlib import Path

from commands import output_of
import pytest
from conftest import ROOT

PAGE = (ROOT / "docs/stores.md").read_text(encoding="utf-8")
EXAMPLES = {m[1]: textwrap.dedent(m[2]).strip() for m in
            re.finditer(r"^    \$ scripts/(baretick .*)\n((?:    .*\n|\n(?=    ))+)", PAGE, re.MULTILINE)}
COMPILED = "compiler/"  # its instructions depend on the compiler
VERSION = re.compile(r"define ZYDIS_VERSION .*0x00040000")  # the texts of instructions depend on Zydis


pytestmark = pytest.mark.usefixtures("stores")


def figures(text):
    """All but steps, instructions and locations."""
    text = re.sub(r", \d+ steps", "", text)
    text = re.sub(r"^((?: *\d+){2,3})   .*$", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"^(?: {17,}\S.*|\.\.\. and .*)\n", "", text, flags=re.MULTILINE)


def totals(text):
    """Totals over all instructions, because the number of a loop's instructions depends on the compiler."""
    return re.findall(r"^\d+ (?:stores of|loads of|bytes are unread) .*", text, re.MULTILINE)


@pytest.mark.parametrize("command", EXAMPLES)
def test_each_example_has_the_stated_result(command):
    said, shown = output_of("sh", "-c", f"scripts/{command}", cwd=ROOT).strip(), EXAMPLES[command]
    if COMPILED in command:
        assert len(totals(shown)) == len(totals(said)) == 3
        program = output_of(ROOT / "build/hosted/baretick", "--version")
        same = [(totals(text), re.findall(r"\b\w+\.c:\d+", text)) for text in (said, shown)]
        assert same[0] == same[1] or "compiled by gcc 12." not in program, said
    elif VERSION.search(Path("/usr/include/Zydis/Zydis.h").read_text()):
        assert said == shown
    else:
        assert re.search(r"^ *\d+ +\d+ +1000$", figures(shown), re.MULTILINE) and figures(said) == figures(shown)


def test_there_are_examples_of_each_kind():
    assert len(EXAMPLES) == 5 and sum(COMPILED in command for command in EXAMPLES) == 1
    assert all(any(f"\n{title}\n" in shown for shown in EXAMPLES.values())
               for title in ("dead stores", "silent stores", "silent loads, reread loads"))


def test_the_two_rules_for_loads_are_distinguished():
    """The page's statements about its two examples match their output."""
    assert re.search(r"999 loads\s+are\s+silent\s+and\s+none\s+is\s+reread", PAGE)
    assert re.search(r"none\s+is\s+silent\s+and\s+1000\s+are\s+reread", PAGE)
    loads = [re.search(r"(\d+) loads \(\d+%\) silent, (\d+) loads \(\d+%\) reread", shown).groups()
             for command, shown in EXAMPLES.items() if "mov rbx, [r14]" in command]
    assert loads == [("999", "0"), ("0", "1000")]


def test_the_page_names_exactly_the_members_of_the_output():
    """The page has all of them, and no others."""
    trace = json.loads(output_of(ROOT / "scripts/baretick", "stores", "compiler/store_cure", "--json"))
    members = set(trace) | set(trace["by_instruction"][0]) | set(trace["by_stack"][0])
    table = re.search(r"^\| member .*?(?=^$)", PAGE, re.MULTILINE | re.DOTALL)[0]
    named = {name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named - {"object", "readable", "ended", "wrong", "changed"} == members


def test_the_options_that_the_page_names_exist():
    said = output_of(ROOT / "scripts/baretick", "stores", "--help")
    named = set(re.findall(r"`(--[a-z]+)", PAGE)) | set(re.findall(r"\(`(--[a-z]+)`", PAGE))
    assert named >= {"--top", "--json", "--steps", "--verify"} and all(word in said for word in named)
