"""`baretick asm`: snippets of assembly as rows. What NASM says of a wrong one; faults and endless loops; figures
that are known on every CPU."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import snippet  # noqa: E402

SECONDS = 300


def asm(*words):
    return subprocess.run([ROOT / "scripts/baretick", "asm", *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)


def measured(*words):
    """The row's record of each snippet."""
    ran = asm(*words, "--hosted", "--json")
    assert ran.returncode in (0, 1), ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def cycles(*words):
    (one,) = measured(*words)
    row = one["row"]
    assert row["status"] == "ok", row
    if row["per_op"].get("cycles") is None:
        pytest.skip("core cycles are not known here")
    if row.get("shared", 0) > 0.2:
        pytest.skip("somebody else had the core")
    return row["per_op"]


# --- figures ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("words", [(), ("--unroll", "20", "--loop", "20"), ("--basic",), ("--latency",),
                                   ("--recipe", "rdtscp")])
def test_an_add_that_waits_for_the_one_before_takes_a_cycle(words):
    per_op = cycles("add rax, rbx", *words)
    # Against nothing, the first copies overlap with what comes before them.
    hidden = 0.2 if "--basic" in words else 0.05
    allowed = max(hidden, 2 * (per_op["cycles_hi"] - per_op["cycles_lo"]))
    assert abs(per_op["cycles"] - 1) <= allowed


def test_a_multiplication_by_its_bytes_costs_what_its_text_does():
    text, raw = cycles("imul rax, rbx"), cycles("--bytes", "48 0f af c3")
    spread = 2 * max(p["cycles_hi"] - p["cycles_lo"] for p in (text, raw))
    assert abs(text["cycles"] - raw["cycles"]) <= max(0.1, spread)


def documented_imul():
    """Cycles of a 64-bit IMUL's result: 3 on Intel since Nehalem and on AMD since Zen (Agner Fog, "Instruction
    tables"; uops.info)."""
    text = Path("/proc/cpuinfo").read_text()
    vendor, family = (re.search(rf"^{key}\s*: (.*)$", text, re.MULTILINE)[1] for key in ("vendor_id", "cpu family"))
    return 3 if (vendor, int(family) >= 23) == ("AuthenticAMD", True) or vendor == "GenuineIntel" else None


@pytest.mark.parametrize("words", [(), ("--latency",), ("--unroll", "50", "--loop", "10")])
def test_a_chain_of_multiplications_takes_what_is_documented(words):
    truth = documented_imul()
    if truth is None:
        pytest.skip("what a multiplication takes on this CPU is not written here")
    per_op = cycles("imul rbx, rcx", *words)
    assert abs(per_op["cycles"] - truth) <= max(0.05 * truth, per_op["cycles_hi"] - per_op["cycles_lo"])


def test_throughput_takes_less_than_latency():
    latency, throughput = (cycles("imul rax, rbx", wish) for wish in ("--latency", "--throughput"))
    assert throughput["cycles_hi"] < latency["cycles_lo"]


def test_areas_and_initial_code_are_there():
    """Each register points 512 KiB into an area of its own; init runs before every copy's window."""
    for register in ("r14", "rdi", "rsi", "rsp", "rbp"):
        ran = asm(f"mov rax, [{register} - 524288]; mov [{register} + 524280], rax", "--hosted")
        assert ran.returncode == 0, ran.stdout + ran.stderr
    ran = asm("div rbx", "--init", "mov ebx, 3", "--late-init", "xor edx, edx", "--unroll", "5", "--hosted")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_file_has_a_row_a_line(tmp_path):
    file = tmp_path / "snippets"
    file.write_text("# three\n@chain imul rax, rbx\nadd rax, rbx # plain\n\nnop\nnop\n")
    rows = measured("--file", str(file))
    assert [r["row"]["name"] for r in rows] == ["chain", "add_rax_rbx", "nop", "nop_2"]
    assert all(r["row"]["status"] == "ok" for r in rows)


# --- what goes wrong -------------------------------------------------------------------------------

@pytest.mark.parametrize("code, why", [
    ("ud2", "SIGILL at "), ("xor ecx, ecx; div rcx", "SIGFPE at "), ("mov qword [0], 1", "SIGSEGV, address 0"),
    ("jmp $", "ran longer than deadline=1 seconds"), ("xor esp, esp; push rax", "SIGSEGV"), ("int3", "SIGTRAP at "),
    ("pushfq; or dword [rsp], 0x100; popfq", "SIGTRAP at "), ("pushfq; or dword [rsp], 0x40000; popfq; mov eax, [r14 + 1]", "SIGBUS"),
])
def test_a_fault_or_an_endless_loop_fails_its_row_and_no_other(tmp_path, code, why):
    file = tmp_path / "snippets"
    file.write_text(f"@bad {code}\n@good add rax, rbx\n")
    ran = asm("--file", str(file), "--hosted", "--deadline", "1")
    bad, good = ran.stdout.split("add rax, rbx")
    assert ran.returncode == 1
    assert why in bad and "asm.bad" in bad
    assert " a copy" in good


def test_privileged_code_is_said_to_need_the_machine():
    ran = asm("rdmsr", "--hosted")
    assert ran.returncode == 1 and "try without --hosted" in ran.stdout


def test_a_program_that_ends_before_its_report_is_said_to(tmp_path):
    file = tmp_path / "snippets"
    file.write_text("mov eax, 60; xor edi, edi; syscall\nnop\n")  # exit(2)
    ran = asm("--file", str(file), "--hosted")
    assert ran.returncode == 1 and ran.stdout.count("not measured") == 2
    assert "the program ended before its report did" in ran.stderr


