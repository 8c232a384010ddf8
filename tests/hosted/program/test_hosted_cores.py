"""Several cores: the CPUs that this process may use, in turn and at once."""

import os
import re
import signal
import subprocess
import time

import pytest

from read import report
from conftest import SECONDS, SEVERAL as CPUS, Ended
from statuses import BAD_OPTIONS, CHECK_FAILED, FAULTED, SUCCESS

pytestmark = pytest.mark.every_cpu

several = pytest.mark.skipif(len(CPUS) < 2, reason="there is but one CPU")


def records(ended, kind):
    """Returns the records, also from among a table's lines; every crc and seq must be right."""
    lines = [line for line in ended.out.encode().splitlines() if line.startswith(b'{"baretick"')]
    found, sequence = [report.parse(line) for line in lines], report.Sequence()
    assert found[-1]["type"] == "end" and not any(map(sequence.check, found))
    return [r for r in found if r["type"] == kind]


def by_core(ended, suite, name):
    found = [r for r in records(ended, "row") if (r["suite"], r["name"]) == (suite, name)]
    return {r["core"]: r for r in found}


def test_one_core_measures_by_default(run):
    ended = run("suite=planted", "bench=adds20", "samples=64", "format=jsonl")
    assert list(by_core(ended, "planted", "adds20")) == [0]
    cores = records(ended, "core")
    assert [c["core"] for c in cores] == list(range(len(CPUS)))
    assert [c["measures"] for c in cores] == [i == 0 for i in range(len(CPUS))]
    if records(ended, "run")[0]["execution"] == "silicon":
        assert len({c["apic_id"] for c in cores}) == len(CPUS)
    assert "share" not in records(ended, "row")[0]


def test_missing_cores_are_refused_by_number(run):
    n = len(CPUS)
    ended = run("suite=truth", f"cores=0,{n}-{n + 3}")
    assert ended.status == BAD_OPTIONS
    (error,) = [e["message"] for e in ended.report().events if e["kind"] == "error"]
    assert f"there is no core {n}-{n + 3}" in error and error in ended.err
    assert (f"0 to {n - 1}" if n > 1 else "is 0") in error


@several
def test_each_core_measures_in_turn(run):
    ended = run("suite=planted", "bench=adds2*", "cores=all", "format=jsonl", "hist=off")
    order = [(r["name"], r["core"]) for r in records(ended, "row")]
    assert order == [(name, i) for name in ("adds20", "adds21") for i in range(len(CPUS))]
    for name in ("adds20", "adds21"):
        for row in by_core(ended, "planted", name).values():
            assert row["status"] == "ok" and row["nmis"] == row["process"]["migrations"] == 0
            if records(ended, "run")[0]["execution"] == "silicon":
                # `make silicon` judges how near it is to 20 and 21, on an idle CPU.
                assert row["per_op"]["cycles_lo"] <= row["per_op"]["cycles"] <= row["per_op"]["cycles_hi"]
    assert records(ended, "end")[0]["rows"] == 2 * len(CPUS)


@several
def test_a_core_other_than_the_first_measures(run):
    ended = run("suite=planted", "bench=adds20", "cores=1", "format=both", "hist=off")
    assert list(by_core(ended, "planted", "adds20")) == [1]
    assert "linearity_core1" in [s["name"] for s in records(ended, "selftest")]
    assert "cores compared" not in ended.out


@pytest.mark.native  # each row's core cycles are compared; an emulator does not count them
@several
def test_cores_that_measure_together_report_what_it_costs_them(run):
    words = ["suite=sum,planted", "bench=warm,adds20", "cores=0-1", "share=together"]
    ended = run(*words, "format=both", "hist=off")
    assert ended.status in (SUCCESS, CHECK_FAILED)  # the truth of a figure is not judged here
    for suite, name in (("sum", "warm"), ("planted", "adds20")):
        rows = by_core(ended, suite, name)
        assert sorted(rows) == [0, 1]
        for row in rows.values():
            assert row["status"] == "ok" and row["share"] == "together" and row["together"] == 2
            alone, both, slower = row["alone"], row["per_op"], row.get("slowdown", row.get("slower"))
            assert slower["lo"] <= slower["cycles"] <= slower["hi"]
            if "slowdown" in row:
                assert slower["ticks"] == pytest.approx(both["ticks"] / alone["ticks"], rel=1e-3)
                assert slower["cycles"] == pytest.approx(both["cycles"] / alone["cycles"], rel=1e-3)
            else:  # a neighbour made the interval of the row alone reach zero
                assert slower["cycles"] == pytest.approx(both["cycles"] - alone["cycles"], abs=1e-3)
    told = [line for line in ended.out.splitlines() if re.search("slow(down|er) by 2 cores at once", line)]
    assert len(told) == 4 and max(map(len, told)) <= 80


@several
def test_work_is_checked_on_each_core(run):
    ended = run("suite=provoke", "bench=wrong", "cores=0-1", "samples=64", "format=jsonl")
    rows = by_core(ended, "provoke", "wrong")
    assert ended.status == CHECK_FAILED and sorted(rows) == [0, 1]
    assert all(r["status"] == "wrong" for r in rows.values())


