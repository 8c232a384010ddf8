"""`baretick asm` on a booted machine: what needs ring 0, what faults there, and what it says that it counts."""

import json
from pathlib import Path

from commands import run_command
import pytest

import hostile


ROOT = Path(__file__).resolve().parents[2]
SECONDS = 240
COUNTED = [  # snippet, instructions
    ("mov rax, cr3", 1), ("invlpg [rdi]", 1), ("rdmsr", 1), ("imul rax, rbx; add rax, rcx", 2),
    ("vaddps ymm0, ymm1, ymm2", 1), ("push rax; pop rbx", 2), ("cli; nop", 2),
]  # fmt: skip
FAULTS = [
    ("ud2", "#UD"), ("xor ecx, ecx; div rcx", "#DE"), ("mov qword [0], 1", "#PF"), ("int3", "#BP"),
    ("mov rsp, 0; push rax", "#DF"), ("jmp $", "ran longer than deadline=2 seconds"),
]  # fmt: skip


@pytest.fixture
def asm(program, tmp_path):
    """asm(lines, word, ...): the snippets of a file, booted; what ended, and a record each."""

    def start(lines, *words):
        file = tmp_path / "snippets"
        file.write_text("".join(f"{line}\n" for line in lines))
        ran = run_command(ROOT / "scripts/baretick", "asm", "--file", file, "--json", "--icount", "1", *words)
        return ran, [json.loads(line) for line in ran.stdout.splitlines()]

    return start


def test_privileged_instructions_are_counted(asm):
    ran, said = asm([code for code, _ in COUNTED], "--init", "mov ecx, 0x10")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert all(one["execution"] == "instructions" for one in said)
    assert [(one["snippet"], one["row"]["per_op"]["instructions"]) for one in said] == COUNTED


def test_faults_endless_loops_and_hostile_snippets_cost_their_row_alone(asm):
    bodies = {**hostile.SNIPPETS, **hostile.SNIPPETS_RING0}
    lines = [*(code for code, _ in FAULTS), "@good add rax, rbx", *hostile.snippet_lines(bodies)]
    ran, said = asm(lines, "--deadline", "2", "--unroll", "4", "--samples", "16")
    assert ran.returncode == 1, ran.stderr
    for (code, why), one in zip(FAULTS, said):
        assert one["row"]["status"] == "wrong" and why in one["row"]["why"], (code, one["row"])
        assert "asm." in one["row"]["why"], one["row"]
    good, *said = said[len(FAULTS):]
    assert good["row"]["name"] == "good" and good["row"]["per_op"]["instructions"] == 1
    fails = {"fs": hostile.FAILS_BOOTED["fs"], "gs": hostile.FAILS_BOOTED["gs"], **hostile.FAILS_RING0}
    hostile.judge_snippets(said, bodies, {name: [w.replace("deadline=", "deadline=2") for w in fails[name]]
                                          for name in bodies if name in fails})
