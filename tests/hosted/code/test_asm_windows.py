"""`baretick asm`: the windows that are made of a snippet, and remarks on their figures."""

import argparse
import os
import re
import shutil
import sys

from commands import output_of
import pytest

from asm_command import SECONDS, cycles, hosted, measured
from assembly import asm as asm_module
from assembly import assembler, copies, result, snippet
from conftest import ROOT
from assembly import measuring

pytestmark = pytest.mark.launches


def disassembled(path, function):
    """The instructions of a function of an object, without addresses and bytes."""
    text = output_of("objdump", "-d", "-M", "intel", "--no-show-raw-insn", f"--section=.text.{function}", path)
    return [" ".join(line.partition("#")[0].split()) for line in re.findall(r"^\s+[0-9a-f]+:\t(.*)$", text, re.MULTILINE)]


def test_registers_are_set_before_the_first_reading(tmp_path):
    """In a function that each window calls ahead of it. Around the copies a body only moves registers from and to memory,
    so the copies find the flags and vector registers that --init left."""
    made = tmp_path / "a.o"
    assembler.assemble([snippet.Snippet("imul rax, rbx", init="mov ecx, 7; vpxor ymm3, ymm3, ymm3", late_init="stc")], made,
                     ROOT / "bench/api")
    before = disassembled(made, "before_0")
    assert {"mov ecx,0x7", "vzeroall", "pxor xmm15,xmm15", "vpxord zmm31,zmm31,zmm31", "xor eax,eax"} <= set(before)
    assert before.index("vzeroall") < before.index("vpxor ymm3,ymm3,ymm3") < len(before) - 16
    for function, copies in (("copies_0", 200), ("fewer_0", 100)):
        code = disassembled(made, function)
        first, last = code.index("stc"), code.index("cld")
        assert code[first + 1:last] == ["imul rax,rbx"] * copies
        moves = code[:first] + code[last + 1:-2]
        assert len(moves) == 7 + 16 + 7 and all(line.startswith("mov ") for line in moves), moves
        assert code[-2:] == ["xor eax,eax", "ret"]


@pytest.mark.parametrize("code, init", [
    ("div rbx", "mov ebx, 3; mov eax, 6"), ("jc $ + 4; ud2", "stc; mov eax, 1"), ("pop rbx; div rbx", "push 3; push 3"),
])  # fmt: skip
def test_the_copies_find_the_registers_that_init_sets(code, init):
    ran = hosted(code, "--init", init, "--unroll", "1", "--samples", "16")
    assert "SIG" not in ran.stdout and "1 a" not in ran.stderr, ran.stdout + ran.stderr


def made_of(tmp_path, code, **fields):
    """A snippet that was assembled: its size and its code are known."""
    one = snippet.Snippet(code, **fields)
    assembler.assemble([one], tmp_path / "one.o", ROOT / "bench/api")
    return one


@pytest.mark.parametrize("cycles, code, snippets, unroll, loop", [
    (0.5, "vaddpd zmm0, zmm1, zmm2", 1, 170, 236), (3, "imul rax, rbx", 1, 256, 27), (20, "imul rax, rbx", 1, 256, 4),
    (300, "imul rax, rbx", 1, 100, 0), (0, "nop", 1, 1024, 976), (-0.1, "nop", 1, 1024, 976), (1, "times 500 nop", 1, 2, 10000),
    (1, "times 2000 nop", 1, 1, 20000), (0.5, "imul rax, rbx", 128, 20, 2000),
    # R15 counts the iterations; what walks through an area would leave the caches.
    (0.5, "imul r15, rbx", 1, 1024, 0), (0.5, "pop rax", 1, 1024, 0), (5, "add rdi, 64", 1, 400, 0), (5, "movsq", 1, 400, 0),
    (1, "mov rax, [rdi]; add rdi, 64", 1, 128, 0), (0.5, "enter 56, 0", 1, 128, 0), (0.5, "enter 48, 2", 1, 113, 0), (0.5, "push rax; push rbx", 1, 512, 0),
])  # fmt: skip
def test_copies_dominate_their_window_and_stay_decoded(tmp_path, cycles, code, snippets, unroll, loop):
    assert copies.plan(made_of(tmp_path, code), cycles, snippets) == (unroll, loop)


