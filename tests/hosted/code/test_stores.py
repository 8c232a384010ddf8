"""`baretick stores`: its counts for rows, objects and instructions that are redundant on purpose, by gcc and clang."""
import re
from pathlib import Path

from commands import output_of
import pytest
from conftest import ROOT
from traces import FLAGS, baretick, compiler, counts, followed, of, one, planted, program  # noqa: F401

from assembly import stores  # noqa: E402
import made  # noqa: E402
from launch import start  # noqa: E402

pytestmark = [pytest.mark.launches, pytest.mark.usefixtures("stores")]

PASS = 50  # operations of a pass of suite compiler: bench/suites/compiler/compiler.h


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


def test_a_repeated_load_is_silent_without_a_store_between(program):
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


def test_dead_parts_of_a_memset_and_a_copy_are_counted(program):
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


def test_an_object_without_its_source_names_no_lines(tmp_path):
    """A build folder contains the objects of the tree before the change."""
    for name in ("now", "gone"):
        source, made = tmp_path / f"suites/{name}.c", tmp_path / f"build/suites/{name}.c.o"
        for path in (source, made):
            path.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("int body(void) { return 0; }\n")
        output_of("gcc", "-c", source, "-o", made)
    (tmp_path / "suites/gone.c").unlink()
    found = stores.that_define(str(tmp_path), str(tmp_path / "build"), "suites")
    assert found == {"body": [str(tmp_path / "build/suites/now.c.o")]}


def test_undefined_functions_of_an_object_are_named(tmp_path):
    """memset() of an object is the program's own; an iteration of its REP STOSB is a step."""
    (tmp_path / "m.c").write_text(
        '#include "baretick.h"\nvoid *memset(void *, int, size_t);\n'
        "static int f(uint64_t n, struct baretick_object *o) { size_t k = 48; BARETICK_HIDE(k);"
        "for (; n; n--) memset(o->room, 7, k); return 0; }\n"
        'BARETICK_ROW(m, f, "memset", .body = f, .ops = 10, .room = 64);\n')
    output_of("gcc", "-O1", "-fPIE", "-ffreestanding", "-fno-builtin", "-I", ROOT / "bench/api", "-c", "m.c",
              cwd=tmp_path)
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
    "xorps xmm0, xmm0; movups [r14], xmm0; movups [r14 + 8], xmm0": (2, 32, 32, 2, 0, 0),
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
def test_instructions_of_each_kind_miss_no_store(text):
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


@pytest.mark.parametrize("text, init", [
    ("add [r14], eax", "mov ebx, 1"), ("add dword ptr [r14], eax", "mov dword ptr [rsi], 1"),
    ("addl %eax, (%r14)", "movl $1, (%rsi)"), ("   0:\t41 01 06             \tadd    %eax,(%r14)", ""),
])
def test_each_syntax_of_asm_is_taken(text, init):
    trace = one(text, "--operations", 10, "--init", init)
    assert counts(trace, "stores", "store_bytes", "loads", "load_bytes") == (10, 40, 10, 40), trace


# --- the stack, calls ------------------------------------------------------------------------------

@pytest.mark.parametrize("text, silent, reread", [
    ("mov [r14], rax; mov rbx, [r14]", 999, 0),
    ("mov [r14], r15; mov rbx, [r14]; mov rcx, [r14]", 0, 1000),
])
def test_the_two_rules_for_loads_differ_in_the_examples(text, silent, reread):
    assert counts(one(text, "--operations", 1000), "silent_loads", "reread_loads") == (silent, reread)


@pytest.mark.parametrize("row", ["direct", "register", "virtual", "plt", "got"])
def test_a_return_address_is_not_a_silent_store(row):
    """A popped value dies: the next one is stored to new memory."""
    trace = one(f"calls/{row}", "--operations", 1000)
    (call,) = [i for i in trace["by_instruction"] if i["text"].startswith("call")]
    returns = [i for i in trace["by_instruction"] if i["text"] == "ret"]
    assert call["stores"] == 1000 and counts(call, "silent_stores", "dead_bytes", "unread_bytes") == (0, 0, 0)
    assert returns and all(counts(i, "silent_loads", "reread_loads") == (0, 0) for i in returns)


def test_stored_bytes_below_the_stack_pointer_are_dead():
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
    ("", "did not report it"),
])
def test_a_fault_of_the_program_itself_is_not_a_traceback(out, said, tmp_path, monkeypatch):
    fake = tmp_path / "stores"
    (tmp_path / "out").write_text(out)
    fake.write_text(f"#!/bin/sh\ncat {tmp_path}/out\nexit {stores.FAULTED}\n")
    fake.chmod(0o755)
    monkeypatch.setattr(stores, "PROGRAM", str(fake))
    with pytest.raises(start.Failed, match=re.escape(said)):
        stores.program("a/b")


# --- what is counted of instructions ---------------------------------------------------------------

def test_accesses_of_init_are_not_counted():
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
