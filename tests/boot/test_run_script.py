"""scripts/run's judgement, with a stand-in for QEMU that prints and does what each test needs."""
import fcntl
import os
import pty
import re
import runpy
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from machine import TIMEOUT
from test_report_reader import LEFT, record

ROOT = Path(__file__).parents[2]

WHOLE = [LEFT, record(0, "run") + b"\r\n", b"the table\r\n",
         record(1, "end", rows=0, failures=0, verdict="pass") + b"\r\n"]

STAND_IN = """#!{python}
import os, select, sys, time
if "--version" in sys.argv: sys.exit(0)
out = sys.stdout.buffer
for piece in {pieces!r}:
    if isinstance(piece, float):
        time.sleep(piece)
    elif piece == "key":
        out.write(b"key " + os.read(0, 1) + b"\\r\\n"); out.flush()
    elif piece == "keys":
        some = select.select([0], [], [], 0)[0]
        out.write(b"keys: " + (b"some" if some else b"none") + b"\\r\\n"); out.flush()
    elif piece == "arguments":
        out.write(" ".join(sys.argv).encode() + b"\\r\\n"); out.flush()
    else:
        out.write(piece); out.flush()
if {close}:
    os.close(1)
{end}
"""


@pytest.fixture
def run(tmp_path):
    """run(pieces, end) starts scripts/run with the stand-in; returns its output, and its status."""
    def start(pieces, end="os._exit(3)", *, words=(), stdin=subprocess.DEVNULL, wait=True,
              close=False, environment=None, preexec_fn=None, **how):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        qemu = folder / "qemu-system-x86_64"
        qemu.write_text(STAND_IN.format(python=sys.executable, pieces=list(pieces), end=end,
                                        close=close))
        qemu.chmod(0o755)
        for name in ("program.efi", "code.fd", "vars.fd"):
            (tmp_path / name).write_bytes(b"x")
        # Without it, a stand-in that ends by os._exit() prints what it has flushed, as in any shell.
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
        env = {**inherited, "PATH": f"{folder}:{os.environ['PATH']}",
               "OVMF_CODE": str(tmp_path / "code.fd"), "OVMF_VARS": str(tmp_path / "vars.fd"),
               **(environment or {})}
        command = [sys.executable, str(ROOT / "scripts/run"), "--efi",
                   str(tmp_path / "program.efi"), "--out", str(tmp_path / "out"), "--accel", "tcg",
                   *words]

        def in_child():
            # A job in the background ignores SIGINT, and its children would inherit that.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if preexec_fn:
                preexec_fn()

        p = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                             preexec_fn=in_child, **how)
        if not wait:
            return p
        said = p.communicate(timeout=TIMEOUT)[0].decode()
        return said, p.returncode
    start.out = tmp_path / "out"
    return start


@pytest.fixture
def patient(run):
    """patient(pieces, end, *words, until=..., timeout=...): run() with --timeout. If the machine is too busy for the
    stand-in to print everything within that time, and the output lacks `until`, runs again with more time."""
    def start(pieces, end, *words, until, timeout=2):
        for factor in (1, 10, 50):
            said, status = run(pieces, end, words=["--timeout", f"{timeout * factor:g}", *words])
            if until in said:
                break
        return said, status
    return start


def test_a_whole_report_is_shown_and_kept(run):
    said, status = run(WHOLE)
    assert status == 0, said
    assert "the table" in said and '{"baretick"' not in said
    assert (run.out / "report.jsonl").read_bytes() == b"".join(
        r[:-2] + b"\n" for r in (WHOLE[1], WHOLE[3]))
    assert (run.out / "serial.log").read_bytes() == b"".join(WHOLE)


