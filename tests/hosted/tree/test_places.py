"""The command in the layout of a package, without the source tree around it (scripts/tools/places.py)."""

import os
import shutil

from commands import run_command
import pytest
from made_reports import ROOT


@pytest.fixture
def installed(tmp_path, program):
    """installed(word, ...): the installed command, run from an empty folder."""
    share, programs, work = (tmp_path / name for name in ("usr/share/baretick", "usr/lib/baretick/hosted", "work"))
    shutil.copytree(ROOT / "scripts", share / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "VERSION", share)
    for folder in (programs, work):
        folder.mkdir(parents=True)
    (programs / "baretick").symlink_to(program)

    others = {name: value for name, value in os.environ.items() if name != "BARETICK_PROGRAM"}

    def run(*words):
        return run_command(share / "scripts/baretick", *words, cwd=work, env=others)

    return run


def test_an_installed_command_finds_its_files_and_writes_none(installed, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    assert installed("--version").stdout.strip() == f"baretick {(ROOT / 'VERSION').read_text().strip()}"
    assert "calls" in installed("list").stdout
    assert installed("compare").returncode == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_its_texts_name_the_places_of_the_package(installed, tmp_path):
    assert "/usr/lib/baretick/baretick.efi" in (said := installed("once", "--help").stdout) and str(tmp_path) not in said
    assert "baretick/run" in (said := installed("run", "--help").stdout) and "build/run" not in said
    (tmp_path / "usr/lib/baretick/hosted/baretick").unlink()
    ran = installed("list")
    assert ran.returncode == 2 and "package baretick" in ran.stderr and "make" not in ran.stderr
