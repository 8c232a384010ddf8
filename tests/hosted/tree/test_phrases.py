"""scripts/checks/phrases finds phrases of the list in text for people, and nowhere else."""

from commands import run_command
import pytest
from conftest import ROOT

TOOL = ROOT / "scripts/checks/phrases"


@pytest.fixture
def look(tmp_path):
    def at(name, text):
        path = tmp_path / name
        path.write_text(text)
        ran = run_command(TOOL, path)
        assert ran.returncode == bool(ran.stdout), ran.stderr
        return [line.split(":", 1)[1] for line in ran.stdout.splitlines()]

    return at


@pytest.mark.parametrize("name, text, line", [
    ("a.md", "# A\n\nIt was asked for in vain.\n", 3),
    ("a.md", "It was asked for in\nvain.\n", 1),
    ("a.c", "int a;\n/* Asked for in\n * vain. */\n", 2),
    ("a.h", "int a; // Asked for In Vain\n", 1),
    ("a.py", "a = 1  # asked for in vain\n", 1),
    ("a.py", 'def a():\n    """Asked for\n    in vain."""\n', 3),
    ("a.def", "/* in vain */\n", 1),
    ("a.asm", "nop ; asked for\n; in vain\n", 2),
    ("a.sh", "set -e\ntrue # in vain\n", 2),
    ("Makefile", "# asked for in\n# vain\nall:\n", 1),
    ("tool", "#!/usr/bin/env python3\na = 1  # in vain\n", 2),
    ("a.c", 'int a;\nconst char *b = "asked for in"\n                " vain";\n', 2),
    ("a.py", 'a(f"{b}: asked for "\n  f"in vain")\n', 2),
    ("a.py", 'help = """It was\nasked for in vain."""\n', 2),
    ("a.asm", 'ROW a, "asked for in vain"\n', 1),
    ("a.py", "\ndef test_it_is_asked_in_vain(a):\n", 2),
    ("a.c", "static void what_is_asked_in_vain(void **state)\n{\n}\n", 1),
])
def test_a_phrase_is_found_and_its_replacement_is_printed(look, name, text, line):
    (found,) = look(name, text)
    assert found.startswith(f"{line}: \"") and "in vain" in found.lower() and '"redundant"' in found, found


@pytest.mark.parametrize("name, text", [
    ("a.md", "`in vain`\n\n    in vain\n\n```\nin vain\n```\n"),
    ("a.md", "the main vain: in vainglory, in. Vain\n"),
    ("a.c", 'const char *a = "in vain";\nint in, vain; /* asked in */ int b; /* vain */\n'),
    ("a.c", 'f("asked for in", "vain");\n'),
    ("a.py", 'a = "in vain"\nf("in vain")\n'),
    ("a.py", 'f("asked for in", "vain for that")\n'),
    ("a.asm", "db 'in vain;', \"in vain\"\n"),
    ("a.py", "def asked_in_vain(a):\n"),
    ("a.c", "static int asked_in_vain(void **state)\n{\n}\n"),
    ("a.sh", 'echo "$#in vain"\necho in vain\n'),
])
def test_code_and_short_strings_are_not_searched(look, name, text):
    assert look(name, text) == []


@pytest.mark.parametrize("text", [
    "Compared beside the old one.", "The page behind it.", "So many rows.", "It stands in a file.", "It stands at 3.",
    "The CPU has none.", "There is none.", "A buffer of its own.", "A CPU of one's own.", "Read by two methods.",
    "The size of what is left.", "Prints a line a row.", "The report says so.", "Two that cannot be told apart.",
    "The run goes on.", "Puts the register back.", "It is there twice.", "It fails all the same.", "Slower for sure.", "A file that is no program.",
])
def test_each_row_of_the_table_of_phrases_is_found(look, text):
    assert look("a.md", text + "\n")


@pytest.mark.parametrize("text", [
    "It stands in for that.", "What the body left behind.", "It has none of these.", "Where `x` is None.", "One row at a time.",
    "The address of its own interface.", "It says what is wrong.", "They are all the same memory.", "There is no program.", "It is no longer used.",
])
def test_good_english_is_not_reported(look, text):
    assert not look("a.md", text + "\n")
