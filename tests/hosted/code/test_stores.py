"""`baretick stores`: its counts for rows, objects and instructions that are redundant on purpose, by gcc and clang;
what
ends a trace; how fast it steps.
"""

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT

BARETICK = ROOT / "scripts/baretick"
PROGRAM = ROOT / "build/hosted/stores"
SECONDS = 300
pytestmark = pytest.mark.launches
HAS_ZYDIS = any(Path(d, "include/Zydis/Zydis.h").exists() for d in ("/usr", "/usr/local"))
FLAGS = Path("/proc/cpuinfo").read_text().split()
PASS = 50  # operations of a pass of suite compiler: bench/suites/compiler/compiler.h

sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

sys.path.insert(0, str(ROOT / "tests/objects"))

from assembly import lines  # noqa: E402
import made  # noqa: E402
from assembly import stores  # noqa: E402
from launch import start  # noqa: E402


@pytest.fixture(autouse=True)
def zydis():
    """It is installed where CI ran ./scripts/setup."""
    if not HAS_ZYDIS:
        assert "CI" not in os.environ, "Zydis is not installed, and nothing of `baretick stores` is tested"
        pytest.skip("Zydis is not installed: ./scripts/setup installs it")
    assert PROGRAM.exists(), f"{PROGRAM} is missing: run make hosted"


@pytest.fixture(params=["gcc", "clang"])
def compiler(request):
    return request.param


@pytest.fixture
def program(compiler):
    """Builds the program with this compiler, including its rows; one worker at a time builds it."""
    path = ROOT / f"build/tests/stores-{compiler}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.parent / "lock", "w") as lock:  # as in tests/boot/build.py
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "-C", ROOT, f"CC={compiler}", f"STORES={path.relative_to(ROOT)}",
                        path.relative_to(ROOT)], check=True, timeout=SECONDS)
    return path


def baretick(*words, columns=100):
    return subprocess.run([BARETICK, "stores", *map(str, words)], capture_output=True, text=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, check=False, env={**os.environ, "COLUMNS": str(columns)})


def followed(*words, status=0):
    """Returns the traces."""
    ran = baretick(*words, "--json")
    assert ran.returncode == status, ran
    return [json.loads(line) for line in ran.stdout.splitlines()]


def of(program, *words):
    """Returns traces of the program itself, by row."""
    ran = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ran.returncode == 0, ran
    traces, refused = stores.read(ran.stdout)
    assert not refused
    return {trace["row"]: trace for trace in traces}


def one(*words):
    (trace,) = followed(*words)
    return trace


def counts(record, *names):
    return tuple(record[name] for name in names)


# --- what is planted in suite compiler -------------------------------------------------------------

def row(program, name, operations):
    """Returns a row's totals without the counter that a pass increments, and its loop's instructions."""
    trace = of(program, f"operations={operations}", f"compiler/{name}")[name]
    passes = operations // PASS
    loop = [i for i in trace["by_instruction"] if i["runs"] > passes and i["stores"]]
    return trace, passes, loop


def test_stores_to_one_place_are_dead_but_the_last(program):
    n = 1000
    trace, passes, loop = row(program, "store_cure", n)
    assert sum(i["stores"] for i in loop) == n
    assert counts(trace, "store_bytes", "dead_bytes", "silent_stores") == (8 * (n + passes), 8 * (n - 1), 0)
    assert trace["unread_bytes"] == 8 + 8  # those of the last pass, and of the counter
    trace, passes, loop = row(program, "store_trap", n)
    assert not loop and counts(trace, "stores", "dead_bytes") == (2 * passes, 8 * (passes - 1))
    assert trace["silent_stores"] == passes - 1  # each pass ends with the same number


def test_a_word_that_goes_back_is_silent_from_the_second_pass_on(program):
    n = 1000
    trace, passes, loop = row(program, "silent_cure", n)
    assert sum(i["silent_stores"] for i in loop) == sum(i["stores"] for i in loop) - PASS == n - PASS
    assert counts(trace, "dead_bytes", "silent_stores") == (0, n - PASS)
    loads = [i for i in trace["by_instruction"] if i["runs"] > passes and i["loads"]]
    assert sum(i["loads"] for i in loads) == n and sum(i["silent_loads"] for i in loads) == n - PASS
    trace, passes, loop = row(program, "silent_trap", n)
    assert not loop and counts(trace, "stores", "dead_bytes", "silent_stores") == (passes, 0, 0)


def test_a_load_that_is_kept_is_silent_where_nobody_stores(program):
    n = 1000
    trace, passes, _ = row(program, "load_cure", n)
    loads = [i for i in trace["by_instruction"] if i["runs"] > passes and i["loads"]]
    assert sum(i["loads"] for i in loads) == n and sum(i["silent_loads"] for i in loads) == n - PASS
    trace, passes, _ = row(program, "load_trap", n)
    assert all(i["loads"] <= passes for i in trace["by_instruction"])


