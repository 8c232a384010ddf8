"""The hosted program: its words, its report, its exit status, and what a process is to it."""

import fcntl
import json
import math
import os
import pty
import re
import signal
import statistics
import subprocess
import time
from pathlib import Path

from read import figure
import pytest
from conftest import ROOT, SECONDS, run_on, until
from statuses import BAD_OPTIONS, CHECK_FAILED, FAULTED, STOPPED, SUCCESS, refused
from terminal import Terminal

QUICK = ["suite=planted", "bench=adds20", "samples=64"]
# A division in each turn, and the cost of the turn itself is not subtracted.
SLOW, SLOW_ROW = ["suite=compiler", "bench=div_cure"], "compiler/div_cure"
CODE_VA, DATA_VA = 0x100000000000, 0x100001000000  # bench/api/platform.h


@pytest.mark.parametrize(
    "words, parts",
    [
        (["samples=7"], ["command line, word 1", "samples=7", "16", "1000000"]),
        (["suite=truth", "fromat=table"], ["command line, word 2", "fromat=table",
                                        "no such word (did you mean format=?); `help` lists all words"]),
        (["suite=truth", "nonsense"], ["word 2", "nonsense", "no such word; `help` lists all words"]),
        ([""], ["command line, word 1"]),
        (["suite=nowhere"], ["nowhere", "truth", "calls"]),
        (["suite=truth", "bench=nothing"], ["nothing", "imul"]),
        (["takeover=exit", "finish=return"], ["takeover=exit", "finish=return", "borrow"]),
        (["recipe=rdtsc"], ["recipe=rdtsc", "plain", "serialize"]),
        (["suite=tr uth"], ["tr uth"]),
        (["suite=truth,pla*"], ["rows of planted run only", "in full: suite=planted"]),
        (["suite=" + "x" * 400], ["command line, word 1", "suite="]),
        ([b"suite=\xff"], ["command line, word 1", "UTF-8"]),
    ],
)
def test_wrong_words_are_refused_by_name(run, words, parts):
    refused(run(*words), *parts)


def test_the_later_word_wins(run):
    options = run(*QUICK, "format=jsonl", "samples=96").report().run["options"]
    assert options["samples"] == 96 and options["suite"] == "planted"


def test_help_names_the_options_and_passes(run):
    ended = run("help")
    assert ended.status == SUCCESS
    for key in ("suite=", "samples=", "layout=", "recipe="):
        assert f"  {key}" in ended.out
    last = ended.out.splitlines()[-1]
    assert '"type":"end"' in last and '"verdict":"pass"' in last


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_a_programs_usual_options(program, word):
    """They are answered as text, and whatever stands next to them."""
    p = subprocess.run([program, "nonsense", word], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (p.returncode, p.stderr) == (SUCCESS, "")
    assert p.stdout.startswith(f"usage: {program} ") and "  suite=" in p.stdout and '{"baretick"' not in p.stdout


def test_version_is_that_of_the_tree(program):
    p = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=SECONDS, check=False)
    version = (ROOT / "VERSION").read_text().strip()
    assert p.returncode == SUCCESS and re.fullmatch(rf"baretick {version} \(.+\), compiled by .+\n", p.stdout)


@pytest.mark.parametrize("words, said", [
    (["sutie=truth"], "did you mean suite=?"),
    (["--suite=truth"], "did you mean suite=?"),
    (["suite=truht"], "did you mean truth?"),
    (["--versoin"], "did you mean --version?"),
    (["version"], "did you mean --version?"),
    (["suite=truth", "bench=imull"], "did you mean imul?"),
    (["suite=truth", "format=tabel"], "did you mean table?"),
])  # fmt: skip
def test_a_word_one_edit_away_is_named(run, words, said):
    refused(run(*words), said)


def test_nothing_is_asked_about_a_word_far_from_all(run):
    assert "did you mean" not in run("suite=nowhere").err


def test_a_long_list_of_rows_is_cut_and_says_where_all_of_them_are(run, shared_run):
    said = run("suite=calls", "bench=nothing_like_it").err
    named, more = re.search(r"there are: (.*) and (\d+) more, which list shows", said).groups()
    calls = re.split(r"^(?=\S)", shared_run("list").out.replace("\r", ""), flags=re.MULTILINE)
    rows = re.findall(r"^  \w", next(part for part in calls if part.startswith("calls\n")), re.MULTILINE)
    assert len(named.split()) + int(more) == len(rows)


