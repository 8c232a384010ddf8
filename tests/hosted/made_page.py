"""Pages of made-up records, and a reader of them: for the tests of `baretick report`."""

import argparse
import html.parser
import importlib.util
import re

import pytest

from draw import page
from made_reports import END, EVERY, report
from pictured import everything
from read import saved

ALL = {"plots": 24, **EVERY, "against": None, "across": []}
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
    """The page as a tree is read: elements with their attributes, ids, text; what does not nest is an error. A blank that
    does not break a line is a blank."""

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
            data = data.replace("\N{NO-BREAK SPACE}", " ")
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


def section(text, place):
    return Read(re.search(rf'<section id="{place}".*?</section>', text, re.DOTALL)[0])


EVIL = ("<script>document.title='taken'</script>", "\"><img src=x onerror=alert(1)>", "</style></title></textarea><b>",
        "javascript:alert(1)", "' onmouseover='x", "&lt;b&gt;\x00\x1b[2J\ud800".encode("utf-8", "replace").decode())