def test_unread_words_of_an_array_are_counted(program):
    n = 1000
    trace, passes, loop = row(program, "buffer_cure", n)
    assert trace["store_bytes"] == 8 * n + 8 * passes
    # Each pass reads its last word. The array is on the stack, and the last pass's values die with it.
    assert trace["dead_bytes"] == 8 * (n - passes)
    for i in loop:  # the same words in every pass, however they are stored
        assert i["silent_stores"] * passes == i["stores"] * (passes - 1), i
    trace, passes, loop = row(program, "buffer_trap", n)
    assert not loop and counts(trace, "stores", "dead_bytes", "unread_bytes") == (passes, 0, 8)


def test_a_memset_and_a_copy_of_which_parts_are_dead(program):
    n = 200
    trace, passes, loop = row(program, "memset_cure", n)
    assert trace["store_bytes"] == (64 + 32) * n + 8 * passes
    assert trace["dead_bytes"] == (64 + 32) * n - 64  # nothing reads it
    assert sum(i["dead_bytes"] == i["store_bytes"] for i in loop) == 2  # by the other stores of the same iteration
    trap = row(program, "memset_trap", n)[0]
    assert trap["store_bytes"] < trace["store_bytes"]
    trace, passes, loop = row(program, "copy_cure", n)
    assert trace["dead_bytes"] == (64 - 16) * n  # two of its words are read; it is on the stack
    assert sum(i["silent_stores"] for i in loop) == sum(i["stores"] * (n - 1) // n for i in loop)
    trace, passes, loop = row(program, "copy_trap", n)
    assert not loop and trace["dead_bytes"] == 0


# --- what is planted in an object ------------------------------------------------------------------

@pytest.fixture
def planted(compiler, tmp_path):
    return made.own(f"stores_{compiler}", tmp_path)


def test_an_object_s_rows_are_as_planted(planted):
    n = 20
    trace = {t["row"]: t for t in followed(planted, "--operations", n, "--verify")}
    names = "store_bytes", "dead_bytes", "unread_bytes"
    assert counts(trace["half"], *names) == (96 * n, 32 * n, 0)
    assert counts(trace["half_cure"], *names) == (64 * n, 0, 0)
    assert counts(trace["copied"], *names) == (64 * n, 64 * (n - 1), 64)
    assert counts(trace["copied_cure"], *names) == (64 * n, 0, 0)
    assert counts(trace["counter"], *names) == (8 * n, 8 * (n - 1), 0)
    assert counts(trace["counter_cure"], *names) == (8, 0, 0)
    # The cleared half is silent from the second iteration on, the other half alternates between 0 and 1.
    assert all(i["silent_stores"] in (0, n - 1) for i in trace["half"]["by_instruction"])
    assert trace["copied"]["silent_stores"] == trace["copied"]["stores"] * (n - 1) // n
    assert trace["counter"]["silent_stores"] == 0
    assert trace["copied_cure"]["dead_bytes"] == 0 < trace["copied_cure"]["silent_loads"]


def test_partial_overlaps_are_those_counted_by_hand(tmp_path):
    """Two iterations; its setup has stored the same bytes before."""
    path = made.of_source(tmp_path, "hand", """
        static void setup(struct baretick_object *o) { ((uint64_t *)o->room)[0] = 1; }
        static int f(uint64_t n, struct baretick_object *o) {
            for (; n; n--)
                __asm__ volatile("movq $1, (%0); movl $1, 4(%0); movw 6(%0), %%ax; movq $1, 2(%0); movb 9(%0), %%al"
                                 :: "r"(o->room) : "rax", "memory");
            return 0; }
        BARETICK_ROW(hand, f, "by hand", .body = f, .ops = 2, .room = 64, .setup = setup);""")
    (trace,) = followed(path, "--operations", 2, "--verify")
    names = "stores", "store_bytes", "dead_bytes", "unread_bytes", "silent_stores"
    found = [counts(i, *names) for i in sorted(trace["by_instruction"], key=lambda i: i["address"]) if i["stores"]]
    assert found == [(2, 16, 4 + 2 + 2 + 4 + 2, 2, 0),  # bytes 0 to 7: 4 by the next, 2 by the third, 2 by itself
                     (2, 8, 2 + 2, 0, 0),               # bytes 4 to 7, of which 6 and 7 are read
                     (2, 16, 6 + 1, 7, 0)]              # bytes 2 to 9, of which 9 is read
    assert counts(trace, *names) == (6, 40, 25, 9, 0)
    loads = {i["load_bytes"]: i for i in trace["by_instruction"] if i["loads"] == 2}
    assert counts(loads[2 * 1], "silent_loads") == counts(loads[2 * 2], "silent_loads") == (1,)


def test_lines_are_those_of_the_source(planted):
    source = (ROOT / "tests/objects/stores.c").read_text().splitlines()
    (trace,) = followed(planted, "--row", "counter")
    (dead,) = [i for i in trace["by_instruction"] if i["dead_bytes"]]
    name, line = dead["line"].rsplit(":", 1)
    assert name.endswith("stores.c") and source[int(line) - 1].strip() == "*count = i;"
    assert dead["function"] == "counter" and dead["offset"] > 0
    said = baretick(planted, "--row", "counter").stdout
    assert f"counter+{dead['offset']:#x}, stores.c:{line}" in said


def test_source_lines_of_built_in_rows_are_named():
    trace = one("compiler/store_cure")
    source = (ROOT / "bench/suites/compiler/body.c").read_text().splitlines()
    dead = max(trace["by_instruction"], key=lambda i: i["dead_bytes"])
    assert dead is trace["by_instruction"][0] and dead["function"] == "compiler_store_cure"
    assert source[int(dead["line"].rsplit(":", 1)[1]) - 1].strip() == "table[0] = i;"


def test_an_object_whose_source_is_gone_names_nothing(tmp_path):
    """A build folder contains the objects of the tree before the change."""
    for name in ("now", "gone"):
        source, made = tmp_path / f"suites/{name}.c", tmp_path / f"build/suites/{name}.c.o"
        for path in (source, made):
            path.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("int body(void) { return 0; }\n")
        subprocess.run(["gcc", "-c", source, "-o", made], check=True)
    (tmp_path / "suites/gone.c").unlink()
    found = lines.that_define(str(tmp_path), str(tmp_path / "build"), "suites")
    assert found == {"body": [str(tmp_path / "build/suites/now.c.o")]}


def test_what_an_object_calls_is_named(tmp_path):
    """memset() of an object is the program's own; an iteration of its REP STOSB is a step."""
    (tmp_path / "m.c").write_text(
        '#include "baretick.h"\nvoid *memset(void *, int, size_t);\n'
        "static int f(uint64_t n, struct baretick_object *o) { size_t k = 48; BARETICK_HIDE(k);"
        "for (; n; n--) memset(o->room, 7, k); return 0; }\n"
        'BARETICK_ROW(m, f, "memset", .body = f, .ops = 10, .room = 64);\n')
    subprocess.run(["gcc", "-O1", "-fPIE", "-ffreestanding", "-fno-builtin", "-I", ROOT / "bench/api", "-c", "m.c"],
                   cwd=tmp_path, check=True)
    trace = one(tmp_path / "m.o", "--verify")
    (string,) = [i for i in trace["by_instruction"] if i["text"] == "rep stosb"]
    assert string["function"] == "memset" and "mem.c:" in string["line"]
    assert counts(string, "stores", "dead_bytes", "silent_stores") == (480, 48 * 9, 48 * 9)
    assert trace["stores_by_size"]["1"] == 480


@pytest.mark.parametrize("kind", ["gxx17", "clangxx17"])
def test_names_of_cxx_are_readable_and_leave_room_for_the_offset(kind, tmp_path):
    if not made.at_hand(kind):
        pytest.skip(f"not installed: {made.COMMANDS[kind].split()[0]}")
    path = made.own(kind, tmp_path)
    names = {(i["function"], i.get("readable")) for t in followed(path, "--operations", 1) for i in t["by_instruction"]}
    assert ("_ZN12_GLOBAL__N_13sumEmP15baretick_object", "(anonymous namespace)::sum") in names
    assert re.search(r"^ +\(anonymous namespace\)::sum\+0x[0-9a-f]+$", baretick(path, "--top", 0).stdout, re.MULTILINE)


# --- instructions ----------------------------------------------------------------------------------

# Per iteration: stores, bytes, dead bytes, silent stores (except in the first one), loads, silent loads. A popped value
# is new.
KINDS = {
    "mov [r14], rax; mov rbx, [r14]": (1, 8, 0, 1, 1, 1),
    "mov [r14], r15": (1, 8, 8, 0, 0, 0),
    "mov qword [r14], 1; mov dword [r14], 2; mov rax, [r14]": (2, 12, 4, 0, 1, 1),
    "inc dword [r14]": (1, 4, 0, 0, 1, 0),
    "add dword [r14], 0": (1, 4, 0, 1, 1, 1),
    "push rax; pop rbx": (1, 8, 0, 0, 1, 0),
    "push qword [rsp + 8]; pop qword [rsp + 24]": (2, 16, 8, 1, 2, 1),
    "xor ebx, ebx; pushfq; popfq": (1, 8, 0, 0, 1, 0),
    "call $+5; add rsp, 8": (1, 8, 8, 0, 0, 0),
    "mov rcx, 5; lea rdi, [r14]; xor eax, eax; rep stosq": (5, 40, 40, 5, 0, 0),
    "mov ecx, 4; lea rdi, [r14]; lea rsi, [r14 + 64]; rep movsw": (4, 8, 8, 4, 4, 4),
    "lock cmpxchg [r14], rbx": (1, 8, 0, 1, 1, 1),
    "inc rbx; xchg [r14], rbx; xchg [r14], rbx": (2, 16, 0, 0, 2, 1),
    "btr qword [r14], 3": (1, 8, 0, 1, 1, 1),
    "movups [r14], xmm0; movups [r14 + 8], xmm0": (2, 32, 32, 2, 0, 0),
    "fld1; fstp tword [r14]": (1, 10, 10, 1, 0, 0),
    "nop dword [r14]; prefetcht0 [r14]; clflush [r14]; lea rax, [r14]": (0, 0, 0, 0, 0, 0),
    "pcmpeqd xmm1, xmm1; psrldq xmm1, 12; lea rdi, [r14]; maskmovdqu xmm0, xmm1": (1, 4, 4, 1, 0, 0),
}
AVX = {
    "vpcmpeqd xmm1, xmm1; vpsrldq xmm1, 8; vmaskmovps [r14], xmm1, xmm0": (1, 8, 8, 1, 0, 0),
}
AVX2 = {
    "vpcmpeqd ymm1, ymm1; vpxor ymm2, ymm2; vpgatherdd ymm0, [r14 + ymm2*4], ymm1": (0, 0, 0, 0, 8, 8),
}
AVX512 = {
    "mov eax, 0x5; kmovw k1, eax; vmovdqu32 [r14]{k1}, zmm0": (1, 8, 8, 1, 0, 0),
    "mov eax, 0x80000001; kmovd k1, eax; vmovdqu8 [r14]{k1}, ymm0; vmovdqu8 ymm1{k1}, [r14]": (1, 2, 0, 1, 1, 1),
    "mov eax, 0xf0; kmovw k1, eax; vpcompressd [r14]{k1}, zmm0": (1, 16, 16, 1, 0, 0),
    # Four elements at one address: three of them are dead within the instruction.
    "mov eax, 0xf; kmovw k1, eax; vpxord zmm2, zmm2; vpscatterdd [r14 + zmm2*4]{k1}, zmm0": (4, 16, 16, 4, 0, 0),
    "kxorw k1, k1, k1; vmovdqu32 [r14]{k1}, zmm0; vmovdqu32 zmm1{k1}, [r14]": (0, 0, 0, 0, 0, 0),
}


def of_this_cpu():
    return {**KINDS, **(AVX if "avx" in FLAGS else {}), **(AVX2 if "avx2" in FLAGS else {}),
            **(AVX512 if {"avx512bw", "avx512vl"} <= set(FLAGS) else {})}


@pytest.mark.parametrize("text", of_this_cpu())
def test_instructions_of_each_kind(text):
    """Compares all memory at each step: no store of the CPU was missed."""
    n = 10
    stored, stored_bytes, dead, silent, loaded, silent_loads = of_this_cpu()[text]
    trace = one(text, "--asm", "--operations", n, "--verify")
    assert counts(trace, "stores", "store_bytes", "loads") == (n * stored, n * stored_bytes, n * loaded), trace
    # The first iteration has no silent ones, and the fate of the last one's bytes is not known.
    most, fewest = n * silent, (n - 1) * silent
    assert fewest <= trace["silent_stores"] <= most, trace
    assert (n - 1) * silent_loads <= trace["silent_loads"] <= n * silent_loads, trace
    assert trace["dead_bytes"] + (trace["unread_bytes"] if dead else 0) == n * dead, trace


# --- the stack, calls ------------------------------------------------------------------------------

@pytest.mark.parametrize("text, silent, reread", [
    ("mov [r14], rax; mov rbx, [r14]", 999, 0),
    ("mov [r14], r15; mov rbx, [r14]; mov rcx, [r14]", 0, 1000),
])
def test_the_two_rules_for_loads_differ_in_the_examples(text, silent, reread):
    assert counts(one(text, "--operations", 1000), "silent_loads", "reread_loads") == (silent, reread)


@pytest.mark.parametrize("row", ["direct", "register", "virtual", "plt", "got"])
def test_a_return_address_is_no_silent_store(row):
    """A popped value dies: the next one is stored to new memory."""
    trace = one(f"calls/{row}", "--operations", 1000)
    (call,) = [i for i in trace["by_instruction"] if i["text"].startswith("call")]
    returns = [i for i in trace["by_instruction"] if i["text"] == "ret"]
    assert call["stores"] == 1000 and counts(call, "silent_stores", "dead_bytes", "unread_bytes") == (0, 0, 0)
    assert returns and all(counts(i, "silent_loads", "reread_loads") == (0, 0) for i in returns)


def test_what_dies_with_the_stack_is_dead():
    """Popped, or below the stack pointer of a function that returns: its red zone. Memory above it remains."""
    trace = one("sub rsp, 64; mov [rsp + 8], rax; add rsp, 64", "--operations", 10)
    assert counts(trace, "dead_bytes", "unread_bytes", "silent_stores") == (80, 0, 0)
    trace = one("call f; jmp on; f: mov [rsp - 16], rax; ret; on:", "--operations", 10)
    assert counts(trace, "dead_bytes", "unread_bytes", "silent_stores") == (80, 0, 0)
    trace = one("mov [rsp - 64], rax; push rax; pop rbx; mov rcx, [rsp - 64]", "--operations", 10)
    assert counts(trace, "dead_bytes", "unread_bytes", "silent_stores") == (0, 0, 9)
    trace = one("mov rbx, rsp; lea rsp, [r14 + 64]; push rax; pop rcx; mov rsp, rbx", "--operations", 10)
    assert counts(trace, "dead_bytes", "unread_bytes", "loads") == (0, 0, 10)  # switches to another stack, and back


CALLED = """
__attribute__((noinline)) static void leaf(volatile uint64_t *at) { *at = 7; __asm__ volatile(""); }
__attribute__((noinline)) static void once(volatile uint64_t *at) { leaf(at); __asm__ volatile(""); }
__attribute__((noinline)) static void deep(uint64_t n, volatile uint64_t *at)
{ if (n) deep(n - 1, at); else leaf(at); __asm__ volatile(""); }
static int f(uint64_t n, struct baretick_object *o) {
    volatile uint64_t *at = (volatile uint64_t *)o->room;
    for (; n; n--) { leaf(at); once(at); once(at); deep(9, at); }
    return 0; }
BARETICK_ROW(called, f, "one store in several stacks of calls", .body = f, .ops = 10, .room = 64);
"""


def test_the_lists_are_by_stacks_of_calls_five_deep(tmp_path):
    path = made.of_source(tmp_path, "called", CALLED, f"{made.C} -fno-optimize-sibling-calls -g")
    (trace,) = followed(path, "--operations", 10)
    (store,) = [i for i in trace["by_instruction"] if i["text"].startswith("mov qword ptr [")]
    assert counts(store, "stores", "silent_stores", "dead_bytes") == (40, 39, 8 * 39)
    sites = [r for r in trace["by_stack"] if r["address"] == store["address"]]
    stacks = [([call["function"] for call in r["calls"]], r["stores"]) for r in sites]
    assert sorted(stacks) == [(["deep"] * 5, 10), (["f"], 10), (["once", "f"], 10), (["once", "f"], 10)]
    assert all("called.c:" in call["line"] for r in sites for call in r["calls"])
    for key in ("stores", "silent_stores", "dead_bytes", "unread_bytes"):
        assert sum(r[key] for r in sites) == store[key]
    said = baretick(path, "--operations", 10).stdout
    assert said.count("called at deep+0x") >= 5 and said.count("called at once, called.c:") >= 2
    assert "called at" not in baretick(path, "--operations", 10, "--by", "instruction").stdout


@pytest.mark.skipif(not re.search(r"^flags.* bmi2 ", Path("/proc/cpuinfo").read_text(), re.MULTILINE),
                    reason="SHLX takes BMI2")
def test_a_row_whose_window_has_a_history_is_followed():
    assert one("truth/shlx_add")["steps"] > 0


# --- state that is changed -------------------------------------------------------------------------

HOSTILE = {
    "DF": "std",
    "AC": "pushfq; orl $0x40000, (%rsp); popfq",
    "NT": "pushfq; orl $0x4000, (%rsp); popfq",
    "rbx": "mov $1234, %ebx",
    "rbp": "mov $1234, %ebp",
    "r12": "mov $1234, %r12d",
    "r15": "inc %r15",
    "rsp": "mov (%rsp), %rcx; jmp *%rcx",
    "MXCSR": "movl $0xffc0, (%rsi); ldmxcsr (%rsi); movl $0, (%rsi)",
    "the x87 control word": "movw $0x27f, (%rsi); fldcw (%rsi); movl $0, (%rsi)",
    "the x87 stack": "fld1",
}


def test_a_body_that_changes_its_caller_s_state_is_named_and_the_rest_is_followed(tmp_path):
    """All rows of one object, one after the other: a canary after each is counted correctly."""
    rows = "".join(f"""
        static int h{i}(uint64_t n, struct baretick_object *o) {{
            (void)n; (void)o; __asm__ volatile("{text.replace("%", "%%")}" ::: "memory"); return 0; }}
        BARETICK_ROW(hostile, h{i}, "{name}", .body = h{i}, .ops = 2);
        static int c{i}(uint64_t n, struct baretick_object *o) {{
            for (; n; n--) ++*(volatile uint64_t *)&o->counter;
            return 0; }}
        BARETICK_ROW(hostile, c{i}, "canary", .body = c{i}, .ops = 2, .check = baretick_counted);"""
                   for i, (name, text) in enumerate(HOSTILE.items()))
    path = made.of_source(tmp_path, "hostile", rows)
    found = followed(path, "--operations", 10, status=1)
    assert len(found) == 2 * len(HOSTILE)
    for trace in found:
        if trace["what"] == "canary":
            assert counts(trace, "stores", "silent_stores", "loads") == (10, 0, 10 + 1), trace
            assert not {"changed", "wrong", "ended"} & set(trace)
        else:
            assert trace["changed"] == [trace["what"]], trace
    said = baretick(path, "--row", "h4")
    assert said.returncode == 1 and not said.stderr
    assert said.stdout.endswith("hostile/h4: the call changed what a function must leave as it was: rbp\n")


@pytest.mark.parametrize("out, said", [
    ('{"type":"trace","operations"{"baretick":1,"seq":0,"type":"event","kind":"fault",'
     '"message":"SIGSEGV at 0 while running h/\\"df","crc":"00000000"}\r\n', 'SIGSEGV at 0 while running h/"df'),
    ("", "did not say which"),
])
def test_a_fault_of_the_program_itself_is_no_traceback(out, said, tmp_path, monkeypatch):
    fake = tmp_path / "stores"
    (tmp_path / "out").write_text(out)
    fake.write_text(f"#!/bin/sh\ncat {tmp_path}/out\nexit {stores.FAULTED}\n")
    fake.chmod(0o755)
    monkeypatch.setattr(stores, "PROGRAM", str(fake))
    with pytest.raises(start.Failed, match=re.escape(said)):
        stores.program("a/b")


# --- what is counted of instructions ---------------------------------------------------------------

def test_what_is_before_and_behind_the_instructions_is_not_counted():
    trace = one("mov [r14], rax", "--operations", 3, "--init", "mov [r14], rax; mov [r14], rax")
    assert counts(trace, "steps", "stores", "dead_bytes", "silent_stores") == (3 * 3, 3, 16, 2)
    assert [i["function"] for i in trace["by_instruction"]] == ["snippet"]


def test_an_instruction_has_its_label_and_offset():
    """Labels in user code; code around them is not attributed to them."""
    trace = one("jmp .on; .on: mov [r14], rax; own: mov [r14], rbx")
    assert [(i["function"], i["offset"]) for i in trace["by_instruction"]] == [("snippet.on", 0), ("own", 0)]
    for words, where in ((("xor eax, eax; jmp rax",), "at 0x0"), (("nop", "--asm", "--init", "ud2"), r"at prologue\+0x\w+"),
                         (("mov dword [rel $$], 1", "--init", "nop"), r"mov .* at snippet")):
        assert re.search(rf"^    {where}$", baretick(*words).stdout, re.MULTILINE), where


def test_a_row_in_assembly_is_its_body_alone():
    trace = one("calls/direct_inc", "--operations", 100)
    places = {i["text"].split()[0]: i["function"] for i in trace["by_instruction"]}
    assert places == {"call": "body", "inc": "callee", "ret": "callee"}
    assert trace["steps"] == 100 * 6 and trace["stores"] == 200
    assert one("calls/inline_inc_straight", "--operations", 7)["stores"] == 7
    empty = one("calls/inline_straight")  # the work in place is nothing
    assert empty["steps"] == empty["loads"] == empty["stores"] == 0 and not empty["by_instruction"]


# --- what ends a trace -----------------------------------------------------------------------------

@pytest.mark.parametrize("text, word, steps", [
    ("nop; syscall", "it leaves the code for the kernel", 1),
    ("nop; nop; int3", "it leaves the code for the kernel", 2),
    ("xbegin $+6", "a transaction does not survive single steps", 0),
    ("mov eax, ss; mov ss, eax", "the instruction after it would not be traced", 1),
    ("fxsave [r14]", "which bytes it touches depends on what state is in use", 0),
    ("xor eax, eax; mov [rax], rbx", "SIGSEGV, address 0", 2),
    ("nop; ud2", "SIGILL", 2),
    ("xor eax, eax; jmp rax", "SIGSEGV, address 0", 2),
    ("cli", "SIGSEGV", 1),
])
def test_what_is_not_stepped_over_ends_the_trace_with_a_word(text, word, steps):
    ran = baretick(text, "--asm")
    assert ran.returncode == 1, ran
    assert re.search(rf"^the trace ended after {steps} steps?: {re.escape(word)}$", ran.stdout, re.MULTILINE), ran
    assert re.search(r"^    .*at (snippet|0x0)", ran.stdout, re.MULTILINE), ran


def test_an_instruction_that_faults_has_done_nothing():
    (trace,) = followed("mov rax, [r14]; lock cmpxchg16b [r14 + 8]", "--init", "mov [r14], rax", status=1)
    assert trace["ended"]["why"] == "SIGSEGV" and trace["ended"]["text"].startswith("lock cmpxchg16b")
    assert counts(trace, "stores", "loads") == (0, 1)


@pytest.mark.parametrize("flag, text", [
    ("avx512f", "mov eax, 3; kmovw k1, eax; vpscatterdd [r14 + zmm2*4]{k1}, zmm3"),
    ("avx2", "vpcmpeqd xmm1, xmm1; vpgatherdd xmm0, [r14 + xmm2*4], xmm1"),
])
def test_an_element_that_faults_behind_others_that_do_not(flag, text):
    """A processor may take the step's trap between the two."""
    if flag not in FLAGS:
        pytest.skip(f"this CPU has no {flag}")
    index = "mov eax, 0x40000000; vmovd xmm2, eax; vpslldq xmm2, xmm2, 4"  # of element 1
    (trace,) = followed(text, "--init", index, status=1)
    assert re.fullmatch(r"SIGSEGV, address [0-9a-f]+", trace["ended"]["why"])
    assert trace["ended"]["text"].startswith(text.split("; ")[-1].split()[0])


def test_a_body_without_an_end_is_bounded():
    (trace,) = followed("provoke/endless", "--steps", 1000, status=1)
    assert trace["steps"] == 1000 and "within 1000 steps" in trace["ended"]["why"]
    assert trace["ended"]["function"] == "endless_body" and trace["ended"]["text"].startswith("jmp")


def test_what_comes_before_is_bounded_too():
    (trace,) = followed("nop", "--asm", "--init", "jmp $", "--steps", 1000, status=1)
    assert trace["steps"] == 0
    assert "100000 steps" in trace["ended"]["why"] and "to be counted" in trace["ended"]["why"], trace["ended"]


def test_few_steps_are_the_counted_ones():
    """Not the steps before the body: saving registers, filling areas."""
    (trace,) = followed("mov [r14], rax", "--steps", 1, status=1)
    assert counts(trace, "steps", "stores") == (1, 1)
    assert "its end" in trace["ended"]["why"] and "within 1 step" in trace["ended"]["why"], trace["ended"]
    assert trace["ended"]["text"] == "dec r15"


def test_a_body_of_many_instructions(tmp_path):
    """As many objects as there is space for code."""
    n = 100000
    path = made.of_source(tmp_path, "big", f"""
        static int f(uint64_t n, struct baretick_object *o) {{
            for (; n; n--) __asm__ volatile(".rept {n}; movb $1, (%0); .endr" :: "r"(o->room) : "memory");
            return 0; }}
        BARETICK_ROW(big, f, "many instructions", .body = f, .ops = 1, .room = 64);""")
    (trace,) = followed(path, "--operations", 2)
    assert counts(trace, "stores", "dead_bytes", "silent_stores") == (2 * n, 2 * n - 1, 2 * n - 1)
    assert sum(i["stores"] == 2 for i in trace["by_instruction"]) == n


def test_a_person_sees_how_far_a_long_one_is():
    """On a terminal, and only there."""
    words = [BARETICK, "stores", "provoke/endless", "--steps", "120000", "--json"]
    terminal, other = pty.openpty()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=other) as p:
        os.close(other)
        out = p.stdout.read()
    shown = os.read(terminal, 65536)
    os.close(terminal)
    assert b"\r50000 steps\r100000 steps\r" in shown and shown.endswith(b" \r"), shown
    assert json.loads(out)["steps"] == 120000
    assert baretick(*words[2:]).stderr == ""