def kinds_of(out):
    """Whether records, and lines for people, are in an output."""
    lines = [line for line in out.splitlines() if line.strip()]
    return any(x.startswith('{"baretick"') for x in lines), any(not x.startswith('{"baretick"') for x in lines)


FORMATS = [("both", (True, True)), ("table", (False, True)), ("jsonl", (True, False))]


@pytest.mark.native  # QEMU 7.2 has no seccomp filters, of which the program warns
def test_each_format_prints_its_kinds_into_a_pipe(program):
    for words, kinds in ([], (True, False)), *(([f"format={name}"], kinds) for name, kinds in FORMATS):
        p = subprocess.run([program, *QUICK, *words], capture_output=True, text=True, timeout=SECONDS, check=False)
        assert p.returncode in (SUCCESS, CHECK_FAILED), p  # a self-test's verdict is not the matter
        assert (p.stderr, kinds_of(p.stdout)) == ("", kinds), words
        assert ("verdict: " in p.stdout) == kinds[1]


def test_a_terminal_gets_only_the_table(program):
    shown = Terminal(program, *QUICK, "format=auto").shown.decode()
    assert kinds_of(shown) == (False, True) and "verdict: " in shown


def test_refusals_and_lists_have_no_records_where_a_table_is_asked_for(program):
    for words, named in (["format=table", "suite=nowhere"], "nowhere"), (["siute=x", "format=table"], "siute"):
        p = subprocess.run([program, *words], capture_output=True, text=True, timeout=SECONDS, check=False)
        assert (p.returncode, p.stdout) == (BAD_OPTIONS, "") and named in p.stderr
    for words, records in (["help"], False), (["help", "format=both"], True):
        p = subprocess.run([program, *words], capture_output=True, text=True, timeout=SECONDS, check=False)
        assert (p.returncode, kinds_of(p.stdout)) == (SUCCESS, (records, True))


def rows_in_sources():
    """Rows that a suite declares by naming them in full: some, but those can be read."""
    for path in (ROOT / "bench" / "suites").rglob("*.c"):
        text = path.read_text()
        yield from re.findall(r"^BENCH\((\w+), (\w+),", text, re.MULTILINE)
        yield from (("planted", n) for n in re.findall(r"^PLANTED\((\w+),", text, re.MULTILINE))
        yield from (("truth", n) for n in re.findall(r"^(?:CHAIN|HISTORY)\((\w+),", text, re.MULTILINE))


def listed(text):
    suite = None
    for line in text.splitlines():
        if re.match(r"\d+ rows", line):
            return
        if re.match(r"\w+( |$)", line):
            suite = line.split()[0]
        elif match := re.match(r"  (\w+) ", line):
            yield suite, match[1]


