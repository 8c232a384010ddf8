"""Fixtures of the tests of the hosted program. None of them can fail because a machine is slow."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import launches  # noqa: E402

SECONDS = 300
CPU = "BARETICK_CPU"


def pytest_configure(config):
    """Each worker's programs on a CPU of their own: else all would run on the last one, one after the other."""
    worker = getattr(config, "workerinput", {}).get("workerid")
    if worker:
        cpus = sorted(os.sched_getaffinity(0))
        os.environ[CPU] = str(cpus[int(worker.removeprefix("gw")) % len(cpus)])


def state_and_ticks(process):
    """proc(5): its state, and the clock ticks that it has run in user mode."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0], int(fields[11])


def run_on(process, ticks):
    """Lets it run for so many clock ticks of its own, however busy the machine is, or until it ends."""
    state, began = state_and_ticks(process)
    now = began
    while state != "Z" and now < began + ticks:
        time.sleep(0.01)
        state, now = state_and_ticks(process)


class Ended:
    """What a launch left: status, out and err as text, and the report where out is nothing else."""

    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout.decode() if process.stdout is not None else ""
        self.err = process.stderr.decode()

    def report(self):
        return launches.Launch(self.out.encode(), self.status, 0)


@pytest.fixture(autouse=True)
def cpus(request):
    """Each run is SCHED_FIFO: one that keeps a CPU from another's meeting of cores fails that row. So a module
    or a test with EVERY_CPU, or one with cores=all among its parameters, has them to itself; who waits for
    that keeps later tests out."""
    alone = getattr(request.module, "EVERY_CPU", False) or getattr(request.function, "EVERY_CPU", False)
    alone = alone or "cores=all" in str(getattr(request.node, "callspec", None) and request.node.callspec.params)
    folder = ROOT / "build/hosted"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "turn.lock", "w") as turn, open(folder / "cpus.lock", "w") as lock:
        fcntl.flock(turn, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(turn, fcntl.LOCK_UN)
        yield


@pytest.fixture(scope="session")
def program():
    assert os.path.exists(launches.PROGRAM), f"{launches.PROGRAM} is missing: run make hosted"
    return launches.PROGRAM


@pytest.fixture
def run(program):
    """run(word, ...): the program with these words, to its end; how: environment, stdout."""

    def start(*words, environment=None, stdout=subprocess.PIPE):
        return Ended(
            subprocess.run(
                [program, *words],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env={**os.environ, **(environment or {})},
                timeout=SECONDS,
                check=False,
            )
        )

    return start


@pytest.fixture
def running(program):
    """running(word, ...): the program while it measures its first row; ended when the test is."""
    started = []

    def start(*words):
        p = subprocess.Popen(
            [program, "format=jsonl", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A job in the background ignores SIGINT, and so would its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(p)
        head = os.read(p.stdout.fileno(), 1)  # written as the first row begins

        def end():
            out, err = p.communicate(timeout=SECONDS)
            return Ended(subprocess.CompletedProcess([], p.returncode, head + out, err))

        return p, end

    yield start
    for p in started:
        if p.poll() is None:
            p.kill()
        p.communicate()
