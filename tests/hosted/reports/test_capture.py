"""`baretick capture`: a pseudo-terminal replays a serial line: whole, damaged, reset, silent, unplugged."""

import os
import pty
import signal
import subprocess
import time
import tty
import zlib

from commands import run_command
import golden
import pytest
from conftest import ROOT
from launch import capture


LINES = (ROOT / "tests/hosted/data" / "counted.jsonl").read_bytes().splitlines()
FIRMWARE = b"\x1b[2J\x1b[01;01HBdsDxe: starting Boot0001\r\nleft firmware at 0x0\r\n"
WHOLE = FIRMWARE + b"".join(line + b"\r\n" for line in LINES) + b"verdict: PASS (4 rows, 0 failures)\r\n"
PART = FIRMWARE + b"".join(line + b"\r\n" for line in LINES[:3]) + LINES[3][:99]
SECONDS = 60


class Capture:
    """`baretick capture` on one end of a pseudo-terminal; say() writes on the other."""

    def __init__(self, out, *words):
        self.out = out
        self.machine, end = pty.openpty()
        tty.setraw(end)
        self.device = os.ttyname(end)
        self.process = subprocess.Popen(
            [ROOT / "scripts/baretick", "capture", self.device, "--out", out, *words], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        self.said = self.process.stdout.readline()
        assert "listening to" in self.said, self.process.communicate()
        os.close(end)

    def say(self, data):
        while data:  # the line's buffer is small
            data = data[os.write(self.machine, data[:1024]):]

    def until(self, name, data):
        """Waits until the file has this many bytes."""
        deadline = time.monotonic() + SECONDS
        while (self.out / name).stat().st_size < len(data):
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def pull_out(self):
        os.close(self.machine)
        self.machine = None

    def finish(self):
        out, self.err = self.process.communicate(timeout=SECONDS)
        self.said += out
        if self.machine is not None:
            os.close(self.machine)
        return self.process.returncode

    def records(self, name="report.jsonl"):
        return (self.out / name).read_bytes().splitlines()

    @property
    def serial(self):
        return (self.out / "serial.log").read_bytes()


def failed(line):
    body = line.rsplit(b',"crc"', 1)[0].replace(b'"pass"', b'"fail"')
    return body + b',"crc":"%08x"}' % zlib.crc32(body)


BEGUN = b"".join(line + b"\r\n" for line in LINES[:2])
TIMEOUT = ("--timeout", "2")
# What the machine says, the words of the command, its status, and the records of its files.
SAID = {
    "a whole report": (WHOLE, (), 0, {"report": LINES}),
    # In the middle of a record; the earlier part is kept, and does not spoil the next report.
    "a reset": (PART + WHOLE, (), 0, {"report-cut-1": LINES[:3], "report": LINES}),
    "a reset in the first record": (FIRMWARE + LINES[0][:99] + b"\r\n" + WHOLE, (), 0, {"report": LINES}),
    # A machine that boots again and again, without a silence long enough to notice.
    "more after the end": (WHOLE + WHOLE + PART + b"\r\n", (), 0, {"report": LINES}),
    # seq reveals a reset too.
    "a reset after a damaged first record": (
        BEGUN + BEGUN + FIRMWARE + WHOLE.replace(b'"seq":0,', b'"seq":9,'), (), 1,
        {"report-cut-1": LINES[:2], "report-cut-2": LINES[:2], "report": LINES[1:]}),
    "a damaged record": (WHOLE.replace(b'"status":"ok"', b'"status":"OK"', 1), (), 1, {"report": [LINES[0], *LINES[2:]]}),
    "a verdict that is not a pass": (WHOLE.replace(LINES[-1], failed(LINES[-1])), (), 1, {"report": [*LINES[:-1], failed(LINES[-1])]}),
    "nothing": (b"", TIMEOUT, 1, {}),
    "no more in a record": (PART, TIMEOUT, 1, {"report": LINES[:3]}),
}


@pytest.mark.parametrize("kind", SAID)
def test_what_arrives_is_kept_and_messages_are_as_stored(tmp_path, kind):
    data, words, status, files = SAID[kind]
    c = Capture(tmp_path / "new" / "folder", *words)
    c.say(data)
    assert c.finish() == status and c.serial == data, c.err
    assert {name: c.records(f"{name}.jsonl") for name in files} == files
    golden.check("capture", SAID, kind, (c.said + c.err).replace(str(tmp_path), "").replace(c.device, "TTY"))


def test_a_speed_that_the_adapter_refuses_is_an_error(monkeypatch):
    """tcsetattr does not report it."""
    machine, end = pty.openpty()
    monkeypatch.setattr(capture.termios, "tcsetattr", lambda *_: None)
    with pytest.raises(OSError, match="it cannot do 4000000 baud"):
        capture.Line(os.ttyname(end), 4000000)
    os.close(machine)
    os.close(end)


def test_ctrl_c_keeps_the_received_output(tmp_path):
    c = Capture(tmp_path)
    c.say(PART)
    c.until("serial.log", PART)
    c.process.send_signal(signal.SIGINT)
    assert c.finish() == 130
    assert c.serial == PART and c.records() == LINES[:3] and "interrupted" in c.err


def test_an_adapter_that_is_pulled_out_is_an_error(tmp_path):
    c = Capture(tmp_path)
    c.say(WHOLE[:2000])
    c.until("serial.log", WHOLE[:2000])
    c.pull_out()
    assert c.finish() == 1 and "the line is gone" in c.err and c.serial == WHOLE[:2000]


def run(*words):
    return run_command(ROOT / "scripts/baretick", "capture", *words)


def test_a_file_is_read_like_a_line(tmp_path):
    log = tmp_path / "serial.log"
    log.write_bytes(WHOLE)
    done = run(log, "--out", tmp_path / "out")
    assert done.returncode == 0 and (tmp_path / "out/report.jsonl").read_bytes().splitlines() == LINES
    log.write_bytes(PART)
    done = run(log, "--out", tmp_path / "cut")
    assert done.returncode == 1 and "the file ends" in done.stderr


def test_a_report_is_never_overwritten(tmp_path):
    (tmp_path / "report.jsonl").write_text("kept")
    done = run("/dev/null", "--out", tmp_path)
    assert done.returncode == 2 and "--out names another folder" in done.stderr
    assert (tmp_path / "report.jsonl").read_text() == "kept"


def test_impossible_words_are_refused(tmp_path):
    for words, said in (((tmp_path / "ttyUSB9",), "No such file"), ((tmp_path,), "it is a folder"),
                        (("/dev/null", "--baud", "115201"), "--baud 115201: one of 1200, "),
                        (("/dev/null", "--timeout", "0"), "above 0")):
        done = run(*words, "--out", tmp_path / "out")
        assert done.returncode == 2 and said in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()
