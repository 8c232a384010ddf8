"""The certificate of a report of suite `quiet`: the page of `baretick report`, and the lines of `show`."""
import re

import pytest

from made_page import Read, made, taken, with_pictures
from made_reports import END, baretick, head, line, row
from pictured import quiet, silicon
from tools import browser

FAILED = {**END, "verdict": "fail", "failures": 1}


def page(*records, plots=0):
    return made(taken([silicon(smi_counter=True), *records]), plots=plots)


def kept(tmp_path, *records):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(line(r, seq) for seq, r in enumerate(records)))
    return path


@pytest.mark.parametrize("result, said, good", [
    ("pass", "PASS. No gap longer than 20 us: the longest gap was 14.18 us, on core 7.", "good"),
    ("fail", "FAIL. Gaps longer than 10 us on cores 0, 1, 2, 3, 4, 5, 6, 7: the longest gap was 14.18 us, on core 7.", "bad"),
    ("not judged", "Not judged by the limit of 10 us: not every core watched for all of the time. Until then the longest gap", ""),
    (None, "The longest gap was 14.18 us, on core 7. No limit was given (gaps_max=).", "")])
def test_the_result_is_the_first_thing_in_the_certificate(result, said, good):
    text = page(*quiet(result=result))
    read = Read(text)
    assert read.wrong == [] and said in read.text and "<h1>Certificate of quiet: Made CPU" in text
    section = text[text.index('id="certificate"'):]
    assert re.search(r'<p class="verdict ?(good|bad|)">', section)[1] == good


def test_each_core_has_a_line_and_the_worst_is_first():
    read = Read(page(*quiet()))
    cores = next(t for t in read.tables if "wait, 99.999%" in t[0])
    assert [line[0] for line in cores[1:]] == [str(c) for c in range(7, -1, -1)]
    assert cores[1] == ["7", "14.18 us", "4.000 us", "60", "0.00142", "99.83", "100", "160", "0", "1.000 s"]
    lengths = next(t for t in read.tables if "length from" in t[0])
    assert lengths[1:] == [["10 us", "480", "60", "0"]]
    for said in ("8 cores at once for 1.000 min each, 99.83% of the time or more", "SMIs and a hypervisor; interrupts are masked",
                 "counted on each core by MSR_SMI_COUNT (34h)"):
        assert said in read.text


def test_a_certificate_of_a_process_names_its_limits():
    causes = "SMIs, a hypervisor, and the operating system: its interrupts and other programs"
    hosted = {**head(platform="hosted"), "system": {"name": "Linux"}}
    read = Read(made(taken([hosted, *quiet(causes=causes)]), plots=0))
    assert causes in read.text and "a process cannot read the counter" in read.text and "an operating system" in read.text


def test_of_many_cores_the_worst_are_printed():
    text = page(*quiet(cores=64))
    read = Read(text)
    tables = [t for t in read.tables if "wait, 99.999%" in t[0]]
    assert [len(t) - 1 for t in tables] == [16, 64] and tables[0][1][0] == "63"
    assert '<details class="points"><summary>All 64 cores' in text


def test_a_certificate_shows_zero_gaps_and_the_reason_for_a_missing_core():
    records = quiet(cores=1)
    for key in ("gaps", "gap_ticks", "longest_ticks", "longest_ns", "wait_ticks", "wait_ns"):
        records[0][key] = 0
    records[0].update(lengths=[], first=[], periods=[])
    records[1].update(longest_ns=0, wait_ns=0)
    cells = next(t for t in Read(page(*records, plots=1)).tables if "wait, 99.999%" in t[0])[1]
    assert cells[:4] == ["0", "none", "< 1.000 us", "0"]
    lost = quiet(cores=1, status="wrong", why="core 1 did not reach the start in time")[1]
    assert "Not judged: no core watched. core 1 did not reach the start in time" in Read(page(lost)).text


def test_in_a_report_with_other_rows_the_certificate_is_a_section():
    text = page(*quiet(), row("a", 5))
    assert "<h1>baretick: Made CPU" in text and 'id="certificate"' in text and 'class="certificate"' not in text
    assert 'class="screen"' not in text


@with_pictures
def test_the_worst_core_has_a_picture():
    text = page(*quiet(), plots=1)
    section = text[text.index('id="certificate"'):text.index('id="summary"')]
    assert section.count("<svg") == 1 and "core 7" in section and "the longest 14.2" in section


def test_show_prints_the_result_and_each_core(tmp_path):
    shown = baretick("show", kept(tmp_path, silicon(), *quiet(cores=2, result="fail"), FAILED))
    assert shown.returncode == 1
    first, *cores = [text for text in shown.stdout.splitlines() if text.startswith("quiet/gaps")]
    assert first == ("quiet/gaps, 2 cores at once for 1.000 min each: FAIL: Gaps longer than 10 us on cores 0, 1: "
                     "the longest gap was 14.03 us, on core 1.")
    assert cores[0] == ("quiet/gaps, core 0: 60 gaps, longest 14.00 us, 99.999% of all moments wait 4.000 us, 60 SMIs, "
                        "one every 1.000 s"), cores


def test_the_page_names_the_reports_digest(tmp_path):
    path = kept(tmp_path, silicon(), *quiet(), END)
    made_page = tmp_path / "r.html"
    ran = baretick("report", path, "-o", made_page, "--plots", "0")
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"SHA-256 [0-9a-f]{64}", Read(made_page.read_text()).text)


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
