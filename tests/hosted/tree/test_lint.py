"""scripts/lint in a small tree with made tools: which checks it starts, and what it prints and returns."""

import os
import re
import shutil

from commands import run_command
import pytest
from conftest import ROOT

LINT = ROOT / "scripts/lint"
CHECKS = re.findall(r"^check .*?(scripts/\S+)(?: |$)", LINT.read_text(encoding="utf-8"), re.MULTILINE)  # by a script


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def lint(tmp_path):
    """lint(tool=version): its exit status and its lines. The version of a tool is what it prints; it fails if told to."""
    tree, tools = tmp_path / "tree", tmp_path / "bin"
    for folder in ("boot", "kernel", "hosted", "bench", "lib", "tests", "packaging/debian", ".ci"):
        (tree / folder).mkdir(parents=True)
    for name in ("scripts/build/one", *CHECKS):
        write(tree / name, "#!/bin/sh\nexit 0\n")
    (tree / "scripts/judge").mkdir()
    (tree / "scripts/judge/one.py").write_text("ONE = 1\n")
    (tree / "lib/one.c").write_text("int one;\n")
    (tree / "linker.ld").touch()
    (tree / "scripts/checks/cppcheck.suppress").write_text("# why\nuninitvar:lib/one.c\n")
    shutil.copy(LINT, tree / "scripts/lint")

    def start(fails="", **versions):
        for name in ("clang-format", "cppcheck", "shellcheck"):
            version = versions.get(name.replace("-", "_"), {"clang-format": "14.0.6", "cppcheck": "2.10"}.get(name, "0.9"))
            end = f"sleep 0.2; echo a finding of {name}; exit 1" if name == fails else "exit 0"
            write(tools / name, f'#!/bin/sh\n[ "$1" != --version ] || {{ echo version {version}; exit 0; }}\n{end}\n')
        ran = run_command(tree / "scripts/lint", env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
        return ran.returncode, ran.stdout.splitlines()

    start.tree = tree
    return start


def test_checks_that_pass_are_named_in_order(lint):
    status, lines = lint()
    assert status == 0 and all(line.startswith("ok ") for line in lines), lines
    assert lines.index("ok clang-format") < lines.index("ok cppcheck") < lines.index("ok phrases")


def test_a_finding_is_printed_above_its_check_and_fails(lint):
    status, lines = lint(fails="clang-format")
    assert status == 1 and lines[:2] == ["a finding of clang-format", "FAILED clang-format"], lines
    assert "ok phrases" in lines


def test_a_version_with_other_findings_is_skipped_by_name(lint):
    status, lines = lint(fails="clang-format", clang_format="15.0.1")
    assert status == 0 and any("skipped clang-format: this is version 15.0" in line for line in lines), lines
    assert lint(fails="clang-format", clang_format="19.1.7")[0] == 1


def test_a_suppression_of_a_file_that_was_renamed_fails(lint):
    (lint.tree / "lib/one.c").rename(lint.tree / "lib/two.c")
    status, lines = lint()
    assert status == 1 and "scripts/checks/cppcheck.suppress: there is no lib/one.c" in lines, lines


def test_the_cost_of_make_check_is_the_same_in_makefile_and_page():
    cost = re.search(r"^CHECK_CPU_S := (\d+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    (row,) = [line for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if "`make check`, and" in line]
    assert f"{cost} s of CPU time" in row, row
