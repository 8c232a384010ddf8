"""`baretick insn REPORT --published FILE`, with made-up reports and made-up figures of others."""

import pytest
from made_insn import record
from made_reports import whole
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


FORMS = (record(ADD), record(XOR), record(STORE), record(DIVIDE), record(COMPARE), record(EXCHANGE), record(LOCKED),
         record(SHUFFLE, LANES))
ANY_IMMEDIATE = "{EVEX} VSHUFI32X4 ymm, ymm, ymm, imm8"


def against(*published):
    """Returns a case with each of these texts of figures of others."""
    files = {f"{n}": f"CPU0: made up\n{text}".encode() for n, text in enumerate(published)}
    return {"r": whole(others=FORMS), **files}, *(f"insn r --published {n}" for n in files)


CASES = {
    "figures of the same operands agree": against(
        line("ADD r1_64, r2_64", 1.0, 0.25), "X86\tADD r1_64, r2_64\t1.0\t0.26\n", line("ADD r1_64, r2_64", 1.0, 1.0),
        "X86\tMOVNTI [m64], r64\t[memory dep.]\t0.5\n", line("XOR r64, r64", 0.2, 0.17),
        "AVX512F\tVPCMPGTQ k1, zmm, zmm\tdiff. reg. set\t0.23\n"),
    "a form that differs and is in no class fails": against(
        line("ADD r1_64, r2_64", 1.0, 0.6) + line("DIVSD xmm1, xmm2", 13.0, 4.67) + line("XOR r64, r64", 0.2, 0.01)),
    # A class explains differences up to its bounds, of its kind of figure.
    "a class explains only differences of its size and kind": against(
        *(line("DIVSD xmm1, xmm2", *of) for of in ((13.0, 4.67), (13.0, 4.5), (13.0, 7.0), (14.0, 5.0)))),
    "a figure that is not settled differs and does not fail": against("X86\tLOCK ADD [m64], r64\t[memory dep.]\t5.5\n"),
    "both figures of a form need their class": against(
        *(line("XCHG r8, r8", *of) for of in ((2.0, 2.0), (4.0, 2.0), (2.0, 4.0)))),
    # No immediate takes as long as the second.
    "the immediate of a published figure may be another one": against(
        line(ANY_IMMEDIATE, 3.0, 0.5), line(ANY_IMMEDIATE, 4.5, 3.0)),
    "a file without figures is refused": against("nothing\n", line("FOO r64", 1.0, 1.0)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_agreement_is_as_stored(said, name):
    said(CASES, name)


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
