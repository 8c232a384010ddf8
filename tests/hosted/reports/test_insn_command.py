"""`baretick insn`: the table of instructions of a report, the differences of two, and its conversions."""

import csv
import io
import json

import pytest
from made_insn import record
from made_reports import baretick, head, report, row, whole
from read import insn, saved

ADD = {"form": "add r64, r64", "cycles": {"tp": "0.25(1)", "0>0": "1.00(2)", "1>0": "1.00(2)", "1>f": "1.1(2)?"}}
LOAD = {"form": "mov r64, m64", "cycles": {"tp": "0.50", "1>0": "<7.5(?)", "1b>0": "4.0"}, "line": "0.333(2)"}
XOR = {"form": "xor r64, r64", "cycles": {"tp": "0.25"}, "same": "0.17"}
LCP = {"form": "add r16, imm16", "cycles": {"tp": "0.25"}, "straight": "3.0", "slots": 2, "lcp": True}
NOP = {"form": "nop", "cycles": {"tp": "0.20"}}
CPUID = {"form": "cpuid", "cycles": {"tp": "-", "0>0": "-"}, "fault": "SIGILL at 0x1"}


PLAN = {"type": "insn_plan", "core": 0, "licence": "CC0-1.0"}


def report_of(*forms, left=("hlt",)):
    unrun = {"type": "insn_left", "core": 0, "why": "privileged", "forms": [[*left, ""]]}
    return whole(others=(PLAN, record(*forms), unrun))


@pytest.fixture
def kept(tmp_path):
    def keep(*forms, name="report.jsonl"):
        path = tmp_path / name
        path.write_bytes(report_of(*forms))
        return path

    return keep


def lines(ran):
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_each_form_has_a_line(kept):
    heading, add, load, xor, cpuid = lines(baretick("insn", kept(ADD, LOAD, XOR, CPUID)))
    assert heading.split()[:3] == ["form", "core", "cycles"]
    assert add.endswith("0>0,1>0 1+-0.02  1>f 1.1?+-0.2") and "0.25" in add
    assert load.split()[-4:] == ["1>0", "<=7.5", "1b>0", "4+-0.2"] and "0.333" in load
    assert "0.17" in xor and cpuid.endswith("SIGILL at 0x1")


@pytest.mark.parametrize("glob", ["add*", "add_r64_r64", "add r64, r64", "a??_r64*"])
def test_a_glob_chooses_forms_by_either_name(kept, glob):
    assert len(lines(baretick("insn", kept(ADD, LOAD, XOR), glob))) == 2


def test_forms_that_did_not_run_are_printed_on_request(kept):
    path = kept(ADD)
    assert len(lines(baretick("insn", path))) == 2
    hlt = lines(baretick("insn", path, "--all"))[-1]
    assert hlt.startswith("hlt ") and hlt.endswith("not run: privileged")
    ran = baretick("insn", path, "hlt")
    assert ran.returncode == 2 and "hlt" in ran.stderr and "--all" in ran.stderr


def test_differences_are_larger_than_both_errors(kept):
    slower = {**ADD, "cycles": {"tp": "0.265(10)", "0>0": "1.50(2)", "1>0": "1.03", "1>f": "1.2(2)"}}
    first, second = kept(ADD, LOAD), kept(slower, {**LOAD, "cycles": {**LOAD["cycles"], "1>0": "<9"}}, name="second.jsonl")
    ran = baretick("insn", first, "--diff", second, "--format", "csv")
    found = list(csv.DictReader(io.StringIO("\n".join(lines(ran)))))
    assert [(f["form"], f["figure"], f["first"], f["second"]) for f in found] == [("add r64, r64", "0>0", "1", "1.5")]
    assert float(found[0]["ratio"]) == 1.5
    assert lines(baretick("insn", first, "--diff", first)) == []


