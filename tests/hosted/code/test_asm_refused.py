"""`baretick asm`: snippets that fault, loop, call the kernel or cannot be assembled, and wrong words."""

import json
import os
import re
import resource
import shlex
import subprocess

import golden
import pytest

from asm_command import hosted, measured
from assembly import asm as asm_module
from assembly import assembler, result, snippet, syntax
from conftest import ROOT

pytestmark = pytest.mark.launches


def rows_apart(tmp_path, codes, *words):
    """(code, what is printed of it, what is printed of a good snippet after it) of each, all in one launch."""
    file = tmp_path / "snippets"
    file.write_text("".join(f"@bad_{i} {code}\n@good_{i} add rax, {register}\n"
                            for i, (code, register) in enumerate(zip(codes, GOOD))))
    ran = hosted("--file", str(file), *words)
    assert ran.returncode == 1, ran.stderr
    rest = ran.stdout
    for i, code in enumerate(codes):
        failed, rest = rest.split(f"add rax, {GOOD[i]}", 1)
        good = rest.split(f"asm.bad_{i + 1}")[0]
        assert f"asm.bad_{i}" in failed, ran.stdout
        yield code, failed, good


GOOD = ["rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10"]
FAULTS = {
    "ud2": "SIGILL at ", "xor ecx, ecx; div rcx": "SIGFPE at ", "mov qword [0], 1": "SIGSEGV, address 0",
    "jmp $": "ran longer than deadline=1 seconds", "xor esp, esp; push rax": "SIGSEGV", "int3": "SIGTRAP at ",
    "pushfq; or dword [rsp], 0x100; popfq": "SIGTRAP at ",
}
if "BARETICK_PROGRAM" not in os.environ:  # QEMU 7.2 checks no alignment
    FAULTS["pushfq; or dword [rsp], 0x40000; popfq; mov eax, [r14 + 1]"] = "SIGBUS"


def test_a_fault_or_an_endless_loop_fails_its_row_and_no_other(tmp_path):
    for code, failed, good in rows_apart(tmp_path, list(FAULTS), "--deadline", "1"):
        assert FAULTS[code] in failed, (code, failed)
        assert " a copy" in good, (code, good)


def test_unset_operands_are_asked_for(tmp_path):
    needs = {"div rbx": "SIGFPE", "idiv rbx": "SIGFPE", "xlatb": "SIGSEGV", "leave": "SIGSEGV"}
    for code, failed, _ in rows_apart(tmp_path, list(needs)):
        assert needs[code] in failed and "set operands with --init" in failed, (code, failed)
    ran = hosted("div rbx", "--init", "mov ebx, 1")
    assert ran.returncode == 0 and "--init" not in ran.stdout, ran


@pytest.mark.parametrize("why", ["SIGILL at 1000", "#UD invalid opcode (vector 6) at 1000"])
def test_an_instruction_that_the_cpu_lacks_is_named_by_its_extension(capsys, why):
    one = snippet.Snippet("vaddph zmm0, zmm1, zmm2", extension="AVX512_FP16_512")
    for s, says in ((one, "not enabled; it belongs to AVX512_FP16_512, by Zydis)"), (snippet.Snippet("ud2"), "or it is not enabled)")):
        assert not result.tell(s, {"status": "wrong", "why": why}, {"platform": "hosted"})
        assert says in capsys.readouterr().out


def test_the_machine_asks_for_operands_too(capsys):
    """As the kernel words its faults (kernel/)."""
    one = snippet.Snippet("div rbx", where="the snippet")
    for why, asks in (("#DE divide error (vector 0) at 1000", True), ("#GP general protection at 1000", False),
                      ("#PF page fault (vector 14), a read of the unmapped address 0, at 1000", True),
                      ("#PF page fault (vector 14), a read of the unmapped address 5000, at 1000", False)):
        assert not result.tell(one, {"status": "wrong", "why": why}, {"platform": "uefi"})
        assert ("set operands with --init" in capsys.readouterr().out) == asks, why


def test_the_message_about_privileged_code_names_the_way_to_run_it():
    ran = hosted("rdmsr")
    assert ran.returncode == 1 and "without --hosted" in ran.stdout


@pytest.mark.parametrize("words, call", [
    (["mov eax, 39; syscall"], "syscall"), (["mov eax, 20; int 0x80"], "int 0x80"), (["nop", "--init", "sysenter"], "sysenter"),
    (["--bytes", "90 0f05"], "syscall"), (["times 3 nop; times 2 syscall"], "syscall"),
])
def test_a_system_call_is_refused_by_name_unless_it_is_allowed(words, call):
    ran = hosted(*words)
    assert ran.returncode == 2 and f"{call} would make" in ran.stderr and "--allow-syscalls" in ran.stderr, ran.stderr
    assert not ran.stdout


def test_bytes_of_a_constant_are_not_a_system_call():
    ran = hosted("mov eax, 0x80cd050f")
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("code", ["%assign i 0", "global _start", "align 4096", "section .data; dd 1"])
def test_a_snippet_without_an_instruction_is_refused(code):
    ran = hosted(code)
    assert ran.returncode == 2 and "has no instruction" in ran.stderr and code in ran.stderr, ran.stderr


