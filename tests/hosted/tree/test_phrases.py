"""scripts/checks/phrases finds phrases of the list in text for people, and nowhere else."""

import subprocess

import pytest
from conftest import ROOT

TOOL = ROOT / "scripts/checks/phrases"


@pytest.fixture
def look(tmp_path):
    def at(name, text):
        path = tmp_path / name
        path.write_text(text)
        ran = subprocess.run([TOOL, path], capture_output=True, text=True, check=False)
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
])
def test_a_phrase_is_found_and_its_replacement_is_printed(look, name, text, line):
    (found,) = look(name, text)
    assert found.startswith(f"{line}: \"") and "in vain" in found.lower() and '"redundant"' in found, found


@pytest.mark.parametrize("name, text", [
    ("a.md", "`in vain`\n\n    in vain\n\n```\nin vain\n```\n"),
    ("a.md", "the main vain: in vainglory, in. Vain\n"),
    ("a.c", 'const char *a = "/* in vain */";\nint in, vain;\n'),
    ("a.py", 'a = "in vain"\nf("in vain")\n'),
    ("a.asm", "db 'in vain;', \"; in vain\"\n"),
    ("a.sh", 'echo "$#in vain"\necho in vain\n'),
])
def test_code_and_what_programs_print_are_left_alone(look, name, text):
    assert look(name, text) == []
