"""`baretick convert`: reports in other tools' forms, against stored files, and against the tools that read them.

data/converted/ has the expected files; `UPDATE=1 python3 -m pytest tests/hosted/reports/test_convert.py` rewrites them.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from commands import output_of, run_command
import pytest
from made_reports import ROOT, row, whole
from read import convert, saved

DATA = ROOT / "tests/hosted/data"
SILICON, COUNTED = DATA / "silicon.jsonl", DATA / "counted.jsonl"
# benchfmt: golang.org/design/14313-benchmark-format, and x/perf/benchfmt; one line per placement, and counted instructions
# are assume=exact. benchstat makes a separate table for each configuration: two builds must not have two.
# google: gbench/report.py treats entries of one name as repetitions.
# bencher: bencher.dev/bmf.json, {benchmark: {measure: {value, lower_value, upper_value}}}.
# github-action: customSmallerIsBetter, an array; name, unit and value are required, range and extra are text.
# hyperfine: its scripts read these members of --export-json, in seconds.
GOLDEN = [(form, report) for form in convert.FORMS for report in (SILICON, COUNTED)
          if (form, report) != ("hyperfine", COUNTED)]
COMPARE = Path("/usr/share/benchmark/compare.py")  # Debian's libbenchmark-tools


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


FELL = {"status": "wrong", "why": "took 3\nnot 4", "per_op": {}}
FAILED = [row("fine", 3, per_op={"ticks": 3, "ns": 0.75, "cycles": 3}), row("fell", 3, **FELL),
          row("ring0", 3, status="unsupported", why="needs ring 0", per_op={})]
LINES = COUNTED.read_bytes().splitlines()
DAMAGED = [*LINES[:2], LINES[2].replace(b'"ops":1', b'"ops":2'), *LINES[3:-1]]


def stepped():
    found = row("x", 3)
    found["per_op"].update(instructions=7, ipc=2.333333)
    return whole(found, row("y", 1))


def free(placements, **figures):
    """Returns a report with a row that costs about nothing."""
    per_op = {"ticks": 0.1, "ns": 0.025, "cycles": 0.1, "cycles_lo": -0.01, "cycles_hi": 0.2, **figures}
    return whole(row("free", 0.1, interval={"kappa": 0.002, "placements_cycles": placements}, per_op=per_op), row("fine", 3))


def all_forms(file):
    return [f"convert --to {form} {file}" for form in convert.FORMS]


CASES = {
    "hyperfine has no place for instructions": ({"r": COUNTED.read_bytes()}, "convert --to hyperfine r"),
    "damage is named and the rest is written": (
        {"r": b"\n".join(DAMAGED) + b"\n", "log": b"left firmware\r\n" + b"\r\n".join(DAMAGED) + b"\r\n"},
        "convert --to csv r", "convert --to csv log"),
    # In each form's way of marking failures; a row that failed has no figure that could be mistaken for a valid one.
    "failed rows are kept and marked": ({"r": whole(*FAILED)}, *all_forms("r")),
    "a report whose rows all failed is marked too": ({"r": whole(FAILED[1])}, *all_forms("r")),
    "a report without a figure is refused": ({"r": whole(FAILED[2])}, "convert --to bencher r"),
    # compare.py's mean over all entries would be nan, or 0, if one time were not above zero.
    "google has no time that a geometric mean cannot have": (
        {"a": free([-0.1, 0.1]), "b": free([0, 0]), "c": free([0, 0.2])}, *(f"convert --to google {name}" for name in "abc")),
    "instructions that a CPU counted go with its time": ({"r": stepped()}, *all_forms("r")),
    "of several reports the last one is converted and named": (
        {"serial.log": SILICON.read_bytes() + COUNTED.read_bytes()}, "convert --to csv serial.log"),
    "unreadable files are refused": ({"empty": b"nothing of ours\n"}, "convert --to csv nowhere", "convert --to csv empty"),
    "an unknown form is refused": ({"r": whole(row("x", 1))}, "convert --to excel r"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_convert_writes_is_as_stored(said, name):
    said(CASES, name)


def test_google_benchmarks_compare_reads_what_is_converted(tmp_path):
    if not COMPARE.exists() or subprocess.run(["/usr/bin/python3", "-c", "import scipy.stats"], check=False,
                                              stderr=subprocess.DEVNULL).returncode:
        pytest.skip("compare.py is not here: libbenchmark-tools and python3-scipy have it")
    (tmp_path / "failed.jsonl").write_bytes(whole(*FAILED, row("free", 0), *saved.read(SILICON).of("row")))
    (tmp_path / "a.json").write_text(converted("google", SILICON))
    (tmp_path / "b.json").write_text(converted("google", tmp_path / "failed.jsonl"))
    for a, b in (("a", "a"), ("a", "b"), ("b", "b")):
        done = run_command("/usr/bin/python3", COMPARE, "--no-color", "benchmarks", tmp_path / f"{a}.json",
                           tmp_path / f"{b}.json")
        assert done.returncode == 0, done.stderr
        assert "OVERALL_GEOMEAN" in done.stdout and "nan" not in done.stdout and "Warning" not in done.stderr
        if a == b == "a":
            alike = done.stdout
    assert re.search(r"calls/direct@0_pvalue.*U Test, Repetitions: 16 vs 16", alike), alike


@pytest.mark.skipif(not shutil.which("hyperfine"), reason="hyperfine is not here")
def test_hyperfine_has_the_fields_that_hyperfine_writes(tmp_path):
    """The installed one may have more members."""
    file = tmp_path / "export.json"
    output_of("hyperfine", "-N", "--runs", "2", "--export-json", file, "true")
    (own,) = json.loads(file.read_text())["results"]
    for found in json.loads(converted("hyperfine", SILICON))["results"]:
        assert {(name, type(v)) for name, v in found.items()} <= {(name, type(v)) for name, v in own.items()}, own


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
