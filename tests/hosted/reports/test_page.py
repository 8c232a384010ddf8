"""`baretick report`: one page of HTML, all of a report on it, and nothing in it that a report could make run."""

import argparse
import base64
import hashlib
import html.parser
import importlib.util
import json
import re
import resource
import struct
import subprocess
import sys

from draw import page, page_parts
import pytest
from read import saved
from tools import browser
from made_insn import record as insn_record
from made_reports import RANKS, ROOT, baretick, counted, counting, process, report, row, whole
from pictured import CACHES, calls, curves, everything, forwarding, gaps, growing, hist, instructions, limit, moded, plain, several_cores, silicon

END = {"type": "end", "rows": 0, "failures": 0, "verdict": "pass"}
ALL = {"plots": 24, "suite": "*", "bench": "*", "core": None, "against": None, "across": []}
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
with_pictures = pytest.mark.skipif(not HAS_MATPLOTLIB,
                                   reason="python3-matplotlib is not here: scripts/setup installs it")
VOID = {"meta", "br", "wbr", "hr", "img", "link", "input"}
MEGABYTES, SECONDS = 3, 30  # of a page of a whole run


def taken(records, path="made.jsonl"):
    return saved.take(path, report([*records, END]))


def made(*reports, **how):
    return page.html(list(reports), argparse.Namespace(**{**ALL, **how}))


