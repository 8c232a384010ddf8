"""`baretick insn REPORT --published FILE`, with made-up reports and made-up figures of others."""

import pytest
from made_insn import record
from made_reports import baretick, whole
from read import agreement

ADD = {"form": "add r64, r64", "cycles": {"tp": "0.25", "0>0": "1.00", "1>0": "1.00"}}
XOR = {"form": "xor r64, r64", "cycles": {"tp": "0.25", "0>0": "1.00"}, "same": "0.167"}
STORE = {"form": "movnti m64, r64", "cycles": {"tp": "41", "1>0": "<500"}, "line": "0.50"}
DIVIDE = {"form": "divsd xmm, xmm", "cycles": {"tp": "5.00", "0>0": "13.0"}}
COMPARE = {"form": "{evex} vpcmpgtq k, zmm, zmm", "cycles": {"tp": "1.00", "1>0": "<9.0"}, "same": "0.171"}
SHUFFLE = {"form": "{evex} vshufi32x4 ymm, ymm, ymm, imm8", "cycles": {"tp": "0.34", "1>0": "1.00"}}
LANES = {"form": "{evex} vshufi32x4 ymm, ymm, ymm, imm8 [imm8=1]", "cycles": {"tp": "0.50", "1>0": "3.00"}}
LOCKED = {"form": "lock add m64, r64", "cycles": {"tp": "8?", "1>0": "9.0"}}
EXCHANGE = {"form": "xchg r8, r8", "cycles": {"tp": "0.50", "0>0": "1.00"}}


def line(name, latency, cycles):
    return f"Inst  409 X86   : {name:30} L: {latency:>6}ns={latency:>5}c  T:   0.08ns={cycles:>6}c\n"


@pytest.fixture
def compared(tmp_path):
    def run(*lines):
        report, published = tmp_path / "report.jsonl", tmp_path / "published.txt"
        report.write_bytes(whole(others=(record(ADD), record(XOR), record(STORE), record(DIVIDE), record(COMPARE), record(EXCHANGE), record(LOCKED), record(SHUFFLE, LANES))))
        published.write_text("CPU0: made up\n" + "".join(lines), encoding="utf-8")
        return baretick("insn", report, "--published", published)

    return run


@pytest.mark.parametrize("said, how", [
    (line("ADD r1_64, r2_64", 1.0, 0.25), agreement.SAME), ("X86\tADD r1_64, r2_64\t1.0\t0.26\n", agreement.SAME),
    (line("ADD r1_64, r2_64", 1.0, 1.0), agreement.CHAIN), ("X86\tMOVNTI [m64], r64\t[memory dep.]\t0.5\n", agreement.ADDRESS),
    (line("XOR r64, r64", 0.2, 0.17), agreement.NOTHING),
    ("AVX512F\tVPCMPGTQ k1, zmm, zmm\tdiff. reg. set\t0.23\n", agreement.SAME)])
def test_a_figure_of_the_same_operands_agrees(compared, said, how):
    ran = compared(said)
    assert ran.returncode == 0 and f"1 {how}" in ran.stdout and "1 of 1 agree (100.0%)" in ran.stdout, ran


def test_a_form_that_differs_and_is_in_no_class_fails(compared):
    ran = compared(line("ADD r1_64, r2_64", 1.0, 0.6), line("DIVSD xmm1, xmm2", 13.0, 4.67), line("XOR r64, r64", 0.2, 0.01))
    assert ran.returncode == 1 and "throughput: 0 of 3 agree" in ran.stdout, ran
    lines = {words[0]: words for text in ran.stdout.splitlines() if (words := text.split())}
    assert lines["ADD"][-1] == "none" and lines["DIVSD"][-1] == "divider" and lines["XOR"][-1] == "slot", ran.stdout
    assert compared(line("DIVSD xmm1, xmm2", 13.0, 4.67)).returncode == 0


@pytest.mark.parametrize("latency, cycles, status", [
    (13.0, 4.67, 0), (13.0, 4.5, 1), (13.0, 7.0, 1),  # a class explains differences up to its bounds ...
    (14.0, 5.0, 1)])  # ... of its kind of figure
def test_a_class_explains_only_differences_of_its_size_and_kind(compared, latency, cycles, status):
    assert compared(line("DIVSD xmm1, xmm2", latency, cycles)).returncode == status


def test_a_figure_that_is_not_settled_differs_and_does_not_fail(compared):
    ran = compared("X86\tLOCK ADD [m64], r64\t[memory dep.]\t5.5\n")
    assert ran.returncode == 0 and "0 of 1 agree" in ran.stdout and f"1 {agreement.UNSETTLED}" in ran.stdout, ran


def test_both_figures_of_a_form_need_their_class(compared):
    assert compared(line("XCHG r8, r8", 2.0, 2.0)).returncode == 0
    assert compared(line("XCHG r8, r8", 4.0, 2.0)).returncode == 1
    assert compared(line("XCHG r8, r8", 2.0, 4.0)).returncode == 1


def test_the_immediate_of_a_published_figure_may_be_another_one(compared):
    name = "{EVEX} VSHUFI32X4 ymm, ymm, ymm, imm8"
    ran = compared(line(name, 3.0, 0.5))
    assert ran.returncode == 0 and "latency: 1 of 1 agree" in ran.stdout and f"1 {agreement.IMMEDIATE}" in ran.stdout, ran
    ran = compared(line(name, 4.5, 3.0))  # no immediate takes as long
    assert ran.returncode == 1 and "latency: 0 of 1 agree" in ran.stdout and "throughput: 0 of 1 agree" in ran.stdout, ran


def test_a_file_without_figures_is_refused(compared):
    ran = compared("nothing\n")
    assert ran.returncode == 2 and "no line has published figures" in ran.stderr, ran
    ran = compared(line("FOO r64", 1.0, 1.0))
    assert ran.returncode == 2 and "no form is one of core 0" in ran.stderr, ran


def test_each_line_of_the_page_is_a_class_with_bounds():
    of = agreement.classes()
    assert len(of) > 20 and all(c.patterns and 0 < c.least < c.most for c in of)
    assert len({c.name for c in of}) == len(of)
    assert all(c.most / c.least < 3 for c in of if "random" not in c.name)


@pytest.mark.parametrize("wrong", ["| c | latency | `add *` | 1 | twice | x |", "| c | latency | add | 1 | 1 to 2 | x |",
                                   "| c | slots | `add *` | 1 | 1 to 2 | x |", "| c | latency | `add *` | 1 to 2 | x |"])
def test_a_line_without_bounds_is_refused(tmp_path, wrong):
    page = tmp_path / "page.md"
    page.write_text(f"| class | figure | forms | here | published / here | why |\n| --- |\n{wrong}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="page.md: c: a line of classes has"):
        agreement.classes(page)
