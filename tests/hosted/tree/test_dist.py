"""`make dist`: a tarball of the committed files, which builds without git."""

import os
import shutil
import subprocess
import tarfile

from commands import run_command
import pytest

from made_reports import ROOT

VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists() or not shutil.which("git"), reason="no git repository here")


def run(*command, cwd, **how):
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900, check=False, **how)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture
def tree(tmp_path):
    """The unpacked tarball."""
    path = ROOT / run("make", "-s", "dist", cwd=ROOT).strip()
    with tarfile.open(path) as tar:
        tar.extractall(tmp_path)  # noqa: S202 (git made it)
    return tmp_path / f"baretick-{VERSION}"


@pytest.fixture
def without_git(tmp_path):
    """An environment in which the command git fails."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\necho 'git was called' >&2\nexit 99\n")
    (tmp_path / "bin/git").chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}


def test_the_tarball_has_the_committed_files_and_names_its_build(tree, without_git):
    found = {str(path.relative_to(tree)) for path in tree.rglob("*") if not path.is_dir() or path.is_symlink()}
    assert found == set(run("git", "-c", "core.quotepath=off", "ls-tree", "-r", "--name-only", "HEAD", cwd=ROOT).splitlines())
    assert f'BARETICK_BUILD "{VERSION}"' in run("scripts/build/build_id", cwd=tree, env=without_git)


@pytest.mark.others
def test_the_tarball_builds_without_git(tree, without_git):
    run("make", "-s", "-j2", "all", "build/hosted/baretick", cwd=tree, env=without_git)
    assert (tree / "build/baretick.efi").stat().st_size > 1 << 20
    assert VERSION in run("build/hosted/baretick", "suite=baseline", "bench=empty*", "samples=32", "format=jsonl", cwd=tree).split("\n")[0]


def test_make_deb_names_each_missing_package_and_the_command(tmp_path):
    tool = tmp_path / "dpkg-query"
    tool.write_text("#!/bin/sh\ncase $4 in debhelper | build-essential) exit 1 ;; esac\necho installed\n")
    tool.chmod(0o755)
    ran = run_command(ROOT / "scripts/build/deb", "none.tar.gz", tmp_path / "deb",
                      env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert ran.returncode == 1 and not (tmp_path / "deb").exists()
    assert "not installed: build-essential debhelper;" in ran.stderr, ran.stderr
    assert "apt-get install build-essential debhelper\n" in ran.stderr
