"""Bodies that call the kernel: refused calls, and what they must not do to the process, its memory and its report."""

import json
import platform
import re
import signal
from pathlib import Path

from commands import output_of, run_command
import pytest

import hostile
import made
from conftest import ROOT
from hostile_rows import CHECK_FAILED, FAULTED, call, rows_of


# Without IA32 emulation in the kernel INT 0x80 is a bad access.
def refusal(name, i386, why):
    return f"SIGSYS, {name}(2), which would" in why or (i386 and "SIGSEGV" in why)


CALLERS = hostile.parts(hostile.calls(), 60)


def test_the_numbers_of_refused_calls_are_those_of_the_kernels_headers():
    """Of the calls that the installed headers have."""
    bits = {"64": 0, "x32": hostile.X32, "32": 0}
    for at, (header, bit) in enumerate(bits.items()):
        text = output_of("gcc", "-E", "-dM", "-include", f"asm/unistd_{header}.h", "-x", "c", "/dev/null")
        defined = dict(re.findall(r"#define __NR_(\w+) (?:\(__X32_SYSCALL_BIT \+ )?(\d+)", text))
        numbers = {name: n[at] for name, n in hostile.CALLS.items()}
        numbers |= {name: n[at] for name, (n, _) in hostile.WITH_FIRST.items()}
        has = {name: number for name, number in numbers.items() if name in defined}
        assert len(has) > 30 and all(int(defined[name]) == number for name, number in has.items()
                                     if number is not None), (header, bit)
        left_out = {name for name, number in has.items() if number is None}
        assert all(hostile.WITH_FIRST.get(name, (0, 0))[1] == hostile.BUFFERS for name in left_out), left_out


@pytest.mark.native
@pytest.mark.parametrize("part", range(len(CALLERS)))
def test_no_body_ends_or_changes_the_process(run, tmp_path, part):
    """By a call of one of three ABIs: each fails its row, and the report has one end."""
    callers = made.of_source(tmp_path, "calls", hostile.calls_source(CALLERS[part]))
    abis = sorted({"*_" + row.rpartition("_")[2] + "*" for row, *_ in CALLERS[part]})
    ran = run(f"objects={callers}", "suite=calls", f"bench={','.join(abis)}", "samples=16", "instructions=off",
              "format=jsonl")  # fmt: skip
    rows = rows_of(ran)
    assert ran.out.count('"type":"end"') == 1, ran.out[-400:]
    for row, name, i386, *_ in CALLERS[part]:
        assert rows[row]["status"] == "wrong" and refusal(name, i386, rows[row]["why"]), rows[row]
        assert rows[row + hostile.CANARY]["status"] == "ok", rows[row + hostile.CANARY]


# Other calls that reach the code buffer: name, number, and the arguments.
REACHES = {
    "begins_before": ("munmap", 11, (hostile.BUFFERS - 4096, 8192)),
    "begins_far_before": ("mprotect", 10, (1 << 40, hostile.BUFFERS, 0)),
    "moves_there": ("mremap", 25, (1 << 32, 4096, 4096, 3, hostile.BUFFERS)),  # MREMAP_MAYMOVE, MREMAP_FIXED
    "attaches_there": ("shmat", 30, (0, hostile.BUFFERS, 0x4000)),  # SHM_REMAP
}


@pytest.mark.native
def test_no_call_that_begins_elsewhere_reaches_the_buffers(run, tmp_path):
    rows = "\n".join(f"""BARETICK_STATEMENT(reaches, {row}, "a call", 8) {{ (void)o; long got; {call(number, *arguments)} BARETICK_KEEP(got); }}
        BARETICK_STATEMENT(reaches, {row}{hostile.CANARY}, "a count", 8, .check = baretick_counted) {{ o->counter++; }}"""
                     for row, (_, number, arguments) in REACHES.items())
    rows = rows_of(run(f"objects={made.of_source(tmp_path, 'reaches', rows)}", "suite=reaches", "samples=16",
                       "instructions=off", "format=jsonl"))
    for row, (name, *_) in REACHES.items():
        assert rows[row]["status"] == "wrong" and f"SIGSYS, {name}(2), which would" in rows[row]["why"], rows[row]
        assert rows[row + hostile.CANARY]["status"] == "ok", rows[row + hostile.CANARY]


