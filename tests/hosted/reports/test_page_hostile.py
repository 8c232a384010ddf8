"""`baretick report` of hostile, large and wrong input: no text becomes code, and a large report is a page of a sane size."""

import resource

import pytest

from draw import report_command
from made_page import EVIL, HAS_MATPLOTLIB, MEGABYTES, Read, SECONDS, made, taken
from made_reports import baretick, row, whole
from pictured import everything, hist, moded, silicon

KEPT = {"type", "status", "result", "kind", "verdict", "execution", "platform", "unit", "form", "name_of", "crc", "slots", "shares"}


COUNTED = {"pairs", "cycles"}  # the reader counts their words


def poisoned(value, n=0, counted=False):
    """Every text of a record with something evil in it, except the words that the reader depends on."""
    if isinstance(value, dict):
        return {k: v if k in KEPT else poisoned(v, n + i, k in COUNTED) for i, (k, v) in enumerate(value.items())}
    if isinstance(value, list):
        return [poisoned(v, n + i, counted) for i, v in enumerate(value)]
    evil = EVIL[n % len(EVIL)]
    if counted:
        return f"{value}{''.join(evil.split())}" if value and isinstance(value, str) else value
    return f"{value}{evil}" if isinstance(value, str) else value


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
    # Pictures take longest, and are the same text in another place: one report with them is enough.
    text = made(taken(records, f"{EVIL[shift]}.jsonl"), plots=24 if HAS_MATPLOTLIB and shift == 0 else 0)
    read = Read(text)
    assert read.wrong == [] and {name for name, _ in read.elements} <= ALLOWED
    assert len(read.all("script")) == len(read.all("style")) == len(read.all("title")) == 1
    assert not [k for _, attrs in read.elements for k in attrs if k.startswith("on")]
    assert all(a["href"].startswith("#") for _, a in read.elements if "href" in a)
    assert "\x00" not in text and "\x1b" not in text


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
    assert cpu_seconds("report", path, "-o", out, *(() if plots == report_command.MOST_ROWS else ("--plots", plots))) < SECONDS
    text = out.read_text()
    assert len(text.encode()) < megabytes * 1e6 and text.count('<th scope="row"') >= rows
    assert not HAS_MATPLOTLIB or f"Pictures of {plots} of {rows} rows" in text


def test_report_refuses_wrong_words_by_name(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(whole(row("a", 1)))
    (tmp_path / "link").symlink_to(path)
    for words, said in ((("--plots", "-1"), "all or a number from 0 on"), (("--plots", "x"), "'x': "),
                        (("--suite", "none"), "none of 1 rows is chosen"), ((path, "--against", path), "give one FILE"),
                        (("-o", tmp_path / "no/where.html"), "No such file"),
                        (("-o", path), "would overwrite the report"),
                        (("--against", tmp_path / "link", "-o", tmp_path / "link"), "would overwrite the report")):
        ran = baretick("report", "-o", tmp_path / "out.html", path, *words)
        assert ran.returncode == 2 and said in ran.stderr, ran.stderr
    assert path.read_bytes() == whole(row("a", 1))
    assert baretick("report", tmp_path / "none.jsonl").returncode == 2
