"""scripts/commits: the form of commit messages, and the selection of commits that it checks."""

import os
import subprocess

from commands import run_command
import pytest
from conftest import ROOT

TOOL = ROOT / "scripts/commits"
GOOD = "kernel/paging: map the framebuffer write-combining\n\nText output took 40 ms a line.\n"
BEFORE, SINCE = "2026-11-20T00:00:00Z", "2026-11-25T00:00:00Z"


@pytest.fixture
def repository(tmp_path):
    """repository(message, date): makes a commit with it; repository.check(): the tool's status and output there."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}

    def git(*words, **more):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True,
                       capture_output=True, text=True, env={**environment, **more.pop("env", {})}, **more)

    def commit(message, date=SINCE):
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": SINCE}
        git("commit", "--allow-empty", "--cleanup=verbatim", "-F", "-", input=message, env=dates)

    def check(*words):
        ran = run_command(TOOL, *words, cwd=tmp_path, env=environment)
        return ran.returncode, ran.stdout

    commit.git, commit.check = git, check
    git("init", "-q", "-b", "main")
    return commit


@pytest.mark.parametrize("message", [
    GOOD,
    "README: name the licence\n",
    "CHANGELOG, VERSION: begin 0.2.0\n",
    "bench, lib/cpu: count them once\n\n    an indented line of code that is much longer than 72 columns are, kept as it is\n",
    "docs: cite the manual\n\nhttps://example.org/a/very/long/name/of/a/page/that/cannot/be/wrapped/at/all/anywhere\n",
    'Revert "kernel/paging: map it"\n',
])
def test_good_messages_pass(repository, message):
    repository(message)
    assert repository.check() == (0, "")


@pytest.mark.parametrize("message, named", [
    ("Map the framebuffer\n", '"area: verb what"'),
    ("Kernel: map the framebuffer\n", "lower-case"),
    ("kernel: Map the framebuffer\n", '"area: verb what"'),
    ("kernel: map the framebuffer.\n", "full stop"),
    ("kernel: " + "m" * 65 + "\n", "73 columns, 72 are allowed"),
    ("kernel: map it\nwithout a blank line\n", "one blank line"),
    ("kernel: map it\n\n\nafter two blank lines\n", "one blank line"),
    ("kernel: map it\n\n" + "word " * 14 + "end\n", "73 columns, 72 are allowed"),
])
def test_bad_messages_are_named_with_the_rule(repository, message, named):
    repository(GOOD)
    repository(message)
    status, said = repository.check()
    assert status == 1 and len(said.splitlines()) == 1 and named in said, said
    assert repository.check("HEAD~1..HEAD")[0] == 1


def test_commits_older_than_the_rule_are_not_checked(repository):
    repository("An old one.\n", BEFORE)
    assert repository.check() == (0, "")
    assert repository.check("HEAD")[0] == 1, "a range judges it"
    repository("A new one\n")
    status, said = repository.check()
    assert status == 1 and said.endswith("A new one\n") and len(said.splitlines()) == 1


def test_a_clone_judges_the_same_commits(repository):
    """A remote's branch that contains them makes no difference."""
    repository("A new one\n")
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert repository.check()[0] == 1


def test_a_range_that_git_does_not_know_is_not_a_success(repository):
    repository(GOOD)
    assert repository.check("nowhere..HEAD")[0] == 2


def test_a_source_archive_has_no_messages(tmp_path):
    assert subprocess.run([TOOL], cwd=tmp_path, check=False).returncode == 0