@pytest.mark.parametrize("code, loops", [
    ("mov rax, [r14]", True), ("mov [rsp - 8], rbx", True), ("lock add [rsi], rax", True), ("mov eax, [rdi + rbp]", True),
    ("lea r14, [r14 + 64]", False), ("xchg rsp, rax", False), ("mov r15d, 1", False), ("rep stosb", False), ("popfq", False),
    ("call $ + 5", False), ("mov rax, [r15]", False), ("nop; nop; lodsb", False),
])  # fmt: skip
def test_code_whose_input_changes_between_iterations_is_not_looped(tmp_path, code, loops):
    assert copies.may_loop(made_of(tmp_path, code).code) == loops


def test_an_iteration_has_whole_rounds_of_copies_that_differ_and_their_whole_size(tmp_path):
    one = made_of(tmp_path, "adc rax, rbx", copies=[f"xor r13d, r13d; adc {r}, rbx" for r in ("rax", "rcx", "rdx")])
    assert one.size == 6
    unroll, loop = copies.plan(one, 0.25, 1)
    assert unroll % 3 == 0 and unroll * one.size <= copies.LOOP_BYTES and loop > 1
    check = copies.check_of(one, 0.25, 1)
    assert check.unroll < unroll and check.unroll % 3 == 0
    assert check.unroll * check.loop > 3 * unroll * loop


@pytest.mark.native
@pytest.mark.parametrize("code, counted", [("vaddps xmm0, xmm1, xmm2", 1), ("xor ecx, ecx; adc rax, rbx", 2)])
def test_the_instructions_of_one_iteration_are_counted(code, counted):
    (one,) = measured(code)
    assert one["iterations"] > 1 and one["row"]["stepped"]["ops"] == one["copies"], one
    assert one["row"]["per_op"]["instructions"] == counted


def test_a_loop_finds_the_flags_that_init_leaves():
    """Its iterations are found by a division, which changes flags."""
    for flag, init in (("c", "stc"), ("o", "mov al, 127; add al, 1"), ("z", "xor eax, eax"), ("nc", "clc"), ("no", "xor eax, eax")):
        (one,) = measured(f"j{flag} $ + 4; ud2", "--init", init, "--unroll", "1", "--loop", "1", "--samples", "16")
        assert one["row"]["status"] == "ok", one


def test_snippets_that_would_leave_their_area_are_measured_without_a_loop():
    (one,) = measured("add rbx, 1024; mov rax, [r14 + rbx]", "--samples", "64")
    assert one["row"]["status"] == "ok" and (one["iterations"], one["check"]) == (0, None), one


@pytest.mark.parametrize("one, other, differ", [
    ((0.5, 0.49, 0.51), (0.502, 0.5, 0.504), False), ((0.67, 0.65, 0.69), (0.5, 0.49, 0.51), True),
    ((0.67, 0.4, 0.9), (0.5, 0.49, 0.51), False), ((0.5, 0.499, 0.501), (0.503, 0.502, 0.504), False),
])  # fmt: skip
def test_figures_that_depend_on_the_copies_are_marked(capsys, one, other, differ):
    row, checked = ({"status": "ok", "per_op": {"ticks": 1, **dict(zip(("cycles", "cycles_lo", "cycles_hi"), figures))}}
                    for figures in (one, other))
    s = snippet.Snippet("nop", unroll=100)
    assert result.tell(s, row, {"execution": "silicon"}, snippet.Snippet("nop", unroll=50, loop=900), checked)
    said = capsys.readouterr().out
    assert ("50 copies in each of 900 iterations" in said) == differ, said


