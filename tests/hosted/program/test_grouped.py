"""Many rows are in columns, with the figures of their records; table=rows has one line per row."""

import re
import subprocess

import pytest
from conftest import SECONDS, SEVERAL, Ended, without_retries
from test_summary import report_of

WORDS = ("suite=calls,compiler", "bench=direct*,got*,inline*,plt*,register*,tail*,virtual*,div*,load*,mul*,random*,turn*",
         "samples=64", "format=both")


def lines_of(ended):
    return [line for line in ended.out.splitlines() if not line.startswith("{")]


def table(lines, head):
    """Returns {name: line} of the table below the line that begins with this head, without intervals."""
    at = next(i for i, line in enumerate(lines) if re.match(head, line))
    found = {}
    for line in lines[at + 1 :]:
        if not line or not re.fullmatch(r"(\S+)?( +([-\d.]+|\?|FAIL|shared)[!*]?)+|.* \+\+\*x", line):
            break
        assert len(line) < 80
        if line[0] != " ":
            found[line.split()[0]] = line
    return found


@pytest.fixture(scope="module")
def both(program):
    """One run of many rows, in both forms."""
    return Ended(subprocess.run([program, *without_retries(WORDS)], capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS,
                                check=False))


def test_records_have_the_rows_that_the_table_leaves_out(both):
    """Neither a row nor the row that it is compared with; the table says how many pairs it leaves out."""
    report, lines = report_of(both), lines_of(both)
    asked = [name for name in report.rows if re.match(r"(calls|compiler)/", name)]
    assert len(asked) == len(report.rows) == report.end["rows"] > 60
    compared_with = [e for e in report.events if e["kind"] == "compared"]
    left_out = int(re.search(r"^compared: (\d+) more pairs", "\n".join(lines), re.M)[1])
    said = [line for line in lines if re.match(r"compared: \w+/", line)]
    assert left_out + len(said) == len(compared_with) and left_out > len(said)


@pytest.mark.parametrize("words", [(*WORDS, "table=rows"), ("suite=calls", "bench=direct*,plt*", "samples=64")])
def test_table_rows_has_one_line_per_row(run, words):
    """On request, and if there are few rows."""
    ended = run(*words)
    lines = lines_of(ended)
    assert not any("straight straight" in line for line in lines)
    for name in report_of(ended).rows:
        assert sum(bool(re.match(rf"{name.split('/')[1]} +\d+ +\d+ ", line)) for line in lines) == 1, name
    assert not any("more pairs" in line for line in lines)


def test_other_methods_have_no_columns(run):
    ended = run("suite=calls", "bench=direct*,plt_c", "samples=64", "method=plain", "table=grouped")
    assert re.search("warning: table= .*method=plain", ended.out)
    assert not any("straight straight" in line for line in lines_of(ended))


@pytest.mark.native
@pytest.mark.every_cpu
@pytest.mark.skipif(len(SEVERAL) < 2, reason="there is but one CPU")
def test_cores_that_are_alike_are_counted(run):
    """A row in columns has its cores there; it is separated only if they differ."""
    ended = run("suite=calls", "bench=direct*,plt_c,lazy_later", "cores=0-1", "samples=64", "table=grouped")
    report, lines = report_of(ended), lines_of(ended)
    differ = {e["message"].split(":")[0].split("/")[1] for e in report.events if e["kind"] == "cores_differ"}
    listed = {line.split()[0] for line in lines if re.match(r"\S+ +median +\S+ @", line)}
    assert listed == differ | {"lazy_later"}, (listed, differ)
    (alike,) = [int(line.split()[0]) for line in lines if " rows in which no core differs " in line]
    assert alike + len(listed) == len({row["name"] for row in report.rows.values()}) == 8


def test_a_fault_is_printed_below_the_measured_rows(run):
    ended = run("suite=calls,provoke", "bench=direct*,setup", "samples=64", "rounds=1", "table=grouped",
                "format=table")
    lines = lines_of(ended)
    assert ended.status == 4
    fault = next(i for i, line in enumerate(lines) if line.startswith("fault: "))
    assert "direct" in table(lines[:fault], r"calls +empty ") and lines[-1].startswith("verdict: FAIL")
    assert not any(line.startswith("machine ") for line in lines), "the fault's own end has no summary"
