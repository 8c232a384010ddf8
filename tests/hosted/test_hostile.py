"""Bodies that break the rules on purpose, as a process: each costs its own row alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/objects"))

import hostile  # noqa: E402
import made  # noqa: E402

CHECK_FAILED = 2
METHODS = ([], ["method=plain"], ["method=kbest"], ["method=ensembles", "ensembles=4", "size=16"])


@pytest.fixture(scope="module")
def bodies(tmp_path_factory):
    return made.own("hostile", tmp_path_factory.mktemp("hostile"))


def rows_of(ended):
    report = ended.report()
    assert ended.status == CHECK_FAILED and report.end["verdict"] == "fail", ended.err
    return {name.partition("/")[2]: row for name, row in report.rows.items()}


@pytest.mark.parametrize("words", METHODS)
def test_each_body_fails_by_name_and_the_row_after_it_is_right(run, bodies, words):
    hostile.judge(rows_of(run(f"objects={bodies}", "suite=hostile", "samples=64", "format=jsonl", *words)))


@pytest.mark.native  # QEMU 7.2 has no stack faults
def test_a_stack_fault_of_the_x87_is_told_of_its_row_alone(run, bodies):
    ran = run(f"objects={bodies}", "suite=hostile", "bench=x87_*", "samples=64", "format=both")
    records = [json.loads(line) for line in ran.out.splitlines() if line.startswith("{")]
    rows = {r["name"]: r for r in records if r["type"] == "row"}
    faulty = {name for name, row in rows.items() if row.get("x87_stack_fault")}
    assert faulty == {"x87_overflow", "x87_underflow"} and len(rows) == 6, rows
    assert ran.out.count("overflowed or underflowed the x87 stack") == len(faulty), ran.out


def test_a_row_with_wide_vectors_is_recognised_where_the_cpu_has_them(run, bodies):
    report = run(f"objects={bodies}", "suite=hostile", "bench=ymm", "samples=16", "format=jsonl").report()
    has = report.run["execution"] == "silicon" and " avx " in Path("/proc/cpuinfo").read_text()
    assert report.rows["hostile/ymm"].get("wide_vectors", False) == has, report.rows


@pytest.mark.silicon
def test_what_the_canaries_take(run, bodies):
    """Ten dependent products: as many cycles after every body."""
    rows = rows_of(run(f"objects={bodies}", "suite=hostile", "format=jsonl"))
    cycles = [row["per_op"]["cycles"] for name, row in rows.items() if name.endswith(hostile.CANARY)]
    assert max(cycles) < 1.05 * min(cycles) and min(cycles) > 2 * hostile.PRODUCTS, cycles


def test_no_hostile_body_is_measured_by_turns(run, bodies):
    """method=adaptive takes rows with a loop alone: none of these bodies is called, and each canary is right."""
    report = run(f"objects={bodies}", "suite=hostile", "method=adaptive", "target=1000", "format=jsonl").report()
    for row in report.rows.values():
        canary = row["name"].endswith(hostile.CANARY)
        assert row["status"] == ("ok" if canary else "unsupported"), row
        assert not canary or row["per_op"]["instructions"] == hostile.PRODUCTS, row


ENDS = """
    static void ends(struct baretick_object *o) {
        (void)o; __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory"); }
    BARETICK_STATEMENT(ends, before, "a count", 8, .check = baretick_counted) { o->counter++; }
    BARETICK_STATEMENT(ends, here, "a count", 8, .setup = ends, .check = baretick_counted) { o->counter++; }
    BARETICK_STATEMENT(ends, behind, "a count", 8, .check = baretick_counted) { o->counter++; }"""


def test_a_setup_that_ends_the_program_costs_its_row_alone(run, tmp_path):
    """exit_group(0), which would be exit status 0: in the program, and in `stores`."""
    ends = made.of_source(tmp_path, "ends", ENDS)
    rows = rows_of(run(f"objects={ends}", "suite=ends", "samples=16", "instructions=off", "format=jsonl"))
    assert {n: r["status"] for n, r in rows.items()} == {"before": "ok", "here": "wrong", "behind": "ok"}, rows
    assert "exit_group(2)" in rows["here"]["why"], rows["here"]
    program = ROOT / "build/hosted/stores"
    if program.exists():
        ran = subprocess.run([program, f"objects={ends}"], capture_output=True, text=True, timeout=300, check=False)
        records = [r for r in map(json.loads, ran.stdout.splitlines()) if r["type"] in ("trace", "refused")]
        assert {r["row"] for r in records if r["type"] == "trace"} == {"before", "behind"}, ran
        (why,) = [r["why"] for r in records if r["type"] == "refused"]
        assert ran.returncode == 3 and "ends/here" in why and "exit_group(2)" in why, ran


def test_stores_names_each_change_and_follows_the_canary_after_it(bodies):
    """In one process: what a body leaves behind would end the next canary early."""
    program = ROOT / "build/hosted/stores"
    if not program.exists():
        pytest.skip("build/hosted/stores is missing: ./scripts/setup installs Zydis, make hosted builds it")
    ran = subprocess.run([program, f"objects={bodies}"], capture_output=True, text=True, timeout=300, check=False)
    traces = {r["row"]: r for r in map(json.loads, ran.stdout.splitlines()) if r["type"] == "trace"}
    assert ran.returncode == 1 and set(traces) == {name + end for name in (*hostile.FAILS, *hostile.TOLD)
                                                   for end in ("", hostile.CANARY)}, ran.stderr
    steps = {traces[name + hostile.CANARY]["steps"] for name in (*hostile.FAILS, *hostile.TOLD)}
    assert len(steps) == 1, steps
    for name, trace in traces.items():
        if name.endswith(hostile.CANARY):
            assert not {"wrong", "changed", "ended"} & set(trace), trace
        elif name in ("fs", "gs"):
            assert trace["ended"]["text"].startswith(f"mov {name}"), trace
        elif hostile.TOLD.get(name) == []:
            assert "changed" not in trace, trace
        else:
            assert trace["changed"], trace


def test_snippets_that_do_the_same_cost_their_own_row_alone(tmp_path):
    file = tmp_path / "snippets"
    file.write_text("".join(f"{line}\n" for line in hostile.snippet_lines(hostile.SNIPPETS)))
    ran = subprocess.run([ROOT / "scripts/baretick", "asm", "--file", file, "--hosted", "--json", "--unroll", "4",
                          "--samples", "64"], capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 1, ran.stderr
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    hostile.judge_snippets(said, hostile.SNIPPETS, {name: hostile.FAILS[name] for name in ("fs", "gs")})


def test_cpuid_after_the_body_hides_rbx_alone(run, bodies):
    rows = rows_of(run(f"objects={bodies}", "suite=hostile", "bench=rbx,rbp", "recipe=cpuid", "samples=16", "format=jsonl"))
    assert rows["rbp"]["status"] == "wrong" and "rbp" in rows["rbp"]["why"], rows["rbp"]
    assert rows["rbx"]["status"] == "ok", rows["rbx"]
