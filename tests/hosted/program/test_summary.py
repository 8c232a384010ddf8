"""The summary at the end of a table: each figure is that of the row it names, as in the row's record."""

import re
import signal

from launch import launches
import pytest
from conftest import run_on

WAYS = ("direct", "plt", "got", "register", "virtual")
FORMS = ("", "_inc", "_straight", "_c")
CELL, LABEL = 17, 10


def summary(text):
    """Returns {label: its lines joined, without the label} of the table's end, and the original lines."""
    lines = [line for line in text.splitlines() if not line.startswith("{")]
    at = next(i for i in range(len(lines) - 1, -1, -1) if not lines[i]) + 1
    found, label = {}, None
    for line in lines[at:]:
        label = line[:LABEL].strip() or label
        found[label] = f"{found.get(label, '')} {line[LABEL:]}".strip()
    return found, lines[at:]


def report_of(ended):
    """Returns the records between the lines of the table."""
    records = [line for line in ended.out.splitlines(keepends=True) if line.startswith("{")]
    return launches.Launch("".join(records).encode(), ended.status, 0)


def must_be(cell, row):
    """Asserts that a cell contains what the record says, and nothing else."""
    if row is None:
        assert cell == "-"
        return
    if row["status"] != "ok":
        assert cell == "FAIL"
        return
    figure, _, rest = cell.partition(" ")
    op = row["per_op"]
    assert float(figure) == pytest.approx(op["cycles"], abs=10.0 ** -len(figure.partition(".")[2])), (cell, op)
    if not row.get("exclusive", True) or row.get("doubt"):
        assert rest == ("doubted" if row.get("exclusive", True) else "shared")
        return
    half = rest.removeprefix("+-")
    wanted = max(op["cycles_hi"] - op["cycles"], op["cycles"] - op["cycles_lo"])
    assert rest != half and float(half) == pytest.approx(wanted, abs=10.0 ** -len(half.partition(".")[2])), (cell, op)


@pytest.mark.native
def test_each_figure_of_the_summary_is_that_of_its_row(run):
    names = "empty_lfence,do_nothing,direct*,plt*,got*,register*,virtual*,random_16,turn_16,cold,warm"
    ended = run("suite=baseline,calls,sum", f"bench={names}", "samples=64", "recipe=lfence")
    report = report_of(ended)
    said, lines = summary(ended.out)
    assert len(lines) < 20 and max(map(len, lines)) < 80, lines
    # One placement, so Student's t; with all cores shared there is no interval.
    assert lines[0] in ("summary   cycles/op by ruler, +-99%", "summary   cycles/op by ruler") and lines[-1].startswith("verdict: ")
    assert said["machine"].startswith(report.run["cpu"].get("brand", report.run["cpu"]["vendor"]))
    hz = report.run["clock_tsc_hz"]
    assert said["clock"].startswith(f"TSC {hz / 1e6:.3f} MHz, core ")
    window, nothing = said["window"].split(", ")
    median = report.rows["baseline/empty_lfence"]["ticks"]["median"]
    assert abs(float(re.fullmatch(r"empty_lfence (\d+)(?: shared| doubted)? ticks", window)[1]) - median) <= 0.5
    must_be(re.fullmatch(r"do_nothing (.*?)(?: a call)?", nothing)[1], report.rows["baseline/do_nothing"])
    for way in WAYS:
        line = next(line for line in lines if line.startswith(f"{way:<{LABEL}}"))
        for i, form in enumerate(FORMS):
            must_be(line[LABEL + CELL * i : LABEL + CELL * (i + 1)].strip(), report.rows[f"calls/{way}{form}"])
    cold, warm = said["sum"].split(", ")
    must_be(cold.removeprefix("cold "), report.rows["sum/cold"])
    must_be(warm.removeprefix("warm "), report.rows["sum/warm"])
    (apart,) = [e for e in report.events if e["kind"] == "compared" and e["name"] == "random_16"]
    told = re.search(r"mispredicted (\S+)", said["targets"])[1]
    # If both rows were shared, the line has no room for it.
    assert told == "..." or float(told) == pytest.approx(apart["apart"], abs=0.06), said["targets"]


@pytest.mark.native
def test_the_summary_of_one_row_has_four_lines(run):
    ended = run("suite=truth", "bench=imul", "samples=64")
    said, lines = summary(ended.out)
    assert [label for label in said if label != "failed"] == ["machine", "clock", "spoiled", f"verdict:{lines[-1][8:10]}"]
    rows = report_of(ended).rows
    shared = sum(not row.get("exclusive", True) for row in rows.values())
    assert said["spoiled"].startswith((f"{shared} of 1 rows shared, ", "not known whether ", "the core appears permanently shared"))


@pytest.mark.native
def test_the_summary_has_another_method_s_error(run):
    ended = run("suite=calls", "bench=direct,virtual_c", "method=plain", "samples=64")
    said, lines = summary(ended.out)
    assert said["summary"] == "cycles/op by ruler, method=plain"
    assert [line[:LABEL].strip() for line in lines[:-1] if line[LABEL:].startswith("  ")][-2:] == ["direct", "virtual"]
    assert said["direct"].split()[-3:] == ["-", "-", "-"] and said["virtual"].split()[:3] == ["-", "-", "-"]


@pytest.mark.parametrize("method, figure", [("plain", "mean"), ("kbest", "kbest"), ("ensembles", "min")])
def test_the_empty_window_has_the_form_of_another_method(run, method, figure):
    """In that method's form: there is no median."""
    ended = run("suite=baseline", "bench=empty_lfence", "recipe=lfence", f"method={method}", "samples=64",
                *(("ensembles=4", "size=64") if method == "ensembles" else ()))
    said, _ = summary(ended.out)
    # "shared" if another program had the CPU, "doubted" if a method doubts the figure.
    ticks = re.fullmatch(r"empty_lfence (\d+)(?: shared| doubted)? ticks", said["window"])
    assert ticks, said["window"]
    assert abs(int(ticks[1]) - report_of(ended).rows["baseline/empty_lfence"]["body"][figure]) <= 0.5


def test_the_summary_of_a_stopped_run_has_the_number_of_rows(running):
    process, end = running("suite=truth", "samples=1000000", "hist=off", "layout=fixed", "format=both")
    run_on(process, 5)
    process.send_signal(signal.SIGINT)
    ended = end()
    if not report_of(ended).end.get("stopped"):
        pytest.skip("the run was over before the signal came: the machine is too busy")
    assert re.fullmatch(r"after \d+ of \d+ rows( of round 1 of \d)?", summary(ended.out)[0]["stopped"])
