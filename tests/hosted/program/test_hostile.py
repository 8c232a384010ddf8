"""Bodies that break the rules on purpose, as a process: each costs its own row alone."""

import json
from pathlib import Path

from commands import run_command
import pytest

import hostile
import made
from conftest import ROOT
from hostile_rows import rows_of


RECIPES = ("plain", "rdtscp", "xfence", "paoloni", "cpuid", "mfence", "lfence", "serialize")
METHODS = ([], ["method=plain"], ["method=kbest"], ["method=ensembles", "ensembles=4", "size=16"])


@pytest.fixture(scope="module")
def bodies(tmp_path_factory):
    return made.own("hostile", tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("words", METHODS)
def test_each_body_fails_by_name_and_the_row_after_it_is_right(run, bodies, words):
    hostile.judge(rows_of(run(f"objects={bodies}", "suite=hostile", "samples=64", "format=jsonl", *words)))


@pytest.mark.parametrize("words", METHODS)
def test_registers_that_functions_around_the_body_change_fail_their_row_by_name(run, tmp_path, words):
    around = made.of_source(tmp_path, "around", hostile.around_source())
    hostile.judge_around(rows_of(run(f"objects={around}", "suite=around", "samples=16", "format=jsonl", *words)))


@pytest.mark.native  # QEMU 7.2 has no stack faults
def test_a_stack_fault_of_the_x87_is_reported_for_its_row_only(run, bodies):
    ran = run(f"objects={bodies}", "suite=hostile", "bench=x87_*", "samples=64", "format=both")
    records = [json.loads(line) for line in ran.out.splitlines() if line.startswith("{")]
    rows = {r["name"]: r for r in records if r["type"] == "row"}
    faulty = {name for name, row in rows.items() if row.get("x87_stack_fault")}
    assert faulty == {"x87_overflow", "x87_underflow"} and len(rows) == 6, rows
    assert ran.out.count("overflowed or underflowed the x87 stack") == len(faulty), ran.out


@pytest.mark.parametrize("method", ["doubled", "plain", "kbest", "ensembles"])
def test_a_row_with_wide_vectors_is_warmed_up_where_the_cpu_has_them(run, bodies, method):
    """For 600 us: the methods that measure bodies without a loop take less time than that for so few windows."""
    few = {"ensembles": ["ensembles=2", "size=16"], "kbest": ["k=3", "most=32"]}.get(method, [])
    report = run(f"objects={bodies}", "suite=hostile,truth", "bench=ymm,add", f"method={method}", "samples=16",
                 "rounds=1", "format=jsonl", *few).report()  # fmt: skip
    has = report.run["execution"] == "silicon" and " avx " in Path("/proc/cpuinfo").read_text()
    ymm, add = report.rows["hostile/ymm"], report.rows["truth/add"]
    assert ymm.get("wide_vectors", False) == has and "wide_vectors" not in add, report.rows
    if has:
        assert ymm["sampling_ticks"] >= 600e-6 * report.run["clock_tsc_hz"], ymm


@pytest.mark.silicon
def test_the_canaries_take_ten_products(run, bodies):
    """Ten dependent products: as many cycles after every body."""
    rows = rows_of(run(f"objects={bodies}", "suite=hostile", "format=jsonl"))
    cycles = [row["per_op"]["cycles"] for name, row in rows.items() if name.endswith(hostile.CANARY)]
    assert max(cycles) < 1.05 * min(cycles) and min(cycles) > 2 * hostile.PRODUCTS, cycles


def test_no_hostile_body_is_measured_by_iterations(run, bodies):
    """method=adaptive takes only rows with a loop: none of these bodies is called, and each canary is right."""
    report = run(f"objects={bodies}", "suite=hostile", "method=adaptive", "target=1000", "format=jsonl").report()
    for row in report.rows.values():
        canary = row["name"].endswith(hostile.CANARY)
        assert row["status"] == ("ok" if canary else "unsupported"), row
        assert not canary or row["per_op"]["instructions"] == hostile.PRODUCTS, row


def stores_of(stores, path):
    """(its records by row, what is refused, the process) of each row of an object."""
    ran = run_command(stores, f"objects={path}")
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    return ({r["row"]: r for r in records if r["type"] == "trace"},
            [r["why"] for r in records if r["type"] == "refused"], ran)


ENDS = """
    static void ends(struct baretick_object *o) {
        static const char path[] = "/bin/true"; (void)o;
        __asm__ volatile("syscall" : : "a"(%d), "D"(%s), "S"(0L), "d"(0L) : "rcx", "r11", "memory"); (void)path; }
    BARETICK_STATEMENT(ends, before, "a count", 8, .check = baretick_counted) { o->counter++; }
    BARETICK_STATEMENT(ends, here, "a count", 8, .setup = ends, .check = baretick_counted) { o->counter++; }
    BARETICK_STATEMENT(ends, after, "a count", 8, .check = baretick_counted) { o->counter++; }"""


@pytest.mark.native  # QEMU 7.2 has no seccomp filters for its programs
@pytest.mark.parametrize("name, number, operand", [("exit_group", 231, "0L"), ("execve", 59, "path")])
def test_a_setup_that_ends_the_program_costs_its_row_alone(run, stores, tmp_path, name, number, operand):
    """With exit status 0: in the program, and in `stores`."""
    ends = made.of_source(tmp_path, "ends", ENDS % (number, operand))
    rows = rows_of(run(f"objects={ends}", "suite=ends", "samples=16", "instructions=off", "format=jsonl"))
    assert {n: r["status"] for n, r in rows.items()} == {"before": "ok", "here": "wrong", "after": "ok"}, rows
    assert f"{name}(2)" in rows["here"]["why"], rows["here"]
    traces, refused, ran = stores_of(stores, ends)
    assert set(traces) == {"before", "after"} and ran.returncode == 3, ran
    assert len(refused) == 1 and "ends/here" in refused[0] and f"{name}(2)" in refused[0], refused


BAD_TEXT = """
    static const char *text(const struct baretick_object *o, uint64_t n) { (void)o; (void)n; return (const char *)0x1234; }
    static const char *load(const struct baretick_object *o, uint64_t n) { (void)o; (void)n; return *(char *const volatile *)0x1234; }
    BARETICK_STATEMENT(checks, a_text, "a count", 8, .check = text) { o->counter++; }
    BARETICK_STATEMENT(checks, b_load, "a count", 8, .check = load) { o->counter++; }
    BARETICK_STATEMENT(checks, after, "a count", 8, .check = baretick_counted) { o->counter++; }"""


def test_a_check_that_faults_costs_its_row_alone(run, stores, tmp_path):
    """Itself, or where its text is read: in the program, and in `stores`."""
    checks = made.of_source(tmp_path, "checks", BAD_TEXT)
    rows = rows_of(run(f"objects={checks}", "suite=checks", "samples=16", "instructions=off", "format=jsonl"))
    assert {n: r["status"] for n, r in rows.items()} == {"a_text": "wrong", "b_load": "wrong", "after": "ok"}, rows
    traces, refused, ran = stores_of(stores, checks)
    assert ran.returncode == 1 and set(traces) == set(rows) and not refused, ran
    assert all("SIGSEGV" in traces[row]["wrong"] for row in ("a_text", "b_load")), traces
    assert "wrong" not in traces["after"], traces


def test_stores_names_the_registers_that_functions_around_the_body_change(stores, tmp_path):
    traces, refused, ran = stores_of(stores, made.of_source(tmp_path, "around", hostile.around_source()))
    hostile.judge_stores_around(traces, refused)
    assert ran.returncode == 3, ran


EMPTY_FAILS = """
    static uint64_t calls;
    static int body(uint64_t n, struct baretick_object *o) { for (; n; n--) { BARETICK_HIDE(n); o->counter++; } return 0; }
    static int empty(uint64_t n, struct baretick_object *o) { (void)o; for (; n; n--) BARETICK_HIDE(n); return 0; }
    static int fails(uint64_t n, struct baretick_object *o) { empty(n, o); return ++calls % 3 == 0; }
    BARETICK_ROW(empty, fails, "a count", .body = body, .empty = fails, .ops = 10);
    BARETICK_ROW(empty, works, "a count", .body = body, .empty = empty, .ops = 10, .check = baretick_counted);
    BARETICK_ROW(empty, without, "a count", .body = body, .ops = 10, .check = baretick_counted);"""


@pytest.mark.parametrize("words", (*METHODS, ["method=adaptive", "target=1000"]))
def test_an_error_of_the_subtracted_function_fails_the_row(run, tmp_path, words):
    rows = rows_of(run(f"objects={made.of_source(tmp_path, 'empty', EMPTY_FAILS)}", "suite=empty", "samples=64",
                       "instructions=off", "format=jsonl", *words))
    without = "unsupported" if "method=adaptive" in words else "ok"
    assert {name: row["status"] for name, row in rows.items()} == {"fails": "wrong", "works": "ok", "without": without}, rows
    assert "empty body" in rows["fails"]["why"], rows["fails"]


def test_stores_names_each_change_and_follows_the_canary_after_it(stores, bodies):
    """All in one process: what a body changes and does not restore would end the next canary early."""
    traces, _, ran = stores_of(stores, bodies)
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
    ran = run_command(ROOT / "scripts/baretick", "asm", "--file", file, "--hosted", "--retry-budget", "0", "--json",
                      "--unroll", "4", "--samples", "64")
    assert ran.returncode == 1, ran.stderr
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    hostile.judge_snippets(said, hostile.SNIPPETS, {name: hostile.FAILS[name] for name in ("fs", "gs")})


@pytest.mark.parametrize("recipe", RECIPES)
def test_rbx_is_verified_with_every_recipe(run, bodies, recipe):
    """CPUID, which two of them run after the body, writes rbx."""
    ran = run(f"objects={bodies}", "suite=hostile", "bench=rbx*,rbp", f"recipe={recipe}", "samples=16", "format=jsonl")
    if f"recipe={recipe}: not on this CPU" in ran.err:
        pytest.skip(ran.err)
    rows = rows_of(ran)
    for name in ("rbx", "rbp"):
        assert rows[name]["status"] == "wrong" and f"changed {name}," in rows[name]["why"], rows[name]
    assert rows["rbx" + hostile.CANARY]["status"] == "ok", rows
