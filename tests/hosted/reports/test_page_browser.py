"""The page of `baretick report`, and the README's pictures, in a browser if there is one."""

import re
import struct
import sys

from commands import run_command
import pytest

from made_page import EVIL, full, made, taken, with_pictures
from made_reports import ROOT, row, whole
from pictured import CACHES, calls, curves, instructions, silicon
from tools import browser

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
        return browser.run(f"--window-size={width},900", "--dump-dom", f"file://{path}")
    except browser.Failed as e:
        pytest.skip(str(e))


def pictures_command(*words):
    return run_command(sys.executable, ROOT / "scripts/pictures", *map(str, words))


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


TABLES = """
document.body.dataset.tables = [...document.querySelectorAll(".wide")].filter((w) => w.textContent.includes("cycles/op"))
  .map((w) => w.scrollWidth <= w.clientWidth).join(" ");
"""


@in_browser
@pytest.mark.parametrize("width, whole_tables", [(1280, "true"), (800, "false")])
def test_a_table_with_notes_is_on_a_wide_screen_as_a_whole(tmp_path, width, whole_tables):
    """On a narrower one it scrolls, and its lines are not high."""
    modes = [{"cycles": 21.084 + at, "share": 0.25} for at in range(4)]
    rows = [row("a_name_of_many_parts_straight", 21.111, modes=modes, disturbed=88, n=2048, ops=1024,
                ticks={"min": 11388, "median": 18354, "p99": 107254, "max": 233116}),
            row("broken", 1, status="wrong", why="the work is gone, or the empty body does as much")]
    dom = in_a_browser(made(taken([silicon(), *rows]), plots=0), TABLES, width, tmp_path)
    assert f'data-tables="{whole_tables}"' in dom, re.findall('data-tables="[^"]*"', dom)


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


def test_a_table_that_is_too_wide_scrolls_and_has_a_shadow_where_it_continues(full):
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


def test_a_failed_row_is_marked_and_its_reason_is_below_its_name():
    """In the heading of its line, which remains in sight where the table is wider than the screen."""
    text = made(taken([silicon(), row("fine", 1), row("broken", 1, status="wrong", why="x is 3")]), plots=0)
    (line,) = re.findall(r'<tr class="failed">.*?</tr>', text, re.DOTALL)
    heading = re.search(r"<th .*?</th>", line)[0]
    assert "broken" in heading and "x is 3" in heading and "fine" not in line