def test_a_snippet_that_is_far_too_long_is_refused_before_it_is_assembled_whole():
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ran = hosted("times 1000000 nop")
    assert ran.returncode == 2 and "300 copies of 1000000 bytes" in ran.stderr, ran.stderr
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < 30


@pytest.mark.parametrize("text, init, where", [("times 10000000000 nop", "", "the snippet"),
                                               ("nop", "times 10000000000 nop", "the snippet, --init")])
def test_nasm_that_takes_too_long_is_stopped_with_the_reason(monkeypatch, text, init, where):
    monkeypatch.setattr(assembler, "ASSEMBLER_SECONDS", 1)
    with pytest.raises(snippet.Wrong, match=f"^{where}: NASM did not end within 1 s: too many instructions"):
        assembler.verify(snippet.Snippet(text, init=init, where="the snippet", unroll=1))


@pytest.mark.parametrize("words, said", [
    (["resb 500000000"], "NASM wrote more than 16 MiB"),
    ([".skip 500000000", "--syntax", "att"], "GNU as wrote more than 16 MiB"),
])
def test_an_assembler_that_takes_too_much_is_stopped_with_the_reason(words, said):
    ran = hosted(*words)
    assert ran.returncode == 2 and not ran.stdout, ran
    assert f"{said}: too many instructions" in ran.stderr, ran.stderr


def test_gnu_as_that_takes_too_long_is_stopped_with_the_reason(tmp_path, monkeypatch):
    endless = tmp_path / "as"
    endless.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    endless.chmod(0o755)
    monkeypatch.setattr(assembler, "ASSEMBLER_SECONDS", 0.2)
    with pytest.raises(snippet.Wrong, match="the snippet: GNU as did not end within 0.2 s: too many instructions"):
        syntax.assembled("nop", "att", "the snippet", str(endless))


def test_a_reader_that_goes_away_is_not_an_error():
    ran = subprocess.run(f"{ROOT}/scripts/baretick list | head -n 1", shell=True, capture_output=True, text=True,
                         check=False)
    assert ran.stderr == "" and ran.stdout


def test_wrong_words_are_named_as_stored():
    """Without the words of NASM and of Python, which differ by their releases."""
    def said(words):
        ran = hosted(*shlex.split(words))
        assert ran.returncode == 2 and not ran.stdout and "Traceback" not in ran.stderr, ran
        message = re.sub(r"NASM: .*?;|NASM says: .*|\(choose from .*", "...", ran.stderr.splitlines()[-1])
        return re.sub(r'((?<!-latency|roughput): ".*": ).*', r"\1...", message)

    golden.check_table("asm_refused", said)


def test_limits_are_those_of_the_options():
    page = (ROOT / "docs/options.md").read_text()
    allowed = {key: allowed.split("\\|") if "\\|" in allowed else allowed.split("|")
               for key, allowed in re.findall(r"^\| `(\w+)=` \| `([^`]*)`", page, re.MULTILINE)}
    assert set(allowed["recipe"]) == set(asm_module.RECIPES)
    assert allowed["samples"] == ["auto", "{}..{}".format(*asm_module.SAMPLES)]
    assert allowed["deadline"] == ["{}..{}".format(*asm_module.DEADLINE)]


def test_the_x87_stack_that_the_command_fills_is_emptied():
    rows = measured("fadd st0, st1", "--latency", "--samples", "20")
    assert rows[0]["row"]["status"] == "ok" and "x87" not in str(rows[0]["row"].get("changed", "")), rows


def test_a_wrong_line_of_a_file_is_named_by_its_number(tmp_path):
    file = tmp_path / "snippets"
    file.write_text("nop\n\nadd rax, $%&\n")
    assert f"{file}, line 3: " in hosted("--file", str(file)).stderr
    file.write_text("nop\n@a$ nop\n")
    assert f"{file}, line 2: a name is " in hosted("--file", str(file)).stderr
    file.write_text("# nothing\n")
    assert "it has no snippet" in hosted("--file", str(file)).stderr


def test_each_refused_line_of_a_file_is_named_and_the_others_are_measured(tmp_path):
    file = tmp_path / "snippets"
    file.write_text("add rax, rbx\nsetc al\nadd rax, rbx; nop\nfoo rax\n@last imul rax, rbx\n")
    ran = hosted("--file", str(file), "--latency", "--samples", "20", "--json")
    assert ran.returncode == 1, ran.stderr
    assert [json.loads(line)["snippet"] for line in ran.stdout.splitlines()] == ["add rax, rbx", "imul rax, rbx"]
    assert re.findall(r"snippets, line (\d+): ", ran.stderr) == ["2", "3", "4"], ran.stderr
    file.write_text("setc al\nfoo rax\n")
    ran = hosted("--file", str(file), "--latency")
    assert ran.returncode == 2 and re.findall(r"snippets, line (\d+): ", ran.stderr) == ["1", "2"], ran.stderr