def test_work_that_was_not_done_is_said():
    (trace,) = followed("provoke/wrong", status=1)
    assert "counter" in trace["wrong"] and "operations" in trace["wrong"], trace["wrong"]
    assert "the call did not do its work: the counter" in baretick("provoke/wrong").stdout


def test_a_trace_that_is_interrupted_shows_its_counts():
    """It shows the counts up to then."""
    p = subprocess.Popen([PROGRAM, "steps=100000000", "provoke/endless"], stdout=subprocess.PIPE, text=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    stat = Path(f"/proc/{p.pid}/stat")
    while int(stat.read_text().rsplit(")", 1)[1].split()[12]) < 10:  # ticks in the kernel: it is stepping
        time.sleep(0.01)
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=SECONDS)
    (trace,), _ = stores.read(out)
    assert p.returncode == 1 and trace["ended"]["why"] == "it was stopped" and trace["steps"] > 0


# --- words -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("words, message", [
    (("nothing",), "no row nothing; `baretick list` has them all; an instruction of one word takes --asm"),
    (("nothing.o",), "objects=nothing.o: No such file or directory"),
    (("planted/rdmsr",), "planted/rdmsr: it needs ring 0; a process has ring 3"),
    (("gaps/gaps",), "it watches cores"),
    (("cores/lock",), "it brings cores together"),
    (("baseline/empty_plain",), "its windows are empty"),
    (("nothing.c",), "objects=nothing.c: No such file or directory"),
    (("/no/such/file",), "objects=/no/such/file: No such file or directory"),
    (("compiler/store_cure", "--operations", 7), "7 operations: 1 to 4294967295 in multiples of 50 are allowed"),
    (("compiler/store_cure", "--operations", 50 << 32), "1 to 4294967295 in multiples of 50 are allowed"),
    (("calls/random_8", "--operations", 7), "7 operations: 1 to 2048 in multiples of 8 are allowed"),
    (("compiler/store_cure", "--operations", 0), "'0': a number from 1 to 18446744073709551615 is allowed"),
    (("compiler/store_cure", "--steps", 1 << 64), "a number from 1 to 18446744073709551615 is allowed"),
    (("compiler/store_cure", "--init", "nop"), "--init goes with instructions; a row's own setup runs before it"),
    (("compiler/store_cure", "--row", "x"), "--row names a row of an object"),
    (("bogus rax, 3",), "bogus rax, 3"),
    (("nop; \udcff",), "the snippet is not UTF-8: 'nop; \\udcff'"),
    (("add rax, 3", "--operations", 1000001), "--operations 1000001: of instructions 1 to 1000000 turns are allowed"),
    (("provoke/setup",), "provoke/setup: its setup faulted: SIGILL at"),
    (("empty", "--row"), "expected one argument"),
])
def test_wrong_words_are_named(words, message):
    ran = baretick(*words)
    assert ran.returncode == 2 and message in ran.stderr and not ran.stdout, ran


