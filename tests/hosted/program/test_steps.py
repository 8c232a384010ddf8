"""Instructions counted by single-stepping a process: against the trace of `baretick stores` and Zydis, the bodies of
tests/objects/steps.c, other methods and cores; and the output of the table and `asm`.
"""

import collections
import json
import os
import pty
import re
import shutil
import subprocess
import termios
from pathlib import Path

from commands import output_of, run_command
import made
import pytest
from conftest import ROOT
from launch import launches
from statuses import CHECK_FAILED


STORES = ROOT / "build/hosted/stores"
SHORT = ("format=jsonl", "samples=32", "rounds=1", "hist=off", "warmup=0", "retry_budget=0")
# Instructions and iterations per operation of suite steps.
BODIES = {
    "mov_ss": (3, 0), "mov_ss_twice": (4, 0), "cpuid": (3, 0), "rdtsc": (2, 0), "pushf": (4, 0), "rep": (3, 8),
    "repne": (3, 2), "rep_none": (2, 0), "loop_self": (9, 0),
}  # fmt: skip

# Rows that are not compared with a trace, and why.
PLACED = dict.fromkeys(("planted/offset", "planted/offset_c"), "its iterations are the offset of its code in a line")
# Instructions before the operations that give flags or a register their history: a trace begins after them.
HISTORY = {"truth/cmov_test": 1, "truth/shlx_dec": 1, "truth/shlx_add": 1}
# One pass is their smallest number of operations, and a slow machine has no time for more.
LONG = {"sum/cold", "sum/warm", "compiler/split_quoted_trap", "compiler/split_quoted_cure"}

GATE_COMPILER = "gcc 12.2."  # Debian 12's compiler, as in .github/workflows/ci.yml


def traced(row, operations):
    """Returns the results of `baretick stores` for one call: steps, and instructions that Zydis decoded."""
    return json.loads(output_of(STORES, f"operations={operations}", row).splitlines()[0])


def why_not_compared(row):
    """None: both count it."""
    name, steps = f"{row['suite']}/{row['name']}", row.get("stepped", {})
    if row["status"] == "unsupported":
        return "this CPU cannot run it"
    if "why" in steps:
        assert row["form"] == "empty" or (name in LONG and "takes more than" in steps["why"]), row
        return steps["why"]
    return PLACED.get(name)


@pytest.fixture(scope="module")
def launch(run):
    """A launch of all suites that have windows."""
    return run(*SHORT, "suite=baseline,calls,compiler,sum,truth,planted")


@pytest.fixture(scope="module")
def every_row(launch):
    return launch.report()


def more_than_traced(row, window, times):
    """Returns the instructions of a stepped window that are not in a trace of its operations: the recipe and the call.
    A trace counts each iteration of a string instruction as an instruction."""
    name, operations = f"{row['suite']}/{row['name']}", times * row["stepped"]["ops"]
    trace = traced(name, operations)
    iterations = round(row["stepped"].get("iterations", 0) * operations)
    again = iterations - times if iterations else 0  # such bodies have one string instruction in each pass
    if row["form"] == "straight" and "retpoline" not in name and "_inc" not in name and row["suite"] == "truth":
        assert trace["instructions"] == trace["steps"]  # each runs once
    return row["stepped"][window] - HISTORY.get(name, 0) - (trace["steps"] - again)


def test_counts_are_those_of_a_trace(every_row, stores):
    """Every row that both can trace: all windows of one form have the same recipe and call around the operations."""
    judged, around = 0, collections.defaultdict(dict)
    for row in every_row.rows.values():
        if why_not_compared(row):
            continue
        windows = {name: times for name, times in {"body": 1, "body2": 2}.items() if name in row["stepped"]}
        for name, times in windows.items():
            more = more_than_traced(row, name, times)
            around[row["form"]].setdefault(more, f"{row['suite']}/{row['name']}: {name}")
        judged += 1
    assert all(len(found) == 1 for found in around.values()), around
    assert judged > 180, judged


def fewer_operations(row):
    """Tests whether its code can do fewer operations than were stepped; `baretick stores` refuses numbers that it
    cannot do."""
    n = row["stepped"]["ops"]
    primes = [p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p))]
    return any(run_command(STORES, f"operations={n // p}", f"{row['suite']}/{row['name']}").returncode == 0 for p in primes)


def test_only_rows_that_can_do_no_fewer_operations_take_more_than_300_steps(every_row, stores):
    counted = [row for row in every_row.rows.values() if "body" in row.get("stepped", {})]
    longer = [row for row in counted if max(row["stepped"].get(name, 0) for name in ("body", "body2", "empty2")) > 300]
    assert longer and not [row for row in longer if fewer_operations(row)]


