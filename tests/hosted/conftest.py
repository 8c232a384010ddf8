"""Fixtures of the tests of the Linux program.

These tests cannot fail because of the machine. `make silicon`, which also runs the tests marked `silicon`, judges the
figures of this CPU.
"""

import fcntl
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/objects")]
sys.pycache_prefix = str(ROOT / "build/pycache")  # not next to the sources

import priority  # noqa: E402
from golden import said  # noqa: E402,F401
from launch import launches  # noqa: E402
import report_fields  # noqa: E402

SECONDS = 300
OVERDUE = "it did not end before deadline="  # hosted/platform/fault.c
LONG = {"test_every_row.py", "test_every_method.py", "test_option_pairs.py", "test_rounds.py"}
MOST = 4  # CPUs that a test uses at once

CPUS = sorted(os.sched_getaffinity(0))
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
# The order of workers: others, tests that need one CPU, tests that need several.
ONE = {CPUS[WORKER % len(CPUS)]}
SEVERAL = sorted({CPUS[(WORKER * MOST + i) % len(CPUS)] for i in range(MOST)})


def pytest_configure(config):
    config.addinivalue_line("markers", "silicon: judges this CPU's own figures: `make silicon` alone runs it")
    config.addinivalue_line("markers", "every_cpu: uses several CPUs")
    config.addinivalue_line("markers", "others: takes another compiler, or builds the whole program once more; `make test-others`")
    config.addinivalue_line("markers", "native: not in an emulator: of the CPU, or of the process as others see it")
    config.addinivalue_line("markers", "launches: starts the Linux program; a test with `program` has it by itself")
    priority.no_real_time()
    if hasattr(config, "workerinput") or not config.option.numprocesses:
        os.sched_setaffinity(0, ONE)  # its children inherit it


