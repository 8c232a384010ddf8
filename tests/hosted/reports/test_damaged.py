"""Reports that contradict themselves or have damaged text, and files without an end: every command that reads a report
names what is wrong, in a bounded time, and no control character comes out."""

import os
import re
import resource
import subprocess
import sys

import made_reports
import pytest
from made_reports import COMMAND, RANKS, ROOT, baretick, counted, counting, head, report, row
from read import saved

PASS = {"type": "end", "rows": 2, "failures": 0, "verdict": "pass"}
A, B = row("a", 1), row("b", 2)
FELL = row("b", 2, status="wrong", why="it is 3")
SELFTEST = {"type": "selftest", "name": "ruler", "result": "fail", "detail": "it is off"}


def sure(**levels):
    return {**RANKS, **levels}


# What is wrong with the record of a line, as it is named; the record is then passed over.
WRONG = {
    "pass next to a row that failed": ([A, FELL, PASS], "line 4: `end.failures` is 0, and 1 rows and self-tests failed"),
    "pass next to a self-test that failed": ([SELFTEST, A, B, PASS], "line 5: `end.failures` is 0, and 1 rows"),
    "a row is missing": ([A, PASS], "line 3: `end.rows` is 2, and the report has 1"),
    "a row too many": ([A, B, row("c", 3), PASS], "line 5: `end.rows` is 2, and the report has 3"),
    "failures that nothing tells of": ([A, B, {**PASS, "failures": 3, "verdict": "fail"}],
                                       "line 4: `end.failures` is 3, and the report tells of none"),
    "pass with failures": ([A, FELL, {**PASS, "failures": 1}], "line 4: `end.verdict` is 'pass' with 1 failures"),
    "fail without failures": ([A, B, {**PASS, "verdict": "fail"}], "line 4: `end.verdict` is 'fail' with 0 failures"),
    "a stopped run that passed": ([A, B, {**PASS, "stopped": True}], "'pass' with 0 failures of a stopped run"),
    "a verdict that there is not": ([A, B, {**PASS, "verdict": "good"}], "line 4: `end.verdict` is 'good', not one of pass, "),
    "a status that there is not": ([A, row("b", 2, status="fine"), PASS], "line 3: `row.status` is 'fine', not one of ok, wrong"),
    "a status of a curve": ([A, B, {"type": "curve", "suite": "memory", "name": "c", "core": 0, "status": "0", "points": []}, PASS],
                            "line 4: `curve.status` is '0', not one of"),
    "a row twice": ([A, row("a", 3), PASS], "line 3: row made/a on core 0 is in the report already"),
    **{f"{name} {value}": ([A, row("b", 2, **fields), PASS], f"line 3: `{name}` is {value}, not a number from 0 to 1")
       for name, value, fields in (("row.interval.confidence", 1.5, {"interval": sure(confidence=1.5)}),
                                   ("row.interval.median_confidence", -0.1, {"interval": sure(median_confidence=-0.1)}),
                                   ("row.modes[].share", 7, {"modes": [{"cycles": 1, "share": 7}]}),
                                   ("row.shared", -1, {"shared": -1}), ("row.shared", 1.001, {"shared": 1.001}))},
    "a number above all bounds": ([A, row("b", 2, ops=10**400), PASS], "line 3: `row.ops` is above all bounds, not integer"),
    "half of a surrogate pair": ([A, row("b\ud800", 2), PASS], "line 3: has half of a surrogate pair"),
    "half of a pair as the name of a field": ([A, row("b", 2, **{"x\udfff": 1}), PASS], "line 3: has half of a surrogate pair"),
}


def of(records):
    return report([head(), *records])


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_its_line(name):
    records, said = WRONG[name]
    found = saved.take("made", of(records))
    assert any(said in wrong for wrong in found.damage), found.damage
    if "`end." in said:
        assert found.verdict is None


@pytest.mark.parametrize("end, verdict", [
    ([PASS], "pass"), ([], None), ([{**PASS, "stopped": True, "verdict": "stopped"}], "stopped"),
    ([{"type": "event", "kind": "fault", "message": "m"}, {**PASS, "failures": 1, "verdict": "fail"}], "fail")])
