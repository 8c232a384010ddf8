"""`baretick report`: one page of HTML, all of a report on it, and nothing in it that a report could make run."""

import base64
import hashlib
import json
import re

import pytest

from draw import page_parts
from made_page import Read, full, made, section, taken, with_pictures
from made_reports import END, RANKS, ROOT, baretick, counted, process, report, row, whole
from pictured import everything, gaps, growing, instructions, moded, plain, several_cores, silicon
from read import saved


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

def test_rows_have_the_figures_of_show(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(whole(row("a", 2.5, core=1, interval=RANKS), row("b", 10.25, half=0.5, interval=RANKS), counted("c", 3, suite="other")))
    shown = json.loads(baretick("show", path, "--format", "json").stdout)
    tables = {t[0][0] + str(i): t for i, t in enumerate(Read(made(saved.read(path), plots=0)).tables)}
    found = {}
    for lines in tables.values():
        if "cycles/op" in lines[0] or "instr/op" in lines[0]:
            found.update({line[0]: dict(zip(lines[0], line)) for line in lines[1:]})
    assert found["a"]["cycles/op"] == "2.500" and found["b"]["+-98%"] == "0.500" and found["c"]["instr/op"] == "3.000"
    for r in shown:
        for key in ("min", "max", "ops"):
            assert found[r["name"]][key] == str(r[key])


@pytest.mark.parametrize("records, said", [
    ([row("x", 1, status="wrong", why="it is 3, not 4")], "made/x on core 0 failed: it is 3, not 4"),
    ([row("x", 1, exclusive=False)], "the core was shared in 1 row: made/x"),
    ([row("x", 1, throttled=True)], "the core was throttled in 1 row: made/x"),
    ([{"type": "event", "kind": "warning", "message": "it is hot"}], "warning: it is hot"),
    ([{"type": "event", "kind": "fault", "message": "a fault"}], "fault: a fault"),
    ([{"type": "selftest", "name": "deadline", "result": "fail", "detail": "none ends it"}],
     "self-test deadline failed: none ends it"),
    ([{"type": "advice", "topic": "turbo", "change": True, "text": "switch it off"}], "turbo: switch it off"),
])
def test_every_warning_comes_first(records, said):
    read = Read(made(taken([silicon(), *records]), plots=0))
    assert said in read.text
    assert read.text.index(said) < read.text.index("Summary")


@pytest.mark.parametrize("row_, said", [
    (row("x", 1, disturbed=50, n=100), "50 of 100 windows disturbed"),
    (row("x", 1, smis=3, n=100), "3 SMIs occurred"),
    (row("x", 1, errors=4, n=100), "4 operations failed"),
    (row("x", 1, counter_unread_blocks=2, cycle_counter="pmc"), "2 blocks without a reading of pmc"),
    (row("x", 1, doubt="the difference is negative"), "the difference is negative"),
])
def test_a_row_has_its_notes(row_, said):
    assert said in Read(made(taken([silicon(), row_]), plots=0)).text


@pytest.mark.parametrize("masked", [False, True])
def test_a_masked_model_is_named_in_the_machine(masked):
    run = silicon()
    run["cpu"] = {**run["cpu"], "model_masked": masked}
    said = Read(made(taken([run, row("x", 1)]), plots=0)).text
    assert ("model masked" in said) is masked


def test_the_counter_disagrees_only_beyond_the_interval():
    def with_counter(off, half):
        found = row("x", 10, half=half)
        found["per_op"].update(counter_off=off, cycles_counter=10 * (1 + off))
        return page_parts.note({**found, "cycle_counter": "pmc"})

    assert "pmc and ruler disagree: 9.000, 10.000 cycles" in with_counter(-0.1, 0.01)
    assert with_counter(-0.1, 0.6) == "" and with_counter(0.004, 0) == ""


LINES = whole(row("a", 1), row("b", 2)).splitlines(keepends=True)


@pytest.mark.parametrize("data, said", [
    (b"".join([*LINES[:2], LINES[2].replace(b'"b"', b'"x"'), LINES[3]]), "crc is"),
    (b"".join([LINES[0], *LINES[2:]]), "record 2 comes where record 1 should be"),
    (b"".join(LINES[:3]), "no record `end`: the report is cut"),
    (b"".join(LINES[1:]), "the record `run` is missing"),
], ids=["crc", "gap", "cut", "no run"])
def test_damage_of_the_file_is_on_the_page(tmp_path, data, said):
    path, out = tmp_path / "r.jsonl", tmp_path / "r.html"
    path.write_bytes(data)
    ran = baretick("report", path, "-o", out, "--plots", "0")
    assert ran.returncode == 1 and "damaged in " in ran.stderr
    read = Read(out.read_text())
    assert read.wrong == [] and "the file is damaged: " in read.text
    assert said in read.text and "verdict bad" in out.read_text()


def test_cores_and_gaps_have_tables():
    read = Read(made(taken([silicon(), *several_cores(), gaps()]), plots=0))
    pairs = next(t for t in read.tables if t[0] == ["core", "core", "least", "median", "greatest"])
    assert ["0", "3", "90.00", "160.00", "500.00"] in pairs and len(pairs) == 7
    assert any("of the time, %" in t[0] and "0.750" in t[1] for t in read.tables)
    assert any("slowest core's ticks" in t[0] and len(t) == 4 for t in read.tables)


def test_compared_pairs_are_a_table():
    said = {"type": "event", "kind": "compared", "suite": "s", "name": "a", "compared_with": "b", "unit": "cycles", "per_op": 5,
            "other_per_op": 3, "apart": 2, "apart_lo": 1.5, "apart_hi": 2.5, "message": "-"}
    read = Read(made(taken([silicon(), row("a", 5), said]), plots=0))
    assert ["s/a", "5.000", "b", "3.000", "2.000", "1.500", "2.500", "cycles"] in [line for t in read.tables for line in t]


def test_the_growth_with_an_argument_is_stated():
    said = {"type": "event", "kind": "growth", "suite": "s", "name": "a", "message": "s/a, 3 arguments: n, 2 cycles x n"}
    text = Read(made(taken([silicon(), row("a/8", 5, arg=8), said]), plots=0)).text
    assert "Growth with the argument" in text and said["message"] in text


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


def counted_too(cycles, instructions, **more):
    """A row of `plain` with its instructions."""
    found = {**plain(), **more}
    per_op = {**found["per_op"], "instructions": instructions, "ipc": round(instructions / cycles, 6)}
    return {**found, "per_op": per_op}


def test_instructions_and_ipc_are_columns_of_the_rows():
    read = Read(made(taken([silicon(), counted_too(2, 5), row("without", 3)]), plots=0))
    (table,) = (t for t in read.tables if "IPC" in t[0])
    heads = table[0]
    cells = {line[0].split("/")[-1]: dict(zip(heads, line)) for line in table[1:]}
    assert (cells["plain"]["instr/op"], cells["plain"]["IPC"]) == ("5.000", "2.50"), cells
    assert {cells["without"]["instr/op"], cells["without"]["IPC"]} <= {"", "-"}, cells
    assert not any("IPC" in t[0] for t in Read(made(taken([silicon(), row("without", 3)]), plots=0)).tables)


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
    assert sorted(parts | set(page_parts.OTHERS)) == sorted(kinds)
    step = {"type": "c_program", "step": "do_nothing", "n": 1000, "min": 52, "window": {"sd": 1.5}}
    read = Read(made(taken([silicon(), step]), plots=0))
    assert [["step", "n", "min", "window.sd"], ["do_nothing", "1000", "52", "1.5"]] in read.tables


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
    path.write_bytes(report([*everything(), END]))
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = process("report", path, "-o", out)
    assert ran.returncode == 0, ran.stderr
    read = Read(out.read_text())
    assert "This page has no pictures" in read.text and "python3-matplotlib" in read.text and not read.all("svg")
    assert "the page will have no pictures" in ran.stderr and "made/moded" not in read.text and "moded" in read.text
