"""Pictures of made-up records, and what a test reads from them: for the tests of `baretick plot`."""

import argparse
import re
import xml.etree.ElementTree as xml

import pytest

from draw import plot
from made_reports import END, EVERY, counted, counting, report
from pictured import everything, linearity
from read import saved

pytest.importorskip("matplotlib", reason="python3-matplotlib is not here: scripts/setup installs it")

COUNTED = [counting(), linearity("lfence", 0, "error_instructions"), linearity("plain", 0, "error_instructions"),
           counted("exact", 2, hist=[[256640, 64]])]


def taken(records):
    return saved.take("made.jsonl", report([*records, END]))


def drawn(records, **how):
    """Returns ({stem: picture}, [what is missing])."""
    args = argparse.Namespace(kind=list(plot.KINDS), **EVERY, **how)
    pictures, absent = plot.drawn(taken(records), args)
    return {p.stem: p for p in pictures}, absent


@pytest.fixture(scope="module")
def svgs():
    found, _ = drawn(everything())
    exact, _ = drawn(COUNTED)
    found.update({f"counted-{stem}": p for stem, p in exact.items()})
    return {stem: p.sheet().svg() for stem, p in found.items()}


def texts(svg):
    return [re.sub(r"[ \n]+", " ", "".join(t.itertext())).strip() for t in xml.fromstring(svg).iter() if
            t.tag.endswith("}text")]


def shapes(svg, name):
    """Returns [(left, right, top)] of each closed or open line in the group of this name, in points."""
    group = next(g for g in xml.fromstring(svg).iter() if g.get("id") == name)
    found = []
    for path in (p for p in group.iter() if p.tag.endswith("}path")):
        for part in re.split(r"(?=M)", path.get("d")):
            numbers = [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", part)]
            if numbers:
                found.append((min(numbers[::2]), max(numbers[::2]), min(numbers[1::2])))
    return found
