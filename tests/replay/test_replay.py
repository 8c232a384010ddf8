"""The program `replay` itself: its command line, and its messages about files that it cannot read."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PROGRAM = ROOT / "build/hosted/replay"
K8 = "tests/replay/cpuid/AuthenticAMD0000F51_K8_Sledgehammer.txt"


def replay(*words):
    return subprocess.run([PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_each_file_has_one_object_on_one_line(tmp_path):
    p = replay("cpuid", K8, str(tmp_path / "none"), K8)
    assert (p.returncode, p.stderr) == (0, "")
    lines = p.stdout.splitlines()
    assert len(lines) == 3
    first, missing, again = map(json.loads, lines)
    assert list(first)[0] == "file" and first["file"] == K8
    assert first == again and "error" not in first
    assert list(missing) == ["file", "error"]
    assert "No such file" in missing["error"] and str(tmp_path) in missing["error"]


def test_a_directory_or_nonsense_is_refused_by_name(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "nonsense").write_bytes(b"# fine\ncpuid 0 0 0 1 2 3\n")
    p = replay("cpuid", str(tmp_path), str(tmp_path / "empty"), str(tmp_path / "nonsense"))
    said = [json.loads(line)["error"] for line in p.stdout.splitlines()]
    assert p.returncode == 0 and len(said) == 3
    assert "directory" in said[0]
    assert said[1].startswith("line 0:") and said[2].startswith("line 2:")


def test_a_wrong_command_line_ends_with_2():
    for words in ([], ["cpuid"], ["nothing", K8], ["--help"]):
        p = replay(*words)
        assert p.returncode == 2 and p.stdout == ""
        assert "usage: replay KIND FILE..." in p.stderr and "cpuid" in p.stderr
