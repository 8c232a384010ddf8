"""The Linux program as a process: its CPU, its memory, pauses, signals, its terminal."""
import fcntl
import math
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import SECONDS, listed, run_on, until
from statuses import CHECK_FAILED, STOPPED, refused

QUICK = ["suite=planted", "bench=adds20", "samples=64", "retry_budget=0"]

CODE_VA, DATA_VA = 0x400000000000, 0x400001000000  # bench/api/platform.h


@pytest.mark.parametrize("value", ["-1", "nobody", "", "1024", "3 "])
def test_a_wrong_cpu_in_the_environment_is_refused(run, value):
    refused(run(*QUICK, environment={"BARETICK_CPU": value}), "BARETICK_CPU", f'"{value}"')


@pytest.mark.every_cpu
def test_the_environment_selects_the_cpu(run):
    for cpu in os.sched_getaffinity(0):
        report = run(*QUICK, "format=jsonl", environment={"BARETICK_CPU": str(cpu)}).report()
        assert report.run["process"]["cpu"] == cpu


@pytest.mark.every_cpu
def test_a_core_is_called_core(run):
    """One line says which of the system's CPUs core 0 is; all other lines count cores."""
    cpu = str(min(os.sched_getaffinity(0)))
    lines = run(*QUICK, "format=table", environment={"BARETICK_CPU": cpu}).out.splitlines()
    (process,) = [line for line in lines if line.startswith("process   ")]
    assert re.match(rf"process   core 0 is the system's CPU {cpu}[ ;]", process)
    assert any(line.startswith("witness   ") and "core 0" in line for line in lines)
    assert not [line for line in lines if line != process and re.search(r"\bCPU \d", line)]


def test_lost_output_is_a_failure(run):
    with open("/dev/full", "wb") as full:
        ended = run(*QUICK, stdout=full)
    assert ended.status == CHECK_FAILED and "standard output" in ended.err


def stop_in_row(process):
    """Stops the process in its first row, after some of its windows."""
    run_on(process, ticks=3)
    os.kill(process.pid, signal.SIGSTOP)
    seen = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if seen.si_code != os.CLD_STOPPED:
        pytest.skip("the row was over before it could be stopped: the machine is too busy")


# Some seconds in one row, so that what the test does to the process happens in this row.
LONG = ["suite=planted", "bench=long", "layout=fixed", "samples=100000", "hist=off"]


def test_the_time_without_the_cpu_is_reported(running):
    """The time that the system, or a stop, kept from the process: no less, and no more than elapsed. The TSC's
    frequency is measured, so a tenth is allowed for its error."""
    started = time.monotonic()
    process, end = running(*LONG)
    stop_in_row(process)
    stopped = time.monotonic()
    time.sleep(0.3)
    least = time.monotonic() - stopped
    os.kill(process.pid, signal.SIGCONT)
    row = end().report().rows["planted/long"]
    assert 0.9e3 * least <= row["process"]["away_ms"] <= 1.1e3 * (time.monotonic() - started)


@pytest.mark.parametrize("rounds", [1, 4])
def test_a_pause_longer_than_the_deadline_ends_no_row(running, rounds):
    """The deadline is in CPU time, in the round that was paused and over all rounds."""
    deadline = 2
    process, end = running("suite=planted", "bench=long", "samples=4096", "hist=off", f"rounds={rounds}",
                           f"deadline={deadline}")  # fmt: skip
    stop_in_row(process)
    time.sleep(deadline + 0.5)
    os.kill(process.pid, signal.SIGCONT)
    row = end().report().rows["planted/long"]
    assert row["status"] == "ok" and row["process"]["away_ms"] > 1e3 * deadline, row


@pytest.mark.native
def test_code_and_data_lie_where_every_platform_has_them(running):
    process, end = running(*LONG)
    stop_in_row(process)
    maps, code = {}, {}
    for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
        span, rights = line.split()[:2]
        low, high = (int(x, 16) for x in span.split("-"))
        maps[low] = (high - low, rights[:3])
        if CODE_VA <= low < CODE_VA + (1 << 20):
            code[rights[:3]] = code.get(rights[:3], 0) + high - low
    process.kill()
    end()
    assert maps[CODE_VA][1] == "r-x" and set(code) <= {"r-x", "rw-"} and sum(code.values()) == 1 << 20, code
    assert maps[DATA_VA] == (1 << 20, "rw-")


