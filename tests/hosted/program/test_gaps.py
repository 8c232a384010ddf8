"""The gap detector in a process, and settings that a process cannot change."""

import os
import signal
import time

from conftest import run_on

STOP_SECONDS = 0.3
CLOCK_ERROR = 0.1  # the TSC's frequency is measured; on a working machine its error is far smaller


def test_a_stopped_process_is_a_gap_of_its_length(running):
    for watch in (2500, 30000):  # on a busy machine the first can be over before the stop
        process, end = running("suite=gaps", f"watch={watch}", "hist=off")
        run_on(process, ticks=10)  # the heading is printed, and the watch has begun
        before = time.monotonic()
        os.kill(process.pid, signal.SIGSTOP)
        was = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        stopped = time.monotonic()
        time.sleep(STOP_SECONDS)
        until = time.monotonic()
        os.kill(process.pid, signal.SIGCONT)
        report = end().report()
        after = time.monotonic()
        longest, least = report.gaps[0]["longest_ns"] / 1e9, (1 - CLOCK_ERROR) * (until - stopped)
        if was.si_code == os.CLD_STOPPED and longest >= least:
            break
    (gaps,) = report.gaps
    assert report.status in (0, 2) and report.end["rows"] == 0  # self-tests are checked elsewhere
    assert least <= longest, (gaps, least)
    # The process continues only when the scheduler selects it; on a busy machine that can be late.
    assert longest <= (1 + CLOCK_ERROR) * (after - before), (gaps, after - before)
    assert gaps["decades"][6] + gaps["decades"][7] >= 1, gaps
    assert gaps["seconds"] >= watch / 1000 and gaps["gaps"] == sum(gaps["decades"]), gaps
    assert gaps["gap_ticks"] >= gaps["longest_ticks"], gaps
    assert len(gaps["first"]) == min(gaps["gaps"], 32), gaps


def test_settings_need_ring_0(run):
    report = run("format=jsonl", "suite=baseline", "bench=empty_lfence", "samples=16", "turbo=off").report()
    assert any("need ring 0" in e["message"] for e in report.events), report.events
    report = run("format=jsonl", "suite=baseline", "bench=empty_lfence", "samples=16").report()
    assert not any("need ring 0" in e["message"] for e in report.events), report.events


def test_the_former_name_of_the_suite_is_accepted(run):
    for name in ("quiet", "qu*"):
        ended = run(f"suite={name}", "watch=1", "hist=off", "format=jsonl")
        if name == "quiet":
            assert [(g["suite"], g["name"]) for g in ended.report().gaps][0] == ("gaps", "gaps")
        else:
            assert ended.status and "suite=gaps" in ended.err, ended.err