def test_list_has_every_row_once_in_order_and_the_timers(shared_run):
    ended = shared_run("list")
    rows = list(listed(ended.out))
    assert ended.status == SUCCESS
    assert rows == sorted(set(rows), key=lambda row: [figure.order(word) for word in row])
    assert f"{len(rows)} rows" in ended.out
    records = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{")]
    timers = {r["name"]: r for r in records if r["type"] == "timer" and r["kind"] == "clock"}
    assert timers["tsc"]["initialises"]
    for name in ("hpet", "pmtimer", "pit"):
        assert not timers[name]["initialises"] and "ring 0" in timers[name]["why"]
        assert "hz" not in timers[name] and "read_ns" not in timers[name]
    assert timers["cputime"]["hz"] == 10**9 and timers["clock"]["hz"] == 10**6
    assert timers["thread"]["hz"] == 10**9 and timers["times"]["hz"] == os.sysconf("SC_CLK_TCK")
    assert f"times      initialises; {os.sysconf('SC_CLK_TCK')} Hz, resolution" in ended.out
    for name in ("tsc", "cputime", "clock", "thread", "times"):
        t = timers[name]
        assert t["resolution_ns"] >= 0.99e9 / t["hz"] and t["read_ns"] > 0, t
        assert f"{name} " in ended.out and f"resolution {t['resolution_ns']:.12g} ns" in ended.out, ended.out
    # Sources of core cycles: the core's clock, by the TSC; null counts nothing, and says so.
    cycles = {r["name"]: r for r in records if r["type"] == "timer" and r["kind"] == "cycle"}
    assert set(cycles) == {"pmc", "perf", "aperf", "ruler", "tsc", "rdtscp", "null"}, cycles
    for name in ("ruler", "tsc", *(name for name in ("pmc", "perf", "rdtscp") if cycles[name]["initialises"])):
        t = cycles[name]
        assert t["hz"] > 0 and t["resolution_ns"] > 0 and t["read_ns"] > 0, t
        assert re.search(rf"^  {name} +initialises; [\d.]+ MHz, resolution [\d.]+ ns, a reading takes [\d.]+ ns",
                         ended.out, re.MULTILINE), ended.out  # fmt: skip
    assert cycles["tsc"]["hz"] == timers["tsc"]["hz"]
    assert cycles["ruler"]["resolution_ns"] == cycles["tsc"]["resolution_ns"] and "resolution_counts" in cycles["tsc"]
    assert cycles["null"]["initialises"] and not {"hz", "resolution_ns", "read_ns"} & cycles["null"].keys(), cycles
    assert f"null       initialises; {cycles['null']['none']}" in ended.out, ended.out
    assert timers["clock"]["resolution_ns"] >= 1000  # clock(3) tells microseconds apart at best
    declared = set(rows_in_sources())
    assert len(declared) > 10 and declared <= set(rows)


def test_a_series_stands_in_the_order_of_its_numbers(run, shared_run):
    """In `list`, in the table and in the records, and so in all that is made of these: n2 before n16."""
    series = [f"random_{n}" for n in (1, 2, 4, 8, 16)]
    assert [name for _, name in listed(shared_run("list").out) if name in series] == series
    ended = run("suite=calls", "bench=random_*", "samples=16")
    rows = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"baretick":')]
    assert [r["name"] for r in rows if r["type"] == "row"] == series
    assert re.findall(r"^(random_\d+) ", ended.out.replace("\r", "\n"), re.MULTILINE) == series, ended.out


def test_clock_falls_back(run):
    """With `auto`, and the report says why the others do not serve. A named clock that does not start is refused."""
    words = [*SLOW, "samples=64", "method=adaptive", "target=1000", "format=jsonl"]
    report = run(*words, "clock=hpet,pit,auto").report()
    assert report.run["clock"] == "tsc"
    assert [r["name"] for r in report.run["clock_refused"]] == ["hpet", "pit"]
    assert all("ring 0" in r["why"] for r in report.run["clock_refused"])
    assert report.run["clock_tsc_hz"] == report.run["tsc"]["hz"]
    row = report.rows[SLOW_ROW]
    assert row["state"] == "done" and row["clock_failed"] == 0 and row["per_op"]["ns"] > 0

    for method in ("doubled", "plain", "kbest", "ensembles", "adaptive"):
        named = run("suite=calls", "bench=direct", "samples=64", f"method={method}", "clock=pit,tsc")
        refused(named, "clock=pit,tsc: pit does not start: needs ring 0", "clock=pit,tsc,auto", "`list`")


@pytest.mark.native
@pytest.mark.parametrize("clock", ["cputime", "clock", "thread"])
def test_clocks_of_a_process_give_seconds(run, clock):
    """The time that the process had of its CPU, as POSIX and as C have it. How it compares with the TSC's is the
    machine's affair."""
    words = [*SLOW, "method=adaptive", "target=20000", "format=jsonl"]
    report = run(*words, f"clock={clock}").report()
    assert report.run["clock"] == clock and "clock_refused" not in report.run
    assert report.run["clock_tsc_hz"] > 0
    row = report.rows[SLOW_ROW]
    assert row["status"] == "ok" and row["seconds_valid"] and row["clock_failed"] == 0, row
    assert row["per_op"]["ns"] == pytest.approx(row["seconds"] / row["operations"] * 1e9, rel=1e-3)


OF_INTERRUPTS = ["suite=sum", "bench=cold", "method=kbest", "k=32", "epsilon=0", "most=20000", "format=jsonl"]


def test_compensation_says_what_it_found(run):
    """What a timer interrupt costs here, or why that is not known; and of a run without, nothing."""
    report = run(*OF_INTERRUPTS, "compensate=on").report()
    found, (row,) = report.run["compensate"], report.rows.values()
    known = {"cost_ticks", "interval_ticks", "interval_ms", "interrupts"}
    assert set(found) == {"why_not"} or set(found) == known and "timer_interrupts" in row["empty"], found
    report = run(*OF_INTERRUPTS, "compensate=off").report()
    assert "compensate" not in report.run and "timer_interrupts" not in report.rows["sum/cold"]["body"]


@pytest.mark.native
def test_a_coarse_clock_has_long_stretches_and_its_step_as_error(run):
    """times(2) moves a hundred times a second: stretches have to be long, and their error is its step at the least."""
    words = [*SLOW, "method=adaptive", "target=300000", "format=jsonl", "clock=times"]
    report = run(*words).report()
    row, step = report.rows[SLOW_ROW], 1 / os.sysconf("SC_CLK_TCK")
    assert report.run["clock"] == "times" and row["status"] == "ok" and row["seconds_valid"], row
    assert row["per_op"]["error_ticks"] * row["operations"] >= 0.99 * step * report.run["clock_tsc_hz"], row


@pytest.mark.native
@pytest.mark.parametrize("clock", ["times", "cputime"])
def test_a_clock_of_cpu_time_gives_the_frequency_of_the_tsc_with_its_error(run, clock):
    """However busy the machine is: the TSC's own frequency is within the errors."""
    words = ("suite=truth", "bench=add", "samples=16")
    one, tsc = (run(*words, "format=jsonl", f"clock={name}").report().run for name in (clock, "tsc"))
    error = one["clock_tsc_error_hz"] + tsc["clock_tsc_error_hz"] + 0.001 * tsc["clock_tsc_hz"]
    assert one["clock"] == clock and abs(one["clock_tsc_hz"] - tsc["clock_tsc_hz"]) <= error, (one, tsc)
    table = run(*words, "format=table", f"clock={clock}").out
    assert re.search(r"ns rest on the TSC's frequency by it: [\d.]+ MHz \+-[\d.]+%", table), table


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
    # The count is the system's: another CPU's interrupt must not make a window shorter than any without.
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
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", shim, tmp_path / "clock.c"], check=True)
    words = [*SLOW, "method=adaptive", "target=500000", "clock=clock"]
    ended = run(*words, environment={"LD_PRELOAD": str(shim)})
    records = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"baretick":')]
    (row,) = [r for r in records if r["type"] == "row"]
    assert ended.status == CHECK_FAILED and row["clock_failed"] > 0 and not row["seconds_valid"], row
    said = f"no seconds: the clock clock could not be read around the stretches; {row['clock_failed']} readings failed"
    assert row["status"] == "wrong" and row["why"] == said, row
    warned = [r["message"] for r in records if r["type"] == "event" and r["kind"] == "warning"]
    named = f"{SLOW_ROW} on core 0: clock failed while the row ran: "
    assert f"{named}{row['clock_failed']} readings of this clock were given up" in warned, warned
    assert f"^ {row['clock_failed']} readings of the clock clock failed" in ended.out, ended.out


def test_the_regression_is_the_line_of_least_squares(shared_run):
    """The line is that of least squares through the minima in the record, over bodies that grow evenly: 64, or 8 in an
    emulator."""
    ended = shared_run(*QUICK)
    records = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"baretick":')]
    lines = {r["recipe"]: r for r in records if r["type"] == "linearity" and "why" not in r}
    fits = {r["recipe"]: r for r in records if r["type"] == "regression"}
    bodies, step = (64, 16) if records[0]["execution"] == "silicon" else (8, 128)
    assert set(fits) == set(lines) and "cpuid" in fits
    for recipe, fit in fits.items():
        minima = fit["minima_ticks"]
        assert len(minima) == bodies and fit["adds_step"] == step, fit
        assert 2 <= fit["windows"] <= 64 and fit["windows"] % 2 == 0, fit
        spurious = sum(after < before for before, after in zip(minima, minima[1:]))
        assert fit["spurious_minima"] == spurious and f" {spurious} of {bodies - 1}" in ended.out, fit
        if fit["n"] == 0:  # a core cycle's ticks are not known: others had the core
            assert "slope_cycles" not in fit and "r2" not in fit, fit
            continue
        adds = [step * i for i in range(bodies)]
        cycles = [ticks / lines[recipe]["ticks_per_cycle"] for ticks in minima]
        slope, intercept = statistics.linear_regression(adds, cycles)
        assert fit["n"] == bodies and fit["slope_cycles"] == pytest.approx(slope, rel=1e-4), fit
        assert fit["intercept_cycles"] == pytest.approx(intercept, rel=1e-4, abs=1e-2), fit
        off = max(abs(y - (intercept + slope * x)) for x, y in zip(adds, cycles))
        assert fit["residual_max"] == pytest.approx(off, rel=1e-3, abs=1e-2), fit
        assert fit["r2"] == pytest.approx(statistics.correlation(adds, cycles) ** 2, abs=1e-6), fit
        shown = re.search(rf"^{recipe} +(-?\d+\.\d{{5}}) ", ended.out, re.MULTILINE)
        assert shown and float(shown[1]) == pytest.approx(fit["slope_cycles"], abs=6e-6), ended.out


def test_a_recipe_that_is_not_in_use_has_few_windows(shared_run):
    """As many as fit into its time, 64 at least at each of 4 placements. tests/unit/bench/test_probe.c has the time."""
    report = shared_run(*QUICK, "format=jsonl").report()
    if report.run["execution"] != "silicon":
        pytest.skip("not a CPU of one's own")
    others = [r for name, r in report.linearity.items() if name != report.run["recipe"] and "why" not in r]
    assert len(others) >= 4
    for r in others:
        assert 256 <= r["n"] <= 2048 and r["n"] % 128 == 0, r


def test_the_records_agree_with_the_options_and_with_each_other(run):
    report = run(*QUICK, "format=jsonl", "hist=full", "seed=7").report()
    head, row = report.run, report.rows["planted/adds20"]
    assert head["seq"] == 0 and head["platform"] == "hosted"
    assert head["options"]["seed"] == 7 and head["options_from"] == "command line"
    assert head["process"]["cpu"] in os.sched_getaffinity(0)
    assert all(type(head["process"][wish]) is bool for wish in ("pinned", "locked", "fifo"))
    assert head["tsc"]["step_ticks"] > 0 and len(head["tsc"]["sources"]) == 3
    assert set(report.linearity) >= {"plain", "lfence", "cpuid"}
    assert (row["ops"], row["form"], row["errors"]) == (50, "straight", 0)
    assert row["n"] == sum(count for _, count in row["hist"])
    assert row["ticks"]["min"] == row["hist"][0][0] and row["ticks"]["max"] == row["hist"][-1][0]
    assert row["windows"] > row["n"]
    process = row["process"]
    for counted in ("voluntary_switches", "involuntary_switches", "migrations", "page_faults"):
        assert process[counted] >= 0
    assert report.end["rows"] == 1
    assert any(e["kind"] == "process" for e in report.events)


def test_table_and_records_are_of_one_row(run):
    ended = run(*QUICK, "format=both", "hist=off")
    line = re.search(r"adds20 +50 +(\d+) +(\d+)", ended.out)
    ticks = re.search(r'"ticks":\{"min":(\d+),"p25":[\d.]+,"median":([\d.]+)', ended.out)
    assert int(line[1]) == int(ticks[1]) and abs(int(line[2]) - float(ticks[2])) <= 0.5
    table = run(*QUICK, "format=table").out
    assert '{"baretick"' not in table and "verdict:" in table.splitlines()[-1]


def test_defaults_are_reported(run):
    ended = run("format=jsonl", "suite=planted", "bench=rdmsr")
    assert ended.report().run["options"]["layout"] == "shuffle"


def test_a_row_that_needs_ring_0_is_unsupported_in_a_process(run):
    ended = run("suite=planted", "bench=rdmsr", "format=jsonl")
    row = ended.report().rows["planted/rdmsr"]
    assert row["status"] == "unsupported" and "ring 0" in row["why"]
    assert "ticks" not in row and "process" not in row
    assert ended.report().end["failures"] == 1 + len(
        [s for s in ended.report().selftests.values() if s["result"] == "fail"]
    )
    assert ended.report().end["verdict"] == "fail" and ended.status == CHECK_FAILED
    said = f"no row could be measured, so the run has failed. planted/rdmsr: {row['why']}"
    assert said in [e["message"] for e in ended.report().events if e["kind"] == "warning"]
    ended = run("suite=planted,truth", "bench=rdmsr,add", "format=jsonl", "samples=64")
    assert not [e for e in ended.report().events if "no row could be measured" in e["message"]]


@pytest.mark.silicon
def test_cleared_caches_cost(run):
    def median(caches):
        row = run("suite=calls", "bench=virtual", "format=jsonl", f"caches={caches}").report().rows["calls/virtual"]
        assert row["cold"] is (caches == "clear")
        return row["ticks"]["median"]

    assert median("clear") > median("keep")


def test_recipe_that_the_cpu_lacks(run):
    probe = run(*QUICK, "format=jsonl").report()
    lacking = [name for name, record in probe.linearity.items() if "why" in record]
    if not lacking:
        pytest.skip("this CPU can do every recipe")
    refused(run(*QUICK, f"recipe={lacking[0]}"), f"recipe={lacking[0]}", "this CPU can:", "plain")


# --- work that is wrong, bodies that fault --------------------------------------------------------


def test_wrong_work_fails_the_run(run):
    ended = run("suite=provoke", "bench=wrong", "format=jsonl", "samples=64")
    assert ended.status == CHECK_FAILED
    assert ended.report().rows["provoke/wrong"]["status"] == "wrong"


def test_failed_operations_are_counted_and_left_out(run):
    words = ["samples=96", "hist=full", "retry_budget=0"]  # none is taken again
    ended = run("suite=provoke", "bench=errors", "format=jsonl", *words)
    row = ended.report().rows["provoke/errors"]
    assert row["errors"] > 0 and row["n"] == sum(count for _, count in row["hist"])
    assert row["n"] + row["errors"] == 96


BODIES = {
    "ud2": "SIGILL",
    "divide": "SIGFPE",
    "null": "SIGSEGV",
    "protection": "SIGSEGV",
    "execute_data": "SIGSEGV",
    "write_code": "SIGSEGV",
    "stack": "SIGSEGV",
}


@pytest.mark.native
def test_a_row_that_the_deadline_will_end_is_warned_of(run):
    """A stretch of ten seconds is longer than one, and the report warns of it before it is ended."""
    words = ["suite=calls", "bench=direct", "format=jsonl", "deadline=1"]
    ended = run(*words, "method=adaptive", "target=10000000")
    warnings = [e["message"] for e in ended.report().events if e["kind"] == "warning"]
    assert [m for m in warnings if m.startswith("calls/direct may take about ") and "deadline=1" in m], warnings
    quick = [e["message"] for e in run(*words, "samples=64").report().events if e["kind"] == "warning"]
    assert not [m for m in quick if "deadline=" in m], quick


def failed_alone(ended):
    """The report of a run in which rows failed, and the one behind them was measured."""
    report = ended.report()
    assert ended.status == CHECK_FAILED
    assert not [e for e in report.events if e["kind"] == "fault"]
    assert report.rows["planted/adds20"]["status"] == "ok"
    return report


@pytest.mark.native
@pytest.mark.parametrize("method", ["doubled", "plain"])
def test_bodies_that_do_not_come_back_fail_alone(run, method):
    """Those that fault, one that never ends, and rows behind them that are measured all the same."""
    names = ",".join(BODIES)
    ended = run("suite=provoke,planted", f"bench={names},endless,adds20", "format=jsonl", "samples=64",
                "deadline=1", f"method={method}")  # fmt: skip
    report = failed_alone(ended)
    for name, sign in BODIES.items():
        row = report.rows[f"provoke/{name}"]
        assert row["status"] == "wrong" and row["why"].startswith(sign), row
        assert re.search(r" in \w+_body\+0x", row["why"]) or name == "execute_data", row
    why = report.rows["provoke/endless"]["why"]
    assert re.match("it ran longer than deadline=[16] seconds", why), why
    assert " in endless_body+0x" in why, why
    assert report.end["rows"] == len(BODIES) + 2 and report.end["verdict"] == "fail"


@pytest.mark.parametrize("words", ["", "method=plain", "cores=all share=together"])
def test_setup_and_check_that_do_not_come_back_fail_alone(run, words):
    rows = {
        "endless_setup": r"it ran longer than deadline=[16] seconds and was ended at \w+ in endless_setup\+0x",
        "endless_check": r"it ran longer than deadline=[16] seconds and was ended at \w+ in endless_check\+0x",
        "ud2_setup": r"SIGILL at \w+ in undefined_setup\+0x",
    }
    ended = run("suite=provoke,planted", f"bench={','.join(rows)},adds20", "format=jsonl", "samples=64",
                "deadline=1", *words.split())  # fmt: skip
    report = failed_alone(ended)
    for name, why in rows.items():
        row = report.rows[f"provoke/{name}"]
        assert row["status"] == "wrong" and re.match(why, row["why"]), row


def test_fault_outside_of_a_body_ends_the_run(run):
    ended = run("suite=provoke", "bench=setup", "format=jsonl", "samples=64")
    report = ended.report()
    assert ended.status == FAULTED
    (fault,) = [e["message"] for e in report.events if e["kind"] == "fault"]
    assert "SIGILL" in fault and "provoke/setup" in fault
    assert " in undefined_setup+0x" in fault, fault
    assert report.end["verdict"] == "fail"


# --- the process ----------------------------------------------------------------------------------


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
    """One line says which of the system's CPUs core 0 is; all others count cores."""
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
    """Stopped in its first row, after some of its windows."""
    run_on(process, ticks=3)
    os.kill(process.pid, signal.SIGSTOP)
    seen = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if seen.si_code != os.CLD_STOPPED:
        pytest.skip("the row was over before it could be stopped: the machine is too busy")


# Some seconds in one row: what is done to it meanwhile happens in it.
LONG = ["suite=planted", "bench=long", "layout=fixed", "samples=100000", "hist=off"]


def test_the_time_without_the_cpu_is_reported(running):
    """What the system, or whoever stopped it, kept from the process: no less, and no more than passed. The TSC's
    frequency is measured: a tenth is left for its error."""
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
    """The deadline is of CPU time, in the round that was paused and over all rounds."""
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
    maps = {}
    for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
        span, rights = line.split()[:2]
        low, high = (int(x, 16) for x in span.split("-"))
        maps[low] = (high - low, rights[:3])
    process.kill()
    end()
    assert maps[CODE_VA] == (1 << 20, "r-x")
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
    # The block that it happened in is disturbed, if it was one of the body's.
    assert row["nmis"] == row["process"]["migrations"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_first_row_ends_the_run_too(running, number):
    """As soon as the process takes signals at all, which is before its clocks are measured."""
    process, end = running("suite=truth", "samples=1000000", "hist=off")
    until(lambda: int(re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text())[1], 16) >> (number - 1) & 1,
          process, f"{number} is caught")
    os.kill(process.pid, number)
    ended = end()
    assert ended.status == STOPPED and ended.report().end["verdict"] == "stopped", ended.err


def test_interrupt_ends_the_run(shared_run, running):
    """Within the row, which is left out; the report is whole, says how to go on, and is no pass."""
    all_rows = [name for suite, name in listed(shared_run("list").out) if suite == "truth"]
    process, end = running("suite=truth", "samples=1000000", "hist=off", "layout=fixed")
    os.kill(process.pid, signal.SIGINT)
    ended = end()
    report = ended.report()
    if len(report.rows) == len(all_rows):
        pytest.skip("the run was over before the signal came: the machine is too busy")
    assert report.end["stopped"] is True and report.end["rows"] == len(report.rows) < len(all_rows)
    failed = report.end["failures"] > 0  # a row before it, by a busy machine's figure
    assert ended.status == (CHECK_FAILED if failed else STOPPED)
    assert report.end["verdict"] == ("fail" if failed else "stopped")
    (event,) = [e for e in report.events if e["kind"] == "stopped"]
    left = [name for name in all_rows if f"truth/{name}" not in report.rows]
    assert event["message"].endswith(f" suite=truth bench={','.join(left)}"), event


def test_progress_is_for_a_terminal(program, run):
    """There one line that is rewritten, which says how to stop; elsewhere it would be in the report."""
    words = ["suite=truth", "bench=add,imul,ror", "samples=64", "format=table"]  # on a CPU in two rounds
    assert "Ctrl-C stops" not in run(*words).out
    terminal, end = pty.openpty()
    p = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=end, stderr=end)
    os.close(end)
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:
        pass  # EIO: the program has ended
    os.close(terminal)
    p.wait(timeout=300)
    lines = re.findall(rb"\r((?:round \d of 2, )?\d of 3 rows)([^\r]*)(?=\r)", shown)
    found = list(dict.fromkeys(text for text, _ in lines))  # a row that takes long has more than one line
    two = [b"round %d of 2, %d of 3 rows" % (r, i) for r in (1, 2) for i in range(3)]
    assert found in (two, [b"%d of 3 rows" % i for i in range(3)]), found
    assert all(b"Ctrl-C stops" in rest for _, rest in lines)