def test_what_agrees_is_read_and_what_broke_off_too(end, verdict):
    found = saved.take("made", of([A, B, *end]))
    assert found.verdict == verdict and found.damage == ([] if end else ["no record `end`: the report is cut"])
    assert len(found.of("row")) == 2


def test_a_second_report_in_a_log_is_counted_by_itself():
    data = b"noise\r\n" * 3 + of([A, FELL]) + b"noise\r\n" * 3 + of([A, B, PASS])
    found = saved.take("made.log", data)
    assert found.verdict == "pass" and len(found.damage) == 1 and "another report begins" in found.damage[0]


# --- every command -------------------------------------------------------------------------------

EVIL = ("\x1b[2J", "\x1b]0;t\x07", "\x9b31m", "\x85", "\x00\x08\x7f", "a\nverdict: PASS\r", "\u202eb", "\u2066c", "\u2028")
CONVERTED = ("benchfmt", "google", "bencher", "github-action", "hyperfine", "csv", "exegesis", "exegesis-throughput", "instlat")
# The calls of each command that reads a report; R is the report, G is a good one.
READERS = {
    "show": [("R",), *(("R", "--format", form) for form in ("markdown", "csv", "json")), ("R", "--machine")],
    "compare": [("G", "R"), ("R", "R", "--format", "csv"), ("--history", "history")],
    "gate": [("new.json", "R", "--update"), ("base.json", "R"), ("base.json", "R", "--history", "history")],
    "convert": [("R", "--to", form) for form in CONVERTED],
    "insn": [("R",), ("G", "--diff", "R"), ("R", "--all", "--format", "csv")],
    "plot": [("R", "--kind", "gaps", "-o", "plotted"), ("G", "--against", "R", "--kind", "change", "-o", "plotted")],
    "report": [("R", "--plots", "0", "-o", "-"), ("G", "--against", "R", "--plots", "0", "-o", "-"), ("fleet", "-o", "-"),
               ("fleet", "--to", "csv", "-o", "-")],
    "capture": [("R", "--out", "captured")], "receive": [("incoming", "received")],
}
OTHERS = {"run", "asm", "stores", "list", "once", "install", "completion"}  # their reports are of their own runs


def hostile(text):
    """Records with this in every text that comes from a machine or from a user."""
    run = counting(version=text, build=text, recipe=text, hypervisor=text, smbios={"bios_vendor": text, "board_product": text},
                   cpu={**made_reports.CPU, "brand": text})
    return report([run, {"type": "core", "core": 0, "apic_id": 0, "why": text, "core_type": text},
                   counted(text, 5, suite=text, object=text, why=text, cycle_source=text, doubt=text),
                   counted("a", 5, status="wrong", why=text),
                   {"type": "event", "kind": "warning", "message": text}, {"type": "event", "kind": text, "message": text},
                   {"type": "advice", "topic": text, "change": True, "text": text}, {"type": "machine", "lines": [text]},
                   {"type": "insn_left", "core": 0, "why": text, "forms": [[text, 0]]},
                   {"type": "summary", "rows": [text], "lines": [{"label": text, "parts": [text]}]}, {"type": text},
                   made_reports.END])


REPORTS = {"evil text": hostile("".join(EVIL)), "no text": hostile("\ud800"),
           **{name: of(WRONG[name][0]) for name in ("pass next to a row that failed", "a row is missing", "a row twice",
                                                    "a status that there is not", "row.shared -1", "half of a surrogate pair")}}