class Read(html.parser.HTMLParser):
    """The page as a tree is read: elements with their attributes, ids, text; what does not nest is an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.wrong, self.tables, self.said = [], [], [], [], []
        self.cell = None
        self.feed(text)
        self.close()
        self.wrong += [f"<{name}> is not closed" for name in self.open]

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append((tag, attrs))
        if tag == "table":
            self.tables.append([])
        if tag == "tr" and self.tables:
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.cell = []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append("".join(self.cell))
            self.cell = None
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes another element, in line {self.getpos()[0]}")

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.said.append(data)
            if self.cell is not None:
                self.cell.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.said))


@pytest.fixture(scope="module")
def full():
    """A page with something of each kind, its pictures where they can be drawn."""
    return made(taken([*everything(), {"type": "event", "kind": "warning", "message": "one thing"}]),
                plots=24 if HAS_MATPLOTLIB else 0)


# --- the document ----------------------------------------------------------------------------------

def test_it_is_whole_html(full):
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


def test_a_strict_reader_takes_it(full):
    html5lib = pytest.importorskip("html5lib", reason="python3-html5lib is not here")
    html5lib.HTMLParser(strict=True).parse(full)


def test_it_needs_nothing_else(full):
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


def test_who_cannot_see_it_can_read_it(full):
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


def test_the_same_page_each_time():
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
    assert read.text.index(said) < read.text.index("Essence")


@pytest.mark.parametrize("row_, said", [
    (row("x", 1, disturbed=50, n=100), "50 of 100 windows disturbed"),
    (row("x", 1, smis=3, n=100), "3 SMIs came"),
    (row("x", 1, errors=4, n=100), "4 operations failed"),
    (row("x", 1, counter_unread_blocks=2, cycle_counter="pmc"), "2 blocks without a reading of pmc"),
    (row("x", 1, doubt="the difference is negative"), "the difference is negative"),
])
def test_notes_of_a_row(row_, said):
    assert said in Read(made(taken([silicon(), row_]), plots=0)).text


@pytest.mark.parametrize("masked", [False, True])
def test_a_masked_model_is_named_in_the_machine(masked):
    run = silicon()
    run["cpu"] = {**run["cpu"], "model_masked": masked}
    said = Read(made(taken([run, row("x", 1)]), plots=0)).text
    assert ("model masked: no CPU of it has all of these features" in said) is masked


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
def test_damage_of_the_file_stands_on_the_page(tmp_path, data, said):
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


def test_the_growth_with_an_argument_is_told():
    said = {"type": "event", "kind": "growth", "suite": "s", "name": "a", "message": "s/a, 3 arguments: n, 2 cycles x n"}
    text = Read(made(taken([silicon(), row("a/8", 5, arg=8), said]), plots=0)).text
    assert "Growth with the argument" in text and said["message"] in text


@with_pictures
def test_the_growth_with_an_argument_is_drawn_above_what_is_told():
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
def test_instructions_and_ipc_are_said_of_a_picture():
    text = made(taken([silicon(), counted_too(2, 5)]))
    (about,) = {x for x in re.findall(r"<figcaption>made/plain.*?<span>([^<]*)", text)}
    assert "5 instructions, IPC 2.50" in about, about
    assert "instructions, IPC" not in made(taken([silicon(), plain()]))


def test_no_kind_of_record_is_passed_over():
    """Every kind of docs/report.md is on the page: by its own part, or as a table of its fields."""
    kinds = re.findall(r"^## `(\w+)`$", (ROOT / "docs/report.md").read_text(encoding="utf-8"), re.MULTILINE)
    parts = {"run", "core", "selftest", "linearity", "regression", "row", "matrix", "gaps", "event", "essence", "end",
             "curve", "forward", "limit"}
    assert sorted(parts | set(page_parts.OTHERS)) == sorted(kinds)
    step = {"type": "c_program", "step": "do_nothing", "n": 1000, "min": 52, "window": {"sd": 1.5}}
    read = Read(made(taken([silicon(), step]), plots=0))
    assert [["step", "n", "min", "window.sd"], ["do_nothing", "1000", "52", "1.5"]] in read.tables


# --- a datasheet -----------------------------------------------------------------------------------

def section(text, place):
    return Read(re.search(rf'<section id="{place}".*?</section>', text, re.DOTALL)[0])


def test_a_curve_is_a_table_of_its_points_and_levels():
    read = section(made(taken([silicon(), *curves()]), plots=0), "memory")
    levels, points = read.tables[:2]
    assert levels[0] == ["curve", "core", "figure", "unit", "from", "to", "ends at"]
    assert ["latency_4k", "0", "4", "cycles", "4 KiB", "32 KiB", "L1 32 KiB of CPUID"] in levels
    assert points[:2] == [["size", "cycles an operation", "from (99%)", "to", "ns"],
                          ["4 KiB", "4.00", "3.60", "4.80", "2.00"]]
    bandwidth = next(t for t in read.tables if "GB/s" in t[0] and "note" in t[0])
    assert bandwidth[2] == ["64 KiB", "2.00", "1.80", "2.40", "64.00", "the core was shared: not judged"]


@with_pictures
def test_a_hybrid_cpu_has_its_pictures_side_by_side():
    cores = [{"type": "core", "core": n, "core_type": kind} for n, kind in enumerate(("performance", "efficiency"))]
    both = [{**c, "core": core} for c in curves() for core in (0, 1)]
    text = made(taken([silicon(caches=CACHES), *cores, *both]))
    first = re.search(r'<div class="first">.*?</div>', text, re.DOTALL)[0]
    assert "core 0 (performance)" in first and "core 1 (efficiency)" in first and first.count("<svg") == 2
    assert 'class="plots side"' in text and len(section(text, "memory").all("svg")) == 6


def test_a_limit_is_a_line_with_its_interval():
    read = section(made(taken([silicon(), limit("rob", 224)]), plots=0), "limits")
    assert read.tables[0] == [["limit", "core", "value", "not below", "not above", "of", "cost before", "after", "unit"],
                              ["rob", "0", "224", "222", "228", "fillers", "620", "1080", "cycles"]]


def test_a_map_of_store_forwarding_is_a_list_that_a_reader_opens():
    read = section(made(taken([silicon(), *forwarding()]), plots=0), "memory")
    assert "forward, core 0: 52 offsets" in read.text and "store 4, load 8 bytes: apart from -8" in read.text
    told = section(made(taken([silicon(), *forwarding()]), plots=0), "not-judged").text
    assert "memory/forward, core 0: not judged: most of it was measured on a shared core" in told


def test_a_form_has_a_line_with_every_figure_and_its_error():
    read = section(made(taken([silicon(), *instructions()]), plots=0), "instructions")
    table = next(t for t in read.tables if len(t) == 6)
    assert table[0] == ["form", "throughput", "\u00b1", "slots", "latency", "latencies by pair", "note"]
    lines = {line[0]: line[1:] for line in table[1:]}
    assert lines["add r64, r64"] == ["0.25", "0.01", "1", "1", "0>0 1>0: 1 \u00b10.02; 1>f: 1.1? \u00b10.2", ""]
    assert lines["mov r64, m64"][3:] == ["4", "1>0: <=7.5; 1b>0: 4 \u00b10.1", "0.333 \u00b10.002 at one address"]
    assert lines["add r16, imm16"][-1] == "length-changing prefix; 3 \u00b10.1 in a straight line"
    assert lines["ud2"][-1] == "SIGILL"


def test_a_form_names_what_shares_a_unit_and_figures_with_another_history():
    made_of = insn_record({"form": "shlx r64, r64, r64", "cycles": {"tp": "0.50(1)", "2>0": "1.00(2)"}, "shares": "0",
                           "history": "2>0 2.8(1)"})
    plan = {"type": "insn_plan", "core": 0, "blockers": ["imul r64, r64"]}
    read = section(made(taken([silicon(), plan, made_of]), plots=0), "instructions")
    line = read.tables[0][-1]
    assert "imul" in line and line[-1] == "with another history of the registers: 2>0: 2.8 \u00b10.1", line


def test_a_hybrid_cpu_has_the_columns_once_per_type():
    cores = [{"type": "core", "core": n, "core_type": kind} for n, kind in enumerate(("performance",) * 2 + ("efficiency",) * 2)]
    records = [record for core in (0, 1, 2) for record in instructions(core, 1 + core)]
    read = section(made(taken([silicon(), *cores, *records]), plots=0), "instructions")
    table = next(t for t in read.tables if len(t) == 6)
    heads = [h for h in table[0] if h.startswith("throughput")]
    assert heads == ["throughput, performance core 0", "throughput, efficiency core 2"]
    line = dict(zip(table[0], next(x for x in table if x[0] == "add r64, r64")))
    assert [line[h] for h in heads] == ["0.25", "0.75"]
    chosen = section(made(taken([silicon(), *cores, *records]), plots=0, core=1), "instructions")
    assert next(x for t in chosen.tables for x in t if x[0] == "add r64, r64")[1] == "0.5"


def test_what_was_not_judged_is_told():
    read = section(made(taken([silicon(), *curves(), *instructions()]), plots=0), "not-judged")
    for said in ("memory/stride_64, core 0: not judged: most sizes were measured on a shared core",
                 "memory/latency_2m, core 0: unsupported: the kernel gave no pages of 2 MiB",
                 "1 of 12 figures of instructions are not settled", "no time for 2 forms", "shared in 3 of 100 blocks",
                 "1 forms faulted in a test, SIGILL: ud2", "2 forms were not run on core 0: privileged", "hlt, lgdt m80",
                 "transfers between cores: suite=cores cores=all measures this"):
        assert said in read.text, said
    assert 'id="not-judged"' not in made(taken([silicon(), plain()]), plots=0)


@with_pictures
def test_the_first_picture_of_a_datasheet_is_the_latency():
    text = made(taken([silicon(caches=CACHES), *curves(), *instructions()]))
    before = text[text.index("<body"):text.index("<svg")]
    assert "Latency of a load: 4 core cycles in L1, 14 in L2, 220 in memory" in before and "<table" not in before
    assert text.count("Latency of a load: 4 core") == 2  # the caption, and the words of the picture
    assert len(section(text, "memory").all("svg")) == 3


def test_a_long_table_scrolls_by_itself_and_is_not_printed():
    forms = [{"form": f"made{n} r64", "cycles": {"tp": "1.0(1)"}} for n in range(500)]
    text = made(taken([silicon(), insn_record(*forms)]), plots=0)
    assert 'class="wide insn long"' in text and "500 forms is printed only as far as it is filtered" in text
    assert 'class="wide insn long"' not in made(taken([silicon(), *instructions()]), plots=0)


def test_ten_figures_stand_at_the_top():
    lines = [{"label": "datasheet", "cells": ["performance core 0", "efficiency core 8"]},
             {"label": "L1 load", "cells": ["4.00 +-0.02 cycles", "3.00 +-0.10 cycles"]}]
    essence = {"type": "essence", "rows": [], "lines": lines}
    first = Read(made(taken([silicon(), essence]), plots=0)).tables[0]
    assert first == [["datasheet", "performance core 0", "efficiency core 8"], ["L1 load", "4.00 +-0.02 cycles", "3.00 +-0.10 cycles"]]
    assert the_essence(essence)[0].tables == [[["verdict", "PASS (0 rows, 0 failures)"]]]


ALWAYS = {"type", "suite", "name", "status", "core", "kind", "pairs", "points", "recipe", "first", "gap_ticks",
          "longest_ticks"}


def test_what_is_not_known_is_left_out_and_missed_by_nobody():
    """A report leaves out the name of a value that is not known: each of two levels, one at a time."""
    one_of_a_kind = ("latency_4k", "read_16")  # curves
    records, left = [r for r in everything() if r["type"] != "curve" or r["name"] in one_of_a_kind], 0
    for i, record in enumerate(records):
        places = [(key,) for key in record] + [(key, k) for key, v in record.items() if isinstance(v, dict) for k in v]
        for place in places:
            if place[-1] in ALWAYS:
                continue
            poorer = {**record}
            if len(place) == 2:
                poorer[place[0]] = {k: v for k, v in record[place[0]].items() if k != place[1]}
            else:
                del poorer[place[0]]
            some = taken([*records[:i], poorer, *records[i + 1:]])
            assert "<h1>" in made(some, plots=0), place
            page.plot.drawn(some, argparse.Namespace(kind=list(page.plot.KINDS), suite="*", bench="*", core=None))
            left += 1
    assert left > 100


def test_several_reports_on_one_page():
    text = made(taken([silicon(), plain()], "one.jsonl"), taken([silicon(), *several_cores()], "two.jsonl"),
                plots=1 if HAS_MATPLOTLIB else 0)
    read = Read(text)
    ids = [a["id"] for _, a in read.elements if "id" in a]
    assert read.wrong == [] and len(ids) == len(set(ids)) and len(read.all("article")) == 2
    assert "one.jsonl" in read.text and "two.jsonl" in read.text


def test_old_against_new(tmp_path):
    old, new, out = tmp_path / "old.jsonl", tmp_path / "new.jsonl", tmp_path / "r.html"
    old.write_bytes(whole(row("b", 5), row("a", 10), run=silicon()))
    new.write_bytes(whole(row("b", 5), row("a", 12), run=silicon()))
    ran = baretick("report", new, "--against", old, "-o", out, "--plots", "0")
    assert ran.returncode == 0, ran.stderr
    read = Read(out.read_text())
    line = next(t for t in read.tables if "verdict" in t[0][1:])[1]
    assert line[0] == "made/a" and "slower" in line and "2 rows: 1 slower, 1 same" in read.text
    old.write_bytes(whole(row("a", 10), run=silicon(cpu={"vendor": "Other"})))
    ran = baretick("report", new, "--against", old, "-o", out)
    assert ran.returncode == 2 and "another CPU" in ran.stderr


# --- the essence -----------------------------------------------------------------------------------

def an_essence(**fields):
    return {"type": "essence", "rows": ["calls/direct", "sum/warm"], "lines": [
        {"label": "clock", "parts": ["TSC 2600.000 MHz", "core 3691.0 MHz"]},
        {"label": "calls", "cells": ["empty", "++*x"]}, {"label": "direct", "cells": ["3.250 +-0.250", "FAIL"]},
        {"label": "sum", "parts": ["cold -", "warm 0.254 +-0.250"]}], **fields}


def the_essence(*records):
    shown, names = page_parts.the_essence(taken([silicon(), *records]))
    return Read(str(shown)), names


def test_the_page_shows_the_record_essence():
    shown, names = the_essence(an_essence())
    facts, calls = shown.tables
    assert facts == [["clock", "TSC 2600.000 MHz, core 3691.0 MHz"], ["sum", "cold -, warm 0.254 +-0.250"],
                     ["verdict", "PASS (0 rows, 0 failures)"]]
    assert calls == [["calls", "empty", "++*x"], ["direct", "3.250 +-0.250", "FAIL"]]
    assert names == ["calls/direct", "sum/warm"] and "no essence" not in shown.text


def test_a_report_without_the_record_essence_is_shown_without_it():
    shown, names = the_essence()
    assert shown.tables == [[["verdict", "PASS (0 rows, 0 failures)"]]] and names == []
    assert "has no essence: an older version wrote it" in shown.text


def test_the_record_essence_has_the_lines_of_the_table(run):
    out = run("suite=calls,baseline,sum", "bench=direct,direct_inc,plt,random_16,turn_16,do_nothing,warm", "samples=64",
              "rounds=1", "retry_budget=0", "format=both").out
    report = saved.take("serial.log", out.encode())
    table = out[out.rindex("\nessence "):]
    said = {line["label"]: line for line in report.one("essence")["lines"]}
    assert {"essence", "machine", "clock", "window", "calls", "direct", "plt", "targets", "sum"} <= {*said}
    for label, line in said.items():
        shown = re.search(rf"^{label} (.*(?:\r?\n .*)*)", table, re.MULTILINE)[1]
        for part in line.get("parts", line.get("cells")):
            # A line that is too long for the screen ends in "...".
            assert part in re.sub(r"\s+", " ", shown) or "..." in shown, (label, part)
    rows = {f"{r['suite']}/{r['name']}" for r in report.of("row")}
    assert {*report.one("essence")["rows"]} == rows


# --- what a hostile report can do ------------------------------------------------------------------

EVIL = ("<script>document.title='taken'</script>", "\"><img src=x onerror=alert(1)>", "</style></title></textarea><b>",
        "javascript:alert(1)", "' onmouseover='x", "&lt;b&gt;\x00\x1b[2J\ud800".encode("utf-8", "replace").decode())
KEPT = {"type", "status", "result", "kind", "verdict", "execution", "platform", "unit", "form", "name_of", "crc", "slots", "shares"}


def poisoned(value, n=0):
    """Every text of a record with something evil in it, but for words that the reader depends on."""
    if isinstance(value, dict):
        return {k: v if k in KEPT else poisoned(v, n + i) for i, (k, v) in enumerate(value.items())}
    if isinstance(value, list):
        return [poisoned(v, n + i) for i, v in enumerate(value)]
    return f"{value}{EVIL[n % len(EVIL)]}" if isinstance(value, str) else value


ALLOWED = {"html", "head", "meta", "title", "style", "body", "main", "section", "nav", "ul", "li", "a", "h1", "h2",
           "p", "b", "table", "caption", "thead", "tbody", "tr", "th", "td", "div", "figure", "figcaption", "span",
           "details", "summary", "output", "svg", "g", "path", "use", "defs", "text", "clippath", "rect", "wbr", "footer", "script", "tspan", "article"}


@pytest.mark.parametrize("shift", range(len(EVIL)))
def test_a_hostile_report_is_only_text(shift):
    records = [*everything(), row("w", 1, status="wrong", why="x"), *(
        {"type": "event", "kind": k, "message": "m", "suite": "s", "name": "n", "compared_with": "b", "unit": "cycles",
         "per_op": 1, "other_per_op": 1, "apart": 0} for k in ("warning", "compared", "breaks_even", "growth", "error")),
        {"type": "advice", "topic": "t", "change": True, "text": "t"},
        {"type": "selftest", "name": "n", "result": "fail", "detail": "d"},
        {"type": "core", "core": 0, "apic_id": 0, "why": "w", "core_type": "t", "topology": {}}]
    records = [poisoned(r, shift) for r in records]
    # Pictures take longest, and are the same text in another place: those of one turn are enough.
    text = made(taken(records, f"{EVIL[shift]}.jsonl"), plots=24 if HAS_MATPLOTLIB and shift == 0 else 0)
    read = Read(text)
    assert read.wrong == [] and {name for name, _ in read.elements} <= ALLOWED
    assert len(read.all("script")) == len(read.all("style")) == len(read.all("title")) == 1
    assert not [k for _, attrs in read.elements for k in attrs if k.startswith("on")]
    assert all(a["href"].startswith("#") for _, a in read.elements if "href" in a)
    assert "\x00" not in text and "\x1b" not in text


# --- pictures --------------------------------------------------------------------------------------

@with_pictures
def test_pictures_are_in_the_page_and_rows_lead_to_them(full):
    read = Read(full)
    titles = read.text
    assert len(read.all("svg")) == len(read.all("figure")) >= 8
    for said in ("made/moded has 2 modes", "made/swept: 2.900 to 4.500", "cores/pingpong: ", "gaps/gaps: 100 gaps",
                 "Recipe lfence: chains of adds"):
        assert said in titles
    assert "var(--ink)" in full and "#1b1b1b" not in full.split("</style>")[1]  # the page's colours, light and dark


@with_pictures
def test_the_first_thing_is_a_picture_of_the_ways_of_calling(full):
    before = full[full.index("<body"):full.index("<svg")]
    assert "<table" not in before and "A call costs 3.000 (direct, empty) to 5.000 (plt, empty) core cycles" in before
    assert 'href="#warnings">what to know first (' in before and 'id="warnings"' in full
    assert "<svg" not in made(taken([silicon(), plain()]), plots=1).split("<h2")[0]


@with_pictures
def test_as_many_rows_as_were_asked_for_get_pictures():
    rows = [{**moded(), "name": f"r{i}"} for i in range(5)]
    text = made(taken([silicon(), *rows]), plots=2)
    assert "Pictures of 2 of 5 rows" in Read(text).text and len(Read(text).all("figure")) == 4
    assert len(Read(made(taken([silicon(), *rows]), plots=99)).all("figure")) == 10


def test_without_matplotlib_the_page_comes_and_says_so(tmp_path, monkeypatch):
    path, out = tmp_path / "r.jsonl", tmp_path / "r.html"
    path.write_bytes(report([*everything(), END]))
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = process("report", path, "-o", out)
    assert ran.returncode == 0, ran.stderr
    read = Read(out.read_text())
    assert "This page has no pictures" in read.text and "python3-matplotlib" in read.text and not read.all("svg")
    assert "the page will have no pictures" in ran.stderr and "made/moded" not in read.text and "moded" in read.text


# --- large reports ---------------------------------------------------------------------------------

def cpu_seconds(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = baretick(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ran.returncode == 0, ran.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("rows, plots, megabytes", [(163, 24, MEGABYTES), (10000, 2, 5 * MEGABYTES)])
def test_a_large_report_is_a_sane_page(tmp_path, rows, plots, megabytes):
    """In CPU time, which a busy machine does not stretch so far."""
    path, out = tmp_path / "r.jsonl", tmp_path / "r.html"
    made_rows = ({**moded(), "name": f"r{i}", "hist": hist((3042, 800), (3848 + i, 120))} for i in range(rows))
    path.write_bytes(whole(*made_rows, run=silicon()))
    assert cpu_seconds("report", path, "-o", out, *(() if plots == page.MOST_ROWS else ("--plots", plots))) < SECONDS
    text = out.read_text()
    assert len(text.encode()) < megabytes * 1e6 and text.count('<th scope="row"') >= rows
    assert not HAS_MATPLOTLIB or f"Pictures of {plots} of {rows} rows" in text


def test_report_refuses_wrong_words_by_name(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(whole(row("a", 1)))
    (tmp_path / "link").symlink_to(path)
    for words, said in ((("--plots", "-1"), "a number of rows"), (("--plots", "x"), "'x': a number of rows"),
                        (("--suite", "none"), "none of 1 rows is chosen"), ((path, "--against", path), "give one FILE"),
                        (("-o", tmp_path / "no/where.html"), "No such file"),
                        (("-o", path), "would overwrite the report"),
                        (("--against", tmp_path / "link", "-o", tmp_path / "link"), "would overwrite the report")):
        ran = baretick("report", "-o", tmp_path / "out.html", path, *words)
        assert ran.returncode == 2 and said in ran.stderr, ran.stderr
    assert path.read_bytes() == whole(row("a", 1))
    assert baretick("report", tmp_path / "none.jsonl").returncode == 2


# --- in a browser, where there is one --------------------------------------------------------------

in_browser = pytest.mark.skipif(browser.find() is None, reason="no chromium here: scripts/setup --all installs it")
CLICKS = """
const table = [...document.querySelectorAll("table.sort")].find((t) => t.textContent.includes("cycles/op"));
const names = () => [...table.tBodies[0].rows].map((r) => r.cells[0].textContent).join("");
const head = [...table.tHead.rows[0].cells].find((c) => c.textContent === "cycles/op");
const found = [names()];
for (let i = 0; i < 2; i++) {
  head.querySelector("button").click();
  found.push(names(), head.getAttribute("aria-sort"));
}
const filter = document.querySelector(".filter input");
for (const words of ["24.000", "12324  24.0", "24.0 None"]) {
  filter.value = words;
  filter.dispatchEvent(new Event("input"));
  found.push([...table.tBodies[0].rows].filter((r) => !r.hidden).map((r) => r.cells[0].textContent).join(""));
  found.push(document.querySelector(".filter output").value.replaceAll(" ", "-"));
}
document.body.dataset.found = found.join(" ");
const forms = [...document.querySelectorAll(".insn table")].pop(), sorted = [];
for (const title of ["throughput", "latency"]) {
  [...forms.tHead.rows[0].cells].find((c) => c.textContent === title).querySelector("button").click();
  sorted.push([...forms.tBodies[0].rows].map((r) => r.cells[0].textContent.split(" ")[0]).join(","));
}
document.body.dataset.sorted = sorted.join(" ");
document.body.dataset.cue = getComputedStyle(table.parentElement).backgroundImage.includes("gradient");
document.body.dataset.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
"""


def in_a_browser(text, script, width, tmp_path):
    """The page after this script, as the browser has it."""
    # The page's own policy would keep the test's script out.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    path = tmp_path / "r.html"
    path.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    try:
        return browser.dom(path, width)
    except browser.Failed as e:
        pytest.skip(str(e))


def pictures_command(*words):
    return subprocess.run([sys.executable, ROOT / "scripts/pictures", *map(str, words)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)  # fmt: skip


@in_browser
@with_pictures
def test_the_readmes_pictures_are_made_of_two_reports(tmp_path):
    path, out = tmp_path / "r.jsonl", tmp_path / "out"
    path.write_bytes(whole(*calls()[:4], run=silicon(caches=CACHES), others=curves()))
    ran = pictures_command(path, path, out)
    assert ran.returncode == 0, ran.stderr
    assert "core cycles" in (out / "calls.svg").read_text()
    data = (out / "datasheet.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (1000, 620)


def test_without_reports_no_pictures_are_made(tmp_path):
    assert pictures_command(tmp_path).returncode == 2
    ran = pictures_command(tmp_path / "none.jsonl", tmp_path / "none.jsonl", tmp_path / "out")
    assert ran.returncode == 1 and "baretick report" in ran.stderr, ran.stderr


NAMES = """
const lines = (cell) => { const r = document.createRange(); r.selectNodeContents(cell);
  return new Set([...r.getClientRects()].map((box) => Math.round(box.top))).size; };
