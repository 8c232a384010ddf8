"""`baretick insn`: the table of instructions of a report, the differences of two, and its conversions."""

import csv
import io
import json

import pytest
from made_reports import baretick, row, whole
from read import insn, saved

ADD = {"form": "add r64, r64", "tp": [0.25, 0.01], "lat_of": ["0>0 1>0", "1>f"], "lat": [[1, 0.02], [1.1, 0.2]],
       "unsettled": ["1>f"]}
LOAD = {"form": "mov r64, m64", "tp": [0.5, 0.01], "line": [0.333, 0.002], "lat_of": ["1b>0"], "lat": [[4, 0.1]],
        "most_of": ["1>0"], "most": [[7.5, None]]}
XOR = {"form": "xor r64, r64", "tp": [0.25, 0.01], "same": [0.17, 0.01]}
LCP = {"form": "add r16, imm16", "tp": [0.25, 0.01], "straight": [3, 0.1], "slots": [2, 0.1], "lcp": True}
CPUID = {"form": "cpuid", "fault": "SIGILL"}


def report_of(*forms, left=("hlt",)):
    return whole(others=({"type": "insn", "core": 0, "forms": list(forms)},
                         {"type": "insn_left", "core": 0, "why": "privileged", "forms": list(left)}))


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
    assert add.endswith("0>0,1>0 1  1>f 1.1?") and "0.25" in add
    assert load.split()[-4:] == ["1>0", "<=7.5", "1b>0", "4"] and "0.333" in load
    assert "0.17" in xor and cpuid.endswith("SIGILL")


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
    slower = {**ADD, "tp": [0.265, 0.01], "lat_of": ["0>0", "1>0", "1>f"], "lat": [[1.5, 0.02], [1.03, 0.02], [1.2, 0.2]]}
    first, second = kept(ADD, LOAD), kept(slower, {**LOAD, "most": [[9, None]]}, name="second.jsonl")
    ran = baretick("insn", first, "--diff", second, "--format", "csv")
    found = list(csv.DictReader(io.StringIO("\n".join(lines(ran)))))
    assert [(f["form"], f["figure"], f["first"], f["second"]) for f in found] == [("add r64, r64", "0>0", "1", "1.5")]
    assert float(found[0]["ratio"]) == 1.5
    assert lines(baretick("insn", first, "--diff", first)) == []


def test_programs_get_every_figure(kept):
    ran = baretick("convert", kept(ADD, LOAD), "--to", "csv")
    found = list(csv.DictReader(io.StringIO("\n".join(lines(ran)))))
    assert [f["figure"] for f in found] == ["tp", "0>0", "1>0", "1>f", "tp", "line", "1>0", "1b>0"]
    assert found[3] == {"form": "add r64, r64", "core": "0", "figure": "1>f", "value": "1.1", "error": "0.2",
                        "at_most": "0", "settled": "0"}
    assert found[6]["at_most"] == "1" and found[6]["error"] == ""


def test_a_length_changing_prefix_is_noted(kept):
    line = lines(baretick("insn", kept(LCP)))[-1]
    assert line.endswith("length-changing prefix") and line.split()[-4:-2] == ["3", "2"]


def test_a_report_with_rows_keeps_its_csv_of_rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(whole(row("a", 1), others=({"type": "insn", "core": 0, "forms": [ADD]},)))
    assert lines(baretick("convert", path, "--to", "csv"))[0].startswith("suite,name")


def test_json_has_the_columns(kept):
    ran = baretick("insn", kept(ADD), "--format", "json")
    assert json.loads(ran.stdout) == [{"form": "add r64, r64", "core": 0, "tp": "0.25", "error": 0.01,
                                       "latencies": "0>0,1>0 1  1>f 1.1?", "note": ""}]


def test_a_report_without_the_suite_is_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(whole(row("a", 1)))
    ran = baretick("insn", path)
    assert ran.returncode == 2 and "suite=insn" in ran.stderr and str(path) in ran.stderr


def test_a_damaged_record_is_reported_and_the_rest_is_printed(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(report_of(ADD).replace(b'"tp":[0.25,0.01]', b'"tp":[0.35,0.01]'))
    ran = baretick("insn", path, "--all")
    assert ran.returncode == 1 and "line" in ran.stderr and "hlt" in ran.stdout


def test_a_record_with_another_shape_is_passed_over(tmp_path):
    path = tmp_path / "report.jsonl"
    for wrong in ({**ADD, "tp": [0.25]}, {**ADD, "lat": [[1]]}, {**ADD, "lat": [[1e400, 1]]}, {"tp": [1, 1]}):
        path.write_bytes(report_of(wrong).replace(b"Infinity", b"1e400"))
        found = saved.read(path)
        assert found.damage and insn.forms(found) == [], wrong
