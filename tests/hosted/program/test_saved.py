"""Reports in files, as `show`, `compare`, `gate` and `convert` read them: line by line, from a file or a pipe."""

import json
import re
import subprocess
import sys
import zlib

import made_reports
import pytest
from read import convert, kept, saved, show
from made_reports import RANKS, counted, counting, row, whole

BIN = [300, 12]
BINS, ROWS = 20000, 80  # 16 MB
MANY = 50000  # 35 MB
PROCESS = ("voluntary_switches", "involuntary_switches", "page_faults", "migrations", "steal_ms")


def histograms():
    return [[300 + i, 1000 + i] for i in range(BINS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Reports with large histograms and the same without: of a bare machine, of counted instructions."""
    path = tmp_path_factory.mktemp("large")
    hist = histograms()
    for form, make, run in (("silicon", row, None), ("counted", counted, counting())):
        for size, more in (("small", {}), ("large", {"hist": hist})):
            data = whole(*(make(f"r{i}", 2.5, **more) for i in range(ROWS)), run=run)
            (path / f"{form}_{size}").write_bytes(data)
            (path / f"{form}_{size}_again").write_bytes(data)
    return path


def many(rows):
    """A report of small rows, made by copying the text of one, because making records would take as long as reading it."""
    first, text, last = whole(row("NAME", 2.5, interval=RANKS, process=dict.fromkeys(PROCESS, 0))).splitlines(True)
    body = text.rpartition(b',"crc"')[0].replace(b'"seq":1,', b'"seq":%d,')
    body = body.replace(b'"NAME"', b'"r%d"')
    lines = [first]
    for i in range(rows):
        record = body % (i + 1, i)
        lines.append(b'%s,"crc":"%08x"}\r\n' % (record, zlib.crc32(record)))
    end = json.loads(last)
    lines.append(made_reports.line({"type": "end", "rows": rows, "failures": 0, "verdict": end["verdict"]}, rows + 1))
    return b"".join(lines)


# ru_maxrss does not work: it begins with the value of the parent process.
MEASURED = """import atexit, runpy, sys
atexit.register(lambda: print(open("/proc/self/status").read(), file=sys.stderr))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")"""


def peak_bytes(*words):
    """Returns the peak memory of scripts/baretick with these words, and its output."""
    ran = subprocess.run([sys.executable, "-c", MEASURED, made_reports.ROOT / "scripts/baretick", *map(str, words)],
                         capture_output=True, check=False, timeout=made_reports.SECONDS)
    assert ran.returncode == 0, (words, ran.stderr)
    return 1024 * int(re.search(rb"VmHWM:\s*(\d+) kB", ran.stderr)[1]), ran.stdout


COMMANDS = {
    "show": lambda f: ("show", f"silicon_{f}"),
    "compare": lambda f: ("compare", f"silicon_{f}", f"silicon_{f}_again"),
    "gate": lambda f: ("gate", f"base_{f}.json", f"counted_{f}", "--update"),
    "convert": lambda f: ("convert", f"silicon_{f}", "--to", "google"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_large_report_is_not_held_in_memory(folder, command, monkeypatch):
    monkeypatch.chdir(folder)
    small, said_of_small = peak_bytes(*COMMANDS[command]("small"))
    large, said_of_large = peak_bytes(*COMMANDS[command]("large"))
    size = (folder / "silicon_large").stat().st_size
    assert size > 15_000_000 and large - small < size / 2, (small, large)
    assert said_of_large.replace(b"_large", b"_small") == said_of_small


WORDS = {"show": ("show", "new"), "compare": ("compare", "old", "new"), "report": ("report", "new", "-o", "page", "--plots", "0")}


@pytest.mark.parametrize("command, rows, most_of_a_row",
                         [("show", MANY, 1500), ("compare", MANY // 8, 5000), ("report", MANY // 8, 5500)])
def test_many_rows_are_not_held_in_memory(command, rows, most_of_a_row, tmp_path, monkeypatch):
    """A row of 700 bytes takes 6 kB as a dict. `compare` keeps two reports and the lines of the comparison, `report`
    the text of a page."""
    monkeypatch.chdir(tmp_path)
    peaks = {}
    for size in (80, rows):
        for name in ("old", "new"):
            (tmp_path / name).write_bytes(many(size))
        peaks[size], said = peak_bytes(*WORDS[command])
        if command == "report":
            said = (tmp_path / "page").read_bytes()
        assert said.count(b"data-v" if command == "report" else b"made/r") >= size
    assert peaks[rows] - peaks[80] < most_of_a_row * rows, (peaks, (peaks[rows] - peaks[80]) / rows)


STORED = [made_reports.ROOT / "tests/hosted/data" / f"{name}.jsonl" for name in ("silicon", "counted", "cpu_fields")]
READERS = [["show", "--format", "json"], ["compare", "--format", "json"], ["gate", "baseline.json", "--update"],
           *(["convert", "--to", form] for form in convert.FORMS)]


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_command_keeps_each_field_that_it_reads(words, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        (tmp_path / name).write_bytes(path.read_bytes())
    names = ["old", "new"] if words[0] == "compare" else ["new"]
    of_kept = made_reports.baretick(*words, *names)
    monkeypatch.setattr(kept.Fields, "pick", lambda _, record: record)
    (tmp_path / "baseline.json").unlink(missing_ok=True)
    of_all = made_reports.baretick(*words, *names)
    assert (of_kept.returncode, of_kept.stdout, of_kept.stderr) == (of_all.returncode, of_all.stdout, of_all.stderr)


def test_histograms_are_read_unless_they_are_left_out(folder):
    path = str(folder / "silicon_large")
    assert saved.read(path).of("row")[3]["hist"] == histograms()
    assert all("hist" not in r and r["ticks"] for r in saved.read(path, show.KEPT).of("row"))


def test_fields_that_are_not_kept_are_checked(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(row("a", 1, hist=[BIN, [300, "many"]]), row("b", 1, hist=[BIN])))
    found = saved.read(str(path), show.KEPT)
    assert [r["name"] for r in found.of("row")] == ["b"] and "row.hist" in found.damage[0], found.damage


def test_a_pipe_is_read_as_a_file_is(folder):
    """A pipe, from which nothing can be read twice."""
    path = folder / "silicon_small"
    words = [sys.executable, made_reports.ROOT / "scripts/baretick", "show"]
    of_file, of_pipe = (subprocess.run([*words, name], input=path.read_bytes(), capture_output=True, check=True,
                                       timeout=made_reports.SECONDS).stdout for name in (path, "/dev/stdin"))
    assert of_pipe.replace(b"/dev/stdin", bytes(path)) == of_file and b"verdict: PASS" in of_pipe


@pytest.mark.parametrize("data, damage", [
    (b"", ["no record `end`: the report is cut"]),
    (whole(row("a", 1)), []),
    (whole(row("a", 1)).replace(b"\r", b""), []),
    (whole(row("a", 1))[:-1], ["the last line has no end"]),
    (whole(row("a", 1)).replace(b"\r", b"", 1), ["line 1: does not end in CR LF as the others do"]),
    (b"noise\r\n" + whole(row("a", 1)), ["line 1: is not a record: b'noise'"]),
    (b"noise\r\nnoise\r\n" + whole(row("a", 1)), []),
    (b"noise\r\nnoise\r\n" + whole(row("a", 1))[:-4],
     ["line 5: a damaged record: does not end in a crc", "no record `end`: the report is cut"]),
], ids=("empty", "whole", "LF", "cut in CR LF", "one LF", "one line of noise", "log", "cut log"))
def test_lines_are_counted_and_their_ends_are_looked_at(data, damage):
    assert saved.take("made", data).damage == damage


def test_the_form_is_what_most_lines_have():
    """The damage is known before the first line is read as a record."""
    assert saved.take("made", b"noise\n" * 2 + whole(row("a", 1))).form == saved.LOG
    assert saved.take("made", b"noise\n" + whole(row("a", 1))).form == saved.RECORDS
