"""`-` as the name of an output is standard output, for every option that names an output."""

import subprocess
import sys

import pytest
from made_reports import COMMAND, END, ROOT, SECONDS, head, report, whole
from pictured import passing
from tools.parser import Output

COMMANDS = next(a.choices for a in COMMAND.parser()._actions if isinstance(a.choices, dict))
OPTIONS = [(name, action) for name, command in COMMANDS.items() for action in command._actions if action.option_strings]
OUTPUTS = {(name, action.option_strings[-1]) for name, action in OPTIONS if action.type is Output}
# All other options with a file or a folder: an input, or a folder whose files a command reads and adds to.
INPUTS = {("run", "--objects"), ("list", "--objects"), ("asm", "--file"), ("compare", "--old"), ("compare", "--new"),
          ("compare", "--history"), ("gate", "--history"), ("insn", "--diff"), ("insn", "--published"), ("plot", "--against"),
          ("report", "--against"), ("once", "--esp"), ("once", "--image"), ("install", "--esp"), ("install", "--image")}
NAMES_OF_FILES = {"FILE", "OUT", "DIR", "FOLDER", "PATH", "REPORT", "OLD"}
PNG, RECORD, PAGE, ELF = b"\x89PNG", b'{"baretick":1,', b"<!DOCTYPE html>", b"\x7fELF"
# Each option: the rest of the command line, what the output begins with, what is said next to it.
CALLS = {
    ("report", "-o"): (["report", "made.jsonl", "--plots", "0"], PAGE, b"written: -: "),
    ("plot", "-o"): (["plot", "made.jsonl", "--kind", "linearity", "--format", "png"], PNG, b"-: "),
    ("capture", "--out"): (["capture", "made.jsonl"], RECORD, b"records on standard output"),
    ("run", "--out"): (["run", "--hosted", "suite=baseline", "bench=empty_plain", "samples=32"], RECORD, b""),
    ("asm", "--object"): (["asm", "add rax, rbx", "--hosted", "--unroll", "10"], ELF, b"a copy"),
}


def test_every_option_with_a_file_is_an_input_or_an_output():
    """A new one that names an output has the type Output, and a call here."""
    named = {(name, action.option_strings[-1]) for name, action in OPTIONS if action.metavar in NAMES_OF_FILES or
             action.option_strings[-1] in ("-o", "--out", "--output")}
    assert named | {("asm", "--file")} == OUTPUTS | INPUTS
    assert OUTPUTS == set(CALLS)


@pytest.mark.parametrize("command, option", sorted(OUTPUTS))
def test_a_dash_is_standard_output(command, option, tmp_path):
    if command == "plot":
        pytest.importorskip("matplotlib", reason="python3-matplotlib is not here")
    (tmp_path / "made.jsonl").write_bytes(report([*passing(), END]))
    words, begins, said = CALLS[command, option]
    ran = subprocess.run([sys.executable, ROOT / "scripts/baretick", words[0], option, "-", *words[1:]], cwd=tmp_path,
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(begins) and said in ran.stderr, (ran.stdout[:80], ran.stderr)
    assert [f.name for f in tmp_path.iterdir()] == ["made.jsonl"]


def test_a_report_on_standard_output_is_whole(tmp_path):
    """And the second of two, of a machine that was reset, follows the first one."""
    (tmp_path / "line.log").write_bytes(report([head(build="1" * 12)]) + whole())
    ran = subprocess.run([sys.executable, ROOT / "scripts/baretick", "capture", "line.log", "--out", "-"], cwd=tmp_path,
                         capture_output=True, timeout=SECONDS, check=False)
    assert ran.returncode == 0 and b"another report begins" in ran.stderr
    assert ran.stdout == (report([head(build="1" * 12)]) + whole()).replace(b"\r\n", b"\n")


def test_several_pictures_do_not_fit_in_standard_output(tmp_path):
    pytest.importorskip("matplotlib", reason="python3-matplotlib is not here")
    (tmp_path / "made.jsonl").write_bytes(report([*passing(), END]))
    ran = subprocess.run([sys.executable, ROOT / "scripts/baretick", "plot", "made.jsonl", "-o", "-"], cwd=tmp_path,
                         capture_output=True, timeout=SECONDS, check=False)
    assert ran.returncode == 2 and not ran.stdout and b"pictures do not fit in -" in ran.stderr
    assert [f.name for f in tmp_path.iterdir()] == ["made.jsonl"]
