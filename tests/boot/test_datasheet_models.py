"""A whole datasheet on CPUs of both vendors, from the first with long mode to the last that QEMU has."""

import shutil
import sys
from pathlib import Path

from commands import run_command
import pytest
from bochs import bochs
from machine import SUCCESS, TIMEOUT

pytestmark = pytest.mark.others
BARETICK = Path(__file__).parent.parent.parent / "scripts/baretick"
# The CPU, and a feature that it lacks and forms need. With XSAVE, Opteron_G4 and G5 stop QEMU 7.2 itself, at a write of
# CR4.OSXSAVE that neither ends nor faults.
MODELS = {
    "qemu64": "SSSE3", "Conroe": "SSE4.1", "phenom": "SSSE3", "Nehalem": "AES", "Opteron_G5,-xsave": "AVX", "SandyBridge": "AVX2",
    "Denverton": "AVX", "max,-xsave": "AVX", "EPYC-Milan": "AVX512F", "max": "AVX512F",
}  # fmt: skip


def judge(b, lacks, folder):
    """Each form ran or has its reason, each curve and limit has figures or its reason, and the page shows all of it."""
    (plan,), (end,), left, *curves = ([r for r in b.records if r["type"] == kind]
                                      for kind in ("insn_plan", "insn_end", "insn_left", "curve", "limit", "forward"))  # fmt: skip
    assert end["reached"] == plan["run"] > 1500 and end["not_reached"] == 0, end
    assert f"the CPU does not have {lacks}" in [record["why"] for record in left], left
    for record in sum(curves, []):
        assert record["status"] == "ok" or (record["status"] == "unsupported" and record["why"]), record
    assert not b.events("fault") and not b.events("mistake"), b.events("mistake")
    assert b.end["verdict"] == "pass" and b.end["failures"] == 0, str(b)
    report, page = folder / "report.jsonl", folder / "page.html"
    report.write_bytes(b"".join(line + b"\n" for line in b.serial.replace(b"\r", b"").split(b"\n") if line.startswith(b"{")))
    drawn = run_command(sys.executable, BARETICK, "report", report, "-o", page)
    assert drawn.returncode == 0 and not drawn.stderr, drawn.stderr
    text = page.read_text()
    assert all(f'id="{section}"' in text for section in ("memory", "limits", "instructions", "not-judged"))


@pytest.mark.parametrize("cpu", MODELS)
def test_a_datasheet_of_an_emulated_cpu(boot, cpu, tmp_path):
    judge(boot("datasheet", cpu=cpu, whole=True).must(SUCCESS, rows=1), MODELS[cpu], tmp_path)


@pytest.mark.skipif(not shutil.which("bochs"), reason="Bochs is not installed")
def test_a_datasheet_in_bochs(stick, tmp_path):
    judge(bochs(tmp_path, stick({"baretick.conf": b"datasheet"}), timeout=4 * TIMEOUT), "SHA", tmp_path)