@pytest.mark.native  # QEMU 7.2 crashes on the signal that ends a loop, if a program has several processes
@several
def test_a_meeting_that_does_not_end_or_faults_fails_its_row_alone(run):
    """The core that caused the delay is named, not those that waited for it."""
    ended = run("suite=provoke_cores,cores", "bench=endless,ud2,padded", "cores=0-1", "deadline=1", "format=jsonl")
    rows = {r["name"]: r for r in records(ended, "row")}
    assert ended.status == CHECK_FAILED and records(ended, "end")[0]["rows"] == 3
    assert rows["padded"]["status"] == "ok" and rows["endless"]["status"] == rows["ud2"]["status"] == "wrong"
    assert re.match("core 1: it ran longer than deadline=[16] seconds", rows["endless"]["why"]), rows["endless"]
    assert re.match(r"core 1: SIGILL at [0-9a-f]+", rows["ud2"]["why"]), rows["ud2"]
    assert not [e for e in records(ended, "event") if e["kind"] == "fault"]


@several
def test_rows_between_cores_have_every_pair_and_every_team(run):
    ended = run("suite=cores", "cores=all", "format=jsonl")
    rows = {r["name"]: r for r in records(ended, "row")}
    matrices = {r["name"]: r for r in records(ended, "matrix")}
    for row in (r for r in rows.values() if r["status"] == "ok"):
        assert row["stepped"] == {"why": row["stepped"]["why"], "traps": 0} and "wait" in row["stepped"]["why"], row
    n = len(CPUS)
    steps = sorted({min(2**i, n) for i in range(n)})
    for name in ("atomic_add", "lock", "false_sharing", "padded"):
        assert rows[name]["status"] == "ok"
        assert [s["cores"] for s in rows[name]["by_cores"]] == steps
        for s in rows[name]["by_cores"]:
            assert 0 < s["least_ticks"] <= s["ticks"] <= s["greatest_ticks"]
    for name in ("pingpong", "tsc_skew"):
        assert rows[name]["status"] == "ok"
        m = matrices[name]
        pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
        if n <= 32:
            assert [tuple(p[:2]) for p in m["pairs"]] == pairs and not m["sampled"]
        assert m["pairs_all"] == len(pairs)
        assert all(p[2] <= p[3] <= p[4] for p in m["pairs"]) or not m["judged"]
    assert all(p[2] > 0 for p in matrices["pingpong"]["pairs"])
    for name in ("wake", "ipi"):
        assert rows[name]["status"] == "unsupported" and "platform" in rows[name]["why"]
    judged = [row for row in rows.values() if row.get("judged")]
    for row in judged:  # several passes, from the least to the greatest
        per_op, interval, steps = row["per_op"], row["interval"], row.get("by_cores", [])
        passes = sorted(interval["passes_ticks"])
        assert len(passes) == 11 and passes[5] == pytest.approx(per_op["ticks"], abs=0.002), row
        assert per_op["ticks_lo"] <= passes[0] and passes[-1] <= per_op["ticks_hi"], row
        assert interval["by"] == "ranks" and 0.98 < interval["confidence"] < 1, row
        assert all(s["ticks_lo"] <= s["ticks"] <= s["ticks_hi"] for s in steps), row
        if steps:
            assert [per_op[key] for key in ("ticks", "ticks_lo", "ticks_hi")] == [steps[-1][key] for key in ("ticks", "ticks_lo", "ticks_hi")]
    assert all("ticks_lo" not in row.get("per_op", {}) for row in rows.values() if not row.get("judged")), rows
    assert "padded" in rows and rows["padded"]["judged"] is (records(ended, "run")[0]["execution"] == "silicon")


def children(process):
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
            return [int(pid) for pid in f.read().split()]
    except FileNotFoundError:
        return []