document.body.dataset.wrapped = [...document.querySelectorAll("table.sort th[scope=row]")].filter((c) => lines(c) > 1).length;
"""


@in_browser
def test_names_stay_in_one_line_on_a_wide_screen(tmp_path):
    rows = [row("a_name_of_many_parts_straight", 2, modes=[{"cycles": 1, "share": 0.5}, {"cycles": 3, "share": 0.5}]),
            row("another_name", 1)]
    assert 'data-wrapped="0"' in in_a_browser(made(taken([silicon(), *rows]), plots=0), NAMES, 1280, tmp_path)


@in_browser
def test_headings_sort_and_rows_are_filtered_in_a_browser_and_evil_does_not_run(tmp_path):
    rows = [row("b", 2, why=EVIL[0]), row("a", 10), {**row("d", 1), "per_op": {}}, row("c", 0.5),
            *(row(name, 20 + at) for at, name in enumerate("efghi"))]
    text = made(taken([silicon(), *rows, *instructions()]), plots=0)
    dom = in_a_browser(text, CLICKS, 500, tmp_path)
    # With marks and bounds they sort as numbers.
    assert 'data-sorted="add,add,mov,imul,ud2 add,imul,mov,add,ud2"' in dom, re.findall('data-sorted="[^"]*"', dom)
    assert 'data-found="badcefghi cbaefghid ascending ihgfeabcd descending i 1-of-9 i 1-of-9  0-of-9"' in dom, re.findall('data-found="[^"]*"', dom)
    assert 'data-cue="true"' in dom and 'data-wide="true"' in dom and "<title>baretick: Made CPU" in dom


# In a frame, since no window of Chromium's is as narrow as a phone.
FRAME = """
const text = document.documentElement.outerHTML.replace(/<script[^]*?<\\/script>/g, "");
document.body.replaceChildren();
const frame = document.createElement("iframe");
frame.style.cssText = "width: %dpx; height: 900px; border: 0";
frame.onload = () => {
  const root = frame.contentDocument.documentElement;
  const cell = [...root.querySelectorAll(".facts td")].find((c) => c.textContent.includes("bench=row_0,"));
  document.body.dataset.width = frame.contentWindow.innerWidth;
  document.body.dataset.beyond = root.scrollWidth - root.clientWidth;
  document.body.dataset.cell = cell.getBoundingClientRect().right <= root.clientWidth && cell.scrollWidth <= cell.clientWidth;
};
frame.srcdoc = text;
document.body.append(frame);
"""


@in_browser
@pytest.mark.parametrize("width", [400, 600, 1280])
def test_an_option_that_is_one_long_word_stays_on_the_page(tmp_path, width):
    rows = ",".join(f"row_{i}" for i in range(200))
    dom = in_a_browser(made(taken([silicon(options={"suite": "made", "bench": rows}), row("a", 1)]), plots=0),
                       FRAME % width, 1400, tmp_path)
    assert f'data-width="{width}"' in dom and 'data-beyond="0"' in dom and 'data-cell="true"' in dom


def test_a_table_that_is_too_wide_scrolls_and_has_a_shadow_where_it_goes_on(full):
    """The shadow stays at the frame's right side, its cover scrolls with the table; no cell hides the two."""
    css = re.sub(r"/\*.*?\*/", "", (ROOT / "scripts/draw/page.css").read_text(), flags=re.S)
    screen = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", css)
    rules = [(s.split(","), dict(re.findall(r"([a-z-]+):\s*([^;]+)", body))) for s, body in re.findall(r"([^{}]+)\{([^{}]*)\}", screen)]
    wide = next(body for selectors, body in rules if [s.strip() for s in selectors] == [".wide"])
    cover, shadow = re.findall(r"linear-gradient\(to left, var\(--(\w+)\)", wide["background-image"])
    assert wide["overflow-x"] == "auto" and (cover, shadow) == ("paper", "grey")
    assert [v.strip() for v in wide["background-attachment"].split(",")] == ["local", "scroll"]
    assert wide["background-position"] == "right, right"
    opaque = {s.strip() for selectors, body in rules for s in selectors if "background" in body}
    assert not opaque & {"table", "tr", "td", "tbody", "tbody tr"}, opaque
    tables = re.findall(r"(<div[^>]*>)?<table class=\"sort\"", full)
    assert tables and all(re.search('class="wide[ "]', div) and 'tabindex="0"' in div for div in tables), tables


def test_a_failed_row_is_marked_and_its_reason_stands_under_its_name():
    """In the heading of its line, which remains in sight where the table is wider than the screen."""
    text = made(taken([silicon(), row("fine", 1), row("broken", 1, status="wrong", why="x is 3")]), plots=0)
    (line,) = re.findall(r'<tr class="failed">.*?</tr>', text, re.DOTALL)
    heading = re.search(r"<th .*?</th>", line)[0]
    assert "broken" in heading and "x is 3" in heading and "fine" not in line
