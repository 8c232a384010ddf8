"""`baretick plot`: its files, what it refuses, and what it says if there is nothing to draw."""

import argparse
import re
import struct
import xml.etree.ElementTree as xml

import pytest

from draw import plot
from made_plot import drawn, svgs, taken, texts
from made_reports import END, EVERY, ROOT, baretick, process, report, row, whole
from pictured import everything, gaps, hist, passing, several_cores, silicon, swept


# --- files -----------------------------------------------------------------------------------------

@pytest.fixture
def kept(tmp_path):
    def keep(data, name="report.jsonl"):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return keep


def test_a_file_is_the_same_each_time(kept, tmp_path, svgs):
    path = kept(report([*passing(), END]))
    for name in ("a.svg", "b.svg"):
        ran = baretick("plot", path, "-o", tmp_path / name, "--kind", "modes", "--bench", "moded")
        assert (ran.returncode, ran.stderr) == (0, "")
    first = (tmp_path / "a.svg").read_text()
    assert first == (tmp_path / "b.svg").read_text() == svgs["made-moded-core0-modes"]
    assert "<dc:date>" not in first


def test_a_png_has_its_format_and_size(kept, tmp_path):
    ran = baretick("plot", kept(report([*everything(), END])), "-o", tmp_path / "a.png", "--kind", "linearity")
    assert ran.returncode == 0, ran.stderr
    data = (tmp_path / "a.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (2000, 1125)


def test_all_pictures_of_a_report_are_drawn_into_a_folder(kept, tmp_path):
    ran = baretick("plot", kept(report([*everything(), END])), "-o", tmp_path / "all")
    assert ran.returncode == 0, ran.stderr
    there = {p.stem for p in (tmp_path / "all").iterdir()}
    assert there == set(drawn(everything())[0]) and len(ran.stdout.splitlines()) == len(there)


def test_a_change_is_drawn_only_between_comparable_reports(kept, tmp_path):
    old = kept(whole(row("a", 10, hist=hist((2080, 500))), row("b", 5), row("gone", 1), run=silicon()), "old.jsonl")
    new = kept(whole(row("a", 12, hist=hist((2500, 500))), row("b", 5), run=silicon()), "new.jsonl")
    ran = baretick("plot", new, "--against", old, "-o", tmp_path / "change.svg", "--kind", "change")
    assert ran.returncode == 0, ran.stderr
    said = texts((tmp_path / "change.svg").read_text())
    assert "1 of 2 rows changed: 1 slower" in said and "+20.0 %" in said and "made/a" in said
    ran = baretick("plot", new, "--against", old, "-o", tmp_path / "a.svg", "--kind", "histogram", "--bench", "a")
    assert ran.returncode == 0 and 'id="old"' in (tmp_path / "a.svg").read_text(), ran.stderr
    unlike = kept(whole(row("a", 10), run=silicon(recipe="x", cpu={"vendor": "Other"})), "unlike.jsonl")
    ran = baretick("plot", new, "--against", unlike, "-o", tmp_path / "no.svg", "--kind", "change")
    assert ran.returncode == 2 and "not comparable: another CPU" in ran.stderr
    assert not (tmp_path / "no.svg").exists()


# --- what is not there -----------------------------------------------------------------------------

@pytest.mark.parametrize("record, kind, said", [
    (row("x", 1), "histogram", "hist=full keeps it"),
    (row("x", 1), "sweep", "layout=sweep does"),
    (row("x", 1, method="kbest"), "histogram", "method=doubled does"),
    (row("x", 1, method="kbest"), "modes", "method=doubled does"),
    (row("x", 1, status="wrong", why="it is 3"), "histogram", "wrong: it is 3"),
    (row("x", 1), "cores", "suite=cores with cores=all"),
    (row("x", 1), "gaps", "suite=quiet does"),
    ({**gaps(), "gaps": 0}, "gaps", "no gap on core 0"),
    ({**several_cores()[1], "pairs": []}, "cores", "it takes two cores (cores=all)"),
    (row("x", 1), "linearity", "no record `linearity`"),
    (row("x", 1), "curves", "suite=memory measures some"),
    (row("x", 1), "forward", "suite=memory measures one"),
    (row("x", 1), "growth", ".args of a user row gives them"),
    (row("x", 1), "change", "--against OLD names one"),
])
def test_a_missing_picture_is_named_with_the_words_that_measure_it(record, kind, said):
    args = argparse.Namespace(kind=[kind], **EVERY)
    pictures, absent = plot.drawn(taken([silicon(), record]), args)
    assert pictures == [] and said in "\n".join(plot.reasons(absent))


def test_without_anything_to_draw_plot_fails_and_writes_no_file(kept, tmp_path):
    path = kept(whole(row("a", 1)))
    ran = baretick("plot", path, "-o", tmp_path / "x.svg", "--kind", "histogram,sweep")
    assert ran.returncode == 2 and "there is nothing to draw" in ran.stderr
    assert "no histogram of made/a" in ran.stderr and not (tmp_path / "x.svg").exists()


def test_plot_refuses_wrong_words_by_name(kept, tmp_path):
    path = kept(report([*everything(), END]))
    for words, said in ((("-o", tmp_path / "x.svg"), "pictures do not fit in"),
                        (("--kind", "pie"), "--kind: 'pie': "),
                        (("-o", tmp_path / "x.svg", "--format", "png"), "--format png does not fit"),
                        (("-o", tmp_path / "x.pdf"), "pictures are svg or png"),
                        (("--suite", "none"), "none of 23 rows and 8 curves is chosen"),
                        ((path, "--against", path), "give one FILE")):
        ran = baretick("plot", path, *words)
        assert ran.returncode == 2 and said in ran.stderr, ran.stderr


def test_a_damaged_report_is_drawn_and_named(kept, tmp_path):
    ran = baretick("plot", kept(report(everything())), "-o", tmp_path / "x.svg", "--kind", "linearity")
    assert ran.returncode == 1 and "no record `end`" in ran.stderr and (tmp_path / "x.svg").exists()


def test_without_matplotlib_the_package_to_install_is_named(kept, tmp_path, monkeypatch):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = process("plot", kept(report([*everything(), END])), "-o", tmp_path / "x.svg", "--kind", "linearity")
    assert ran.returncode == 2 and "python3-matplotlib" in ran.stderr and "scripts/setup" in ran.stderr
    assert "python3-matplotlib" in (ROOT / "scripts/setup").read_text()


def test_names_of_a_report_cannot_leave_the_folder_or_break_a_picture():
    evil = "../../$\\frac{<script>\x00\x1b[31m" + "x" * 300
    found, _ = drawn([silicon(), row(evil, 2, hist=hist((2080, 500)), suite="$a$")])
    for stem, picture in found.items():
        assert "/" not in stem and len(stem) <= 80
        svg = picture.sheet().svg()
        xml.fromstring(svg)
        assert "<script" not in svg and any("$a$/../../$" in t for t in texts(svg))


def test_swept_offsets_without_a_figure_are_left_out():
    svg = drawn([silicon(), swept()])[0]["made-swept-core0-sweep"].sheet().svg()
    group = re.search(r'<g id="sweep-code">.*?</g>\s*</g>', svg, re.S)[0]
    assert group.count("<use") == 63