def test_stores_follows_no_body_that_calls_the_kernel(stores, tmp_path):
    callers = made.of_source(tmp_path, "calls", hostile.calls_source(CALLERS[0]))
    ran = run_command(stores, f"objects={callers}")
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    traces = [r for r in records if r["type"] == "trace"]
    assert ran.returncode == 1 and len(traces) == 2 * len(CALLERS[0]), ran
    traces = {r["row"]: r for r in traces}
    for row, *_ in CALLERS[0]:
        assert "leaves the code for the kernel" in traces[row]["ended"]["why"], traces[row]
        assert "ended" not in traces[row + hostile.CANARY], traces[row + hostile.CANARY]


def test_snippets_end_or_change_no_process(tmp_path):
    snippets = hostile.snippets_of_calls(CALLERS[0])
    file = tmp_path / "snippets"
    file.write_text("".join(f"{line}\n" for line in hostile.snippet_lines(snippets)))
    ran = run_command(ROOT / "scripts/baretick", "asm", "--file", file, "--hosted", "--retry-budget", "0", "--json",
                      "--unroll", "4", "--samples", "16", "--allow-syscalls")
    assert ran.returncode == 1, ran.stderr
    rows = {one["row"]["name"]: one["row"] for one in map(json.loads, ran.stdout.splitlines())}
    for row, name, i386, *_ in CALLERS[0]:
        assert rows[row]["status"] == "wrong" and refusal(name, i386, rows[row]["why"]), rows[row]
        assert rows[row + hostile.CANARY]["status"] == "ok", rows[row + hostile.CANARY]


@pytest.mark.native
def test_other_calls_of_a_body_are_measured(run, tmp_path):
    """Also with arguments close to those that are refused."""
    source = f"""BARETICK_STATEMENT(other, a_getpid, "a call", 8) {{ (void)o; long got; {call(39, 1)} o->counter = (uint64_t)got; }}
        BARETICK_STATEMENT(other, b_write, "a call", 8) {{ (void)o; long got; {call(1, -1, 0, 0)} o->counter = (uint64_t)got; }}
        BARETICK_STATEMENT(other, c_maps, "two calls", 8) {{
            (void)o; long got; register long r10 __asm__("r10") = 0x22, r8 __asm__("r8") = -1, r9 __asm__("r9") = 0;
            __asm__ volatile("syscall" : "=a"(got) : "a"(9L), "D"(0L), "S"(4096L), "d"(3L), "r"(r10), "r"(r8), "r"(r9)
                             : "rcx", "r11", "memory");
            *(volatile char *)got = 1; {call(11, "got", 4096)} o->counter = (uint64_t)got; }}"""
    ran = run(f"objects={made.of_source(tmp_path, 'other', source)}", "suite=other", "samples=16", "instructions=off",
              "format=jsonl")
    assert ran.status == 0 and {r["status"] for r in ran.report().rows.values()} == {"ok"}, ran.err


def kernel():
    """(major, minor) of Linux."""
    return tuple(int(n) for n in re.match(r"(\d+)\.(\d+)", platform.release()).groups())


HAS_KEYS = " ospke " in Path("/proc/cpuinfo").read_text()


def takes_keys(keys, after="nop"):
    return f"xor %ecx, %ecx; xor %edx, %edx; mov ${keys}, %eax; wrpkru; {after}"


# They take the memory of the program from it, key 0's; earlier kernels cannot deliver a signal then.
KEYS_TAKEN = {
    "keys_access": (takes_keys(1), "PKRU"),
    "keys_write": (takes_keys(2), "PKRU"),
    "keys_both": (takes_keys(3), "PKRU"),
    "keys_all": (takes_keys("0xffffffff"), "PKRU"),
    "keys_endless": (takes_keys(3, "1: jmp 1b"), "deadline="),
    "keys_fault": (takes_keys(3, "ud2"), "SIGILL"),
    "keys_call": (takes_keys(3, "mov $60, %eax; syscall"), r"SIGSYS, exit\(2\)"),
} if HAS_KEYS and kernel() >= (6, 12) else {}  # fmt: skip
# Bodies that leave the process in a state in which a handler could fail, and what their rows fail with.
STRANDED = {
    "fs_zero_endless": ("xor %eax, %eax; wrfsbase %rax; 1: jmp 1b", r"the FS base.*deadline=|SIGILL"),
    "fs_zero_fault": ("xor %eax, %eax; wrfsbase %rax; hlt", r"the FS base.*SIGSEGV|SIGILL"),
    "df_endless": ("std; 1: jmp 1b", "deadline="),
    "ac_misaligned": ("pushfq; orl $0x40000, (%rsp); popfq; mov -7(%rsp), %rax", "SIGBUS"),
    "nt_fault": ("pushfq; orl $0x4000, (%rsp); popfq; hlt", "SIGSEGV"),
    "single_step": ("pushfq; orl $0x100, (%rsp); popfq; nop", "SIGTRAP"),
    "no_stack_endless": ("xor %esp, %esp; 1: jmp 1b", "deadline="),
    "no_stack_fault": ("xor %esp, %esp; push %rax", "SIGSEGV"),
    "no_stack_call": ("xor %esp, %esp; mov $60, %eax; syscall", r"SIGSYS, exit\(2\)"),
    "code_of_32_bits": ("push $0x23; push $0x1000; lretq", "SIGSEGV"),
    "x87_unmasked": ("push $0; fldcw (%rsp); fld1; fldz; fdivrp; fwait", "SIGFPE"),
    "sse_unmasked": ("push $0; ldmxcsr (%rsp); xorps %xmm0, %xmm0; divss %xmm0, %xmm0", "SIGFPE"),
    "sleeps": ("push $0; push $0x7fffffff; mov %rsp, %rdi; xor %esi, %esi; mov $35, %eax; syscall", "deadline="),
    "waits_for_a_pipe": ("push $0; mov %rsp, %rdi; mov $22, %eax; syscall; mov (%rsp), %edi; mov %rsp, %rsi; mov $1, %edx;"
                         "xor %eax, %eax; syscall", "deadline="),
    **KEYS_TAKEN,
}