@pytest.mark.native
@pytest.mark.every_cpu
def test_move_to_another_cpu_is_counted(running):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is but one CPU")
    process, end = running(*LONG)
    stop_in_row(process)
    was = os.sched_getaffinity(process.pid)
    os.sched_setaffinity(process.pid, os.sched_getaffinity(0) - was)
    os.kill(process.pid, signal.SIGCONT)
    row = end().report().rows["planted/long"]
    assert row["process"]["migrations"] >= 1
    # Its block is disturbed, if it was one of the body's.
    assert row["nmis"] == row["process"]["migrations"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_first_row_ends_the_run_too(running, number):
    """As soon as the process handles signals, which is before its clocks are measured."""
    process, end = running("suite=truth", "samples=1000000", "hist=off")
    until(lambda: int(re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text())[1], 16) >> (number - 1) & 1,
          process, f"{number} is caught")
    os.kill(process.pid, number)
    ended = end()
    assert ended.status == STOPPED and ended.report().end["verdict"] == "stopped", ended.err


def test_interrupt_ends_the_run(shared_run, running):
    """Within the row, which is left out; the report is complete, says how to continue, and is not PASS."""
    all_rows = [name for suite, name in listed(shared_run("list").out) if suite == "truth"]
    process, end = running("suite=truth", "samples=1000000", "hist=off", "layout=fixed")
    os.kill(process.pid, signal.SIGINT)
    ended = end()
    report = ended.report()
    if len(report.rows) == len(all_rows):
        pytest.skip("the run was over before the signal came: the machine is too busy")
    assert report.end["stopped"] is True and report.end["rows"] == len(report.rows) < len(all_rows)
    failed = report.end["failures"] > 0  # a row before it, because of a busy machine's figure
    assert ended.status == (CHECK_FAILED if failed else STOPPED)
    assert report.end["verdict"] == ("fail" if failed else "stopped")
    (event,) = [e for e in report.events if e["kind"] == "stopped"]
    left = [name for name in all_rows if f"truth/{name}" not in report.rows]
    assert event["message"].endswith(f" suite=truth bench={','.join(left)}"), event


def until_the_end(terminal):
    """Returns what programs write to a terminal until the last one ends."""
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:
        pass  # EIO: the program has ended
    os.close(terminal)
    return shown


def test_progress_is_for_a_terminal(program, run):
    """On a terminal, one line that is rewritten, and that says how to stop; elsewhere it would be in the report."""
    words = ["suite=truth", "bench=add,imul,ror", "samples=64", "format=table"]  # on a CPU in two rounds
    assert "Ctrl-C stops" not in run(*words).out
    terminal, end = pty.openpty()
    p = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=end, stderr=end)
    os.close(end)
    shown = until_the_end(terminal)
    p.wait(timeout=300)
    lines = re.findall(rb"\rtruth/(\w+): (?:\d+% of )?(row \d of 3(?:, round \d of 2)?)([^\r]*)(?=\r)", shown)
    found = list(dict.fromkeys(line[:2] for line in lines))  # a row that takes long has several lines
    rows = [(name, b"row %d of 3" % i) for i, name in enumerate((b"add", b"imul", b"ror"), 1)]
    two = [(name, row + b", round %d of 2" % r) for r in (1, 2) for name, row in rows]
    assert found in (two, rows), found
    assert all(b"Ctrl-C stops" in rest for _, _, rest in lines)


