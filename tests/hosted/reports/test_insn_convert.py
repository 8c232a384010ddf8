"""Suite insn's forms for other tools: llvm-exegesis, which is run if it is installed, and InstLatx64's layout."""

import re

from commands import run_command
import pytest
from made_insn import record
from made_reports import baretick, head, whole
from read import llvm_names
from tools import distribution

AMD = {"cpu": {"vendor": "AuthenticAMD", "family": 25, "model": 1}, "tsc": {"hz": 2000000000}}
CORE = {"type": "core", "core": 0, "usable": True, "ticks_per_cycle": 0.5}
ADD = {"form": "add r64, r64", "cycles": {"tp": "0.25", "0>0": "1.00(2)", "1>0": "1.00(2)", "1>f": "3.0(2)?"}}
IMUL = {"form": "imul r64, r64", "cycles": {"tp": "1.00", "0>0": "3.00(2)", "1>0": "3.00(2)"}}
LOAD = {"form": "mov r64, m64", "cycles": {"tp": "0.50", "1>0": "<7.5"}}
UNSETTLED = {"form": "sub r64, r64", "cycles": {"tp": "0.2(1)?", "0>0": "1(1)?"}}
FAULTY = {"form": "cpuid", "cycles": {"tp": "-"}, "fault": "SIGILL"}
SLOW_IMUL = {**IMUL, "cycles": {"tp": "1.00", "0>0": "7.00(2)", "1>0": "7.00(2)"}}
NOP = {"form": "nop", "cycles": {"tp": "0.20"}}
PLAN = {"type": "insn_plan", "core": 0, "licence": "CC0-1.0"}  # as in older reports


def has(tool):
    try:
        return llvm_names.tool(tool)
    except distribution.Missing:
        return None


needs_llvm = pytest.mark.skipif(not has("llvm-mc") or not has("llvm-exegesis"), reason="llvm-exegesis is not installed")
HOSTILE = {"brand": "x\nInst 1 X86 : NOP L: 1ns= 1c T: 1ns= 1c\x1b[2J", **AMD["cpu"]}
UNKNOWN = {"cpu": {"vendor": "GenuineIntel", "family": 15, "model": 6}}


def of(*forms, run=None, others=(PLAN,)):
    return whole(run=head(**(run or AMD)), others=(CORE, *others, record(*forms)))


TWO_CORES = whole(run=head(**AMD), others=(
    CORE, {**CORE, "core": 1}, PLAN, record(ADD, IMUL), record(SLOW_IMUL, core=1)))
FORMS = ("exegesis", "exegesis-throughput", "instlat", "csv")

CASES = {
    # A core cycle of 0.5 ticks at 2 GHz is 0.25 ns.
    "lines have the layout of the collection": ({"r": of(ADD, LOAD, NOP, FAULTY)}, "convert r --to instlat"),
    "an unknown CPU must be named": ({"r": of(ADD, run=UNKNOWN)}, "convert r --to exegesis"),
    **{f"figures that are no cycles of a CPU are not converted: {execution}": (
        {"r": of(ADD, run={**AMD, "execution": execution})}, *(f"convert r --to {form}" for form in FORMS), "insn r",
        "report r -o r.html --plots 0", "page r.html instructions") for execution in ("instructions", "emulated")},
    "only the first core is in outputs without a core": ({"r": TWO_CORES}, "convert r --to instlat"),
    "counted instructions are not compared with cycles": (
        {"counted": of(ADD, run={**AMD, "execution": "instructions"}), "r": of(ADD)}, "insn counted --diff r",
        "insn counted --published r", "insn counted --diff counted"),
    "a form of 64 bits is of AMD64": (
        {"r": of(*({**ADD, "form": form} for form in ("add rax, imm32", "add m64, imm32", "cmpxchg8b m64")))},
        "convert r --to instlat"),
    "the licence is that of the run": ({"r": of(ADD, run={**AMD, "licence": "CC0-1.0"}, others=())}, "convert r --to instlat"),
    "a report without a licence gives its figures none": (
        {"r": of(ADD, others=())}, "convert r --to instlat", "convert r --to csv"),
    "a hostile name stays in its line": ({"r": of(ADD, run={**AMD, "cpu": HOSTILE})}, "convert r --to instlat"),
    "the layout needs the duration of a cycle": ({"r": of(ADD, run={"tsc": {}})}, "convert r --to instlat"),
    "a report without the suite is refused": ({"r": whole()}, "convert r --to exegesis", "convert r --to instlat"),
}
WITH_LLVM = {
    "a report with nothing for the form": (
        {"unsettled": of(UNSETTLED), "faulty": of(FAULTY)}, "convert unsettled --to exegesis", "convert faulty --to exegesis"),
}


