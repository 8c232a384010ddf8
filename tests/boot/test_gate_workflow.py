"""Runs the steps of the workflow that users copy (docs/ci/gate.yml), on an object of the documentation."""

import json
import os
import shutil

from commands import run_command
import build
import pytest

yaml = pytest.importorskip("yaml", reason="python3-yaml has it")

WORKFLOW = build.ROOT / "docs/ci/gate.yml"


def test_a_change_of_a_count_fails(tmp_path):
    found = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    scripts = {step["name"]: step["run"] for step in found if "run" in step}
    (tmp_path / "bench").mkdir()
    shutil.copy(build.ROOT / "docs/examples/first.c", tmp_path / "bench/rows.c")
    os.symlink(build.ROOT, tmp_path / "baretick")

    def step(name, more=""):
        text = scripts[name].replace("suite=mine", "suite=first").rstrip() + more
        return run_command("bash", "-eo", "pipefail", "-c", text, cwd=tmp_path)

    for name in ("Build your object", "Count"):
        done = step(name)
        assert done.returncode == 0, done.stdout + done.stderr
    baseline = tmp_path / "bench/counts.json"
    assert step("Hold against the baseline").returncode == 2  # there is no baseline yet
    assert step("Hold against the baseline", " --update").returncode == 0
    assert step("Hold against the baseline").returncode == 0
    text = baseline.read_text()
    counts = json.loads(text)["rows"]["first/collatz_27@0"]
    baseline.write_text(text.replace(json.dumps(counts["instructions"]), json.dumps(counts["instructions"] - 1)))
    done = step("Hold against the baseline")
    assert done.returncode == 1 and "moved: first/collatz_27@0" in done.stdout, done.stdout
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["0001.jsonl"]
    done = step("Show the history")
    assert done.returncode == 0 and "2 runs, oldest first" in done.stdout, done.stdout + done.stderr