@pytest.fixture
def inline(tmp_path):
    """An object whose row has the name of one of the program's rows, and one with a new name."""
    rows = "".join(f'BARETICK_ROW(mine, {name}, "{name}", .body = f, .ops = 2);\n' for name in ("inline", "other"))
    return made.of_source(tmp_path, "mine", "static int f(uint64_t n, struct baretick_object *o) "
                          f"{{ o->counter += n; return 0; }}\n{rows}")


def test_a_row_of_an_object_is_one_of_its_own(inline):
    assert [t["suite"] for t in followed(inline, "--row", "inline")] == ["mine"]
    ran = baretick(inline, "--row", "direct")
    assert ran.returncode == 2 and ran.stderr == f"baretick: no row direct in {inline}; it has mine/inline mine/other\n"


def test_a_folder_stands_for_its_objects(inline, monkeypatch):
    made.own("stores_gcc", inline.parent)
    found = followed(f"{inline.parent}/", "--operations", 2)
    assert {t["object"] for t in found} == {"mine.o", "stores_gcc.o"}
    assert any("stores.c:" in i.get("line", "") for t in found for i in t["by_instruction"])
    (inline.parent / "few").mkdir()
    monkeypatch.chdir(inline.parent)
    ran = baretick("few")
    assert ran.returncode == 2 and ran.stderr.endswith("; a folder is few/\n")