@pytest.mark.parametrize("end, words", [
    ("os._exit(5)", "exit 5: a check failed"),
    ("os._exit(7)", "exit 7: bad options"),
    ("os._exit(9)", "exit 9: the machine faulted"),
    ("os._exit(0)", "without an exit code from the guest"),
    ("os._exit(11)", "exit 11: stopped: the report ends"),
    ("os._exit(13)", "exit 13: success, but the report could not be written"),
        ("os._exit(15)", "exit 15: no exit code that baretick uses"),
    ("os.kill(os.getpid(), 11)", "signal 11"),
    ("print('no such CPU', file=sys.stderr, flush=True); os._exit(1)", "QEMU said: no such CPU"),
    ("time.sleep(100)", "still on 5 s later"),
])
def test_each_bad_end_of_qemu_fails_with_its_reason(run, end, words):
    said, status = run(WHOLE, end)
    assert status == 1 and words in said, said


@pytest.mark.parametrize("pieces, words", [
    ([], "has not written one byte"),
    ([LEFT], "has written nothing for"),
    (WHOLE[:3], "no whole end record (1 records arrived)"),
])
def test_a_guest_that_hangs_is_stopped(patient, pieces, words):
    said, status = patient(pieces, f"time.sleep({2 * TIMEOUT})", until=words)
    assert status == 1 and words in said, said


@pytest.mark.parametrize("words, hint", [
    (["deadline=7"], "until deadline=7:"), ([], "until deadline=60:"), (["deadline=1"], None),
])
def test_a_silence_that_may_be_a_long_row_has_a_hint(patient, words, hint):
    said, status = patient([LEFT], f"time.sleep({2 * TIMEOUT})", *words, until="has written nothing for")
    assert status == 1 and "has written nothing for" in said, said
    assert hint in said if hint else "deadline=" not in said, said


@pytest.mark.parametrize("timeout, words, seconds", [
    (None, [], 90), (None, ["deadline=1"], 60), (None, ["deadline=300"], 330),
    (None, ["deadline=300", "deadline=100"], 130), (None, ["deadline=soon"], 90), (5, ["deadline=300"], 5),
])
def test_the_guest_has_the_time_to_end_a_row(monkeypatch, timeout, words, seconds):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    script = runpy.run_path(str(ROOT / "scripts/run"))
    assert script["silence_of"](SimpleNamespace(timeout=timeout, words=words)) == seconds
    (standard,) = re.findall(r"NUMBER\(deadline, 1, 3600, (\d+)\)", (ROOT / "lib/config/options.c").read_text())
    assert script["DEADLINE"] == int(standard)


@pytest.mark.parametrize("words, hinted", [
    (["--smp", "256"], True), (["--smp", "255"], False), (["--smp", "256", "--icount", "0"], False),
])
def test_too_many_cpus_to_count_instructions_are_refused(run, words, hinted):
    """QEMU 10 can have 256 CPUs and more, but is too slow with them when it counts instructions."""
    said, status = run([], "time.sleep(100)", words=["--timeout", "1", *words])
    assert status == 1 and ("try ICOUNT=0" in said) == hinted, said


def test_a_guest_that_never_stops_printing_is_stopped(patient):
    said, status = patient([LEFT], "while True: out.write(b'again\\r\\n'); out.flush(); time.sleep(.01)",
                           until="the run took more than ", timeout=0.3)
    assert status == 1 and re.search("took more than (6|60|300) s", said), said


@pytest.mark.parametrize("pieces, words", [
    ([WHOLE[0], WHOLE[1][:-12] + b"\r\n", *WHOLE[2:]], "damaged record"),
    ([WHOLE[0], WHOLE[3]], "record 1 comes where record 0 should be"),
    ([*WHOLE, record(2) + b"\r\n"], "after the end record"),
    ([*WHOLE[:3], WHOLE[3][:-9]], "no whole end record"),
    ([*WHOLE[:3], record(1, "end", verdict="fail") + b"\r\n"], "says 'fail'"),
    ([], "no record arrived"),
])
def test_a_damaged_report_fails_with_the_damage(run, pieces, words):
    said, status = run(pieces)
    assert status == 1 and words in said, said


