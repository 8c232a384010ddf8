"""`baretick plot`: what the pictures show against the report.

data/pictures/ has every word of each kind of picture, and the positions of its shapes, to a point;
`UPDATE=1 python3 -m pytest tests/hosted/reports/test_plot.py` rewrites them. Look at the pictures then.
"""

import itertools
import json
import math
import os
import re

import pytest

from draw import ink
from draw import plot
from draw import row as draw_row
from made_plot import drawn, shapes, svgs, texts  # first: it skips this file if matplotlib is missing
from made_reports import ROOT, counted, counting, row
from matplotlib.backends import backend_agg
from pictured import CACHES, curve, everything, growing, hist, latency, limit, linearity, moded, plain, silicon

GOLDEN = ROOT / "tests/hosted/data/pictures"
SMALLEST_LETTERS = 12  # points; a slide is 720 wide
NAMED = ("windows", "old", "gaps", "sweep-code", "placements", "rounds", "net", "gross", "curve", "curve-0", "curve-1", *(f"pairs-{n}" for n in (None, *range(21))))


def digest(svg):
    lines = [f"text: {t}" for t in texts(svg)]
    for name in NAMED:
        if f'id="{name}"' in svg:
            lines += [f"{name}: " + " ".join(f"{x:.0f}" for x in shape) for shape in shapes(svg, name)]
    return "\n".join(lines) + "\n"


def assert_alike(lines, golden):
    """Another release of matplotlib may write texts in another order, and shift a shape by a point."""
    assert sorted(x for x in lines if x.startswith("text:")) == sorted(x for x in golden if x.startswith("text:"))
    lines, golden = ([x.split(": ") for x in some if not x.startswith("text:")] for some in (lines, golden))
    assert [name for name, _ in lines] == [name for name, _ in golden]
    for (name, mine), (_, wanted) in zip(lines, golden):
        assert [float(x) for x in mine.split()] == pytest.approx([float(x) for x in wanted.split()], abs=1.01), name


STEMS = ("made-moded-core0-histogram", "made-moded-core0-modes", "made-plain-core0-modes", "made-swept-core0-sweep",
         "linearity", "cores_pingpong", "cores_tsc_skew", "cores_wake", "cores-contention", "gaps-core0",
         "counted-made-exact-core0-histogram", "counted-linearity", "calls", "growth-args-linear", "memory-latency-core0",
         "memory-read-core0", "memory-alias-core0", "memory-flush-core0", "forward-core0")


KIB = 1024
TYPES = [{"type": "core", "core": n, "core_type": kind} for n, kind in enumerate(("performance",) * 2 + ("efficiency",) * 2)]
TIMED = {"figures": [[n, 10.0, 4, 4] for n in (1, 2, 4)], "visits": [4] * 3, "unit": "ticks"}
STRIDE = latency("stride_1k", 0.5, levels=[
    {"value": 2.5, "from": 4 * KIB, "to": 8192 * KIB, "cache_level": 2, "cache_bytes": KIB * KIB}])