def test_a_file_that_is_not_an_object_is_refused(tmp_path):
    (tmp_path / "a.o").write_text("no object")
    ran = baretick(tmp_path / "a.o")
    assert ran.returncode == 2 and "a.o" in ran.stderr and not ran.stdout, ran


def test_without_zydis_it_is_said_what_to_install(tmp_path, monkeypatch):
    made = subprocess.run(["make", "-C", ROOT, "stores", "HAS_ZYDIS="], capture_output=True, text=True, check=False)
    assert made.returncode == 2 and "Zydis" in made.stderr and "./scripts/setup" in made.stderr
    fake = tmp_path / "stores"
    fake.write_text("#!/bin/sh\necho stores: error while loading shared libraries: libZydis.so.4.0 >&2\nexit 127\n")
    fake.chmod(0o755)
    monkeypatch.setattr(stores, "PROGRAM", str(fake))
    with pytest.raises(start.Failed, match="libZydis.so.4.0(?s:.*)./scripts/setup installs it"):
        stores.program("a/b")
    monkeypatch.setattr(stores, "PROGRAM", str(tmp_path / "none"))
    with pytest.raises(start.Failed, match="`make stores` builds it"):
        stores.program("a/b")


def test_bash_completes_it():
    script = subprocess.run([BARETICK, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    for words, last in (("baretick sto", "stores"), ("baretick stores --ver", "--verify")):
        ask = f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _baretick; echo ${{COMPREPLY[@]}}"
        ran = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == last


# --- the table -------------------------------------------------------------------------------------

def listed(text, title):
    """Returns the figures of a list, one line each."""
    part = re.search(rf"^{title}$(.*?)(?=^$|\Z)", text, re.MULTILINE | re.DOTALL)
    return [tuple(map(int, m[1].split())) for m in re.finditer(r"^((?: *\d+)+)   ", part[1], re.MULTILINE)] if part else []


def test_the_worst_come_first_in_100_columns(planted):
    ran = baretick(planted)
    assert ran.returncode == 0 and max(map(len, ran.stdout.splitlines())) <= 100
    copied = ran.stdout[:ran.stdout.index("/copied_cure: ")]
    dead, silent = listed(copied, "dead stores"), listed(copied, "silent stores")
    for found in (dead, silent):
        assert found and [f[0] for f in found] == sorted((f[0] for f in found), reverse=True) and all(f[0] for f in found)
    assert dead[0] == (16 * 99, 16 * 100, 100) and silent[0] == (99, 100)
    few = baretick(planted, "--row", "copied", "--top", 1).stdout
    assert re.search(r"^\.\.\. and \d+ more; --top 0 shows all$", few, re.MULTILINE) and len(listed(few, "dead stores")) == 1


def test_a_load_is_listed_by_either_rule():
    (line,) = listed(baretick("mov [r14], r15; mov rbx, [r14]; mov rcx, [r14]").stdout, "silent loads, reread loads")
    assert line == (0, 1000, 1000)
    (line,) = listed(baretick("mov [r14], rax; mov rbx, [r14]").stdout, "silent loads, reread loads")
    assert line == (999, 0, 1000)
    said = baretick("mov rbx, [r14]", "--operations", 1).stdout
    assert not listed(said, "silent loads, reread loads") and "1 load of 8 bytes: 0 loads (0%) silent" in said


def test_long_names_are_cut():
    call = {"address": 0x1234, "function": "g" * 200, "offset": 1}
    record = {"text": "vpscatterdd " * 10, "address": 0x1234, "function": "f" * 200, "offset": 1, "calls": [call] * 5,
              **dict.fromkeys(stores.COUNTS, 10 ** 8)}
    for _, _, columns in stores.LISTS:
        shown = list(stores.table([record], columns))
        assert max(map(len, shown)) <= 100 and sum("..." in line for line in shown) == 2 + 5
    assert stores.place({**record, "line": "/src/" + "d" * 5 + ".c:7"}, 40) == "f" * 22 + "...+0x1, ddddd.c:7"


# --- speed -----------------------------------------------------------------------------------------

@pytest.mark.silicon
def test_it_steps_at_half_the_bare_rate_or_more():
    """Compared with plain steps, alternating in the same process, by its CPU time: other programs' load is in neither."""
    ran = subprocess.run([PROGRAM, "speed=1", "operations=5000", "compiler/silent_cure"], capture_output=True, text=True,
                         timeout=SECONDS, check=True)
    speed = json.loads(ran.stdout)
    assert speed["type"] == "speed" and speed["steps_per_second"] >= speed["bare"] / 2 > 1000, speed