def dealt(items, is_long, workers=int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))):
    """Returns the order in which each worker begins with its share of what is_long(item). pytest-xdist first sends
    every worker a batch of consecutive tests, a quarter of its share: with all long ones in front, one worker would
    get all of them."""
    batch = max(len(items) // workers // 4, 2)
    long = [item for item in items if is_long(item)]
    others = [item for item in items if not is_long(item)]
    order = []
    for worker in range(workers):
        share = long[worker::workers]
        fill = max(batch - len(share), 0) if worker < workers - 1 else len(others)
        order += share + others[:fill]
        del others[:fill]
    return order


def parameters(item):
    return item.callspec.params.values() if hasattr(item, "callspec") else []


@pytest.hookimpl(tryfirst=True)  # -m sees these markers
def pytest_collection_modifyitems(config, items):
    """Marks the tests by their fixtures and parameters. The longest tests come first, on every worker."""
    for item in items:
        if "program" in item.fixturenames:
            item.add_marker("launches")
        if any(str(value).startswith("clang") for value in parameters(item)):
            item.add_marker("others")
    if "silicon" not in config.option.markexpr:
        left_out = [item for item in items if item.get_closest_marker("silicon")]
        items[:] = [item for item in items if not item.get_closest_marker("silicon")]
        config.hook.pytest_deselected(items=left_out)
    items[:] = dealt(items, lambda item: item.path.name in LONG)


@pytest.fixture(autouse=True)
def cpus(request):
    """A worker's runs have one CPU; those of tests marked every_cpu, or with cores=all among their parameters, have
    several."""
    if request.node.get_closest_marker("native") and "BARETICK_PROGRAM" in os.environ:
        pytest.skip("not in an emulator")
    several = request.node.get_closest_marker("every_cpu") or any("cores=all" in str(p) for p in parameters(request.node))
    if several:
        os.sched_setaffinity(0, SEVERAL)
    yield
    os.sched_setaffinity(0, ONE)


def state_and_ticks(process):
    """Returns, from proc(5), its state, and the clock ticks that it ran in user mode."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0], int(fields[11])


def run_on(process, ticks):
    """Lets it run for this many clock ticks of CPU time, however busy the machine is, or until it ends."""
    state, began = state_and_ticks(process)
    now = began
    while state != "Z" and now < began + ticks:
        time.sleep(0.01)
        state, now = state_and_ticks(process)


def until(holds, process, what):
    """Waits until holds() is true. Fails with `what` if it is not within SECONDS, or if the process ends first."""
    over = time.monotonic() + SECONDS
    while not holds():
        if process.poll() is not None:
            pytest.fail(f"{what}: the process ended before that, with status {process.returncode}")
        if time.monotonic() > over:
            pytest.fail(f"{what}: not within {SECONDS} s")
        time.sleep(0.01)


def without_retries(words):
    """Returns the words without repeated blocks, which take most of the time if this core is shared. For tests that do
    not test repeats. Other methods repeat no blocks, and warn about another method's option."""
    words = [os.fsdecode(word) for word in words]
    named = {"retry_budget", "quiet_budget", "method"}.intersection(word.split("=")[0] for word in words)
    measures = not words or any("=" in word for word in words)
    return [*words, "retry_budget=0"] if measures and not named else words


class Ended:
    """The results of a launch: status, out and err as text, and the report if out has nothing else."""

    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout.decode() if process.stdout is not None else ""
        self.err = process.stderr.decode()
        lines = [line for line in self.out.splitlines() if '"kind":"mistake"' in line]
        mistakes = report_fields.mistakes(map(json.loads, lines))
        assert not mistakes, "\n".join(mistakes)

    def report(self):
        return launches.Launch(self.out.encode(), self.status, 0)

    def report_in_table(self):
        """The report of format=both, whose records are between the lines of a table."""
        records = [line for line in self.out.splitlines() if line.startswith('{"baretick"')]
        return launches.Launch("\n".join(records).encode(), self.status, 0)


def listed(text):
    """Yields (suite, row) of the output of `list`."""
    suite = None
    for line in text.splitlines():
        if re.match(r"\d+ rows", line):
            return
        if re.match(r"\w+( |$)", line):
            suite = line.split()[0]
        elif match := re.match(r"  (\w+) ", line):
            yield suite, match[1]


@pytest.fixture(scope="session")
def program():
    assert os.path.exists(launches.PROGRAM), f"{launches.PROGRAM} is missing: run make hosted"
    return launches.PROGRAM


@pytest.fixture(scope="session")
def stores():
    path = ROOT / "build/hosted/stores"
    if not path.exists():
        assert "CI" not in os.environ, f"{path} is missing"
        pytest.skip(f"{path} is missing: ./scripts/setup installs Zydis, make hosted builds it")
    return path


@pytest.fixture(scope="session")
def run(program):
    """run(word, ...): the program with these words, to its end; how: environment, stdout. Prints table and records,
    unless a word says otherwise.

    On a busy machine a core can be without the CPU for all of a short deadline=: then runs again with a longer one.
    """

    def once(words, environment, stdout):
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

    def start(*words, environment=None, stdout=subprocess.PIPE):
        words = without_retries(words)
        if not any(os.fsdecode(word).startswith("format=") for word in words):
            words = (*words, "format=both")
        ended = once(words, environment, stdout)
        return once([*words, "deadline=6"], environment, stdout) if OVERDUE in ended.out else ended

    return start


@pytest.fixture(scope="session")
def for_all_workers(tmp_path_factory):
    """A folder that all workers of this session share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def shared_run(run, for_all_workers):
    """run(word, ...) for several tests: the first of them, in any process, launches the program with these words, and
    the others get its output. Not for a test of the launch itself, nor of figures that a busy machine may spoil in
    one launch and not in another."""

    def start(*words):
        path = for_all_workers / hashlib.sha256(repr(words).encode()).hexdigest()
        with open(path, "a+b") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.seek(0)
            if not (kept := f.read()):
                ended = run(*words)
                kept = json.dumps([ended.status, ended.out, ended.err]).encode()
                f.write(kept)
        status, out, err = json.loads(kept)
        return Ended(subprocess.CompletedProcess([], status, out.encode(), err.encode()))

    return start


@pytest.fixture
def running(program):
    """running(word, ...): the program while it measures its first row; ended with the test."""
    started = []

    def start(*words):
        p = subprocess.Popen(
            [program, "format=jsonl", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A job in the background ignores SIGINT, and its children would inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(p)
        head = os.read(p.stdout.fileno(), 1)  # written when the first row begins

        def end():
            out, err = p.communicate(timeout=SECONDS)
            return Ended(subprocess.CompletedProcess([], p.returncode, head + out, err))

        return p, end

    yield start
    for p in started:
        if p.poll() is None:
            p.kill()
        p.communicate()