LARGE = {"figures": [[2 ** k, 2 + k // 14, 1] for k in range(2, 17)]}
FAILED = growing(fits=False, error=0.3, exclusive=False)
FAILED[1].update(status="wrong", why="it is 16")
EXACT = [counting(), *(counted(f"f/{n}", 2 * n, arg=n) for n in (4, 16, 64)),
         {**growing()[-1], "suite": "made", "name": "f", "unit": "instructions"}]


def plain_with(**counts):
    found = plain()
    found["per_op"].update(counts)
    return [silicon(), found]


# Of records that `everything` does not have: what is in their pictures.
SINGLE = {
    "latency-alone": [silicon(caches=CACHES), latency()],
    # A title has no levels of strides instead of those of random loads.
    "latency-spoiled": [silicon(caches=CACHES), latency(judged=False, spoiled="a size takes less time than a smaller one"), STRIDE],
    # Core cycles of several cores are not alike, so the records have ticks.
    "cores-in-time": [silicon(), {**curve("cores_read", [(1, 1)], by="cores", op_bytes=64), **TIMED},
                      {**curve("loaded_read", [(1, 1)], by="rate"), **TIMED}],
    "types-of-cores": [silicon(), *TYPES, *(latency(core=core) for core in range(4))],
    "limit": [silicon(), limit("rob", 224)],
    # Large counts are short, and a figure near the end is left of its line.
    "limits-large": [silicon(), limit("btb_8", 16384, **LARGE), limit("btb_16", 64, **LARGE)],
    "limits": [silicon(), limit("registers_int", 192), limit("registers_mask", 48),
               limit("width", 384, per=64, of="instructions in 64 cycles"), limit("scheduler_int", 192, of="LEAs"),
               limit("scheduler_load", 48, of="loads")],
    **{f"growth-{number}": [silicon(), *growing(curve=name)]
       for number, name in enumerate(("constant", "log n", "n log n", "n^2"))},
    "growth-failed": [silicon(), *FAILED],
    "growth-exact": EXACT,
    "counts-ipc": plain_with(instructions=5, ipc=2.5), "counts": plain_with(instructions=5), "no-counts": plain_with(),
    "windows-left-out": [silicon(), row("capped", 2, hist=hist((2080, 500)), hist_rest=7)],
    "calls-exact": [counting(), counted("plt", 3, suite="calls"), counted("got", 2, suite="calls")],
}


def check_picture(stem, text):
    golden = GOLDEN / f"{stem}.txt"
    if os.environ.get("UPDATE"):
        golden.write_text(text)
    assert_alike(text.splitlines(), golden.read_text().splitlines())


@pytest.mark.parametrize("stem", STEMS)
def test_every_picture_is_as_stored(svgs, stem):
    check_picture(stem, digest(svgs[stem]))


@pytest.mark.parametrize("name", SINGLE)
def test_pictures_of_other_records_are_as_stored(name):
    found = drawn(SINGLE[name])[0]
    check_picture(f"of-{name}", "".join(f"{stem}: 0\n{digest(p.sheet().svg())}" for stem, p in sorted(found.items())))


def test_every_kind_of_picture_is_looked_at(svgs):
    assert set(STEMS) <= set(svgs)
    kinds = {p.kind for p in drawn(everything())[0].values()}
    assert kinds | {"change"} == set(plot.KINDS)


def test_letters_are_large_and_axes_named(svgs):
    for stem, svg in svgs.items():
        sizes = [float(x) for x in re.findall(r"font(?:-size)?:[^;\"]*?([\d.]+)px", svg)]
        assert sizes and min(sizes) >= SMALLEST_LETTERS, (stem, sizes)
        words = " ".join(texts(svg))
        assert re.search(r"ticks|cycles|instructions|\bns\b|ms|GB/s", words), stem


def test_a_point_that_is_not_sure_sets_no_scale():
    """A figure that a neighbour disturbed, as its interval shows, does not set the scale: the others remain visible. A
    figure with a narrow interval does."""

    def ticks(half):
        bent = linearity("plain", 98)
        bent["points"][3].update(error_cycles=5000, half_cycles=half)
        svg = drawn([silicon(), linearity("lfence", 0.05), bent])[0]["linearity"].sheet().svg()
        return [abs(int(t.replace("\u2212", "-"))) for t in texts(svg) if re.fullmatch("[\u2212-]?\\d+", t)]

    chains = {p["adds"] for p in linearity("plain", 98)["points"]}
    assert max(set(ticks(20000)) - chains) <= 200
    assert max(set(ticks(10)) - chains) >= 4000


def stored_linearity():
    """From a launch on a virtual Zen 5: the half-width of points of recipe=cpuid is 441 core cycles, and one recipe
    has no points."""
    lines = (ROOT / "tests/hosted/data/linearity.jsonl").read_text().splitlines()
    return {r["recipe"]: r for r in map(json.loads, lines)}


@pytest.mark.parametrize("unsure", [(), ("xfence", "paoloni", "rdtscp")])
@pytest.mark.parametrize("page", [False, True])
def test_an_uncertain_recipe_leaves_the_others_their_picture(unsure, page):
    stored = stored_linearity()
    for recipe in unsure:
        stored[recipe]["points"][3]["half_cycles"] = 470
    picture = drawn([silicon(), *stored.values()])[0]["linearity"]
    figure = picture.sheet(page).figure
    axes, names = figure.axes
    sure = [p["error_cycles"] for r in stored.values() for p in r.get("points", ())
            if abs(p["error_cycles"]) > p["half_cycles"]]
    low, high = axes.get_ylim()
    assert low <= min(sure) and high >= max(sure) and high - low < 1.3 * (max(sure) - min(sure)), (low, high)
    bars = [segment for bar in axes.collections for segment in bar.get_segments()]
    assert bars and max(top[1] - bottom[1] for bottom, top in bars) <= (high - low) / 2
    # Every line has its name, names do not overlap, and all are inside the picture.
    shown = {t.get_text().partition("\n")[0]: t for t in names.texts}
    assert set(shown) == {recipe for recipe, r in stored.items() if r.get("points")}, set(shown)
    assert "441" in shown["cpuid"].get_text() and all("470" in shown[name].get_text() for name in unsure)
    drawer = backend_agg.FigureCanvasAgg(figure).get_renderer()
    boxes = sorted((t.get_window_extent(drawer) for t in shown.values()), key=lambda box: box.y0)
    assert all(below.y1 <= above.y0 + 1 for below, above in itertools.pairwise(boxes)), boxes
    assert all(figure.bbox.x1 >= box.x1 and 0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes), boxes


def test_bins_are_whole_steps_of_the_tsc():
    windows = draw_row.Windows(silicon(), moded())
    lo, hi, width = draw_row._frame([windows])
    assert width % 26 == 0 and (hi - lo) % width == pytest.approx(0)
    # Values are in the middle of a step.
    assert all(abs((t - lo) % 26 - 13) < 1e-6 for t, _ in moded()["hist"] if t < 4000)


def test_without_ways_of_calling_the_page_does_not_begin_with_a_picture():
    pictures, absent = drawn([silicon(), plain()])
    assert "calls" not in pictures and "suite=calls has them" in next(a.why for a in absent if a.kind == "calls")


def test_labels_keep_apart_and_stay_near():
    places = ink.apart([0, 0.1, 0.2, 5, 9], 5 * [1])
    assert all(b - a >= 1 - 1e-9 for a, b in zip(places, places[1:]))
    assert places == pytest.approx([-0.9, 0.1, 1.1, 5, 9])
    assert ink.within(places, 5 * [1], 0, 8) == pytest.approx([0, 1, 2, 5, 8])
    assert ink.within([0, 6, 7, 8], [0, 1, 1, 2], 0, 7) == pytest.approx([0, 4, 5, 7])


def test_labels_of_lines_that_end_at_the_top_are_inside_the_picture():
    """The line that leaves the picture has a label of two lines, and others end right below it."""
    stored = stored_linearity()
    stored["cpuid"]["points"][-1].update(error_cycles=300, half_cycles=441)
    for recipe in ("mfence", "paoloni"):
        stored[recipe]["points"][-1].update(error_cycles=0)
    figure = drawn([silicon(), *stored.values()])[0]["linearity"].sheet(True).figure
    drawer = backend_agg.FigureCanvasAgg(figure).get_renderer()
    boxes = sorted((t.get_window_extent(drawer) for t in figure.axes[0].texts), key=lambda box: box.y0)
    assert all(below.y1 <= above.y0 + 1 for below, above in itertools.pairwise(boxes)), boxes
    assert all(0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes), boxes


def test_old_and_new_windows_share_an_axis_of_core_cycles():
    """The core's clock differed, so ticks of the two are not comparable."""
    now = {**plain(), "core_hz": 2000000000}
    before = {**plain(), "core_hz": 4000000000, "hist": hist((1040, 500))}
    picture = draw_row.histogram(silicon(), now, (silicon(), before))
    svg = picture.sheet().svg()
    assert "one window of 500 operations, core cycles" in texts(svg) and {"old", "new"} <= set(texts(svg))
    assert "before" in picture.title and "now" in picture.title


def seen(colour, lacking):
    """Returns a colour as seen without red, or without green, vision: Vienot, Brettel and Mollon 1999, then CIE L*a*b*."""
    rgb = [(int(colour[i:i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
    r, g, b = rgb
    lms = [17.8824 * r + 43.5161 * g + 4.11935 * b, 3.45565 * r + 27.1554 * g + 3.86714 * b,
           0.0299566 * r + 0.184309 * g + 1.46709 * b]
    if lacking == "red":
        lms[0] = 2.02344 * lms[1] - 2.52581 * lms[2]
    if lacking == "green":
        lms[1] = 0.494207 * lms[0] + 1.24827 * lms[2]
    long, medium, short = lms
    r = 0.0809444479 * long - 0.130504409 * medium + 0.116721066 * short
    g = -0.0102485335 * long + 0.0540193266 * medium - 0.113614708 * short
    b = -0.000365296938 * long - 0.00412161469 * medium + 0.693511405 * short
    x, y, z = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, \
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    fx, fy, fz = (max(v, 0) ** (1 / 3) for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("lacking", [None, "red", "green"])
def test_colours_with_a_meaning_differ_for_every_eye(lacking):
    """20 of L*a*b* is ten times the just noticeable difference."""
    for a, b in itertools.combinations((ink.BLUE, ink.RED, ink.GREEN, ink.GREY), 2):
        if {a, b} != {ink.GREEN, ink.GREY}:  # never in one picture
            assert math.dist(seen(a, lacking), seen(b, lacking)) > 20, (a, b)
