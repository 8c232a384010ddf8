"""scripts/checks/root_files: the root of the repository has the listed files, and no others."""

import re
import subprocess

from commands import output_of, run_command
import pytest
from conftest import ROOT

TOOL = ROOT / "scripts/checks/root_files"
LISTED = re.search(r"LISTED=\((.*?)\)", TOOL.read_text(encoding="utf-8"), re.DOTALL)[1].split()


@pytest.fixture
def check(tmp_path):
    """check({path: text}): the lines that the check prints in a repository with the listed names, except `without`,
    and these files. A listed name is a folder or a file, which makes no difference."""

    def judge(files=(), without=()):
        output_of("git", "init", "-q", tmp_path)
        for path in [*(name for name in LISTED if name not in without), *files]:
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text("")
        output_of("git", "add", "--force", "--all", cwd=tmp_path)
        ran = run_command(TOOL, cwd=tmp_path)
        assert ran.returncode == bool(ran.stdout), ran.stderr
        return ran.stdout.splitlines()

    return judge


def test_listed_names_pass(check):
    assert check() == []


@pytest.mark.parametrize("stray, name", [("-", "-"), ("report.jsonl", "report.jsonl"), (".env", ".env"), ("new/a.c", "new")])
def test_a_stray_file_or_folder_is_named(check, stray, name):
    (line,) = check([stray])
    assert line.startswith(f"{name}: not listed") and "scripts/checks/root_files" in line


def test_a_listed_file_that_is_missing_is_named(check):
    (line,) = check(without=["VERSION"])
    assert line.startswith("VERSION: ") and "git does not know it" in line


def test_files_that_git_does_not_know_are_not_judged(check, tmp_path):
    check()
    (tmp_path / "mine.o").write_text("")
    assert subprocess.run([TOOL], cwd=tmp_path, check=False).returncode == 0
