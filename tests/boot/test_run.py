"""`make run` and `make image` with the real QEMU; test_run_script.py has the special cases of their judgement."""

import os
import re
import subprocess
import sys

import build
import pytest
from machine import SUCCESS, TIMEOUT, Boot, on_one_cpu

QUICK = ["suite=baseline", "samples=32"]


def command(*line):
    """Runs the command outside of any terminal. Returns its output, both streams, and its exit code."""
    done = subprocess.run(
        [str(word) for word in line], cwd=build.ROOT, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "MAKEFLAGS": ""},
    )  # fmt: skip
    return done.stdout.decode(), done.returncode


def run(out, *words, **how):
    with on_one_cpu():  # QEMU's threads share one CPU there
        return command(sys.executable, "scripts/run", "--accel", "tcg", "--out", out, *words, **how)


def report_of(out):
    """Returns report.jsonl as records, each line checked as strictly as on the serial line."""
    return Boot((out / "report.jsonl").read_bytes().replace(b"\n", b"\r\n"), 3, 0)


def test_make_run_boots_and_succeeds(program, tmp_path):
    """The first command of the README: KVM if it works, otherwise counted instructions."""
    out = tmp_path / "out"
    with build.Lock():
        said, status = command("make", "run", f"OUT={out}", f"ARGS={' '.join(QUICK)}")
    assert status == 0, said
    b = report_of(out).must(SUCCESS)
    assert b.run["options"]["samples"] == 32 and {r["suite"] for r in b.rows} == {"baseline"}
    assert b.run["execution"] in ("instructions", "silicon"), b.run
    assert "TCG" in said or b.run["execution"] == "silicon", said
    assert '{"baretick"' not in said and "empty_plain" in said and "verdict: PASS" in said, said
    assert b'"type":"end"' in (out / "serial.log").read_bytes()


def test_two_runs_give_the_same_report(program, tmp_path):
    words = ["suite=baseline,calls", "bench=empty_*,do_*,*plt*,virtual*", "samples=32"]
    for name in "ab":
        said, status = run(tmp_path / name, *words)
        assert status == 0, said
    first, second = ((tmp_path / name / "report.jsonl").read_bytes() for name in "ab")
    assert first == second and b'"virtual_pic_inc_c"' in first
    # So one can gate the other, by the records or by the raw serial line.
    a, b, baseline = tmp_path / "a/report.jsonl", tmp_path / "b/serial.log", tmp_path / "baseline.json"
    for words in (("gate", baseline, a, "--update"), ("gate", baseline, b), ("compare", a, b), ("show", b)):
        said, status = command(sys.executable, "scripts/baretick", *words)
        assert status == 0, said
        assert "virtual_pic_inc_c" in said or words[0] == "gate", said
    assert " 0 changes" in command(sys.executable, "scripts/baretick", "gate", baseline, b)[0]


def test_a_failure_has_status_1_and_its_reason(program, tmp_path):
    """A fault; test_run_script.py has every exit status."""
    said, status = run(tmp_path / "out", "suite=provoke", "bench=setup", "samples=16")
    assert status == 1, said
    for word in ("#UD", "the machine faulted"):
        assert word in said, said


def test_a_program_that_never_ends_is_stopped_at_the_bound(tmp_path):
    # A halted guest takes no CPU time, unless its instructions are counted.
    said, status = run(tmp_path / "out", "--efi", build.shim(), "--timeout", "10", "--icount", "0", "talk")
    # On a busy host its only line can arrive after that time.
    assert status == 1 and re.search(r"the guest has (written nothing for|not written one byte in) 10", said), said
    assert "no record arrived" in said, said
    assert "talks, and no more" in said or "not written one byte" in said, said


@pytest.mark.parametrize("bus", ["virtio", "ahci", "nvme", "usb"])
def test_the_disk_image_boots(boot, program, tmp_path, bus):
    conf, image = tmp_path / "my.conf", tmp_path / "baretick.img"
    conf.write_text("suite=baseline\nsamples=40 # few\n")
    said, status = command("scripts/image", program, conf, image)
    assert status == 0, said
    b = boot("", disk=image, bus=bus, whole=True).must(SUCCESS)
    assert b.run["options"]["samples"] == 40 and {r["suite"] for r in b.rows} == {"baseline"}
    assert b.run["options_from"] == "baretick.conf", b.run
