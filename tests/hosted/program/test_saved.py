"""Reports in files, as `show`, `compare`, `gate` and `convert` read them: a line at a time, from a file or a pipe."""

import os
import subprocess
import sys

import made_reports
import pytest
from read import saved
from made_reports import counted, counting, row, whole

BIN = [300, 12]
BINS, ROWS = 20000, 80  # 16 MB


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


def peak_bytes(*words):
    """The most memory that scripts/baretick has had with these words, and what it said."""
    with subprocess.Popen([sys.executable, made_reports.ROOT / "scripts/baretick", *map(str, words)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        out = ran.stdout.read()
        _, status, usage = os.wait4(ran.pid, 0)
        ran.returncode = os.waitstatus_to_exitcode(status)
        assert ran.returncode == 0, (words, ran.stderr.read())
    return 1024 * usage.ru_maxrss, out


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


def test_what_pictures_need_is_kept_where_it_is_not_left_out(folder):
    path = str(folder / "silicon_large")
    assert saved.read(path).of("row")[3]["hist"] == histograms()
    assert all("hist" not in r and r["ticks"] for r in saved.read(path, saved.DRAWN).of("row"))


def test_what_is_not_kept_is_checked(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(row("a", 1, hist=[BIN, [300, "many"]]), row("b", 1, hist=[BIN])))
    found = saved.read(str(path), saved.DRAWN)
    assert [r["name"] for r in found.of("row")] == ["b"] and "row.hist" in found.damage[0], found.damage


def test_a_pipe_is_read_as_a_file_is(folder):
    """From which nothing can be read twice."""
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
    (b"noise\r\n" + whole(row("a", 1)), ["line 1: is no record: b'noise'"]),
    (b"noise\r\nnoise\r\n" + whole(row("a", 1)), []),
    (b"noise\r\nnoise\r\n" + whole(row("a", 1))[:-4],
     ["line 5: a damaged record: does not end in a crc", "no record `end`: the report is cut"]),
], ids=("empty", "whole", "LF", "cut in CR LF", "one LF", "one line of noise", "log", "cut log"))
def test_lines_are_counted_and_their_ends_are_looked_at(data, damage):
    assert saved.take("made", data).damage == damage


def test_the_form_is_what_most_lines_have():
    """It is known before the first line is read as a record."""
    assert saved.take("made", b"noise\n" * 2 + whole(row("a", 1))).form == saved.LOG
    assert saved.take("made", b"noise\n" + whole(row("a", 1))).form == saved.RECORDS
