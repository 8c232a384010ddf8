"""Suite `quiet` in a process, and settings that a process cannot change."""

import os
import signal
import time
from pathlib import Path

from conftest import run_on, until

STOP_SECONDS = 0.3
CLOCK_ERROR = 0.1  # the TSC's frequency is measured; on a working machine its error is far smaller


class Child:
    """The process that watches on a core, one for each stretch."""

    def __init__(self, parent):
        self.pid = int(Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()[0])
        self.poll = lambda: None


def children(process):
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def stop_a_core(process):
    """Stops the core in a stretch. Returns the least and the most seconds that it was stopped, or None: it had ended."""
    until(lambda: children(process), process, "no core watches")
    try:
        child = Child(process)
        run_on(child, ticks=10)  # the stretch has begun
        before = time.monotonic()
        os.kill(child.pid, signal.SIGSTOP)
        until(lambda: Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "TtZX", child, "no stop")
        stopped = time.monotonic()
        time.sleep(STOP_SECONDS)  # the stop itself
        least = time.monotonic() - stopped
        os.kill(child.pid, signal.SIGCONT)
        return least, lambda: time.monotonic() - before
    except (FileNotFoundError, ProcessLookupError, IndexError):
        return None


def test_a_stopped_core_is_a_gap_of_its_length(running):
    for _ in range(20):  # the stretch can be over before the stop
        process, end = running("suite=quiet", "quiet_time=3", "gaps_max=100000", "cores=bsp", "hist=off")
        times = stop_a_core(process)
        ended = end()
        most = times and times[1]()
        report = ended.report()
        (gaps,) = report.gaps
        if times and gaps["longest_ns"] / 1e9 >= (1 - CLOCK_ERROR) * times[0]:
            break
    least, longest = (1 - CLOCK_ERROR) * times[0], gaps["longest_ns"] / 1e9
    # The core continues only when the scheduler selects it; on a busy machine that can be late.
    assert least <= longest <= (1 + CLOCK_ERROR) * most, (gaps, least)
    assert sum(n for ns, n, _ in gaps["lengths"] if ns >= 2e8) >= 1, gaps
    assert gaps["seconds"] >= 3 and gaps["gaps"] == sum(n for _, n, _ in gaps["lengths"]), gaps
    assert gaps["gap_ticks"] >= gaps["longest_ticks"], gaps
    assert len(gaps["first"]) == min(gaps["gaps"], 32), gaps
    # Longer than gaps_max=: the run has failed, and the report says why.
    (quiet,) = report.quiet
    assert report.status == 2 and report.end["verdict"] == "fail" and report.end["rows"] == 0, report.end
    assert quiet["result"] == "fail" and quiet["exceeded"] == [0] and quiet["complete"], quiet


def test_all_cores_watch_and_no_gap_fails_the_run(run):
    """A process is interrupted by the kernel, and the record says this."""
    report = run("suite=quiet", "quiet_time=1", "format=jsonl").report()
    (quiet,) = report.quiet
    assert report.status in (0, 2) and "result" not in quiet, quiet  # self-tests are checked elsewhere
    assert not any("quiet" in name for name in report.end.get("failed", [])), report.end
    assert "operating system" in quiet["causes"], quiet
    if quiet["status"] == "ok":
        assert [g["core"] for g in report.gaps] == quiet["cores"] == list(range(len(os.sched_getaffinity(0)))), quiet
        assert quiet["complete"] and quiet["longest_ns"] == max(g["longest_ns"] for g in report.gaps), quiet
    else:  # a core was without a CPU for all of the time
        assert quiet["status"] == "unsupported" and "was not given the CPU" in quiet["why"], quiet


def test_a_stopped_run_has_the_gaps_so_far(running):
    process, end = running("suite=quiet", "quiet_time=604800", "cores=bsp", "hist=off")
    until(lambda: children(process), process, "no core watches")
    first = children(process)
    until(lambda: children(process) not in ([], first), process, "the first stretch does not end")
    process.send_signal(signal.SIGTERM)
    report = end().report()
    (quiet,) = report.quiet
    assert report.status in (2, 5) and not quiet["complete"] and quiet["asked_s"] == 604800, quiet
    assert report.end["verdict"] in ("stopped", "fail") and quiet["status"] == "ok", quiet


def test_settings_need_ring_0(run):
    report = run("format=jsonl", "suite=baseline", "bench=empty_lfence", "samples=16", "turbo=off").report()
    assert any("need ring 0" in e["message"] for e in report.events), report.events
    report = run("format=jsonl", "suite=baseline", "bench=empty_lfence", "samples=16").report()
    assert not any("need ring 0" in e["message"] for e in report.events), report.events


def test_the_former_name_of_the_suite_is_accepted(run):
    for name in ("gaps", "ga*"):
        ended = run(f"suite={name}", "quiet_time=1", "hist=off", "format=jsonl")
        if name == "gaps":
            assert [(g["suite"], g["name"]) for g in ended.report().gaps][0] == ("quiet", "gaps")
        else:
            assert ended.status and "suite=quiet" in ended.err, ended.err
