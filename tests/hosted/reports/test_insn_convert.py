"""Suite insn's forms for other tools: llvm-exegesis, which is run if it is installed, and InstLatx64's layout."""

import re
import subprocess

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


@pytest.fixture
def kept(tmp_path):
    def keep(*forms, run=None):
        path = tmp_path / "report.jsonl"
        path.write_bytes(whole(run=head(**(run or AMD)), others=(CORE, PLAN, record(*forms))))
        return path

    return keep


def converted(path, form, *words):
    ran = baretick("convert", path, "--to", form, *words)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def points(text):
    """{opcode: value}."""
    return dict(zip(re.findall(r"^    - '(\w+)", text, re.MULTILINE),
                    map(float, re.findall(r"\bvalue: ([\d.]+)", text))))


@needs_llvm
def test_points_have_the_largest_settled_latency_between_registers(kept):
    path = kept(ADD, IMUL, LOAD, UNSETTLED, FAULTY)
    assert points(converted(path, "exegesis")) == {"ADD64rr": 1, "IMUL64rr": 3}
    assert points(converted(path, "exegesis-throughput")) == {"ADD64rr": 0.25, "IMUL64rr": 1, "MOV64rm": 0.5}


def analysed(tmp_path, text):
    """The inconsistencies that llvm-exegesis finds."""
    (tmp_path / "points.yaml").write_text(text)
    ran = subprocess.run(
        [has("llvm-exegesis"), "-mode=analysis", "-analysis-numpoints=1", f"-benchmarks-file={tmp_path}/points.yaml",
         f"-analysis-inconsistencies-output-file={tmp_path}/found.html"],
        capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert f"Parsed {text.count('---')} benchmark points" in ran.stdout + ran.stderr
    return (tmp_path / "found.html").read_text()


@needs_llvm
def test_llvm_exegesis_reads_the_points_and_flags_a_planted_latency(kept, tmp_path):
    slow = converted(kept(ADD, SLOW_IMUL), "exegesis", "--cpu", "icelake-server")
    assert slow.startswith("# ") and "# SPDX-License-Identifier: CC0-1.0\n---\n" in slow
    found = analysed(tmp_path, slow)
    assert "IMUL64rr" in found and "ADD64rr" not in found
    path = kept(ADD, IMUL)
    assert "IMUL64rr" not in analysed(tmp_path, converted(path, "exegesis", "--cpu", "icelake-server"))


@needs_llvm
def test_convert_fails_if_a_report_has_nothing_for_the_form(kept):
    for form, words in ((UNSETTLED, "no form has a settled latency"), (FAULTY, "no form has a settled latency")):
        ran = baretick("convert", kept(form), "--to", "exegesis")
        assert ran.returncode == 2 and words in ran.stderr
    ran = baretick("convert", kept(ADD), "--to", "exegesis", "--cpu", "no-such-cpu")
    assert ran.returncode == 0 or "no-such-cpu" in ran.stderr  # LLVM may take it for a CPU without features


def test_an_unknown_cpu_must_be_named(kept):
    ran = baretick("convert", kept(ADD, run={"cpu": {"vendor": "GenuineIntel", "family": 15, "model": 6}}), "--to", "exegesis")
    assert ran.returncode == 2 and "--cpu" in ran.stderr


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
    said = subprocess.run([has("llvm-mc"), "-triple=x86_64", "-mcpu=help"], input="", capture_output=True, text=True, timeout=60,
                          check=False)  # fmt: skip
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


def test_lines_have_the_layout_of_the_collection(kept):
    origin, licence, blank, *lines = converted(kept(ADD, LOAD, NOP, FAULTY), "instlat").splitlines()
    assert "AuthenticAMD" in origin and "baretick 0.1.0" in origin and not blank
    assert licence == "SPDX-License-Identifier: CC0-1.0"
    # A core cycle of 0.5 ticks at 2 GHz is 0.25 ns.
    assert lines == [
        "Inst    1 AMD64 : ADD r64, r64                  L:   0.25ns=  1.0c  T:   0.06ns=  0.25c",
        "Inst    2 AMD64 : MOV r64, [m64]                L: [memory dep.]    T:   0.12ns=  0.50c",
        "Inst    3 X86   : NOP                           L: [no true dep.]   T:   0.05ns=  0.20c",
    ]  # fmt: skip


@pytest.mark.parametrize("execution, words", [("instructions", "instructions were counted"), ("emulated", "emulator")])
def test_figures_that_are_no_cycles_of_a_cpu_are_not_converted(kept, execution, words):
    path = kept(ADD, run={**AMD, "execution": execution})
    for form in ("exegesis", "exegesis-throughput", "instlat", "csv"):
        ran = baretick("convert", path, "--to", form)
        assert ran.returncode == 2 and words in ran.stderr and not ran.stdout, (form, ran.stderr)
    assert words in baretick("insn", path).stderr
    page = path.with_suffix(".html")
    assert baretick("report", path, "-o", page).returncode == 0 and words in page.read_text()


@pytest.mark.parametrize("form", ["instlat", pytest.param("exegesis", marks=needs_llvm)])
def test_only_the_first_core_is_in_outputs_without_a_core(tmp_path, form):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(whole(run=head(**AMD), others=(CORE, PLAN, record(ADD, IMUL))))
    two.write_bytes(whole(run=head(**AMD), others=(CORE, {**CORE, "core": 1}, PLAN, record(ADD, IMUL), record(SLOW_IMUL, core=1))))
    assert converted(two, form) == converted(one, form)


def test_counted_instructions_are_not_compared_with_cycles(kept, tmp_path):
    counted, cycles = kept(ADD, run={**AMD, "execution": "instructions"}).rename(tmp_path / "counted.jsonl"), kept(ADD)
    for words in (("--diff", cycles), ("--published", cycles)):
        ran = baretick("insn", counted, *words)
        assert ran.returncode == 2 and "instructions were counted" in ran.stderr, ran.stderr
    assert baretick("insn", counted, "--diff", counted).returncode == 0


def test_a_reader_of_the_collection_takes_the_exported_file(kept, tmp_path):
    path = kept(ADD, IMUL)
    (tmp_path / "exported.txt").write_text(converted(path, "instlat"))
    ran = baretick("insn", path, "--published", tmp_path / "exported.txt", "--format", "csv")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_form_of_64_bits_is_of_amd64(kept):
    wide = [{**ADD, "form": form} for form in ("add rax, imm32", "add m64, imm32", "cmpxchg8b m64")]
    lines = converted(kept(*wide), "instlat").splitlines()[3:]
    assert [line.split()[2] for line in lines] == ["AMD64", "AMD64", "X86"]


def test_the_licence_is_that_of_the_run(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(run=head(**AMD, licence="CC0-1.0"), others=(CORE, record(ADD))))
    assert "SPDX-License-Identifier: CC0-1.0" in converted(path, "instlat")


def test_a_report_without_a_licence_gives_its_figures_none(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(run=head(**AMD), others=(CORE, record(ADD))))
    assert "SPDX" not in converted(path, "instlat") and converted(path, "csv").splitlines()[1].endswith(",AuthenticAMD,")


def test_a_hostile_name_stays_in_its_line(kept):
    hostile = {"brand": "x\nInst 1 X86 : NOP L: 1ns= 1c T: 1ns= 1c\x1b[2J", **AMD["cpu"]}
    first = converted(kept(ADD, run={**AMD, "cpu": hostile}), "instlat").splitlines()[0]
    assert first.endswith(")") and "\x1b" not in first


def test_the_layout_needs_the_duration_of_a_cycle(kept):
    ran = baretick("convert", kept(ADD, run={"tsc": {}}), "--to", "instlat")
    assert ran.returncode == 2 and "core cycle" in ran.stderr


@pytest.mark.parametrize("form", ["exegesis", "instlat"])
def test_a_report_without_the_suite_is_refused(tmp_path, form):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole())
    ran = baretick("convert", path, "--to", form)
    assert ran.returncode == 2 and "suite=insn" in ran.stderr