def test_a_key_reaches_the_guest_once_it_listens(run):
    terminal, end = pty.openpty()
    p = run([b"firmware\r\n", 0.3, LEFT, "key", *WHOLE[1:]], wait=False, stdin=end,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY))
    while termios.tcgetattr(end)[3] & termios.ICANON and p.poll() is None:
        time.sleep(0.01)  # keys typed before it reads single keys are discarded
    os.write(terminal, b"q")
    said = p.communicate(timeout=TIMEOUT)[0].decode()
    os.close(end)
    os.close(terminal)
    assert p.returncode == 0 and "key q" in said, said


def test_keys_from_a_pipe_do_not_reach_the_guest(run):
    # A byte of it could end the run.
    p = run([LEFT, 0.3, "keys", *WHOLE[1:]], wait=False, stdin=subprocess.PIPE)
    said = p.communicate(b"q" * 100, timeout=TIMEOUT)[0].decode()
    assert p.returncode == 0 and "keys: none" in said, said


def test_progress_is_for_terminals(run):
    progress = b"progress  a/b: row 3 of 9\r\n"
    said, status = run([LEFT, progress, WHOLE[1], progress, *WHOLE[2:]])
    assert status == 0 and "3 of 9" not in said and "the table" in said, said


def test_qemu_gets_the_machine_and_the_words(run):
    said, _ = run([LEFT, "arguments", *WHOLE[1:]],
                  words=["--smp", "2", "--mem", "77", "--cpu", "Denverton", "a=1", "b=*"])
    for words in ("-smp 2", "-m 77", "-cpu Denverton", "-append baretick a=1 b=*",
                  "-icount shift=7,sleep=off", "-nodefaults"):
        assert words in said
    said, _ = run([LEFT, "arguments", *WHOLE[1:]], words=["--icount", "0"])
    assert "-icount" not in said


def wait_until(so):
    end = time.monotonic() + TIMEOUT
    while not so():
        assert time.monotonic() < end, "the condition was not reached in time"
        time.sleep(0.05)


def is_alive(pid):
    """A zombie, which has ended and was not waited for, counts as dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_qemu_is_left_behind(run, number, tmp_path):
    pid_file = tmp_path / "pid"
    p = run([LEFT], f"open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep({TIMEOUT})",
            wait=False, words=["--timeout", str(TIMEOUT)])
    wait_until(lambda: pid_file.exists() and pid_file.read_text())
    p.send_signal(number)
    said = p.communicate(timeout=TIMEOUT)[0].decode()
    assert p.returncode != 0
    if number == signal.SIGINT:
        assert "interrupted" in said and p.returncode == 130
    wait_until(lambda: not is_alive(int(pid_file.read_text())))


@pytest.mark.parametrize("word, value", [
    *(("--timeout", value) for value in ("nan", "inf", "-1", "0", "1e999")),
    ("--smp", "0"), ("--smp", "-2"), ("--smp", "1.5"),
])
def test_words_that_are_not_numbers_are_refused(run, word, value):
    said, status = run(WHOLE, words=[f"{word}={value}"])
    assert status == 2 and word in said and "records" not in said, said


def test_run_names_missing_files_and_programs(run, tmp_path):
    said, status = run(WHOLE, environment={"OVMF_CODE": str(tmp_path / "nowhere.fd")})
    assert status == 2 and "OVMF_CODE: no file" in said, said
    said, status = run(WHOLE, environment={"OVMF_VARS": ""})
    assert status == 2 and "go together" in said, said
    said, status = run(WHOLE, environment={"PATH": str(tmp_path)})
    assert status == 2 and "qemu-system-x86_64 not found" in said, said
    said, status = run(WHOLE, words=["--efi", str(tmp_path / "none.efi")])
    assert status == 2 and "no program" in said, said
