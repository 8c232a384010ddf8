"""`baretick convert`: reports in other tools' forms, against stored files, and against their readers' requirements.

data/converted/ has the expected files; `UPDATE=1 python3 -m pytest tests/hosted/reports/test_convert.py` rewrites them.
"""

import csv
import json
import os
import re
import shutil
import statistics
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from made_reports import row, whole
from read import convert
from read import saved


DATA = ROOT / "tests/hosted/data"
SILICON, COUNTED = DATA / "silicon.jsonl", DATA / "counted.jsonl"
GOLDEN = [(form, report) for form in convert.FORMS for report in (SILICON, COUNTED)
          if (form, report) != ("hyperfine", COUNTED)]
COMPARE = Path("/usr/share/benchmark/compare.py")  # Debian's libbenchmark-tools
PLACEMENTS = 16


def run(*words):
    return subprocess.run([ROOT / "scripts/baretick", "convert", *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)


def converted(form, path):
    """In this process, which is faster than the command."""
    return convert.converted(form, saved.read(path, convert.KEPT))[0]


@pytest.mark.parametrize("form, report", GOLDEN)
def test_converted_reports_are_as_stored(form, report):
    golden = DATA / "converted" / f"{report.stem}.{form}"
    text = converted(form, report)
    if os.environ.get("UPDATE"):
        golden.write_text(text)
    assert text == golden.read_text()


# golang.org/design/14313-benchmark-format, and x/perf/benchfmt: keys begin with a lower-case letter and have neither
# blanks nor capitals; a name has no blanks, and a capital after `Benchmark`; then a count, then pairs.
CONFIG = re.compile(r"[a-z][^\sA-Z:]*: \S.*")
UNIT = re.compile(r"Unit (\S+)((?: \S+=\S+)+)")
RESULT = re.compile(r"Benchmark[A-Z]\S*\t[1-9][0-9]*((?:\t-?[0-9.]+ \S+)+)")


def benchfmt(path):
    """Returns {unit: its metadata}, {name: {unit: [values]}}; every line must be one that the format defines."""
    units, results = {}, {}
    for line in converted("benchfmt", path).splitlines():
        if unit := UNIT.fullmatch(line):
            units[unit[1]] = unit[2].split()
        elif result := RESULT.fullmatch(line):
            for value, unit in (pair.split(" ") for pair in result[1].strip().split("\t")):
                assert unit in units
                results.setdefault(line.split("\t")[0], {}).setdefault(unit, []).append(float(value))
        else:
            assert line == "" or CONFIG.fullmatch(line), line
    return units, results


def rows(path):
    return {r["name"]: r for r in saved.read(path).of("row")}


def test_benchfmt_has_one_line_per_placement():
    units, results = benchfmt(SILICON)
    row = rows(SILICON)["alike_16"]
    got = results["BenchmarkCalls/alike_16/core=0"]
    assert units == {"ns/op": ["better=lower"], "cycles/op": ["better=lower"]}
    assert got["cycles/op"] == row["interval"]["placements_cycles"] and len(got["cycles/op"]) == PLACEMENTS
    # The placements' nanoseconds are the row's nanoseconds in proportion to their cycles.
    ratios = [c / n for c, n in zip(got["cycles/op"], got["ns/op"])]
    assert max(ratios) - min(ratios) < 1e-3 * min(ratios)
    assert statistics.fmean(ratios) == pytest.approx(row["per_op"]["cycles"] / row["per_op"]["ns"], rel=1e-3)


def test_benchfmt_marks_counted_instructions_as_exact():
    units, results = benchfmt(COUNTED)
    assert units == {"instructions/op": ["better=lower", "assume=exact"]}
    assert results["BenchmarkCalls/plt/core=0"] == {"instructions/op": [rows(COUNTED)["plt"]["per_op"]["instructions"]]}


def test_benchfmt_keeps_apart_only_what_is_unlike():
    """benchstat makes a separate table for each configuration: two builds must not have two."""
    lines = converted("benchfmt", SILICON).splitlines()
    assert [line.split(":")[0] for line in lines if CONFIG.fullmatch(line)] == [
        "cpu", "execution", "platform", "microcode", "recipe", "cycle"]


def test_google_output_has_the_fields_that_compare_reads():
    """gbench/report.py reads these, and treats entries of one name as repetitions."""
    found = json.loads(converted("google", SILICON))["benchmarks"]
    alike = [b for b in found if b["name"] == "calls/alike_16@0"]
    assert [b["repetition_index"] for b in alike] == list(range(PLACEMENTS))
    for b in found:
        assert b["time_unit"] == "ns" and b["run_type"] == "iteration" and b["repetitions"] == PLACEMENTS
        assert b["real_time"] == b["cpu_time"] > 0 and b["iterations"] > 0 and b["family_index"] >= 0
        assert "label" not in b
    counted = {b["name"]: b["label"] for b in json.loads(converted("google", COUNTED))["benchmarks"]}
    assert counted.pop("calls/inline@0/about_zero").startswith("costs about nothing")
    assert set(counted.values()) == {"instructions in place of ns"}


def test_google_benchmarks_compare_reads_what_is_converted(tmp_path):
    if not COMPARE.exists() or subprocess.run(["/usr/bin/python3", "-c", "import scipy.stats"], check=False,
                                              stderr=subprocess.DEVNULL).returncode:
        pytest.skip("compare.py is not here: libbenchmark-tools and python3-scipy have it")
    (tmp_path / "a.json").write_text(converted("google", SILICON))
    rest = saved.read(SILICON).of("row")
    (tmp_path / "b.json").write_text(converted("google", with_failed(tmp_path, row("free", 0), *rest)))
    for a, b in (("a", "a"), ("a", "b"), ("b", "b")):
        done = subprocess.run(["/usr/bin/python3", COMPARE, "--no-color", "benchmarks", tmp_path / f"{a}.json",
                               tmp_path / f"{b}.json"], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        assert "OVERALL_GEOMEAN" in done.stdout and "nan" not in done.stdout and "Warning" not in done.stderr
        if a == b == "a":
            alike = done.stdout
    assert re.search(r"calls/direct@0_pvalue.*U Test, Repetitions: 16 vs 16", alike), alike


def test_bencher_gets_cycles_and_latency_with_their_ends():
    """bencher.dev/bmf.json: {benchmark: {measure: {value, lower_value, upper_value}}}, all numbers."""
    found = json.loads(converted("bencher", SILICON))
    per_op = rows(SILICON)["direct"]["per_op"]
    got = found["calls/direct@0"]
    assert got["cycles"] == {"value": per_op["cycles"], "lower_value": per_op["cycles_lo"],
                             "upper_value": per_op["cycles_hi"]}
    assert got["latency"]["value"] == per_op["ns"] and set(got) == {"latency", "cycles"}
    for metric in (m for measures in found.values() for m in measures.values()):
        assert metric["lower_value"] <= metric["value"] <= metric["upper_value"]
    assert json.loads(converted("bencher", COUNTED))["calls/direct@0"] == {"instructions": {"value": 2}}


def test_the_github_action_gets_name_unit_and_value():
    """customSmallerIsBetter: an array; name, unit and value are required, range and extra are text."""
    for path, unit in ((SILICON, "cycles/op"), (COUNTED, "instructions/op")):
        found = json.loads(converted("github-action", path))
        assert len({e["name"] for e in found}) == len(found) > 0
        for e in found:
            assert e["unit"] == unit and isinstance(e["value"], (int, float)) and isinstance(e["extra"], str)
            assert re.fullmatch(r"± [0-9.]+", e["range"]) if path == SILICON else "range" not in e


def test_hyperfine_gets_one_time_per_placement_in_seconds():
    """Its scripts read these members of --export-json: seconds."""
    for r in json.loads(converted("hyperfine", SILICON))["results"]:
        assert len(r["times"]) == len(r["exit_codes"]) == PLACEMENTS and set(r["exit_codes"]) == {0}
        assert r["min"] == min(r["times"]) <= r["median"] <= max(r["times"]) == r["max"] < 1e-6
        name = r["command"].removeprefix("calls/").removesuffix("@0")
        assert r["mean"] == pytest.approx(rows(SILICON)[name]["per_op"]["ns"] * 1e-9, rel=0.02)
        assert r["stddev"] == pytest.approx(statistics.stdev(r["times"])) and {"user", "system"} <= set(r)


# The output of hyperfine 1.15 for a command with --export-json.
HYPERFINE = {"command": str, "mean": float, "stddev": float, "median": float, "user": float, "system": float, "min": float,
             "max": float, "times": list, "exit_codes": list}


def test_hyperfine_has_the_fields_that_hyperfine_writes(tmp_path):
    """In its order and with its types; also compared with the installed one, which may have more members."""
    for r in json.loads(converted("hyperfine", SILICON))["results"]:
        assert [(name, type(value)) for name, value in r.items()] == list(HYPERFINE.items())
    if shutil.which("hyperfine"):
        file = tmp_path / "export.json"
        subprocess.run(["hyperfine", "-N", "--runs", "2", "--export-json", file, "true"], check=True, capture_output=True)
        (own,) = json.loads(file.read_text())["results"]
        assert HYPERFINE.items() <= {name: type(value) for name, value in own.items()}.items(), own


def test_hyperfine_has_no_place_for_instructions():
    done = run("--to", "hyperfine", COUNTED)
    assert done.returncode == 2 and not done.stdout
    assert "instructions were counted" in done.stderr


def test_csv_has_the_figure_of_every_row():
    found = list(csv.DictReader(converted("csv", COUNTED).splitlines()))
    assert {r["name"]: float(r["instructions"]) for r in found} == {
        name: row["per_op"]["instructions"] for name, row in rows(COUNTED).items()}
    assert all(r["status"] == "ok" and r["cycles"] == "" and r["execution"] == "instructions" for r in found)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_damage_is_named_and_the_rest_is_written(tmp_path, ending):
    lines = COUNTED.read_bytes().splitlines()
    lines[2] = lines[2].replace(b'"ops":1', b'"ops":2')
    path = tmp_path / "report"
    path.write_bytes(b"left firmware\r\n" * (ending == b"\r\n") + ending.join(lines[:-1]) + ending)
    done = run("--to", "csv", path)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1 + 3  # of four rows
    for said in ("crc is", "record 3 comes where record 2 should be", "no record `end`"):
        assert re.search(f"^baretick: {path}: .*{said}", done.stderr, re.MULTILINE)


def with_failed(tmp_path, *more):
    """A report of a valid row, one that failed, and one that this machine does not support."""
    path = tmp_path / "failed.jsonl"
    fell = {"status": "wrong", "why": "took 3\nnot 4", "per_op": {}}
    path.write_bytes(whole(row("fine", 3, per_op={"ticks": 3, "ns": 0.75, "cycles": 3}), row("fell", 3, **fell),
                           row("ring0", 3, status="unsupported", why="needs ring 0", per_op={}), *more))
    return path


def test_failed_rows_are_kept_and_marked(tmp_path):
    """In each form's way of marking failures; a row that failed has no figure that could be mistaken for a valid one."""
    path = with_failed(tmp_path)
    lines = converted("benchfmt", path).splitlines()
    at = lines.index("--- FAIL: BenchmarkMade/fell/core=0")
    assert lines[at + 1] == "    took 3 not 4" and sum("fell" in line for line in lines) == 1
    google = {e["name"]: e for e in json.loads(converted("google", path))["benchmarks"]}
    mark = google.pop("made/fell@0/failed")
    assert mark["error_occurred"] is True and mark["error_message"] == "took 3 not 4" and "real_time" not in mark
    assert list(google) == ["made/fine@0"] and google["made/fine@0"]["real_time"] == 0.75
    assert json.loads(converted("bencher", path)) == {
        "made/fine@0": {"cycles": {"value": 3}, "latency": {"value": 0.75}}, "made/fell@0": {"failed": {"value": 1}}}
    actions = {e["name"]: e for e in json.loads(converted("github-action", path))}
    assert set(actions) == {"made/fine@0", "made/fell@0/failed"}
    assert (actions["made/fell@0/failed"]["value"], actions["made/fell@0/failed"]["extra"]) == (1, "took 3 not 4")
    table = {r["name"]: r for r in csv.DictReader(converted("csv", path).splitlines(keepends=True))}
    assert (table["fell"]["status"], table["fell"]["why"]) == ("wrong", "took 3\nnot 4")
    assert [r["command"] for r in json.loads(converted("hyperfine", path))["results"]] == ["made/fine@0"]
    for form in ("bencher", "hyperfine", "csv"):
        said = run("--to", form, path).stderr
        assert "made/fell@0 (took 3 not 4)" in said
        assert ("made/ring0@0" in said) == (form != "csv")


def test_a_report_whose_rows_all_failed_is_marked_too(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(row("fell", 3, status="wrong", why="took 3, not 4", per_op={})))
    for form in set(convert.FORMS) - {"hyperfine"}:
        assert "fell" in converted(form, path)
    done = run("--to", "hyperfine", path)
    assert done.returncode == 2 and "no row of 1 has a time" in done.stderr


def test_a_report_without_a_figure_is_refused(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(row("ring0", 3, status="unsupported", why="needs ring 0", per_op={})))
    said = run("--to", "bencher", path)
    assert said.returncode == 2 and "no row of 1 has a figure" in said.stderr


@pytest.mark.parametrize("cycles, ns, core_hz, expected", [
    (0, 0, 4000000000, [-0.025, 0.025]), (-0.01, -0.0025, 4000000000, [-0.025, 0.025]),
    (0.01, -0.001, 4000000000, [-0.025, 0.025]), (0, 0, None, [0, 0]), (2, 0.5, None, [-0.025, 0.025]),
])
def test_a_row_that_costs_about_nothing_has_its_placements(tmp_path, cycles, ns, core_hz, expected):
    """Its times and cycles have no meaningful proportion, so the core's clock converts cycles to ns."""
    placements = {"kappa": 0.002, "placements_cycles": [-0.1, 0.1]}
    figure = {"ticks": 0, "ns": ns, "cycles": cycles, "cycles_lo": cycles - 0.01, "cycles_hi": cycles + 0.01}
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(row("free", cycles, interval=placements, per_op=figure,
                               **({"core_hz": core_hz} if core_hz else {}))))
    (of_row,) = saved.read(path).of("row")
    ns = convert.figure.of(of_row)["ns"]
    assert [ns.sample(i) for i in range(2)] == pytest.approx(expected)
    for form in convert.FORMS:
        converted(form, path)


@pytest.mark.parametrize("placements", [[-0.1, 0.1], [0, 0], [0, 0.2]])
def test_google_has_no_time_that_a_geometric_mean_cannot_have(tmp_path, placements):
    """compare.py's mean over all entries would be nan, or 0, if one time were not above zero."""
    path = tmp_path / "report.jsonl"
    figure = {"ticks": 0.1, "ns": 0.025, "cycles": 0.1, "cycles_lo": -0.01, "cycles_hi": 0.2}
    path.write_bytes(whole(row("free", 0.1, interval={"kappa": 0.002, "placements_cycles": placements},
                               per_op=figure), row("fine", 3)))
    entries = json.loads(converted("google", path))["benchmarks"]
    free = [e for e in entries if e["name"].startswith("made/free@0")]
    assert [(e["name"], e["run_type"], e["cycles"]) for e in free] == [("made/free@0/about_zero", "aggregate", 0.1)]
    assert not {"real_time", "cpu_time", "time_unit"} & set(free[0])
    times = [e["real_time"] for e in entries if e["run_type"] != "aggregate"]
    assert times and min(times) > 0


def test_instructions_that_a_cpu_counted_go_with_its_time(tmp_path):
    found = row("x", 3)
    found["per_op"].update(instructions=7, ipc=2.333333)
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(found, row("y", 1)))
    assert json.loads(converted("bencher", path))["made/x@0"]["instructions"] == {"value": 7}
    units, results = benchfmt(path)
    assert units["instructions/op"] == ["better=lower", "assume=exact"] and "better=lower" in units["cycles/op"]
    assert results["BenchmarkMade/x/core=0"]["instructions/op"] == [7]
    assert "instructions/op" not in results["BenchmarkMade/y/core=0"]
    entry = json.loads(converted("google", path))["benchmarks"][0]
    assert (entry["instructions"], entry["real_time"]) == (7, 0.75)
    extra = {e["name"]: (e["unit"], e["extra"]) for e in json.loads(converted("github-action", path))}
    assert extra["made/x@0"][0] == "cycles/op" and "\n7 instructions/op\n" in extra["made/x@0"][1]
    line = next(csv.DictReader(converted("csv", path).splitlines()))
    assert (line["instructions"], line["ipc"], line["cycles"]) == ("7", "2.333333", "3")


def test_of_several_reports_the_last_one_is_converted_and_named(tmp_path):
    path = tmp_path / "serial.log"
    path.write_bytes(COUNTED.read_bytes() + SILICON.read_bytes())
    done = run("--to", "csv", path)
    assert (done.returncode, done.stdout) == (0, converted("csv", SILICON))
    assert all(part in done.stderr for part in (str(path), "2 reports", "last"))


def test_unreadable_files_and_unknown_forms_are_refused(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("nothing of ours\n")
    for path, said in ((tmp_path / "nowhere", "No such file"), (empty, "no record of a report in it")):
        done = run("--to", "csv", path)
        assert done.returncode == 2 and said in done.stderr and not done.stdout
    assert run("--to", "excel", SILICON).returncode == 2