@pytest.mark.parametrize("name", REPORTS)
def test_every_command_survives_it_and_prints_no_control_character(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good = report([counting(), counted("a", 5), made_reports.END])
    for path, data in {"R": REPORTS[name], "G": good, "fleet/m_1.jsonl": REPORTS[name], "fleet/n_1.jsonl": good,
                       "history/1.jsonl": good, "history/2.jsonl": REPORTS[name], "incoming/m_1.jsonl": REPORTS[name]}.items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
    os.mkdir("received")
    baretick("gate", "base.json", "G", "--update")
    for command, calls in READERS.items():
        for words in calls:
            done = baretick(command, *words)
            assert done.returncode in (0, 1, 2) and "Traceback" not in done.stderr, (command, words, done.stderr)
            odd = {c for c in done.stdout + done.stderr if not c.isprintable()} - {"\n", "\t"}
            assert not odd, (command, words, odd)
            assert not re.search("^verdict: PASS", done.stdout, re.M) or "the file is damaged" in done.stdout, (command, words)


def test_what_a_firmware_prints_reaches_the_terminal_without_control_characters(tmp_path):
    text = "".join(EVIL).replace("\n", "")
    (tmp_path / "line.log").write_bytes(f"\tBdsDxe: {text}\r\n".encode() + b'{"baretick":\x1b]0;\x07"\x9b"\r\n' + of([A, B, PASS]))
    done = baretick("capture", tmp_path / "line.log", "--out", tmp_path / "captured")
    assert "        BdsDxe: " in done.stdout and "damaged record" in done.stderr
    assert {c for c in done.stdout + done.stderr if not c.isprintable()} == {"\n"}


def test_every_command_is_one_that_reads_reports_or_another():
    assert {*READERS, *OTHERS} == set(COMMAND.parser()._subparsers._group_actions[0].choices)


# --- files without an end ------------------------------------------------------------------------

LIMITS = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2 << 30,) * 2); os.execv(sys.argv[1], sys.argv[1:])"


def limited(*words, **how):
    """Runs the command with 2 GiB of memory. Its children's CPU time is bounded in the tests."""
    return subprocess.run([sys.executable, "-c", LIMITS, sys.executable, ROOT / "scripts/baretick", *map(str, words)],
                          capture_output=True, text=True, timeout=120, check=False, **how)


def cpu_seconds(run):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def fifo(path):
    os.mkfifo(path)


def zeros(path, before=b""):
    path.write_bytes(before)
    os.truncate(path, 10 << 30)


ENDLESS = {"a FIFO": (fifo, "a FIFO, which may never end"), "zeros": (zeros, "no record in 64 MiB; the rest of the file is not read"),
           "a report and zeros": (lambda path: zeros(path, of([A, B, PASS])), "no record in 64 MiB; the rest of the file"),
           "a folder": (os.mkdir, "directory"), "no file": (lambda path: None, "No such file"),
           **{device: (lambda path, device=device: os.symlink(device, path), "it is a device")
              for device in ("/dev/zero", "/dev/null", "/dev/tty", "/dev/random")}}


@pytest.mark.parametrize("name, words", [*((name, ("show",)) for name in ENDLESS), *((name, words) for name in ("a FIFO", "zeros")
                                           for words in (("convert", "--to", "csv"), ("compare", "GOOD")))])
def test_a_file_without_an_end_is_refused_or_read_in_part(name, words, tmp_path):
    make, said = ENDLESS[name]
    (tmp_path / "GOOD").write_bytes(of([A, B, PASS]))
    make(tmp_path / "r")
    done, seconds = cpu_seconds(lambda: limited(*words, "r", cwd=tmp_path))
    assert done.returncode == (1 if name == "a report and zeros" else 2)
    assert said in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert seconds < 5


def piped(data):
    """Returns a pipe that has these bytes and is closed at the other end."""
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    return reader


def test_a_pipe_of_a_shell_is_read(tmp_path):
    with open(piped(of([A, B, PASS])), "rb") as pipe:
        done = limited("show", "/dev/stdin", stdin=pipe, cwd=tmp_path)
    assert done.returncode == 0 and "verdict: PASS (2 rows" in done.stdout, done.stderr


@pytest.mark.parametrize("limit, value, said", [("PIPE_SECONDS", 0.01, "nothing came through the pipe for 0.01 s"),
                                                ("PIPE_BYTES", 30000, "save the report in a file")])
def test_a_pipe_without_an_end_is_refused(limit, value, said, monkeypatch):
    monkeypatch.setattr(saved, limit, value)
    reader, writer = os.pipe()
    with open(reader, "rb"), open(writer, "wb", buffering=0) as into:
        into.write(b"y\n" * 20000 if limit == "PIPE_BYTES" else b"")
        with pytest.raises(saved.Unreadable, match=said):
            saved.read(f"/dev/fd/{reader}")