@pytest.mark.native
def test_a_fault_handler_works_after_a_body_has_taken_its_registers(run, tmp_path):
    """FS, the stack, flags and exception masks are gone, or the kernel has the body, when the signal comes."""
    rows = [f"""int {name}(uint64_t n, struct baretick_object *o);
        __asm__(".text; .globl {name}; {name}: {code}; ret");
        BARETICK_ROW(stranded, {name}, "an attack", .body = {name}, .ops = 8);
        BARETICK_STATEMENT(stranded, {name}{hostile.CANARY}, "a count", 8, .check = baretick_counted) {{ o->counter++; }}"""
            for name, (code, _) in STRANDED.items()]
    rows = rows_of(run(f"objects={made.of_source(tmp_path, 'stranded', chr(10).join(rows))}", "suite=stranded", "samples=16",
                       "deadline=1", "format=jsonl"))
    assert len(rows) == 2 * len(STRANDED), rows
    for name, (_, why) in STRANDED.items():
        assert rows[name]["status"] == "wrong" and re.search(why, rows[name]["why"]), rows[name]
        canary = rows[name + hostile.CANARY]
        assert canary["status"] == "ok" and "changed" not in canary, canary


PKRU = """
    static uint32_t pkru(void) { uint32_t a, d; __asm__ volatile("rdpkru" : "=a"(a), "=d"(d) : "c"(0)); return a; }
    static const char *as_begun(const struct baretick_object *o, uint64_t n) { return pkru() >> 30 ? baretick_counted(o, n) : "key 15"; }
    BARETICK_STATEMENT(pkru, a_given, "all rights of key 15", 8) {
        (void)o; __asm__ volatile("wrpkru" : : "a"(pkru() & 0x3fffffff), "c"(0), "d"(0) : "memory"); }
    BARETICK_STATEMENT(pkru, b_after, "a count", 8, .check = as_begun) { o->counter++; }
    BARETICK_STATEMENT(pkru, c_same, "WRPKRU", 8) { (void)o; __asm__ volatile("wrpkru" : : "a"(pkru()), "c"(0), "d"(0) : "memory"); }"""


@pytest.mark.native
@pytest.mark.skipif(not HAS_KEYS, reason="no protection keys")
def test_rights_of_other_keys_are_reported_and_restored(run, tmp_path):
    ran = run(f"objects={made.of_source(tmp_path, 'pkru', PKRU)}", "suite=pkru", "samples=16", "format=jsonl")
    rows = {name.partition("/")[2]: row for name, row in ran.report().rows.items()}
    assert ran.status == 0 and {row["status"] for row in rows.values()} == {"ok"}, rows
    assert {name: row.get("changed") for name, row in rows.items()} == {"a_given": "PKRU", "b_after": None, "c_same": None}, rows


