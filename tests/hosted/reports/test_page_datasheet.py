"""`baretick report` of a datasheet: curves, limits, maps and forms on the page, and the summary at its top."""

import argparse
import re

import pytest

from draw import page
from made_insn import record as insn_record
from made_page import HAS_MATPLOTLIB, Read, made, section, taken, with_pictures
from made_reports import END, EVERY, report, row, whole
from pictured import CACHES, curves, everything, forwarding, instructions, limit, plain, several_cores, silicon
from read import saved

TYPES = [{"type": "core", "core": n, "core_type": kind} for n, kind in enumerate(("performance",) * 2 + ("efficiency",) * 2)]
HISTORY = insn_record({"form": "shlx r64, r64, r64", "cycles": {"tp": "0.50(1)", "2>0": "1.00(2)"}, "shares": "0",
                       "history": "2>0 2.8(1)", "complex": True})
PLAN = {"type": "insn_plan", "core": 0, "blockers": ["imul r64, r64"], "licence": "CC0-1.0"}
# The latency of a store is that from its data.
STORE = insn_record({"form": "mov m64, r64", "cycles": {"tp": "0.50", "0b>0": "<1.2", "0i>0": "<36.7", "1>0": "<0.05"}})
TEN = {"type": "summary", "rows": [], "lines": [
    {"label": "datasheet", "cells": ["performance core 0", "efficiency core 8"]},
    {"label": "L1 load", "cells": ["4.00 +-0.02 cycles", "3.00 +-0.10 cycles"]}]}


def a_summary(**fields):
    return {"type": "summary", "rows": ["calls/direct", "sum/warm"], "lines": [
        {"label": "clock", "parts": ["TSC 2600.000 MHz", "core 3691.0 MHz"]},
        {"label": "calls", "cells": ["empty", "++*x"]}, {"label": "direct", "cells": ["3.250 +-0.250", "FAIL"]},
        {"label": "sum", "parts": ["cold -", "warm 0.254 +-0.250"]}], **fields}


def paged(*records, how="", sections=("",)):
    return ({"r": report([silicon(), *records, END])}, f"report r -o r.html --plots 0 {how}",
            *(f"page r.html {section}" for section in sections))


CASES = {
    "curves, limits, maps and forms are tables, and what was not judged is named": paged(
        *curves(), limit("rob", 224), *forwarding(), *instructions(), sections=("memory", "limits", "instructions", "not-judged")),
    "a form has its notes": paged(PLAN, HISTORY, sections=["instructions"]),
    "a store": paged(STORE, sections=["instructions"]),
    # --core 1: only that one's.
    **{f"a hybrid CPU has the columns once per type {how}": paged(
        *TYPES, *(found for core in (0, 1, 2) for found in instructions(core, 1 + core)), how=how, sections=["instructions"])
       for how in ("", "--core 1")},
    "a report without these has no such parts": paged(plain()),
    "ten figures are at the top": paged(TEN),
    "the record summary is at the top": paged(a_summary(), row("direct", 3, suite="calls"), row("warm", 1, suite="sum")),
    "old and new rows are compared": (
        {"old": whole(row("b", 5), row("a", 10), run=silicon()), "new": whole(row("b", 5), row("a", 12), run=silicon()),
         "other": whole(row("a", 10), run=silicon(cpu={"vendor": "Other"}))},
        "report new --against old -o r.html --plots 0", "page r.html", "report new --against other -o r.html"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_as_stored(said, name):
    said(CASES, name)


@with_pictures
def test_a_hybrid_cpu_has_its_pictures_side_by_side():
    cores = [{"type": "core", "core": n, "core_type": kind} for n, kind in enumerate(("performance", "efficiency"))]
    both = [{**c, "core": core} for c in curves() for core in (0, 1)]
    text = made(taken([silicon(caches=CACHES), *cores, *both]))
    first = re.search(r'<div class="first">.*?</div>', text, re.DOTALL)[0]
    assert "core 0 (performance)" in first and "core 1 (efficiency)" in first and first.count("<svg") == 2
    assert 'class="plots side"' in text and len(section(text, "memory").all("svg")) == 6


@with_pictures
def test_the_first_picture_of_a_datasheet_is_the_latency():
    text = made(taken([silicon(caches=CACHES), *curves(), *instructions()]))
    before = text[text.index("<body"):text.index("<svg")]
    assert "4 core cycles in L1, 14 in L2, 220 in memory" in before and "<table" not in before
    assert text.count("4 core cycles in L1") == 2  # the caption, and the words of the picture
    assert len(section(text, "memory").all("svg")) == 3


@with_pictures
def test_transfers_between_cores_are_shown_with_the_curves_of_memory():
    pairs = [[0, 1, 90, 100, 500], [0, 2, 90, 140, 500], [1, 2, 90, 120, 500]]
    matrix = {"type": "matrix", "suite": "memory", "name": "core_to_core", "unit": "ticks", "judged": True, "pairs_all": 3,
              "sampled": False, "backwards": 0, "pairs": pairs}
    text = made(taken([silicon(), *curves(), matrix]))
    assert "memory/core_to_core: " in section(text, "memory").text and text.count("Heat map of 3 pairs") == 1
    assert "transfers between cores" not in section(text, "not-judged").text


def test_a_long_table_scrolls_by_itself_and_is_not_printed():
    forms = [{"form": f"made{n} r64", "cycles": {"tp": "1.0(1)"}} for n in range(500)]
    text = made(taken([silicon(), insn_record(*forms)]), plots=0)
    assert 'class="wide insn long"' in text and "500 forms" in text
    assert 'class="wide insn long"' not in made(taken([silicon(), *instructions()]), plots=0)


ALWAYS = {"type", "suite", "name", "status", "core", "kind", "pairs", "points", "recipe", "first", "gap_ticks",
          "longest_ticks", "forms", "pairs_of"}  # the last two: unless another core's record has them


def test_a_report_without_optional_fields_gives_a_page():
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
            page.plot.drawn(some, argparse.Namespace(kind=list(page.plot.KINDS), **EVERY))
            left += 1
    assert left > 100


def test_several_reports_make_one_valid_page():
    text = made(taken([silicon(), plain()], "one.jsonl"), taken([silicon(), *several_cores()], "two.jsonl"),
                plots=1 if HAS_MATPLOTLIB else 0)
    read = Read(text)
    ids = [a["id"] for _, a in read.elements if "id" in a]
    assert read.wrong == [] and len(ids) == len(set(ids)) and len(read.all("article")) == 2
    assert "one.jsonl" in read.text and "two.jsonl" in read.text


def test_the_record_summary_has_the_lines_of_the_table(run):
    out = run("suite=calls,baseline,sum", "bench=direct,direct_inc,plt,random_16,turn_16,do_nothing,warm", "samples=64",
              "rounds=1", "retry_budget=0", "format=both").out
    report = saved.take("serial.log", out.encode())
    table = out[out.rindex("\nsummary "):]
    said = {line["label"]: line for line in report.one("summary")["lines"]}
    assert {"summary", "machine", "clock", "window", "calls", "direct", "plt", "targets", "sum"} <= {*said}
    for label, line in said.items():
        shown = re.search(rf"^{label} (.*(?:\r?\n .*)*)", table, re.MULTILINE)[1]
        for part in line.get("parts", line.get("cells")):
            # A line that is too long for the screen ends in "...".
            assert part in re.sub(r"\s+", " ", shown) or "..." in shown, (label, part)
    rows = {f"{r['suite']}/{r['name']}" for r in report.of("row")}
    assert {*report.one("summary")["rows"]} == rows
