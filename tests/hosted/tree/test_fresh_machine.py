"""What a fresh machine gets: an old Python, a locale without UTF-8, no NASM, a source tree that cannot be written."""

import ast
import os
import re
import shutil
import subprocess
import sys

from commands import run_command
import pytest
from conftest import ROOT
from test_help import COMMANDS

DATA = ROOT / "tests/hosted/data"
# Those that a user starts, or that `make` starts first.
ENTRIES = ["baretick", "run", "silicon", "test", "test-conditions", "pictures", "build/font", "build/pe_check", "build/pe_finish"]
# Python 3.8, as seen by a program.
OLD = "import runpy, sys; sys.version_info = (3, 8, 18, 'final', 0); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"


@pytest.mark.parametrize("name", ENTRIES)
def test_an_old_python_gets_one_sentence_from_each_command(name):
    """The command and what it imports first must also compile there."""
    path = ROOT / "scripts" / name
    for source in (path, ROOT / "scripts/tools/__init__.py"):
        ast.parse(source.read_text(), feature_version=(3, 7))
    p = run_command(sys.executable, "-c", OLD, path, "--help", env={**os.environ, "PYTHONPATH": str(path.parent)})
    assert p.returncode == 1 and p.stdout == "" and len(p.stderr.splitlines()) == 1, p.stderr
    assert re.match(rf"{path.name}: Python 3\.8 .*3\.9 or later", p.stderr), p.stderr


ENCODINGS = [{"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "LANG": "C"},
             {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
# FILE has a name that these encodings lack, and one that has bytes of no encoding.
LINES = [["show", "FILE"], ["show", "--format", "csv", "FILE"], ["show", "--format", "json", "FILE"], ["show", "--machine", "FILE"],
         ["show", "--format", "markdown", "FILE"], ["compare", "FILE", "FILE"], ["convert", "--to", "bencher", "FILE"],
         ["convert", "--to", "benchstat", "FILE"], ["gate", "FILE", "FILE"], ["report", "FILE", "-o", "-"], ["insn", "FILE"],
         ["report", "FILE", "-o", "OUT"], ["plot", "FILE", "-o", "OUT"], ["capture", "FILE", "--out", "OUT"],
         ["receive", "FILE"], ["show", "\u2191"], ["show", "--sort", "\u2191", "FILE"], ["\u2191"], ["asm", "\u2191 rax"],
         ["run", "--objects", "FILE", "\u2191"], ["once", "\u2191=1"], ["stores", "FILE"]]


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda e: "-".join(f"{k}={v}" for k, v in e.items()))
def test_no_command_ends_in_a_traceback_in_an_encoding_that_lacks_a_character(tmp_path, encoding):
    names = [os.fsencode("r\u00e9port \u2191.jsonl"), b"no text \xff.jsonl"]
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith(("LC_", "PYTHON"))}, **encoding}
    for name in names:
        shutil.copy(DATA / "silicon.jsonl", os.fsencode(tmp_path) + b"/" + name)
    lines = [[name if word == "FILE" else b"out" if word == "OUT" else os.fsencode(word) for word in line]
             for name in names for line in LINES]
    for words in [*lines, *([os.fsencode(command), b"--help"] for command in COMMANDS)]:
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        p = subprocess.run([sys.executable, ROOT / "scripts/baretick", *words], cwd=tmp_path, env=environment, check=False,
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        assert b"Traceback" not in p.stderr and b"Error:" not in p.stderr, (words, p.stderr)


def test_without_nasm_make_names_the_command_that_installs_it(tmp_path):
    for tool in ("NASM", "CC"):
        p = run_command("make", f"B={tmp_path}", f"{tool}=no-such-tool", cwd=ROOT)
        assert p.returncode != 0 and "no-such-tool is not installed: run ./scripts/setup" in p.stderr, p.stderr


@pytest.fixture
def unwritable(tmp_path):
    """A source tree whose build/ cannot be written: it is a file. Even root can then create nothing in it."""
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "VERSION", "linker.ld"):
        shutil.copy(ROOT / name, tree)
    for name in ("boot", "kernel", "bench", "lib", "hosted", "tests"):
        (tree / name).symlink_to(ROOT / name)
    (tree / "build").touch()
    return tree


def test_in_a_tree_that_cannot_be_written_the_message_names_the_way_out(unwritable):
    p = run_command("make", cwd=unwritable)
    assert p.returncode != 0 and "cannot be written" in p.stderr and "make B=FOLDER" in p.stderr, p.stderr
    for words in (["run", "suite=baseline"], ["capture", DATA / "silicon.jsonl"]):
        p = run_command(unwritable / "scripts/baretick", *words)
        assert p.returncode == 2 and f"{unwritable}/build" in p.stderr and "; --out names another folder" in p.stderr, p.stderr