def test_single_cores_are_compared_whatever_their_numbers_are(kept, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(whole(others=(PLAN, record({**ADD, "cycles": {**ADD["cycles"], "tp": "0.50"}}, core=3))))
    assert lines(baretick("insn", kept(ADD), "--diff", other))[1].split()[:6] == ["add", "r64,", "r64", "tp", "0.25", "0.5"]


def test_reports_without_a_common_form_are_not_compared(kept):
    ran = baretick("insn", kept(ADD), "--diff", kept(XOR, name="other.jsonl"))
    assert ran.returncode == 2 and "other.jsonl" in ran.stderr and "in both" in ran.stderr, ran.stderr


def test_programs_get_every_figure(kept):
    ran = baretick("convert", kept(ADD, LOAD), "--to", "csv")
    found = list(csv.DictReader(io.StringIO("\n".join(lines(ran)))))
    assert [f["figure"] for f in found] == ["tp", "0>0", "1>0", "1>f", "tp", "line", "1>0", "1b>0"]
    assert found[3] == {"form": "add r64, r64", "core": "0", "figure": "1>f", "value": "1.1", "error": "0.2",
                        "at_most": "0", "settled": "0", "cpu": "Made CPU", "licence": "CC0-1.0"}
    assert found[6]["at_most"] == "1" and found[6]["error"] == ""


def test_a_length_changing_prefix_is_noted(kept):
    line = lines(baretick("insn", kept(LCP)))[-1]
    assert line.endswith("length-changing prefix") and line.split()[-4:-2] == ["3", "2"]


def test_figures_with_another_history_are_shown(kept):
    shlx = {"form": "shlx r64, r64, r64", "cycles": {"tp": "0.50", "1>0": "1.00", "2>0": "1.00"}, "history": "tp 1.40 1>0 2.80"}
    path = kept(shlx, ADD)
    found = json.loads(baretick("insn", path, "--format", "json").stdout)
    assert [row.get("history") for row in found] == ["tp 1.4+-0.02  1>0 2.8+-0.02", None]
    assert insn.forms(saved.read(path))[0].history["1>0"].value == 2.8
    assert "1>0 other history,2.8," in baretick("convert", path, "--to", "csv").stdout


def hybrid(tmp_path):
    slower = {**ADD, "cycles": {"tp": "0.333", "0>0": "1.00", "1>0": "1.00", "1>f": "1.00"}}
    path = tmp_path / "report.jsonl"
    cores = [{"type": "core", "core": i, "usable": True, "core_type": kind} for i, kind in enumerate(("P", "P", "E"))]
    path.write_bytes(whole(others=(*cores, record(ADD, XOR), record(ADD, core=1), record(slower, core=2))))
    return path


def test_each_type_of_core_has_a_column(tmp_path):
    ran = baretick("insn", hybrid(tmp_path), "--format", "json")
    add, xor = json.loads(ran.stdout)
    assert (add["tp P"], add["tp E"], add["latencies E"]) == ("0.25", "0.333", "0>0,1>0,1>f 1+-0.02")
    assert xor["tp P"] == "0.25" and "tp E" not in xor
    assert "1" in ran.stderr and "--core" in ran.stderr


def test_one_core_of_several_is_shown_on_request(tmp_path):
    (line,) = json.loads(baretick("insn", hybrid(tmp_path), "--core", "1", "--format", "json").stdout)
    assert line["core"] == 1 and line["tp"] == "0.25"


def test_a_core_without_forms_is_refused_and_others_are_named(tmp_path):
    path = hybrid(tmp_path)
    for words in ((), ("--diff", path), ("--published", path)):
        ran = baretick("insn", path, "--core", "7", *words)
        assert ran.returncode == 2 and "--core 7" in ran.stderr and "0, 1, 2" in ran.stderr, ran.stderr


def test_one_core_is_compared_on_request(tmp_path, kept):
    other = kept({**ADD, "cycles": {"tp": "0.333", "0>0": "1.00", "1>0": "1.00", "1>f": "1.00"}}, name="second.jsonl")
    found = baretick("insn", hybrid(tmp_path), "--diff", other, "--core", "0", "--format", "csv").stdout
    assert found.count("add r64, r64") == 1
    ran = baretick("insn", hybrid(tmp_path), "--diff", other, "--core", "2")
    assert ran.returncode == 2 and "--core 2" in ran.stderr


def test_blockers_are_named(tmp_path):
    path = tmp_path / "report.jsonl"
    names = ["imul r64, r64, imm8", "mov r64, m64", "mov m64, r64", None]
    path.write_bytes(whole(others=({"type": "insn_plan", "core": 0, "blockers": names},
                                   record({**ADD, "shares": "02"}, {**XOR, "shares": "."}, NOP, {**LCP, "shares": "0?1"}))))
    shares = [row.get("shares") for row in json.loads(baretick("insn", path, "--format", "json").stdout)]
    assert shares == ["imul,mov m64", None, None, "imul?,mov r64"]  # ?: not settled
    assert [form.shares for form in insn.forms(saved.read(path))] == [[0, 2], [], None, [1]]
    assert [form.unsettled for form in insn.forms(saved.read(path))] == [[], [], [], [0]]


def test_a_form_for_one_decoder_is_noted(kept):
    assert lines(baretick("insn", kept({**ADD, "complex": True}, XOR)))[1].endswith("complex decoder")


def test_a_report_with_rows_keeps_its_csv_of_rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(whole(row("a", 1), others=(record(ADD),)))
    assert lines(baretick("convert", path, "--to", "csv"))[0].startswith("suite,name")


def test_a_datasheet_with_a_map_of_cores_has_its_forms_as_csv(tmp_path):
    path = tmp_path / "datasheet.jsonl"
    pairs = {"type": "matrix", "suite": "made", "name": "core_to_core", "unit": "ticks", "pairs": []}
    path.write_bytes(whole(row("core_to_core", 1), others=(record(ADD), pairs)))
    ran = baretick("convert", path, "--to", "csv")
    assert lines(ran)[0].startswith("form,core,figure") and "core_to_core" in ran.stderr


def test_json_has_the_columns(kept):
    ran = baretick("insn", kept(ADD), "--format", "json")
    assert json.loads(ran.stdout) == [{"form": "add r64, r64", "core": 0, "tp": "0.25", "error": 0.01,
                                       "latencies": "0>0,1>0 1+-0.02  1>f 1.1?+-0.2", "note": ""}]


def test_a_report_without_the_suite_is_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(whole(row("a", 1)))
    ran = baretick("insn", path)
    assert ran.returncode == 2 and "suite=insn" in ran.stderr and str(path) in ran.stderr


def test_a_damaged_record_is_reported_and_the_rest_is_printed(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(report_of(ADD).replace(b"0.25(1)", b"0.35(1)"))
    ran = baretick("insn", path, "--all")
    assert ran.returncode == 1 and "line" in ran.stderr and "hlt" in ran.stdout


GROUPED = {"type": "insn", "core": 0, "forms": [["add", "r32,r32", "r32,m32"], ["sub", 0], ["nop", ""], ["xor", 0]],
           "pairs": ["0>0 1>0", "1>0", ""], "pairs_of": [0, 1, 2],
           "cycles": ["0.25 1.00 2.00 0.50 <7", "0.24 1.0 1.0 0.51 <8", "0.17", "0.23 1.0 1.0 0.52 <9"],
           "slots": "1 1 1 1 1 1 1", "shares": "0 1 0 1 . 0 1"}  # fmt: skip


def test_a_group_may_have_the_operands_of_another():
    forms = list(insn.forms_of(GROUPED))
    assert [form.name for form in forms] == ["add r32, r32", "add r32, m32", "sub r32, r32", "sub r32, m32", "nop",
                                             "xor r32, r32", "xor r32, m32"]  # fmt: skip
    assert [form.figures["tp"].value for form in forms] == [0.25, 0.5, 0.24, 0.51, 0.17, 0.23, 0.52]
    assert [insn.pairs(form) for form in forms] == 2 * [["0>0", "1>0"], ["1>0"]] + [[]] + [["0>0", "1>0"], ["1>0"]]
    assert forms[3].figures["1>0"].at_most and forms[0].figures["1>0"].value == 2 and forms[4].shares == []


def test_a_record_of_an_older_version_has_the_figures_of_each_form():
    older = {**GROUPED, "forms": [["add", "r32,r32", "r32,m32"], ["sub", "r32,r32", "r32,m32"], ["nop", ""],
                                  ["xor", "r32,r32", "r32,m32"]],
             "pairs_of": [0, 1, 0, 1, 2, 0, 1],
             "cycles": ["0.25 1.00 2.00", "0.50 <7", "0.24 1.0 1.0", "0.51 <8", "0.17", "0.23 1.0 1.0", "0.52 <9"]}  # fmt: skip
    assert list(insn.forms_of(older)) == list(insn.forms_of(GROUPED))


def test_a_record_may_have_the_forms_of_another_cores(tmp_path):
    path, hlt = tmp_path / "report.jsonl", {"type": "insn_left", "core": 0, "why": "privileged", "forms": [["hlt", ""]]}
    own = {key: GROUPED[key] for key in ("forms", "pairs", "pairs_of")}
    others = {key: value for key, value in GROUPED.items() if key not in own}
    records = [head(), {**GROUPED}, hlt, {**others, "core": 1, "as": 1}, {**hlt, "core": 1, "as": 2}]
    del records[-1]["forms"]
    path.write_bytes(report([*records, {"type": "end", "rows": 0, "failures": 0, "verdict": "pass"}]))
    found = insn.forms(saved.read(path))
    assert [form._replace(core=0) for form in found if form.core == 1] == [form for form in found if form.core == 0]
    assert len(found) == 14 and insn.left(saved.read(path)) == [("hlt", 0, "privileged"), ("hlt", 1, "privileged")]
    # The forms of a record are not known if its other record is lost; a record without forms is refused.
    path.write_bytes(report([records[0], *records[2:]]))
    assert insn.forms(saved.read(path)) == []
    path.write_bytes(report([records[0], others]))
    ran = baretick("insn", path)
    assert ran.returncode == 2 and "forms" in ran.stderr and str(path) in ran.stderr


@pytest.mark.parametrize("wrong", [
    {"forms": [["add", 1], ["sub", "r32,r32"]]}, {"forms": [["add", "r32,r32"], ["sub", 0], ["xor", 1]]},
    {"forms": [["add", "r32,r32"], ["sub", 7]]}, {"pairs_of": [0, 1, 2, 0]}, {"pairs_of": [0, 1]},
    {"cycles": ["0.25 1.00 2.00 0.50 <7", "0.24 1.0 1.0 0.51", "0.17", "0.23 1.0 1.0 0.52 <9"]},
    {"cycles": ["0.25 1.00 2.00 0.50 <7", "0.24 1.0 1.0 0.51 <8 9", "0.17", "0.23 1.0 1.0 0.52 <9"]},
])  # fmt: skip
def test_groups_that_contradict_each_other_are_refused(tmp_path, wrong):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(others=({**GROUPED, **wrong},)))
    ran = baretick("insn", path)
    assert ran.returncode == 2 and str(path) in ran.stderr and "record" in ran.stderr, ran.stderr


def test_a_record_with_another_shape_is_passed_over(tmp_path):
    path = tmp_path / "report.jsonl"
    for wrong in ({"pairs_of": ["0"]}, {"cycles": 1}, {"slots": [1]}, {"forms": ["add r64, r64"]}):
        path.write_bytes(whole(others=({**record(ADD), **wrong},)))
        found = saved.read(path)
        assert found.damage and insn.forms(found) == [], wrong


def test_a_record_whose_columns_differ_in_length_is_refused(tmp_path):
    path = tmp_path / "report.jsonl"
    for wrong in ({"pairs_of": []}, {"cycles": []}, {"slots": "1 1"}, {"pairs_of": [1]}, {"forms": []}):
        path.write_bytes(whole(others=({**record(ADD), **wrong},)))
        ran = baretick("insn", path)
        assert ran.returncode == 2 and str(path) in ran.stderr and "record" in ran.stderr, wrong


@pytest.mark.parametrize("text, value, error, at_most, settled", [
    ("0.257(4)", 0.257, 0.004, False, True), ("1.00", 1, 0.02, False, True), ("12", 12, 2, False, True),
    ("<8.9(?)?", 8.9, None, True, False), ("1230(50)", 1230, 50, False, True), ("-0.01(12)?", -0.01, 0.12, False, False),
])  # fmt: skip
def test_figures_are_read(text, value, error, at_most, settled):
    (form,) = insn.forms_of(record({"form": "nop", "cycles": {"tp": text}}))
    assert form.figures == {"tp": (value, error, at_most, settled)}


def test_names_of_forms_join_mnemonic_and_operands():
    assert insn.names_of([["lock add", "m64,r64", "m8,r8"], ["rep movsb", "", "[rcx=0]"]]) == [
        "lock add m64, r64", "lock add m8, r8", "rep movsb", "rep movsb [rcx=0]"]  # fmt: skip