def sent(pid, number):
    """Returns False if it has ended."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def starve(process, times):
    """Stops the process of the second core for longer than another core first waits for it. Returns how often."""
    stopped = 0
    while process.poll() is None and stopped < times:
        for pid in children(process)[1:2]:
            if sent(pid, signal.SIGSTOP):
                time.sleep(3)
                stopped += pid in children(process)
                sent(pid, signal.SIGCONT)  # the program may have ended it meanwhile
        time.sleep(0.001)
    return stopped


def fails_nothing(ended, stopped):
    if not stopped:
        pytest.skip("no process of a core lived until it was stopped")
    assert ended.status == SUCCESS and records(ended, "end")[0]["verdict"] == "pass", (ended.out, ended.err)
    for row in records(ended, "row"):
        assert row["status"] == "ok" or "was not given the CPU in time" in row["why"], row


@pytest.mark.native  # an emulator has additional threads and children
@several
@pytest.mark.parametrize("words", ["suite=cores bench=pingpong,padded", "suite=planted bench=adds20 share=together rounds=1"])
def test_a_core_that_is_not_given_the_cpu_fails_no_row(running, words):
    process, end = running(*words.split(), "samples=64", "cores=0-1")
    stopped = starve(process, 2)
    fails_nothing(end(), stopped)


@pytest.mark.native  # as above
@several
def test_a_core_that_is_not_given_the_cpu_before_the_first_row_measures_too(program):
    """While its TSC is compared with the boot core's."""
    process = subprocess.Popen([program, "suite=cores", "bench=padded", "cores=0-1", "retry_budget=0", "format=jsonl"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    stopped = starve(process, 1)
    out, err = process.communicate(timeout=SECONDS)
    ended = Ended(subprocess.CompletedProcess([], process.returncode, out, err))
    fails_nothing(ended, stopped)
    assert all(core["usable"] for core in records(ended, "core"))


def test_suite_cores_needs_two(run):
    ended = run("suite=cores", "format=jsonl")
    assert all(r["status"] == "unsupported" for r in records(ended, "row"))
    assert all("cores=" in r["why"] for r in records(ended, "row"))
    assert not records(ended, "matrix")
    # Without figures, a run that was asked for some must not look successful.
    assert ended.status == CHECK_FAILED and records(ended, "end")[0]["verdict"] == "fail"
    assert any("no row could be measured" in e["message"] for e in records(ended, "event"))


@several
def test_a_fault_names_its_row_and_ends(run):
    ended = run("suite=provoke", "bench=setup", "cores=1", "samples=64", "format=jsonl")
    assert ended.status == FAULTED
    (fault,) = [e["message"] for e in records(ended, "event") if e["kind"] == "fault"]
    assert "provoke/setup" in fault


@pytest.mark.native  # as above
@several
@pytest.mark.parametrize("share", ["alone", "together"])
def test_bodies_that_do_not_come_back_fail_on_each_core(run, share):
    """One process faults, the other hangs, or each in turn; the next row is measured nevertheless."""
    ended = run("suite=provoke", "bench=endless,errors,ud2", "deadline=1", "cores=0-1", "samples=64",
                f"share={share}", "format=jsonl")  # fmt: skip
    assert ended.status == CHECK_FAILED
    for core in (0, 1):
        why = {r["name"]: r.get("why", "") for r in records(ended, "row") if r["core"] == core}
        assert re.match("it ran longer than deadline=[16] seconds", why["endless"]) and "SIGILL" in why["ud2"], why
        assert why["errors"] == "", why


@pytest.mark.parametrize("share", ["alone", "together"])
def test_each_core_has_a_separate_counter(run, share):
    ended = run("suite=truth", "bench=add", "samples=256", "cores=0-1", f"share={share}", "format=jsonl")
    cores = {c["core"]: c for c in records(ended, "core") if c["measures"]}
    if 0 not in cores or 1 not in cores:
        pytest.skip("one CPU")
    tests = {t["name"]: t["result"] for t in records(ended, "selftest")}
    assert "core_counter_core1" in tests
    if "cycle_counter" not in cores[1]:
        assert cores[1]["cycle_counter_refused"], cores
        return
    for row in records(ended, "row"):
        if row["status"] == "ok":
            assert row.get("cycle_counter") == cores[row["core"]].get("cycle_counter"), row
            assert ("cycles_counter" in row["per_op"]) == ("cycle_counter" in row), row


# --- the witness ----------------------------------------------------------------------------------


def siblings():
    """Returns two of our cores, by number, that are threads of one physical core, or None."""
    for i, cpu in enumerate(CPUS):
        path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        if not os.path.exists(path):
            return None  # no /sys: not known
        with open(path, encoding="ascii") as f:
            ranges = [part.split("-") for part in f.read().strip().split(",")]
        for k, other in enumerate(CPUS):
            if k != i and any(int(r[0]) <= other <= int(r[-1]) for r in ranges):
                return i, k
    return None


def test_a_core_has_its_share_of_shared_blocks(run):
    ended = run("suite=truth", "bench=imul", "hist=off")
    run_record, witness = records(ended, "run")[0]["witness"], records(ended, "witness")
    assert [w["core"] for w in witness] == [0]
    assert re.search(r"^witness +(core 0 (was|appears)|not known)", ended.out, re.MULTILINE)
    if "why" in witness[0]:
        pytest.skip(witness[0]["why"])
    row = by_core(ended, "truth", "imul")[0]
    assert witness[0]["blocks"] > run_record["blocks"] > 0
    assert 0 <= row["shared"] <= 1 and row["shared_blocks"] <= witness[0]["shared_blocks"]
    if "nops_per_cycle" in witness[0]:
        assert 1 <= witness[0]["nops_per_cycle"] <= 32
    else:
        assert not row["exclusive"]  # no width was found: nothing is judged
    if not row["exclusive"]:
        assert row["status"] == "ok" and "^ shared: " in ended.out


@pytest.mark.silicon
@several
def test_siblings_that_measure_together_are_not_exclusive(run):
    pair = siblings()
    if not pair:
        pytest.skip("no two of these CPUs are threads of one core")
    words = ["suite=truth", "bench=imul", "hist=off", "share=together", f"cores={pair[0]},{pair[1]}"]
    rows = by_core(run(*words), "truth", "imul")
    assert all(row["shared"] > 0.9 and not row["exclusive"] for row in rows.values())