def test_counts_are_those_of_the_gate(every_row):
    """tests/gate/counts.json is from a boot in QEMU with icount. Another compiler's C code has other counts."""
    counts = json.loads((ROOT / "tests/gate/counts.json").read_text())["rows"]
    rows = {f"{row['suite']}/{row['name']}@0": row for row in every_row.rows.values()}
    same_compiler = every_row.run["compiler"].startswith(GATE_COMPILER)
    judged = 0
    for name, count in counts.items():
        in_assembly = name.startswith("calls/") and "_c@" not in name
        if "instructions" not in count or not (in_assembly or same_compiler):
            continue
        if "why" in rows[name]["stepped"] and name.partition("@")[0] in LONG:
            continue
        assert rows[name]["per_op"]["instructions"] == count["instructions"], name
        judged += 1
    assert judged >= 57, judged


def test_the_gate_takes_a_report_of_this_cpu(launch, every_row, tmp_path):
    """As users gate: the baseline of QEMU, the command, and no tolerance."""
    if not every_row.run["compiler"].startswith(GATE_COMPILER):
        pytest.skip(f"the baseline is of {GATE_COMPILER}")
    report = tmp_path / "report.jsonl"
    report.write_text(launch.out)
    ran = run_command(ROOT / "scripts/baretick", "gate", "--instructions", "--suite", "baseline,calls,sum",
                      ROOT / "tests/gate/counts.json", report)
    assert ran.returncode == 0 and " 0 changes of instructions an operation" in ran.stdout, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def steps_object(tmp_path_factory):
    return made.own("steps", tmp_path_factory.mktemp("objects"))


def test_instructions_are_counted_whose_traps_are_not_one_each(run, steps_object):
    """A fault while a body is stepped fails only its row."""
    ended = run(*SHORT, f"objects={steps_object}", "suite=steps,steps_end,steps_linux,steps_long")
    assert ended.status == CHECK_FAILED
    rows = {row["name"]: row for row in ended.report().rows.values()}
    for name, (instructions, iterations) in {**BODIES, "syscall": (3, 0)}.items():
        row = rows[name]
        assert row["per_op"]["instructions"] == instructions, row
        assert row["stepped"].get("iterations", 0) == iterations, row
    assert rows["sees_no_flag"]["errors"] == 0
    assert re.search("^SIGILL at .* in faults", rows["faults"]["why"]) and rows["faults"]["status"] == "wrong"
    assert rows["picky"]["stepped"]["ops"] >= 32 and rows["picky"]["per_op"]["instructions"] == 3
    assert "after 512 operations" in rows["strict"]["stepped"]["why"] and "that is too few" in rows["strict"]["stepped"]["why"]
    # The number of steps for which there is time depends on this machine.
    assert re.match(r"the body takes more than \d+ steps for 1 operation", rows["too_long"]["stepped"]["why"])
    assert rows["strict"]["status"] == rows["too_long"]["status"] == "ok"
    assert "an operation failed" in rows["refuses"]["stepped"]["why"] and rows["refuses"]["status"] == "ok"
    assert rows["no_stack"]["per_op"]["instructions"] == rows["zz_good"]["per_op"]["instructions"] == 3


def test_a_body_that_does_not_end_while_it_is_stepped_fails(run, steps_object):
    ended = run(*SHORT, f"objects={steps_object}", "suite=steps_endless", "deadline=1")
    (row,) = ended.report().rows.values()
    assert ended.status == CHECK_FAILED and row["status"] == "wrong" and "ran longer than deadline=1" in row["why"], row


