"""`baretick report` of a datasheet: curves, limits, maps and forms on the page, and the summary at its top."""

import argparse
import re

from draw import page, page_parts
from made_insn import record as insn_record
from made_page import HAS_MATPLOTLIB, Read, made, section, taken, with_pictures
from made_reports import baretick, report, row, whole
from pictured import CACHES, calls, curves, everything, forwarding, instructions, limit, plain, several_cores, silicon
from read import saved


def test_a_curve_is_a_table_of_its_points_and_levels():
    read = section(made(taken([silicon(), *curves()]), plots=0), "memory")
    levels, points = read.tables[:2]
    assert levels[0] == ["curve", "core", "figure", "\u00b1", "unit", "from", "to", "ends"]
    assert ["latency_4k", "0", "4", "0.8", "cycles", "4 KiB", "32 KiB", "at CPUID's L1 32 KiB"] in levels
    assert points[:2] == [["size", "cycles an operation", "from (99%)", "to", "ns"],
                          ["4 KiB", "4.00", "3.20", "4.80", "2.00"]]
    bandwidth = next(t for t in read.tables if "GB/s" in t[0] and "note" in t[0])
    assert bandwidth[2] == ["64 KiB", "2.00", "1.60", "2.40", "64.00", "the core was shared: not judged"]


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
    assert re.search("memory/forward, core 0: not judged: .*shared core", told)


def test_a_form_has_a_line_with_every_figure_and_its_error():
    read = section(made(taken([silicon(), *instructions()]), plots=0), "instructions")
    table = next(t for t in read.tables if len(t) == 6)
    assert table[0] == ["form", "throughput", "\u00b1", "slots", "latency", "latencies by pair", "note"]
    lines = {line[0]: line[1:] for line in table[1:]}
    assert lines["add r64, r64"] == ["0.25", "0.01", "1", "1", "0>0 1>0: 1 \u00b10.02; 1>f: 1.1? \u00b10.2", ""]
    assert lines["mov r64, m64"][3:] == ["4", "1>0: <=7.5; 1b>0: 4 \u00b10.1", "0.333 \u00b10.002 at one address"]
    assert lines["add r16, imm16"][-1] == "length-changing prefix; 3 \u00b10.1 in a straight line"
    assert lines["ud2"][-1] == "SIGILL"


def test_the_latency_of_a_store_is_that_from_its_data():
    store = insn_record({"form": "mov m64, r64", "cycles": {"tp": "0.50", "0b>0": "<1.2", "0i>0": "<36.7", "1>0": "<0.05"}})
    line = section(made(taken([silicon(), store]), plots=0), "instructions").tables[0][-1]
    assert "<=0.05" in line and "0i>0: <=36.7" in " ".join(line), line


def test_the_last_line_counts_rows_curves_and_forms(tmp_path):
    path = tmp_path / "report.jsonl"
    path.write_bytes(whole(others=(*curves(), *instructions())))
    said = baretick("report", path, "-o", tmp_path / "page.html", "--plots", "0").stdout
    forms = sum(len(r["forms"]) for r in instructions() if r["type"] == "insn")
    measured = sum(r["status"] == "ok" for r in curves())
    assert f": {measured} curves, {forms} forms of instructions, " in said, said


def test_a_form_shows_blockers_of_its_unit_and_figures_with_another_history():
    made_of = insn_record({"form": "shlx r64, r64, r64", "cycles": {"tp": "0.50(1)", "2>0": "1.00(2)"}, "shares": "0",
                           "history": "2>0 2.8(1)", "complex": True})
    plan = {"type": "insn_plan", "core": 0, "blockers": ["imul r64, r64"], "licence": "CC0-1.0"}
    read = section(made(taken([silicon(), plan, made_of]), plots=0), "instructions")
    line = read.tables[0][-1]
    assert "imul" in line, line
    assert line[-1] == "complex decoder; with another history of the registers: 2>0: 2.8 \u00b10.1", line
    assert "The licence of these figures is CC0-1.0." in read.text


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


def test_figures_that_were_not_judged_are_named():
    read = section(made(taken([silicon(), *curves(), *instructions()]), plots=0), "not-judged")
    for said in ("memory/stride_64, core 0: not judged: most sizes were measured on a shared core",
                 "memory/latency_2m, core 0: unsupported: the kernel gave no pages of 2 MiB",
                 "1 of 12 throughputs and latencies are not settled", "no time for 2 forms", "shared in 3 of 100 blocks",
                 "1 forms faulted in a test, SIGILL: ud2", "2 forms were not run on core 0: privileged", "hlt, lgdt m80",
                 "transfers between cores: suite=memory cores=types measures this"):
        assert said in read.text, said
    assert 'id="not-judged"' not in made(taken([silicon(), plain()]), plots=0)


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


def test_ten_figures_are_at_the_top():
    lines = [{"label": "datasheet", "cells": ["performance core 0", "efficiency core 8"]},
             {"label": "L1 load", "cells": ["4.00 +-0.02 cycles", "3.00 +-0.10 cycles"]}]
    summary = {"type": "summary", "rows": [], "lines": lines}
    first = Read(made(taken([silicon(), summary]), plots=0)).tables[0]
    assert first == [["datasheet", "performance core 0", "efficiency core 8"], ["L1 load", "4.00 +-0.02 cycles", "3.00 +-0.10 cycles"]]
    assert the_summary(summary)[0].tables == [[["verdict", "PASS (0 rows, 0 failures)"]]]


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
            page.plot.drawn(some, argparse.Namespace(kind=list(page.plot.KINDS), suite="*", bench="*", core=None))
            left += 1
    assert left > 100


def test_several_reports_make_one_valid_page():
    text = made(taken([silicon(), plain()], "one.jsonl"), taken([silicon(), *several_cores()], "two.jsonl"),
                plots=1 if HAS_MATPLOTLIB else 0)
    read = Read(text)
    ids = [a["id"] for _, a in read.elements if "id" in a]
    assert read.wrong == [] and len(ids) == len(set(ids)) and len(read.all("article")) == 2
    assert "one.jsonl" in read.text and "two.jsonl" in read.text


def test_old_and_new_rows_are_compared(tmp_path):
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


def an_summary(**fields):
    return {"type": "summary", "rows": ["calls/direct", "sum/warm"], "lines": [
        {"label": "clock", "parts": ["TSC 2600.000 MHz", "core 3691.0 MHz"]},
        {"label": "calls", "cells": ["empty", "++*x"]}, {"label": "direct", "cells": ["3.250 +-0.250", "FAIL"]},
        {"label": "sum", "parts": ["cold -", "warm 0.254 +-0.250"]}], **fields}


def the_summary(*records):
    shown, names = page_parts.the_summary(taken([silicon(), *records]))
    return Read(str(shown)), names


def test_the_page_shows_the_record_summary():
    shown, names = the_summary(an_summary())
    facts, calls = shown.tables
    assert facts == [["clock", "TSC 2600.000 MHz, core 3691.0 MHz"], ["sum", "cold -, warm 0.254 +-0.250"],
                     ["verdict", "PASS (0 rows, 0 failures)"]]
    assert calls == [["calls", "empty", "++*x"], ["direct", "3.250 +-0.250", "FAIL"]]
    assert names == ["calls/direct", "sum/warm"] and "no summary" not in shown.text


def test_a_report_without_the_record_summary_is_shown_without_it():
    shown, names = the_summary()
    assert shown.tables == [[["verdict", "PASS (0 rows, 0 failures)"]]] and names == []
    assert "has no summary: an older version wrote it" in shown.text


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