class Hearing:
    """Standard error, that calls a function when it has heard a word twice."""

    def __init__(self, word, then):
        self.word, self.then, self.said = word, then, []

    def write(self, text):
        self.said.append(text)
        if self.word in text and sum(self.word in line for line in self.said) == 2:
            self.then()

    def flush(self):
        pass


def slow(program, folder):
    """The program, that begins when it can read a line from a pipe; returns what writes enough of these."""
    pipe, wrapper = folder / "go", folder / program
    os.mkfifo(pipe)
    go = os.open(pipe, os.O_RDWR)
    wrapper.write_text(f'#!/bin/sh\nread line < "{pipe}"\nexec "{shutil.which(program)}" "$@"\n')
    wrapper.chmod(0o755)
    return lambda: os.write(go, 1000 * b"\n")


@pytest.mark.parametrize("program, words", [("nasm", ["nop"]), ("ndisasm", ["nop"]), ("as", ["nop", "--syntax", "att"])])
def test_a_terminal_shows_that_an_assembler_is_running(tmp_path, monkeypatch, capsys, program, words):
    """The program waits until the line was shown twice, and then assembles."""
    assert measuring.SECONDS < 5
    heard = Hearing("baretick: assembling, ", slow(program, tmp_path))
    commands = argparse.ArgumentParser()
    asm_module.add(commands.add_subparsers())
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(measuring, "SECONDS", 0.01)
    monkeypatch.setattr(assembler, "ASSEMBLER_SECONDS", SECONDS)
    monkeypatch.setattr(sys, "stderr", heard)
    args = commands.parse_args(["asm", *words, "--hosted", "--retry-budget", "0", "--unroll", "4", "--samples", "16"])
    assert args.command(args) == 0, heard.said
    assert "nop" in capsys.readouterr().out
    assert any("baretick: measuring, " in line for line in heard.said), heard.said


@pytest.mark.parametrize("text, refused", [
    *((text, True) for text in ("mov r15, 1", "dec r15", "xor r15d, r15d", "nop; setc r15b", "imul r15, rbx", "pop r15",
                                "xchg rax, r15", "lock xadd [r14], r15", "mulx rax, r15, rcx")),
    *((text, False) for text in ("mov [r14], r15", "cmp r15, rax", "test r15, r15", "push r15", "imul r15", "mul r15",
                                 "mov rax, [r15 + 1]", "lock cmpxchg [r14], r15")),
])
def test_copies_in_a_loop_must_not_write_its_counter(text, refused, tmp_path):
    made_of(tmp_path, text, unroll=2)
    if refused:
        with pytest.raises(snippet.Wrong, match="R15 counts the iterations"):
            made_of(tmp_path, text, unroll=2, loop=3)
    else:
        made_of(tmp_path, text, unroll=2, loop=3)


@pytest.mark.parametrize("text, kib", [
    ("enter 4096, 0", 801), ("enter 65535, 31", 12849), ("enter 4096, 0; leave", 0), ("enter 16, 1", 0),
])
def test_frames_that_leave_the_stack_of_a_snippet_are_refused(text, kib, tmp_path):
    if not kib:
        made_of(tmp_path, text, unroll=100)
        return
    with pytest.raises(snippet.Wrong, match=f"enter .* {kib} KiB .* 512 KiB are allowed"):
        made_of(tmp_path, text, unroll=100)


@pytest.mark.parametrize("fields, words", [
    ({"exclusive": False, "shared": 0.934}, ["93%", "shared"]),
    ({"x87_stack_fault": True}, ["x87 stack", "--init"]),
    ({"exclusive": True, "shared": 0.2}, []),
])
def test_the_reason_for_a_spoiled_figure_is_shown(capsys, fields, words):
    row = {"status": "ok", "per_op": {"ticks": 1, "cycles": 1}, **fields}
    assert result.tell(snippet.Snippet("fadd"), row, {"execution": "silicon"})
    said = capsys.readouterr().out
    assert all(word in said for word in words) and (len(said.splitlines()) > 2) == bool(words), said
