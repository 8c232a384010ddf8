"""Fixtures of the tests of the hosted program. None of them can fail because a machine is slow."""

import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import launches  # noqa: E402

SECONDS = 300
TOKENS = "BARETICK_TEST_TOKENS"
LONG = {"test_every_row.py", "test_rounds.py"}
CPUS = sorted(os.sched_getaffinity(0))[:255]  # a token is a byte


def pytest_configure(config):
    """As make's jobserver has them: a token for each CPU, in a pipe that every worker opens."""
    if not hasattr(config, "workerinput"):
        path = os.path.join(tempfile.mkdtemp(prefix="baretick-cpus-"), "tokens")
        os.environ[TOKENS] = path
        os.mkfifo(path)
        config.tokens = os.open(path, os.O_RDWR)  # else what is in it goes with the last who has it open
        os.write(config.tokens, bytes(range(len(CPUS))))


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        os.close(config.tokens)
        shutil.rmtree(os.path.dirname(os.environ.pop(TOKENS)))


def pytest_collection_modifyitems(items):
    """What takes long comes first, which is dealt out one by one; later workers get many at once, and one of them
    would have these alone in the end."""
    items.sort(key=lambda item: item.path.name not in LONG)


def take(tokens, count):
    taken = b""
    while len(taken) < count:
        assert select.select([tokens], [], [], 2 * SECONDS)[0], "no CPU becomes free: a test has died with its token"
        taken += os.read(tokens, count - len(taken))
    return taken


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


def says(request, word):
    return getattr(request.module, word, False) or getattr(request.function, word, False)


def before_the_runs():
    """Whether this process, and no child of it, has been put before the runs: where it may be, they are SCHED_FIFO of
    the lowest priority."""
    try:
        priority = os.sched_param(os.sched_get_priority_min(os.SCHED_FIFO) + 1)
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, priority)
    except PermissionError:
        return False
    return True


@pytest.fixture(autouse=True)
def cpus(request):
    """Each run is SCHED_FIFO: two on a CPU run one after the other, and one that keeps a CPU from another's meeting
    of cores fails that row. So a test that starts runs, by a fixture or as STARTS_RUNS says, has a CPU for them, and
    no other to use; a module or a test with EVERY_CPU, or with cores=all among its parameters, has all. The test
    watches them from there, so it goes before them."""
    parameters = str(request.node.callspec.params) if hasattr(request.node, "callspec") else ""
    alone = says(request, "EVERY_CPU") or "cores=all" in parameters
    if not (alone or "program" in request.fixturenames or says(request, "STARTS_RUNS")):
        yield
        return
    tokens = os.open(os.environ[TOKENS], os.O_RDWR)
    with open(os.environ[TOKENS] + ".turn", "w") as turn:  # in turn: two that want all would each keep some
        fcntl.flock(turn, fcntl.LOCK_EX)
        taken = take(tokens, len(CPUS) if alone else 1)
    before = os.sched_getaffinity(0)
    if not alone:
        os.sched_setaffinity(0, {CPUS[taken[0]]})  # its children have it from it
    watching = before_the_runs()
    yield
    if watching:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.sched_setaffinity(0, before)
    os.write(tokens, taken)
    os.close(tokens)


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