@pytest.mark.native
@pytest.mark.skipif(not KEYS_TAKEN, reason="no protection keys, or a kernel that cannot deliver a signal without them")
def test_a_snippet_that_takes_the_memory_costs_its_row_alone(tmp_path):
    file = tmp_path / "snippets"
    file.write_text("mov eax, 3; wrpkru\nimul rax, rax\nwrpkru\n")
    ran = run_command(ROOT / "scripts/baretick", "asm", "--file", file, "--hosted", "--retry-budget", "0", "--json",
                      "--unroll", "4", "--samples", "16")
    rows = [json.loads(line)["row"] for line in ran.stdout.splitlines()]
    assert ran.returncode == 1 and [row["status"] for row in rows] == ["wrong", "ok", "ok"], ran
    assert "PKRU" in rows[0]["why"] and "changed" not in rows[1] and rows[2]["changed"] == "PKRU", rows


# A SYSCALL in memory that the body has mapped, which no filter refuses.
ELSEWHERE = f"""
    static long elsewhere(long number, long first, long second, long third, long fourth) {{
        static const uint8_t code[] = {{0x0f, 0x05, 0xc3}};
        long got; {call(9, 0, 4096, 7, 0x22, -1, 0)}
        for (unsigned i = 0; i < sizeof code; i++) ((volatile uint8_t *)got)[i] = code[i];
        register long r10_ __asm__("r10") = fourth;
        __asm__ volatile("call *%1" : "=a"(got) : "r"(got), "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10_)
                         : "rcx", "r11", "memory");
        return got; }}"""

# What would end the run with status 0, and without the end of its report.
ENDS_ELSEWHERE = {"exit_group": (231, "0"), "exit": (60, "0"), "exit_256": (231, "256"), "execve": (59, f'(long)"{hostile.PATH}"')}


@pytest.mark.native
def test_no_call_from_elsewhere_ends_the_run_as_a_success(run, tmp_path):
    source = ELSEWHERE + "\n".join(f"""
        BARETICK_STATEMENT(elsewhere, {name}, "a call", 8) {{ (void)o; elsewhere({number}, {first}, 0, 0, 0); }}
        BARETICK_STATEMENT(elsewhere, {name}{hostile.CANARY}, "a count", 8, .check = baretick_counted) {{ o->counter++; }}"""
                                   for name, (number, first) in ENDS_ELSEWHERE.items())
    rows = rows_of(run(f"objects={made.of_source(tmp_path, 'elsewhere', source)}", "suite=elsewhere", "samples=16",
                       "instructions=off", "format=jsonl"))
    assert len(rows) == 2 * len(ENDS_ELSEWHERE), rows
    for name in ENDS_ELSEWHERE:
        call = "exit_group" if name == "exit_256" else name
        assert rows[name]["status"] == "wrong" and f"SIGSYS, {call}(2), which would" in rows[name]["why"], rows[name]
        assert rows[name + hostile.CANARY]["status"] == "ok", rows[name + hostile.CANARY]


# munmap of the neighbour of its page in the code buffer.
HOLE = ELSEWHERE + """
    int hole(uint64_t n, struct baretick_object *o) {
        (void)n; (void)o; elsewhere(11, ((long)&hole ^ 4096) & -4096, 4096, 0, 0); return 0; }
    BARETICK_ROW(hole, hole, "an attack", .body = hole, .ops = 8);
    BARETICK_STATEMENT(hole, z_last, "a count", 8, .check = baretick_counted) { o->counter++; }"""


@pytest.mark.native
def test_a_code_buffer_that_is_lost_ends_the_report_as_a_fault(run, tmp_path):
    """It cannot be written, or its rights cannot be changed, so no row can be measured."""
    ran = run(f"objects={made.of_source(tmp_path, 'hole', HOLE)}", "suite=hole", "samples=16", "instructions=off",
              "format=jsonl")
    records = [json.loads(line) for line in ran.out.splitlines()]
    faults = [r["message"] for r in records if r["type"] == "event" and r["kind"] == "fault"]
    assert ran.status == FAULTED and [r["type"] for r in records].count("end") == 1, ran.err
    assert len(faults) == 1 and "hole/" in faults[0], faults
    assert "code buffer's rights" in faults[0] or re.search("SIGSEGV, address 4000000[0-9a-f]{5}", faults[0]), faults


# rt_sigaction(SIGSEGV, the default), then a fault: the kernel ends the process, as Linux before 6.12 does where a body has
# taken the keys of its memory.
UNHANDLED = ELSEWHERE + """
    BARETICK_STATEMENT(unhandled, a_first, "a count", 8, .check = baretick_counted) { o->counter++; }
    BARETICK_STATEMENT(unhandled, b_dies, "an attack", 8) {
        static const uint64_t usual[4]; (void)o; elsewhere(13, 11, (long)usual, 0, 8); __asm__ volatile("mov 8, %%rax" : : : "rax"); }
    BARETICK_STATEMENT(unhandled, c_last, "a count", 8, .check = baretick_counted) { o->counter++; }"""
