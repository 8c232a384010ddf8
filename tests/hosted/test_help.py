"""The help of the commands that read reports, word by word.

data/help/ holds it; `UPDATE=1 python3 -m pytest tests/hosted/test_help.py` writes it anew. Line breaks and a
heading are argparse's own, and are other ones in other releases of Python.
"""

import os
import re
from pathlib import Path

import pytest
from made_reports import baretick

GOLDEN = Path(__file__).parent / "data/help"
COMMANDS = ("show", "compare", "gate", "convert", "capture", "plot", "report")


def words(text):
    return re.sub(r"\s+", " ", text.replace("optional arguments:", "options:")).strip()


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    ran = baretick(command, "--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    golden = GOLDEN / f"{command}.txt"
    if os.environ.get("UPDATE"):
        golden.write_text(ran.stdout)
    assert words(ran.stdout) == words(golden.read_text())
    assert max(map(len, ran.stdout.splitlines())) <= 120


def test_every_command_is_named_with_what_it_does():
    said = words(baretick("--help").stdout)
    for command in COMMANDS:
        assert re.search(rf" {command} [A-Za-z]", said), command


@pytest.mark.parametrize("words, said", [
    (["compar"], "(did you mean compare?)"), (["shwo"], "(did you mean show?)"), (["qqqq"], None),
    (["completion", "bsh"], "(did you mean bash or zsh?)"),
])
def test_a_word_like_a_known_one_is_asked_about(words, said):
    ran = baretick(*words)
    assert ran.returncode == 2 and not ran.stdout
    assert ran.stderr.endswith(f" {said}\n") if said else "did you mean" not in ran.stderr, ran.stderr