@pytest.mark.parametrize("name", [*CASES, *(pytest.param(name, marks=needs_llvm) for name in WITH_LLVM)])
def test_what_is_converted_is_as_stored(said, name):
    said({**CASES, **WITH_LLVM}, name)


@pytest.fixture
def converted(tmp_path):
    def convert(forms, form, *words):
        path = tmp_path / "report.jsonl"
        path.write_bytes(of(*forms))
        ran = baretick("convert", path, "--to", form, *words)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return convert


def points(text):
    """{opcode: value}; the operands of an instruction depend on LLVM's version."""
    return dict(zip(re.findall(r"^    - '(\w+)", text, re.MULTILINE),
                    map(float, re.findall(r"\bvalue: ([\d.]+)", text))))


@needs_llvm
def test_points_have_the_largest_settled_latency_between_registers(converted, tmp_path):
    forms = ADD, IMUL, LOAD, UNSETTLED, FAULTY
    assert points(converted(forms, "exegesis")) == {"ADD64rr": 1, "IMUL64rr": 3}
    assert points(converted(forms, "exegesis-throughput")) == {"ADD64rr": 0.25, "IMUL64rr": 1, "MOV64rm": 0.5}
    (tmp_path / "two").write_bytes(TWO_CORES)
    assert points(baretick("convert", tmp_path / "two", "--to", "exegesis").stdout) == {"ADD64rr": 1, "IMUL64rr": 3}


def analysed(tmp_path, text):
    """The inconsistencies that llvm-exegesis finds."""
    (tmp_path / "points.yaml").write_text(text)
    ran = run_command(has("llvm-exegesis"), "-mode=analysis", "-analysis-numpoints=1",
                      f"-benchmarks-file={tmp_path}/points.yaml",
                      f"-analysis-inconsistencies-output-file={tmp_path}/found.html")
    assert ran.returncode == 0, ran.stderr
    assert f"Parsed {text.count('---')} benchmark points" in ran.stdout + ran.stderr
    return (tmp_path / "found.html").read_text()


@needs_llvm
def test_llvm_exegesis_reads_the_points_and_flags_a_planted_latency(converted, tmp_path):
    found = analysed(tmp_path, converted([ADD, SLOW_IMUL], "exegesis", "--cpu", "icelake-server"))
    assert "IMUL64rr" in found and "ADD64rr" not in found
    assert "IMUL64rr" not in analysed(tmp_path, converted([ADD, IMUL], "exegesis", "--cpu", "icelake-server"))