def test_progress_of_a_report_in_a_file_is_on_standard_error(program, tmp_path):
    """A row that takes its time is shown with the seconds of its suite. The file has the records only."""
    words = ["suite=quiet", "quiet_time=1", "format=jsonl"]
    terminal, end = pty.openpty()
    with open(tmp_path / "report.jsonl", "wb") as report, subprocess.Popen(
        [program, *words], stdin=subprocess.DEVNULL, stdout=report, stderr=end) as p:  # fmt: skip
        os.close(end)
        shown = until_the_end(terminal)
    assert re.search(rb"\rquiet/\w+: \d+ of \d+ s of the suite.*, Ctrl-C stops", shown), shown
    assert shown.endswith(b" \r"), "the last line is not wiped"
    assert all(line.startswith(b"{") for line in (tmp_path / "report.jsonl").read_bytes().splitlines())


@pytest.mark.parametrize("suite, words, pairs", [
    ("sum", [], {("cold", "warm")}),
    ("calls", ["bench=direct,direct_inc,plt,got,register,virtual"],
     {("direct_inc", "direct"), *((way, "direct") for way in ("plt", "got", "register", "virtual"))}),
])  # fmt: skip
def test_compared_pairs_have_the_figures_of_their_rows(run, suite, words, pairs):
    """They are converted with the core's clock of each row, because each row has its own ruler."""
    report = run(f"suite={suite}", *words, "samples=256", "format=jsonl").report()
    events = [e for e in report.events if e["kind"] == "compared"]
    assert len(events) == len(pairs) and {(e["name"], e["compared_with"]) for e in events} == pairs, events
    for event in events:
        mine, other = (report.rows[f"{suite}/{event[k]}"]["per_op"] for k in ("name", "compared_with"))
        if "cycles" not in mine:
            pytest.skip("no core cycles here")
        assert (event["unit"], event["per_op"], event["other_per_op"]) == (
            "cycles", mine["cycles"], other["cycles"])
        assert event["apart"] == pytest.approx(mine["cycles"] - other["cycles"], abs=2e-6)
        below, above = ([abs(one[bound] - one["cycles"]) for one in (mine, other)] for bound in ("cycles_lo", "cycles_hi"))
        assert event["apart_hi"] - event["apart"] == pytest.approx(math.hypot(above[0], below[1]), abs=1e-5)
        assert event["apart"] - event["apart_lo"] == pytest.approx(math.hypot(below[0], above[1]), abs=1e-5)


# One row that would last for an hour.
ENDLESS = ["suite=provoke", "bench=endless", "deadline=3600"]


@pytest.mark.native
@pytest.mark.every_cpu
@pytest.mark.parametrize("cores", ["bsp", "all"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_row_that_does_not_end(running, number, cores):
    """The report is complete; the current row has no record. The same if SIGINT is ignored at the start, as in a
    background job."""
    was = signal.signal(number, signal.SIG_IGN)
    process, end = running(*ENDLESS, f"cores={cores}", "share=together")
    signal.signal(number, was)
    os.kill(process.pid, number)
    ended = end()
    report = ended.report()
    assert report.end["stopped"] is True and report.end["rows"] == len(report.rows) == 0
    assert not [e for e in report.events if e["kind"] == "fault"]
    failed = report.end["failures"] > 0  # a self-test, because of a busy machine's figure
    assert ended.status == (CHECK_FAILED if failed else STOPPED)


def syscall_of(process):
    """Returns, from proc(5), the number of the system call that it waits in, and more; empty if the kernel does not
    tell."""
    try:
        return Path(f"/proc/{process.pid}/syscall").read_text()
    except OSError:
        return ""


def test_a_second_interrupt_ends_at_once(program):
    """While the first is being handled: its report goes into a pipe that is full."""
    read, write = os.pipe()
    size = fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    os.write(write, b"x" * size)
    process = subprocess.Popen([program, *ENDLESS], stdin=subprocess.DEVNULL, stdout=write)
    try:
        until(lambda: syscall_of(process).startswith("1 "), process, "write(2) waits for the pipe, as /proc/PID/syscall has it")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        # A second signal within a tenth of a second counts as the same request: timeout(1) signals a process and then
        # its group.
        while process.poll() is None and time.monotonic() < began + SECONDS:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        assert process.returncode == -signal.SIGINT and time.monotonic() - began > 0.09
    finally:
        process.kill()
        process.wait()
        os.close(read)
        os.close(write)
