"""What the tests of `baretick stores` share: the command, the program as each compiler builds it, traces."""
import fcntl
import json
import os
from pathlib import Path
from unittest import mock

from commands import output_of
import made
import made_reports
import pytest
from assembly import stores
from conftest import ROOT


BARETICK = ROOT / "scripts/baretick"
PROGRAM = ROOT / "build/hosted/stores"
SECONDS = made_reports.SECONDS

FLAGS = Path("/proc/cpuinfo").read_text().split()


@pytest.fixture(params=["gcc", "clang"])
def compiler(request):
    return request.param


@pytest.fixture
def program(compiler):
    """Builds the program with this compiler, including its rows; one worker at a time builds it."""
    path = ROOT / f"build/tests/stores-{compiler}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.parent / "lock", "w") as lock:  # as in tests/boot/build.py
        fcntl.flock(lock, fcntl.LOCK_EX)
        output_of("make", "-s", "-C", ROOT, f"CC={compiler}", f"STORES={path.relative_to(ROOT)}",
                  path.relative_to(ROOT))
    return path


def baretick(*words, columns=100):
    with mock.patch.dict(os.environ, COLUMNS=str(columns)):
        return made_reports.baretick("stores", *words)


def followed(*words, status=0):
    """Returns the traces."""
    ran = baretick(*words, "--json")
    assert ran.returncode == status, ran
    return [json.loads(line) for line in ran.stdout.splitlines()]


def of(program, *words):
    """Returns traces of the program itself, by row."""
    traces, refused = stores.read(output_of(program, *words))
    assert not refused
    return {trace["row"]: trace for trace in traces}


def one(*words):
    (trace,) = followed(*words)
    return trace


def counts(record, *names):
    return tuple(record[name] for name in names)


@pytest.fixture
def planted(compiler, tmp_path):
    return made.own(f"stores_{compiler}", tmp_path)
