"""The workflows and the test rack's files of docs/ci.md are valid YAML; the commands in them exist and accept these
words."""

import os
import re
import runpy
import shlex

from commands import output_of
import pytest
from conftest import ROOT
from judge import gate


try:
    import yaml
except ImportError:
    yaml = None

COUNTS = ROOT / "scripts/checks/counts"
OWN, COPIED = ROOT / ".github/workflows/ci.yml", ROOT / "docs/ci/gate.yml"
LAVA, DEVICE, LABGRID, LABGRID_TEST = (
    ROOT / "docs/ci" / name for name in ("lava.yaml", "baretick.jinja2", "labgrid.yaml", "labgrid_test.py"))
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
EXPRESSION = re.findall(r"^    (BT \(\?P<.*)$", PAGE, re.MULTILINE)[0]
# Commands that belong to others.
OTHERS = {"if", "grep", "mkdir", "gcc", "cd"}


def load(path):
    if yaml is None:
        pytest.skip("PyYAML is not here: python3-yaml has it")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(path):
    for name, job in load(path)["jobs"].items():
        assert "runs-on" in job and 0 < job["timeout-minutes"] <= 90, name
        yield from job["steps"]


@pytest.mark.parametrize("path", [OWN, COPIED], ids=lambda p: p.name)
def test_a_workflow_has_the_keys_that_github_requires(path):
    found = load(path)
    assert found["name"] and found[True]  # YAML 1.1 reads `on` as a truth value
    assert found["permissions"] == {"contents": "read"}
    for step in steps(path):
        assert ("run" in step) != ("uses" in step), step
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]), step


def commands(path):
    """Yields each command's words, split at pipes and redirections."""
    for step in steps(path):
        for line in step.get("run", "").splitlines():
            for part in re.split(r" \| | >>?", line):
                if part.strip() and not part.startswith('"$'):
                    yield shlex.split(part)


def options_of(sub):
    return set(re.findall(r"--[a-z-]+", output_of(ROOT / "scripts/baretick", sub, "--help")))


@pytest.mark.parametrize("path", [OWN, COPIED], ids=lambda p: p.name)
def test_the_commands_of_a_workflow_exist(path):
    seen = set()
    for words in commands(path):
        name = words[0].removeprefix("./").removeprefix("baretick/")
        if name == "scripts/baretick":
            before = words[:words.index("--")] if "--" in words else words
            assert {w for w in before if w.startswith("--")} <= options_of(words[1]), words
            seen.add(words[1])
        elif name.startswith("scripts/"):
            assert os.access(ROOT / name, os.X_OK), words
        elif name == "make":
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")  # make -n would run lines marked +
            assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in words[1:]), words
        else:
            assert name in OTHERS or name.startswith("build/") or name == "tee", words
    assert "run" in seen and ("gate" in seen or path == OWN)


def test_the_gate_of_this_repository_has_a_baseline_of_the_counted_suites():
    text = COUNTS.read_text(encoding="utf-8")
    compiler, words, rows = gate.read_baseline(ROOT / re.search(r"baretick gate (\S+)", text)[1])
    assert {key.split("/")[0] for key in rows} == set(re.search(r"suite=(\S+)", text)[1].split(","))
    assert compiler.startswith("gcc ") and words["recipe"]
    assert rows["calls/direct@0"]["instructions"] == 2


@pytest.mark.parametrize("path", [OWN, ROOT / ".ci/run"], ids=lambda p: p.name)
def test_continuous_integration_checks_the_counts(path):
    assert "scripts/checks/counts" in path.read_text(encoding="utf-8")


def test_kvm_is_used_and_reported():
    """scripts/run uses KVM by itself if it works, and reports it with these words."""
    script = (ROOT / "scripts/run").read_text(encoding="utf-8")
    text = OWN.read_text(encoding="utf-8")
    assert 'f"KVM is not used: {why}"' in script and 'f"QEMU under {accel.upper()}' in script
    assert "grep -E '^(QEMU under|KVM is not used)'" in text and "/dev/kvm" in text and "--accel" not in text


def test_lava_waits_for_text_that_the_program_writes():
    (test,) = (a["test"] for a in load(LAVA)["actions"] if "test" in a)
    (monitor,) = test["monitors"]
    assert monitor["pattern"] == EXPRESSION and set(monitor["fixupdict"]) == {"pass", "fail"}
    start = re.findall(r'"(baretick: [a-z ]+)\\r\\n"', (ROOT / "kernel/main.c").read_text(encoding="utf-8"))
    assert len(start) == 2 and all(re.search(monitor["start"], text) for text in start), start
    assert re.search(monitor["start"], "BT run/verdict@0 error") and not re.search(monitor["start"], "BdsDxe: starting Boot0001")
    assert monitor["end"] == '"type":"end"'
    assert f'{{# device_type: {load(LAVA)["device_type"]} #}}' in DEVICE.read_text(encoding="utf-8")


def test_the_labgrid_driver_reads_every_line():
    target = load(LABGRID)["targets"]["main"]
    assert target["resources"]["RawSerialPort"]["speed"] == 115200
    assert {"SerialDriver", "NetworkPowerDriver", "BaretickStrategy"} == set(target["drivers"])
    module = runpy.run_path(str(LABGRID_TEST))
    assert module["ROW"].pattern == EXPRESSION
    assert module["rows_of"]("BdsDxe\r\nBT calls/direct@0 2.5 cycles pass\r\nBT a/b@1 - - fail\r\nBT x\r\n") == {
        "calls/direct@0": ("2.5", "cycles", "pass"), "a/b@1": (None, None, "fail")}
