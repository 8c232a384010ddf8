"""`baretick report`: one page of HTML, all of a report on it, and nothing in it that a report could make run."""

import base64
import hashlib
import re

import pytest

from draw import page_parts
from made_page import Read, full, made, taken, with_pictures
from made_reports import END, RANKS, ROOT, counted, process, report, row, whole
from pictured import everything, growing, moded, passing, plain, silicon


# --- the document ----------------------------------------------------------------------------------

def test_the_page_is_complete_html(full):
    read = Read(full)
    assert full.startswith("<!DOCTYPE html>\n<html lang=\"en\">") and read.wrong == []
    ids = [a["id"] for _, a in read.elements if "id" in a]
    assert len(ids) == len(set(ids))
    ways = [a["href"][1:] for a in read.all("a")]
    assert ways and set(ways) <= set(ids)
    assert {x for _, a in read.elements for x in a.get("aria-labelledby", "").split()} <= set(ids)
    assert len(read.all("h1")) == len(read.all("title")) == len(read.all("main")) == 1
    named = re.findall(r"url\(#([^)]*)\)", full) + [a["href"][1:] for a in read.all("use")]
    assert set(named) <= set(ids)


def test_a_strict_html_parser_accepts_the_page(full):
    html5lib = pytest.importorskip("html5lib", reason="python3-html5lib is not here")
    html5lib.HTMLParser(strict=True).parse(full)


def test_the_page_needs_no_other_file(full):
    read = Read(full)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & {name for name, _ in read.elements}
    assert not [a for _, a in read.elements if "src" in a]
    assert "http" not in re.sub(r"http-equiv", "", full) and "@import" not in full
    assert all(a["href"].startswith("#") for _, a in read.elements if "href" in a)


def test_only_its_own_script_may_run(full):
    policy = next(a["content"] for a in Read(full).all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    (script,) = re.findall(r"<script>(.*?)</script>", full, re.S)
    assert script == (ROOT / "scripts/draw/page.js").read_text()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in policy


def test_a_screen_reader_can_read_the_page(full):
    read = Read(full)
    assert all(a["scope"] in ("col", "row") for a in read.all("th")) and read.all("th")
    assert all(a.get("role") == "img" and len(a["aria-label"]) > 10 for a in read.all("svg"))
    regions = [a for a in read.all("div") if a.get("role") == "region"]
    assert regions and all(a["tabindex"] == "0" and a["aria-label"] for a in regions)
    assert len(read.all("caption")) == len(regions)
    levels = [int(name[1]) for name, _ in read.elements if re.fullmatch(r"h[1-6]", name)]
    assert levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:]))


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_colours_can_be_read_in_light_and_in_dark():
    """WCAG 2.1, 1.4.3: text 4.5 to 1; 1.4.11: shapes 3 to 1."""
    schemes = re.findall(r":root \{(.*?)\}", (ROOT / "scripts/draw/page.css").read_text(), re.S)
    assert len(schemes) == 3  # light, dark, paper
    for scheme in schemes:
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", scheme))
        for front, back, least in (("ink", "paper", 4.5), ("soft", "paper", 4.5), ("link", "paper", 4.5),
                                   ("link", "card", 4.5), ("bad", "bad-back", 4.5), ("ink", "bad-back", 4.5),
                                   ("good", "paper", 4.5), ("blue", "paper", 3), ("red", "paper", 3),
                                   ("green", "paper", 3), ("grey", "paper", 3)):
            a, b = sorted((luminance(colours[front]), luminance(colours[back])))
            assert (b + 0.05) / (a + 0.05) >= least, (front, back, scheme)


def test_the_same_report_makes_the_same_page():
    assert made(taken(everything()), plots=2) == made(taken(everything()), plots=2)


# --- what stands on it -----------------------------------------------------------------------------

LINES = whole(row("a", 1), row("b", 2)).splitlines(keepends=True)


def counted_too(cycles, instructions, **more):
    """A row of `plain` with its instructions."""
    found = {**plain(), **more}
    per_op = {**found["per_op"], "instructions": instructions, "ipc": round(instructions / cycles, 6)}
    return {**found, "per_op": per_op}


def paged(*records, sections=("",)):
    """Returns a case of the page of these records, or of these sections of it."""
    return ({"r": report([silicon(), *records, END])}, "report r -o r.html --plots 0",
            *(f"page r.html {section}" for section in sections))


def with_counter(name, off, half):
    found = row(name, 10, half=half, cycle_counter="pmc")
    found["per_op"].update(counter_off=off, cycles_counter=10 * (1 + off))
    return found


def masked(cpu):
    return {**cpu, "cpu": {**cpu["cpu"], "model_masked": True}}


COMPARED = {"type": "event", "kind": "compared", "suite": "s", "name": "a", "compared_with": "b", "unit": "cycles", "per_op": 5,
            "other_per_op": 3, "apart": 2, "apart_lo": 1.5, "apart_hi": 2.5, "message": "-"}