@pytest.mark.parametrize("suite, words, pairs", [
    ("sum", [], {("cold", "warm")}),
    ("calls", ["bench=direct,direct_inc,plt,got,register,virtual"],
     {("direct_inc", "direct"), *((way, "direct") for way in ("plt", "got", "register", "virtual"))}),
])  # fmt: skip
def test_two_rows_beside_each_other_are_the_table_s(run, suite, words, pairs):
    """By a core's clock that is not the run's: each row has its own ruler, and the line no other."""
    report = run(f"suite={suite}", *words, "samples=256", "format=jsonl").report()
    events = [e for e in report.events if e["kind"] == "beside"]
    assert len(events) == len(pairs) and {(e["name"], e["beside"]) for e in events} == pairs, events
    for event in events:
        mine, other = (report.rows[f"{suite}/{event[k]}"]["per_op"] for k in ("name", "beside"))
        if "cycles" not in mine:
            pytest.skip("no core cycles here")
        assert (event["unit"], event["per_op"], event["beside_per_op"]) == (
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
    """The report is whole; the row that was left has no record. Ignored at the start, as SIGINT is in a
    job in the background, it does the same."""
    was = signal.signal(number, signal.SIG_IGN)
    process, end = running(*ENDLESS, f"cores={cores}", "share=together")
    signal.signal(number, was)
    os.kill(process.pid, number)
    ended = end()
    report = ended.report()
    assert report.end["stopped"] is True and report.end["rows"] == len(report.rows) == 0
    assert not [e for e in report.events if e["kind"] == "fault"]
    failed = report.end["failures"] > 0  # a self-test, by a busy machine's figure
    assert ended.status == (CHECK_FAILED if failed else STOPPED)


def syscall_of(process):
    """proc(5): the number of the system call that it waits in, and more; empty where the kernel does not tell."""
    try:
        return Path(f"/proc/{process.pid}/syscall").read_text()
    except OSError:
        return ""


def test_waiting_for_a_process_that_ends_fails():
    with subprocess.Popen(["true"]) as process, pytest.raises(pytest.fail.Exception, match="a wonder: .* status 0"):
        until(lambda: False, process, "a wonder")


def test_a_second_interrupt_ends_at_once(program):
    """With the first held up: its report goes into a pipe that is full."""
    read, write = os.pipe()
    size = fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    os.write(write, b"x" * size)
    process = subprocess.Popen([program, *ENDLESS], stdin=subprocess.DEVNULL, stdout=write)
    try:
        until(lambda: syscall_of(process).startswith("1 "), process, "write(2) waits for the pipe, as /proc/PID/syscall has it")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        # Within a tenth of a second it is the same wish, as timeout(1) signals a process and then its group.
        while process.poll() is None and time.monotonic() < began + SECONDS:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        assert process.returncode == -signal.SIGINT and time.monotonic() - began > 0.09
    finally:
        process.kill()
        process.wait()
        os.close(read)
        os.close(write)
