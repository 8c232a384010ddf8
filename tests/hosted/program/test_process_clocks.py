"""Clocks of a process (clock=), and compensation for timer interrupts (compensate=)."""
import json
import os
import re
import time

from commands import output_of
import pytest
from statuses import CHECK_FAILED, refused

# A division in each iteration; the cost of the iteration itself is not subtracted.
SLOW, SLOW_ROW = ["suite=compiler", "bench=div_cure"], "compiler/div_cure"


def test_auto_falls_back_to_the_next_clock(run):
    """With `auto`, and the report says why the others are not used. A named clock that does not start is refused."""
    words = [*SLOW, "samples=64", "method=adaptive", "target=1000", "format=jsonl"]
    report = run(*words, "clock=hpet,pit,auto").report()
    assert report.run["clock"] == "tsc"
    assert [r["name"] for r in report.run["clock_refused"]] == ["hpet", "pit"]
    assert all("ring 0" in r["why"] for r in report.run["clock_refused"])
    assert report.run["clock_tsc_hz"] == report.run["tsc"]["hz"]
    row = report.rows[SLOW_ROW]
    assert row["state"] == "done" and row["clock_failed"] == 0 and "ns" in row["per_op"]

    for method in ("doubled", "plain", "kbest", "ensembles", "adaptive"):
        named = run("suite=calls", "bench=direct", "samples=64", f"method={method}", "clock=pit,tsc")
        refused(named, "clock=pit,tsc: pit does not start: needs ring 0", "clock=pit,tsc,auto", "`list`")


@pytest.mark.native
@pytest.mark.parametrize("clock", ["cputime", "clock", "thread"])
def test_clocks_of_a_process_give_seconds(run, clock):
    """The CPU time of the process, by POSIX and by C. Its relation to the TSC's time depends on the machine."""
    words = [*SLOW, "method=adaptive", "target=20000", "format=jsonl"]
    report = run(*words, f"clock={clock}").report()
    assert report.run["clock"] == clock and "clock_refused" not in report.run
    assert report.run["clock_tsc_hz"] > 0
    row = report.rows[SLOW_ROW]
    assert row["status"] == "ok" and row["seconds_valid"] and row["clock_failed"] == 0, row
    assert row["per_op"]["ns"] == pytest.approx(row["seconds"] / row["operations"] * 1e9, rel=1e-3)


OF_INTERRUPTS = ["suite=sum", "bench=cold", "method=kbest", "k=32", "epsilon=0", "most=20000", "format=jsonl"]


def test_compensation_reports_its_findings(run):
    """The cost of a timer interrupt here, or the reason why it is not known; without the option, nothing."""
    report = run(*OF_INTERRUPTS, "compensate=on").report()
    found, (row,) = report.run["compensate"], report.rows.values()
    known = {"cost_ticks", "interval_ticks", "interval_ms", "interrupts"}
    assert set(found) == {"why_not"} or set(found) == known and "timer_interrupts" in row["empty"], found
    report = run(*OF_INTERRUPTS, "compensate=off").report()
    assert "compensate" not in report.run and "timer_interrupts" not in report.rows["sum/cold"]["body"]


@pytest.mark.native
def test_a_coarse_clock_has_long_stretches_and_its_step_as_error(run):
    """times(2) advances a hundred times per second: stretches must be long, and their error is at least its step."""
    words = [*SLOW, "method=adaptive", "target=300000", "format=jsonl", "clock=times"]
    report = run(*words).report()
    row, step = report.rows[SLOW_ROW], 1 / os.sysconf("SC_CLK_TCK")
    assert report.run["clock"] == "times" and row["status"] == "ok" and row["seconds_valid"], row
    assert row["per_op"]["error_ticks"] * row["operations"] >= 0.99 * step * report.run["clock_tsc_hz"], row


@pytest.mark.native
@pytest.mark.parametrize("clock", ["times", "cputime"])
def test_a_clock_of_cpu_time_gives_the_frequency_of_the_tsc_with_its_error(run, clock):
    """On a machine of any load, the TSC's own frequency is within the errors."""
    words = ("suite=truth", "bench=add", "samples=16")
    one, tsc = (run(*words, "format=jsonl", f"clock={name}").report().run for name in (clock, "tsc"))
    error = one["clock_tsc_error_hz"] + tsc["clock_tsc_error_hz"] + 0.001 * tsc["clock_tsc_hz"]
    assert one["clock"] == clock and abs(one["clock_tsc_hz"] - tsc["clock_tsc_hz"]) <= error, (one, tsc)
    table = run(*words, "format=table", f"clock={clock}").out
    assert re.search(r"ns use the TSC's frequency by it: [\d.]+ MHz \+-[\d.]+%", table), table


@pytest.mark.silicon
def test_timer_interrupts_are_compensated_for(run):
    words = OF_INTERRUPTS
    report = run(*words, "compensate=on").report()
    (row,) = report.rows.values()
    found = report.run["compensate"]
    if "why_not" in found:  # a kernel whose tick is off on this CPU
        assert "too few timer interrupts were seen" in found["why_not"], found
        return
    tick = time.clock_getres(6) * 1e3  # CLOCK_MONOTONIC_COARSE: that of the kernel
    assert found["interval_ms"] == pytest.approx(tick, rel=0.05) and 10 <= found["interrupts"] <= 100, found
    assert 1000 <= found["cost_ticks"] < found["interval_ticks"], found
    # The count is the system's: another CPU's interrupt must not make a window shorter than all windows without one.
    (plain,) = run(*words, "compensate=off").report().rows.values()
    assert "timer_interrupts" in row["empty"] and "timer_interrupts" not in plain["body"], row
    assert row["per_op"]["ticks"] > 0.5 * plain["per_op"]["ticks"] > 0, (row["per_op"], plain["per_op"])


FAILING_CLOCK = """
#include <time.h>
/* clock(3) that works while it is asked often, and fails for good after 50 ms in which it was not. */
clock_t clock(void)
{
    static long long last, failed;
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    long long now = t.tv_sec * 1000000LL + t.tv_nsec / 1000;
    failed = failed || (last && now - last > 50000);
    last = now;
    return failed ? (clock_t)-1 : now;
}
"""


def test_a_timer_that_fails_is_named_with_the_row(run, tmp_path):
    (tmp_path / "clock.c").write_text(FAILING_CLOCK)
    shim = tmp_path / "clock.so"
    output_of("gcc", "-shared", "-fPIC", "-O1", "-o", shim, tmp_path / "clock.c")
    words = [*SLOW, "method=adaptive", "target=500000", "clock=clock"]
    ended = run(*words, environment={"LD_PRELOAD": str(shim)})
    records = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"baretick":')]
    (row,) = [r for r in records if r["type"] == "row"]
    assert ended.status == CHECK_FAILED and row["clock_failed"] > 0 and not row["seconds_valid"], row
    assert row["status"] == "wrong" and "clock clock " in row["why"] and f" {row['clock_failed']} " in row["why"], row
    warned = [r["message"] for r in records if r["type"] == "event" and r["kind"] == "warning"]
    assert [w for w in warned if w.startswith(f"{SLOW_ROW} on core 0: clock ") and f" {row['clock_failed']} " in w], warned
    assert f"^ {row['clock_failed']} readings of the clock clock failed" in ended.out, ended.out