# mmap, "syscall; ret" there, getpid, kill(itself, SIGKILL).
DIES = ("mov eax, 9; xor edi, edi; mov esi, 4096; mov edx, 7; mov r10d, 0x22; mov r8, -1; xor r9d, r9d; syscall; "
        "mov rbx, rax; mov dword [rbx], 0xc3050f; mov eax, 39; call rbx; mov edi, eax; mov esi, 9; mov eax, 62; call rbx")


@pytest.mark.native
def test_a_process_that_the_kernel_ends_is_not_a_success(run, tmp_path):
    """Its report has no end, and each reader of it reports this. `asm` names the signal."""
    ran = run(f"objects={made.of_source(tmp_path, 'unhandled', UNHANDLED)}", "suite=unhandled", "samples=16",
              "instructions=off", "format=jsonl")
    rows = [r["name"] for r in map(json.loads, ran.out.splitlines()) if r["type"] == "row"]
    assert ran.status == -signal.SIGSEGV and '"type":"end"' not in ran.out and rows == ["a_first"], ran.out
    report = tmp_path / "report"
    report.write_text(ran.out)
    for words in (["show", report], ["convert", report, "--to", "csv"]):
        said = run_command(ROOT / "scripts/baretick", *words)
        assert said.returncode != 0 and "no record `end`" in said.stderr, said
    said = run_command(ROOT / "scripts/baretick", "asm", DIES, "--hosted", "--retry-budget", "0", "--unroll", "1",
                       "--samples", "16", "--allow-syscalls")
    assert said.returncode == 1 and "signal 9" in said.stderr, said


# What no filter refuses, as it may be what a body measures.
OPENS_NULL = call(2, '"/dev/null"', 1)
OTHERS = {
    "closes": call(3, 1),
    "replaces": OPENS_NULL + call(33, "got", 1),
}


@pytest.mark.native
@pytest.mark.parametrize("kind", OTHERS)
def test_a_run_whose_report_a_body_took_is_not_a_success(run, tmp_path, kind):
    body = OTHERS[kind]
    source = f"""BARETICK_STATEMENT(other, {kind}, "a call", 8) {{ (void)o; long got; {body} BARETICK_KEEP(got); }}"""
    ran = run(f"objects={made.of_source(tmp_path, kind, source)}", "suite=other", "samples=16", "instructions=off",
              "format=jsonl")
    assert ran.status == CHECK_FAILED and '"type":"end"' not in ran.out and "standard output" in ran.err, ran.err


HARM = {  # body: what it does, and whether it costs bytes of a file that is written at its end alone
    "truncates": (call(77, 1, 0), True),
    "rewinds": (call(8, 1, 0, 0), False),
    "skips": (call(8, 1, 1 << 30, 0), False),
    "rewinds_for_good": (call(72, 1, 4, 0) + call(8, 1, 0, 0), True),  # takes O_APPEND away first
    "writes": (call(32, 1) + "long also = got;" + call(1, "also", '"\\n"', 1) + call(3, "also"), False),
}


@pytest.mark.native
@pytest.mark.parametrize("mode", ["wb", "ab"])
@pytest.mark.parametrize("kind", HARM)
def test_a_run_whose_report_a_body_harms_in_its_file_is_not_a_success(run, tmp_path, kind, mode):
    """In one round, and in several, between which nothing is written."""
    body, appended = HARM[kind]
    source = f"""BARETICK_STATEMENT(other, {kind}, "a call", 8) {{ (void)o; long got; {body} BARETICK_KEEP(got); }}
        BARETICK_STATEMENT(other, z_last, "a count", 8, .check = baretick_counted) {{ o->counter++; }}"""
    file = tmp_path / "report"
    words = (f"objects={made.of_source(tmp_path, kind, source)}", "suite=other", "instructions=off", "format=jsonl")
    for more in ("samples=16", "samples=1024"):
        file.write_text("before\n")
        with open(file, mode) as out:
            ran = run(*words, more, stdout=out)
        harmed = kind != "writes" and (mode == "wb" or appended)
        assert ran.status == (CHECK_FAILED if harmed else 0), (more, ran.err)
        assert harmed == ("standard output: " in ran.err), ran.err
        if not harmed:
            text = file.read_text()
            assert text.count('"type":"end"') == 1 and text.startswith("before\n") == (mode == "ab")