CASES = {
    "a page with something of each kind": paged(*everything()),
    "rows have the figures of show": (
        {"r": whole(row("a", 2.5, core=1, interval=RANKS), row("b", 10.25, half=0.5, interval=RANKS), counted("c", 3, suite="other"))},
        "show r", "report r -o r.html --plots 0", "page r.html rows"),
    "every warning comes first": paged(
        row("wrong", 1, status="wrong", why="it is 3, not 4"), row("shared", 1, exclusive=False), row("throttled", 1, throttled=True),
        {"type": "event", "kind": "warning", "message": "it is hot"}, {"type": "event", "kind": "fault", "message": "a fault"},
        {"type": "selftest", "name": "deadline", "result": "fail", "detail": "none ends it"},
        {"type": "advice", "topic": "turbo", "change": True, "text": "switch it off"}),
    # The counter disagrees only beyond the interval.
    "a row has its notes": paged(
        row("disturbed", 1, disturbed=50, n=100), row("smis", 1, smis=3, n=100), row("errors", 1, errors=4, n=100),
        row("unread", 1, counter_unread_blocks=2, cycle_counter="pmc"), row("doubt", 1, doubt="the difference is negative"),
        with_counter("off", -0.1, 0.01), with_counter("within", -0.1, 0.6), with_counter("near", 0.004, 0), sections=["rows"]),
    "a masked model is named in the machine": (
        {"r": report([masked(silicon()), row("x", 1), END])}, "report r -o r.html --plots 0", "page r.html machine"),
    **{f"damage of the file is on the page: {how}": ({"r": b"".join(lines)}, "report r -o r.html --plots 0", "page r.html")
       for how, lines in {"crc": [*LINES[:2], LINES[2].replace(b'"b"', b'"x"'), LINES[3]], "gap": [LINES[0], *LINES[2:]],
                          "cut": LINES[:3], "no run": LINES[1:]}.items()},
    "compared pairs are a table": paged(row("a", 5), COMPARED),
    "instructions and IPC are columns of the rows": paged(counted_too(2, 5), row("without", 3), sections=["rows"]),
    "other records are tables of their fields": paged(
        {"type": "c_program", "step": "do_nothing", "n": 1000, "min": 52, "window": {"sd": 1.5}}),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_page_says_is_as_stored(said, name):
    said(CASES, name)


@with_pictures
def test_the_picture_of_a_growth_is_above_its_text():
    text = made(taken([silicon(), *growing(), *growing("other", "log n"), plain()]))
    (section,) = re.findall(r'<section id="growth".*?</section>', text, re.DOTALL)
    captions = re.findall(r"<figcaption>([^<]*)", section)
    assert captions == ["args/linear grows as n: 2.000 \u00d7 n core cycles",
                        "args/other grows as log n: 2.000 \u00d7 log\u2082 n core cycles"], captions
    assert section.count("<svg") == 2 and section.rindex("<svg") < section.index("args/linear, 4 arguments")
    assert not Read(text).wrong
    some = made(taken([silicon(), *growing(), *growing("other", "log n")]), bench="other")
    assert "args/other grows" in some and "args/linear grows" not in some
    assert "<svg" not in made(taken([silicon(), *growing()]), plots=0)


@with_pictures
def test_a_picture_states_instructions_and_ipc():
    text = made(taken([silicon(), counted_too(2, 5)]))
    (about,) = {x for x in re.findall(r"<figcaption>made/plain.*?<span>([^<]*)", text)}
    assert "5 instructions, IPC 2.50" in about, about
    assert "instructions, IPC" not in made(taken([silicon(), plain()]))


def test_no_kind_of_record_is_passed_over():
    """Every kind of docs/report.md is on the page: by its own part, or as a table of its fields."""
    kinds = re.findall(r"^## `(\w+)`$", (ROOT / "docs/report.md").read_text(encoding="utf-8"), re.MULTILINE)
    parts = {"run", "core", "selftest", "linearity", "regression", "row", "matrix", "gaps", "quiet", "event", "summary", "end",
             "curve", "forward", "limit"}
    kinds.remove("machine")  # of `dump`, whose report has nothing else: `show --machine`
    assert sorted(parts | set(page_parts.OTHERS)) == sorted(kinds)


# --- pictures --------------------------------------------------------------------------------------

@with_pictures
def test_pictures_are_in_the_page_and_rows_lead_to_them(full):
    read = Read(full)
    titles = read.text
    assert len(read.all("svg")) == len(read.all("figure")) >= 8
    for said in ("made/moded has 2 modes", "made/swept: 2.900 to 4.500", "cores/pingpong: ", "quiet/gaps: 100 gaps",
                 "Recipe lfence: chains of adds"):
        assert said in titles
    assert "var(--ink)" in full and "#1b1b1b" not in full.split("</style>")[1]  # the page's colours, light and dark


@with_pictures
def test_the_first_thing_is_a_picture_of_the_ways_of_calling(full):
    before = full[full.index("<body"):full.index("<svg")]
    assert "<table" not in before and "3.000 (direct, empty) to 5.000 (plt, empty) core cycles" in before
    assert 'href="#warnings">what to know first (' in before and 'id="warnings"' in full
    assert "<svg" not in made(taken([silicon(), plain()]), plots=1).split("<h2")[0]


@with_pictures
def test_as_many_rows_as_were_asked_for_get_pictures():
    rows = [{**moded(), "name": f"r{i}"} for i in range(5)]
    text = made(taken([silicon(), *rows]), plots=2)
    assert "Pictures of 2 of 5 rows" in Read(text).text and len(Read(text).all("figure")) == 4
    assert len(Read(made(taken([silicon(), *rows]), plots=99)).all("figure")) == 10


def test_without_matplotlib_the_page_has_no_pictures_and_the_reason(tmp_path, monkeypatch):
    path, out = tmp_path / "r.jsonl", tmp_path / "r.html"
    path.write_bytes(report([*passing(), END]))
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = process("report", path, "-o", out)
    assert ran.returncode == 0, ran.stderr
    read = Read(out.read_text())
    assert "This page has no pictures" in read.text and "python3-matplotlib" in read.text and not read.all("svg")
    assert "the page will have no pictures" in ran.stderr and "made/moded" not in read.text and "moded" in read.text
