"""The certificate of a report of suite `quiet`: the page of `baretick report`, and the lines of `show`."""
import re

import pytest

from made_page import Read, made, taken, with_pictures
from made_reports import END, head, report, row
from pictured import quiet, silicon
from tools import browser

FAILED = {**END, "verdict": "fail", "failures": 1}


def page(*records, plots=0):
    return made(taken([silicon(smi_counter=True), *records]), plots=plots)


def paged(*records, run=None, section="", end=END):
    return ({"r": report([run or silicon(smi_counter=True), *records, end])}, "report r -o r.html --plots 0",
            f"page r.html {section}", "show r")


def without_gaps():
    records = quiet(cores=1)
    records[0].update(dict.fromkeys(("gaps", "gap_ticks", "longest_ticks", "longest_ns", "wait_ticks", "wait_ns"), 0),
                      lengths=[], first=[], periods=[])
    records[1].update(longest_ns=0, wait_ns=0)
    return records


HOSTED = {**head(platform="hosted"), "system": {"name": "Linux"}}
CAUSES = "SMIs, a hypervisor, and the operating system: its interrupts and other programs"
CASES = {
    **{f"the result is the first thing in the certificate: {result}": paged(*quiet(result=result), section="certificate")
       for result in ("pass", "fail", "not judged", None)},
    "a certificate of a process names its limits": paged(*quiet(causes=CAUSES), run=HOSTED, section="certificate"),
    "of many cores the worst are printed": paged(*quiet(cores=64), section="certificate"),
    "a certificate shows zero gaps": paged(*without_gaps(), section="certificate"),
    "a certificate shows the reason for a missing core": paged(
        quiet(cores=1, status="wrong", why="core 1 did not reach the start in time")[1], section="certificate"),
    "in a report with other rows the certificate is a section": paged(*quiet(cores=2), row("a", 5)),
    "a run that failed": paged(*quiet(cores=2, result="fail"), end=FAILED),
}


@pytest.mark.parametrize("name", CASES)
def test_the_certificate_is_as_stored(said, name):
    said(CASES, name)


def test_only_a_report_of_quiet_alone_is_a_certificate_as_a_whole():
    assert "<h1>Certificate of quiet: Made CPU" in page(*quiet()) and Read(page(*quiet())).wrong == []
    text = page(*quiet(), row("a", 5))
    assert "<h1>baretick: Made CPU" in text and 'class="certificate"' not in text and 'class="screen"' not in text
    assert '<details class="points"><summary>All 64 cores' in page(*quiet(cores=64))


@with_pictures
def test_the_worst_core_has_a_picture():
    text = page(*quiet(), plots=1)
    section = text[text.index('id="certificate"'):text.index('id="summary"')]
    assert section.count("<svg") == 1 and "core 7" in section and "the longest 14.2" in section


@pytest.mark.skipif(browser.find() is None, reason="no chromium here: scripts/setup --all installs it")
def test_the_certificate_is_printed_on_one_sheet(tmp_path):
    path, out = tmp_path / "r.html", tmp_path / "r.pdf"
    path.write_text(page(*quiet(cores=16, result="fail"), {"type": "advice", "topic": "smi", "text": "SMIs " * 20, "change": True},
                         plots=1))
    try:
        browser.run("--no-pdf-header-footer", f"--print-to-pdf={out}", f"file://{path}")
    except browser.Failed as e:
        pytest.skip(str(e))
    assert len(re.findall(rb"/Type\s*/Page\b", out.read_bytes())) == 1