@pytest.mark.parametrize("vendor, family, model, stepping, name", [
    ("AuthenticAMD", 15, 0x6b, 1, "k8-sse3"), ("AuthenticAMD", 16, 0x0a, 0, "amdfam10"), ("AuthenticAMD", 20, 0x02, 0, "btver1"),
    ("AuthenticAMD", 21, 0x01, 2, "bdver1"), ("AuthenticAMD", 21, 0x02, 0, "bdver2"), ("AuthenticAMD", 21, 0x13, 1, "bdver2"),
    ("AuthenticAMD", 21, 0x38, 1, "bdver3"), ("AuthenticAMD", 21, 0x70, 0, "bdver4"), ("AuthenticAMD", 22, 0x00, 1, "btver2"),
    ("AuthenticAMD", 23, 0x18, 1, "znver1"), ("AuthenticAMD", 23, 0x31, 0, "znver2"), ("AuthenticAMD", 25, 0x01, 1, "znver3"),
    ("AuthenticAMD", 25, 0x11, 1, "znver4"), ("AuthenticAMD", 25, 0x21, 2, "znver3"), ("AuthenticAMD", 25, 0x61, 2, "znver4"),
    ("AuthenticAMD", 26, 0x44, 0, "znver5"), ("HygonGenuine", 24, 0x00, 2, "znver1"), ("GenuineIntel", 6, 0x17, 6, "penryn"),
    ("GenuineIntel", 6, 0x3f, 2, "haswell"), ("GenuineIntel", 6, 0x55, 4, "skylake-avx512"),
    ("GenuineIntel", 6, 0x55, 7, "cascadelake"), ("GenuineIntel", 6, 0x55, 11, "cooperlake"),
    ("GenuineIntel", 6, 0x6a, 6, "icelake-server"), ("GenuineIntel", 6, 0xad, 1, "graniterapids"),
    ("GenuineIntel", 6, 0xc6, 2, "arrowlake-s"), ("GenuineIntel", 15, 6, 5, None), ("CentaurHauls", 6, 0x0f, 2, None),
])  # fmt: skip
def test_cpus_have_llvms_names(vendor, family, model, stepping, name):
    assert llvm_names.name_of({"vendor": vendor, "family": family, "model": model, "stepping": stepping}) == name


@needs_llvm
def test_llvm_knows_these_names_if_it_knows_their_cpus():
    """A newer CPU than this LLVM is not known; no other name may be missing."""
    said = run_command(has("llvm-mc"), "-triple=x86_64", "-mcpu=help", input="")
    known = set(re.findall(r"^  (\S+) +- Select", said.stdout + said.stderr, re.MULTILINE))
    names = {*llvm_names.INTEL, *(name for of in (*llvm_names.AMD.values(), llvm_names.SKYLAKE_SERVER) for _, name in of)}
    newer = {"znver4", "znver5", "emeraldrapids", "graniterapids", "graniterapids-d", "meteorlake", "arrowlake", "arrowlake-s",
             "sierraforest", "grandridge"}  # fmt: skip
    assert len(known) > 20 and names - known <= newer


@pytest.mark.parametrize("form, text", [
    ("add r64, r64", "add r8, r9"), ("lock add m64, r32", "lock add qword ptr [rsi], r8d"), ("nop", "nop"),
    ("vaddps ymm, ymm, m256", "vaddps ymm1, ymm2, ymmword ptr [rsi]"), ("shl r8, cl", "shl r8b, cl"),
    ("fadd st0, st", "fadd st, st(1)"), ("lea r64, address", "lea r8, [rsi]"), ("mul r64", "mul r8"),
    ("imul r16, r16, imm8", "imul r8w, r9w, 7"), ("{evex} vaddps zmm, zmm, zmm", "{evex} vaddps zmm1, zmm2, zmm3"),
    ("fxsave m4096", "fxsave [rsi]"), ("jo rel8", None), ("vaddps zmm, zmm, zmm {k}", None),
    ("vpgatherqd xmm, vm32xmm, xmm", None), ("mov moffs8, al", None), ("div r64 [slow]", None), ("rep movsb [rcx=0]", None),
])  # fmt: skip
def test_forms_become_assembly(form, text):
    assert llvm_names.assembly(form) == text


def test_a_reader_of_the_collection_takes_the_exported_file(converted, tmp_path):
    (tmp_path / "exported.txt").write_text(converted([ADD, IMUL], "instlat"))
    ran = baretick("insn", tmp_path / "report.jsonl", "--published", tmp_path / "exported.txt", "--format", "csv")
    assert ran.returncode == 0, ran.stdout + ran.stderr
