"""`baretick receive`: a report is whole in the folder of reports, or not there."""

import os
import random
import time

import made_fleet
import pytest
from launch import receive
from made_reports import baretick

REPORT = made_fleet.Machine(random.Random(1), rows=8).report(1)
NAME = "rack1-01_0001.jsonl"
HOURS = 3600


@pytest.fixture
def folders(tmp_path):
    for name in ("incoming", "reports"):
        (tmp_path / name).mkdir()
    return tmp_path / "incoming", tmp_path / "reports"


def upload(incoming, name, content, hours=0):
    (incoming / name).write_bytes(content)
    then = time.time() - hours * HOURS
    os.utime(incoming / name, (then, then))


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def damaged():
    """Returns what an upload can be that was cut, or whose middle was lost."""
    lines = REPORT.splitlines(keepends=True)
    cuts = {0, 1, len(lines[0]) - 1, len(lines[0]), len(REPORT) // 2, len(REPORT) - len(lines[-1]), len(REPORT) - 1}
    for cut in sorted(cuts):
        yield f"cut_{cut}", REPORT[:cut]
    yield "lost_line", b"".join(lines[:3] + lines[4:])
    yield "lost_bytes", REPORT[:900] + REPORT[1400:]
    yield "changed_byte", REPORT[:900] + bytes([REPORT[900] ^ 1]) + REPORT[901:]
    yield "two_reports", REPORT + REPORT
    yield "other_text", b"\n".join([*[b"text"] * len(lines), REPORT])


def test_only_whole_reports_are_copied(folders):
    incoming, reports = folders
    for name, text in damaged():
        assert text != REPORT
        upload(incoming, f"{name}_0001.jsonl", text)
    upload(incoming, NAME, REPORT)
    upload(incoming, f".{NAME}", REPORT)  # not an upload
    (incoming / "link_0001.jsonl").symlink_to(incoming / NAME)
    before = content(incoming)
    said = baretick("receive", str(incoming), str(reports))
    assert (said.returncode, said.stderr) == (0, "") and NAME in said.stdout, said
    assert content(reports) == {NAME: REPORT}
    assert content(incoming) == before  # machines still read them back
    # The next time nothing is new.
    said = baretick("receive", str(incoming), str(reports))
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


def test_old_uploads_are_deleted_and_incomplete_ones_are_named(folders):
    incoming, reports = folders
    upload(incoming, NAME, REPORT, hours=2)
    upload(incoming, "cut_0001.jsonl", REPORT[:-1], hours=2)
    upload(incoming, "new_0001.jsonl", REPORT[:-1])
    said = baretick("receive", str(incoming), str(reports))
    assert said.returncode == 0 and "cut_0001.jsonl" in said.stdout and "new_0001.jsonl" not in said.stdout, said
    assert content(reports) == {NAME: REPORT} and set(content(incoming)) == {"new_0001.jsonl"}


def test_a_report_that_cannot_be_copied_stays_and_the_others_are_copied(folders):
    incoming, reports = folders
    (reports / f".{NAME}.part").mkdir()  # in the way
    upload(incoming, NAME, REPORT, hours=2)
    upload(incoming, "rack1-02_0001.jsonl", REPORT)
    said = baretick("receive", str(incoming), str(reports))
    assert said.returncode == 2 and NAME in said.stderr, said
    (reports / f".{NAME}.part").rmdir()
    assert content(reports) == {"rack1-02_0001.jsonl": REPORT} and NAME in content(incoming)
    # What a `kill -9` left is overwritten.
    (reports / f".{NAME}.part").write_bytes(REPORT[:100])
    assert baretick("receive", str(incoming), str(reports)).returncode == 0
    assert content(reports)[NAME] == REPORT


def test_an_upload_that_another_start_deletes_is_passed_over(folders):
    incoming, reports = folders
    receive._take(str(incoming / NAME), str(reports), time.time())
    assert content(reports) == {}


def test_a_missing_folder_is_named(folders):
    incoming, reports = folders
    reports.rmdir()
    said = baretick("receive", str(incoming), str(reports))
    assert said.returncode == 2 and str(reports) in said.stderr, said
