"""Large reports are read one record at a time: memory grows with what a command keeps, not with the records."""

import subprocess
import sys

import pytest
from made_reports import ROOT, SECONDS, head, row, whole

ROWS = 2500
HIST = [[300 + i, 1000 + i] for i in range(100)]
PLACEMENTS = {"nominal": 0.99, "placements_cycles": [1.5 + i / 1000 for i in range(16)]}
# In a separate process: a process that is forked from a large one has that one's peak.
PEAK = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak(*words):
    """The most bytes of memory that the command had."""
    ran = subprocess.run([sys.executable, "-c", PEAK, sys.executable, str(ROOT / "scripts/baretick"), *map(str, words)],
                         capture_output=True, text=True, timeout=SECONDS, check=True)
    status, size = map(int, ran.stdout.split())
    assert status == 0, ran.stderr
    return size


@pytest.mark.parametrize("words, files", [(["show"], 1), (["compare"], 2)])
def test_memory_grows_by_about_the_size_of_the_report(tmp_path, words, files):
    """A record takes ten times its size as a dict."""
    paths = []
    for rows in (5, ROWS):
        for i in range(files):
            paths.append(tmp_path / f"{rows}_{i}.jsonl")
            paths[-1].write_bytes(whole(*(row(f"r{n}", 1.5, hist=HIST, interval=PLACEMENTS) for n in range(rows)),
                                        run=head(build=f"{i:012}")))
    size = sum(path.stat().st_size for path in paths[files:])
    assert size > files * 3e6
    grew = peak(*words, *paths[files:]) - peak(*words, *paths[:files])
    assert 0 < grew < 1.5 * size, (grew, size)