def test_a_reader_that_goes_away_is_no_error():
    ran = subprocess.run(f"{ROOT}/scripts/baretick list | head -n 1", shell=True, capture_output=True, text=True,
                         check=False)
    assert ran.stderr == "" and ran.stdout


@pytest.mark.parametrize("words, message", [
    (["nop", "--unroll", "400000"], "lower --unroll, or measure fewer snippets"),
    (["nop", "--unroll", "many"], "'many': a number from 0 on"),
    (["nop", "--smp", "2"], "--smp: of the machine in QEMU"),
    (["--bytes", ""], "the snippet is empty"),
    (["foo rax"], 'the snippet: "foo rax": '),
    (["add rax, rbx; imul rax, 1, 2, 3"], '"imul rax, 1, 2, 3": '),
    (["nopp"], '"nopp": label alone'),
    (["l: jmp l"], "a label in it is there more than once"),
    ([""], "the snippet is empty"),
    ([" ; "], "the snippet is empty"),
    (["nop", "--init", "bar"], '--init: "bar": '),
    (["nop", "--late-init", "bar"], '--late-init: "bar": '),
    ([], "is asked for"),
    (["nop", "--bytes", "90"], "is asked for"),
    (["--bytes", "9"], "hexadecimal digits"),
    (["--file", "/no/such/file"], "No such file"),
    (["nop", "--unroll", "0"], "--unroll takes 1 to 1000000"),
    (["nop", "--unroll", "1000", "--loop", "1001"], "is more than 1000000"),
    (["cmp rax, rbx", "--latency"], "writes flags only"),
    (["add rax, rbx; nop", "--latency"], "takes one instruction"),
    (["movd eax, xmm0", "--latency"], "a way back takes another instruction"),
    (["mov [r14], rax", "--latency"], "writes no register"),
    (["add rdi, rax", "--throughput"], "points to an area"),
    (["nop", "--recipe", "sometimes"], "recipe"),
])
def test_wrong_words_are_named(words, message):
    ran = asm(*words, "--hosted")
    assert ran.returncode == 2
    assert message in ran.stderr and "Traceback" not in ran.stderr


def test_a_wrong_line_of_a_file_is_named_by_its_number(tmp_path):
    file = tmp_path / "snippets"
    file.write_text("nop\n\nadd rax, $%&\n")
    assert f"{file}, line 3: " in asm("--file", str(file), "--hosted").stderr
    file.write_text("nop\n@a$ nop\n")
    assert f"{file}, line 2: a name is " in asm("--file", str(file), "--hosted").stderr
    file.write_text("# nothing\n")
    assert "it has no snippet" in asm("--file", str(file), "--hosted").stderr


# --- what a snippet waits for ----------------------------------------------------------------------

@pytest.mark.parametrize("text, becomes, says", [
    ("imul rax, rbx", "imul rax, rbx", "rax is read and written"),
    ("lea rax, [rbx + 8]", "lea rax, [rax + 8]", "rbx is now rax"),
    ("popcnt ecx, edx", "popcnt ecx, ecx", "rdx is now rcx"),
    ("movzx eax, bl", "movzx eax, al", "rbx is now rax"),
    ("mov rax, [r14]", "mov r14, [r14]", "R14 is the address and the result"),
    ("sqrtsd xmm0, xmm1", "sqrtsd xmm0, xmm1", "xmm0 is read and written"),
    ("sqrtpd xmm0, xmm1", "sqrtpd xmm0, xmm0", "xmm1 is now xmm0"),
    ("vaddps ymm2, ymm3, ymm4", "vaddps ymm2, ymm2, ymm4", "xmm3 is now xmm2"),
    ("imul rax, rbx, 3", "imul rax, rax, 3", "rbx is now rax"),
    ("mul rbx", "mul rbx", "RAX and RDX"),
])
def test_latency_says_what_waits(text, becomes, says):
    s = snippet.Snippet(text)
    snippet.latency(s)
    assert s.text == becomes
    assert says in s.notes[0]


@pytest.mark.parametrize("text, second", [
    ("imul rax, rbx", "imul rcx, rbx"), ("mulsd xmm0, xmm1", "mulsd xmm2, xmm1"),
    ("mov eax, [r14]", "mov ecx, [r14]"), ("vaddps ymm0, ymm1, ymm2", "vaddps ymm3, ymm1, ymm2"),
])
def test_throughput_takes_other_registers(text, second):
    s = snippet.Snippet(text)
    snippet.throughput(s)
    assert s.copies[:2] == [text, second]
    assert len(s.notes) == 1


# --- the program -----------------------------------------------------------------------------------

def test_it_runs_by_a_link_from_anywhere(tmp_path):
    link = tmp_path / "baretick"
    link.symlink_to(ROOT / "scripts/baretick")
    ran = subprocess.run([link, "list"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "direct_straight" in ran.stdout


def test_run_hands_words_and_status_on():
    def run(*words):
        return subprocess.run([ROOT / "scripts/baretick", "run", "--hosted", *words], capture_output=True,
                              text=True, timeout=SECONDS, check=False)
    assert run("suite=nothing").returncode == 3 and "no suite is called" in run("suite=nothing").stderr
    ran = run("suite=baseline", "bench=empty_lfence", "format=table")
    assert ran.returncode == 0 and "empty_lfence" in ran.stdout


@pytest.mark.parametrize("words, last", [
    ("baretick r", "run"), ("baretick asm --lat", "--late-init --latency"), ("baretick run --accel t", "tcg"),
])
def test_bash_completes_words(words, last):
    script = subprocess.run([ROOT / "scripts/baretick", "completion", "bash"], capture_output=True, text=True,
                            check=True).stdout
    ask = f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _baretick; echo ${{COMPREPLY[@]}}"
    ran = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == last