@pytest.mark.native  # /proc describes the CPU that QEMU runs on
def test_a_transaction_is_not_stepped(run, steps_object):
    """A CPU without RTM cannot execute XBEGIN. A CPU on which it always aborts can, and does not report RTM."""
    ended = run(*SHORT, f"objects={steps_object}", "suite=steps_rtm")
    (row,) = ended.report().rows.values()
    if row["status"] == "wrong":
        has_rtm = re.search(r"^flags\s*:.* rtm\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        assert re.search("^SIGILL at .* in begins", row["why"]) and not has_rtm, row
    else:
        assert "XBEGIN" in row["stepped"]["why"], row


@pytest.mark.parametrize("words", [("method=plain",), ("method=kbest",), ("method=ensembles", "ensembles=2", "size=16"),
                                   ("method=adaptive",), ("caches=clear",), ("layout=sweep", "samples=auto"),
                                   ("cores=all", "share=together"), ("recipe=mfence",)])  # fmt: skip
def test_every_method_has_the_same_count(run, words):
    rows = run("format=jsonl", "suite=calls", "bench=plt,direct_c", "samples=32", "rounds=1", "warmup=1",
               "retry_budget=0", *words).report().rows.values()  # fmt: skip
    assert rows
    for row in rows:
        assert row["per_op"]["instructions"] == {"plt": 3, "direct_c": 3}[row["name"]], row
        assert row["sampling_ticks"] > 0 and row["stepped"]["us"] > 0 and row["stepped"]["traps"] > 20, row


ICEBP = """static int trap(uint64_t n, struct baretick_object *o)
{ (void)o; for (; n; n--) __asm__ volatile(".byte 0xf1"); return 0; }
static int good(uint64_t n, struct baretick_object *o)
{ (void)o; for (; n; n--) __asm__ volatile("nop"); return 0; }
BARETICK_ROW(icebp, a_trap, "INT1", .body = trap, .ops = 10);
BARETICK_ROW(icebp, good, "NOP", .body = good, .ops = 10);
"""


@pytest.mark.native  # QEMU 7.2 answers INT1 with SIGILL
def test_a_trap_of_the_body_is_not_a_step(run, tmp_path):
    """Linux reports INT1 with the code with which qemu-user reports a step."""
    path = made.of_source(tmp_path, "icebp", ICEBP)
    rows = run(*SHORT, f"objects={path}", "suite=icebp").report().rows
    trap, good = rows["icebp/a_trap"], rows["icebp/good"]
    assert trap["status"] == "wrong" and "SIGTRAP at" in trap["why"] and "stepped" not in trap, trap
    assert good["status"] == "ok" and good["stepped"]["traps"] > 0, good


@pytest.mark.native
def test_instructions_are_counted_in_an_emulator(program):
    emulator = shutil.which("qemu-x86_64")
    if not emulator:
        pytest.skip("qemu-x86_64 is not installed: ./scripts/setup installs it")
    ran = subprocess.run([emulator, "-cpu", "max", program, *SHORT, "suite=calls", "bench=plt"], capture_output=True,
                         timeout=300, check=False)  # fmt: skip
    report = launches.Launch(ran.stdout, ran.returncode, 0)
    assert report.run["execution"] == "emulated" and report.rows["calls/plt"]["per_op"]["instructions"] == 3
    assert report.selftests["instructions"]["result"] == "pass", report.selftests


def test_with_instructions_off_no_row_is_stepped(run):
    report = run(*SHORT, "suite=truth", "bench=add", "instructions=off").report()
    (row,) = report.rows.values()
    assert "stepped" not in row and "instructions" not in row["per_op"] and "ipc" not in row["per_op"], row
    assert "instructions" not in report.selftests


def on_terminal(program, columns, *words):
    """Returns its output on a terminal of this number of columns."""
    master, end = pty.openpty()
    termios.tcsetwinsize(end, (50, columns))
    shown = b""
    with subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=end, stderr=end) as p:
        os.close(end)
        try:
            while data := os.read(master, 65536):
                shown += data
        except OSError:  # Linux's error if the other end is closed
            pass
        assert p.wait() in (0, 2), shown  # 2: a self-test failed, which is not tested here
    os.close(master)
    return shown.decode()


def test_a_wide_terminal_has_columns_for_instructions_and_ipc(program):
    words = ("suite=truth", "bench=imul", "samples=64", "rounds=1", "format=table")
    wide, narrow = (on_terminal(program, columns, *words) for columns in (120, 99))
    head = next(line for line in wide.splitlines() if line.startswith("truth "))
    row = next(line for line in wide.splitlines() if line.startswith("imul "))
    assert head.split()[-2:] == ["instr/op", "IPC"] and "1.000" in row.split()[-2:], (head, row)
    # Without core cycles, as in an emulator, there is no IPC.
    assert len(row.rstrip()) in (len(head), len(head) - len("    IPC")) and len(head) <= 100
    assert "instr/op" not in narrow and "1.000 instructions/op" in narrow


def test_asm_prints_instructions_and_ipc():
    """The instructions are counted by stepping; IPC needs core cycles."""
    ran = run_command(ROOT / "scripts/baretick", "asm", "--hosted", "--retry-budget", "0", "mov ecx, 8; rep stosb")
    assert ran.returncode == 0, ran
    assert re.search(r"2\.000 instructions .*8\.000 iterations", ran.stdout), ran.stdout
    assert re.search(r"[\d.]+ a cycle$", ran.stdout, re.MULTILINE) or any(
        why in ran.stdout for why in ("core cycles are not known", "an emulator's clock")), ran
