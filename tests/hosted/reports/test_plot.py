"""`baretick plot`: what the pictures show against the report.

data/pictures/ has every word of each kind of picture, and the positions of its shapes, to a point;
`UPDATE=1 python3 -m pytest tests/hosted/reports/test_plot.py` rewrites them. Look at the pictures then.
"""

import argparse
import itertools
import json
import math
import os
import re
import struct
import xml.etree.ElementTree as xml

import pytest
from made_reports import ROOT, baretick, counted, counting, process, report, row, whole
from pictured import (CACHES, KIB, binned_share, curve, curves, everything, forwarding, gaps, growing, hist, latency, limit, linearity, moded, plain, several_cores, silicon, swept)

pytest.importorskip("matplotlib", reason="python3-matplotlib is not here: scripts/setup installs it")

from matplotlib.backends import backend_agg  # noqa: E402
from draw import curves as draw_curves  # noqa: E402
from draw import growth as draw_growth  # noqa: E402
from draw import ink  # noqa: E402
from draw import plot  # noqa: E402
from draw import row as draw_row  # noqa: E402
from read import curve as read_curve  # noqa: E402
from read import saved  # noqa: E402

GOLDEN = ROOT / "tests/hosted/data/pictures"
END = {"type": "end", "rows": 0, "failures": 0, "verdict": "pass"}
SMALLEST_LETTERS = 12  # points; a slide is 720 wide
COUNTED = [counting(), linearity("lfence", 0, "error_instructions"), linearity("plain", 0, "error_instructions"),
           counted("exact", 2, hist=[[256640, 64]])]


def taken(records):
    return saved.take("made.jsonl", report([*records, END]))


def drawn(records, **how):
    """Returns ({stem: picture}, [what is missing])."""
    args = argparse.Namespace(kind=list(plot.KINDS), suite="*", bench="*", core=None, **how)
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
         "linearity", "cores_pingpong", "cores_tsc_skew", "cores_wake", "cores-contests", "gaps-core0",
         "counted-made-exact-core0-histogram", "counted-linearity", "calls", "growth-args-linear", "memory-latency-core0",
         "memory-read-core0", "memory-alias-core0", "memory-flush-core0", "forward-core0")


@pytest.mark.parametrize("stem", STEMS)
def test_every_picture_is_as_stored(svgs, stem):
    golden, text = GOLDEN / f"{stem}.txt", digest(svgs[stem])
    if os.environ.get("UPDATE"):
        golden.write_text(text)
    assert_alike(text.splitlines(), golden.read_text().splitlines())


def test_every_kind_of_picture_is_looked_at(svgs):
    assert set(STEMS) <= set(svgs)
    kinds = {p.kind for p in drawn(everything())[0].values()}
    assert kinds | {"change"} == set(plot.KINDS)


# --- how they look ---------------------------------------------------------------------------------

def test_a_title_names_row_figure_interval_and_machine(svgs):
    said = " ".join(texts(svgs["made-plain-core0-histogram"]))
    for word in ("made/plain", "2.000 \u00b1 0.010 core cycles", "Made CPU", "core 0", "recipe lfence", "bare machine"):
        assert word in said


def test_a_title_has_instructions_and_ipc_where_both_are_known():
    def said(**counts):
        found = plain()
        found["per_op"].update(counts)
        return " ".join(texts(drawn([silicon(), found])[0]["made-plain-core0-modes"].sheet().svg()))

    assert "5 instructions, IPC 2.50" in said(instructions=5, ipc=2.5)
    assert "5 instructions" in said(instructions=5) and "IPC" not in said(instructions=5)
    assert "instructions" not in said() and "IPC" not in said()


def test_letters_are_large_and_axes_named(svgs):
    for stem, svg in svgs.items():
        sizes = [float(x) for x in re.findall(r"font(?:-size)?:[^;\"]*?([\d.]+)px", svg)]
        assert sizes and min(sizes) >= SMALLEST_LETTERS, (stem, sizes)
        words = " ".join(texts(svg))
        assert re.search(r"ticks|cycles|instructions|\bns\b|ms|GB/s", words), stem


def test_counted_instructions_are_not_called_cycles(svgs):
    for stem in ("counted-made-exact-core0-histogram", "counted-linearity"):
        said = " ".join(texts(svgs[stem]))
        assert "instructions" in said and "cycle" not in said and "tick" not in said
    assert "all 64 windows alike: 2\u202f005 instructions" in texts(svgs["counted-made-exact-core0-histogram"])


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
    """From a launch on a virtual Zen 5: the half-width of points of recipe=cpuid is 441 core cycles, and one recipe has
    none."""
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
    axes, = figure.axes
    sure = [p["error_cycles"] for r in stored.values() for p in r.get("points", ())
            if abs(p["error_cycles"]) > p["half_cycles"]]
    low, high = axes.get_ylim()
    assert low <= min(sure) and high >= max(sure) and high - low < 1.3 * (max(sure) - min(sure)), (low, high)
    bars = [segment for bar in axes.collections for segment in bar.get_segments()]
    assert bars and max(top[1] - bottom[1] for bottom, top in bars) <= (high - low) / 2
    # Every line has its name, names do not overlap, and all are inside the picture.
    shown = {t.get_text().partition("\n")[0]: t for t in axes.texts}
    assert set(shown) == {name for name, r in stored.items() if r.get("points")}, set(shown)
    assert "441" in shown["cpuid"].get_text() and all("470" in shown[name].get_text() for name in unsure)
    drawer = backend_agg.FigureCanvasAgg(figure).get_renderer()
    boxes = sorted((t.get_window_extent(drawer) for t in shown.values()), key=lambda box: box.y0)
    assert all(below.y1 <= above.y0 + 1 for below, above in itertools.pairwise(boxes)), boxes
    assert all(figure.bbox.x1 >= box.x1 and 0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes), boxes


def test_bars_are_the_windows(svgs):
    """Their heights are in proportion, and add up to the windows that are no longer than the longest drawn."""
    svg = svgs["made-moded-core0-histogram"]
    bars = shapes(svg, "windows")
    bottom = max(float(y) for y in re.findall(r" ([\d.]+) \nz", re.search(r'id="windows".*?</g>', svg, re.S)[0]))
    found = moded()["hist"]
    tallest = max(n for _, n in found) / sum(n for _, n in found)
    heights = [bottom - top for *_, top in bars]
    share = sum(heights) / max(heights) * 100 * tallest
    assert share == pytest.approx(binned_share(found, 4000), rel=0.01)


def test_a_long_tail_is_told_and_does_not_squash_the_rest(svgs):
    svg = svgs["made-moded-core0-histogram"]
    assert any("4 of 1\u202f384 windows are longer, up to 2\u202f000\u202f000" in t for t in texts(svg)), texts(svg)
    bars = shapes(svg, "windows")
    assert bars[-1][1] - bars[0][0] > 0.7 * 720


def test_windows_that_the_report_left_out_are_told():
    windows = row("capped", 2, hist=hist((2080, 500)), hist_rest=7)
    found = drawn([silicon(), windows])[0]["made-capped-core0-histogram"]
    assert "7 windows in rare bins are left out: hist=full keeps them" in texts(found.sheet().svg())


def test_bins_are_whole_steps_of_the_tsc():
    windows = draw_row.Windows(silicon(), moded())
    lo, hi, width = draw_row._frame([windows])
    assert width % 26 == 0 and (hi - lo) % width == pytest.approx(0)
    # Values are in the middle of a step.
    assert all(abs((t - lo) % 26 - 13) < 1e-6 for t, _ in moded()["hist"] if t < 4000)


def test_bars_of_calls_are_net_and_gross_with_their_interval(svgs):
    words = texts(svgs["calls"])
    assert [w for w in words if w in ("inline", "direct", "plt")] == ["inline", "direct", "plt"]
    assert words.count("straight") == words.count("++*x") == words.count("compiled") == 3
    assert "3.000 shared" in words and "FAILED: the counter is 3" in words and "5.000 \u00b1 85.000" in words
    assert {"net", "gross: with its loop", "98% interval"} <= set(words)
    assert "A call costs 3.000 (direct, empty) to 5.000 (plt, empty) core cycles Made CPU, bare machine, core 0" in " ".join(words)
    net, gross = shapes(svgs["calls"], "net"), shapes(svgs["calls"], "gross")
    assert len(net) == 10 and len(gross) == 8  # one failed, one is shared; straight ones have no loop
    zero, per_cycle = net[4][0], (net[4][1] - net[4][0]) / 3
    assert (gross[3][1] - zero) / per_cycle == pytest.approx(4.25, abs=0.02)  # direct
    assert (max(right for _, right, _ in net) - zero) / per_cycle == pytest.approx(5, abs=0.02)


def test_without_ways_of_calling_there_is_no_such_picture():
    pictures, absent = drawn([silicon(), plain()])
    assert "calls" not in pictures and "suite=calls has them" in next(a.why for a in absent if a.kind == "calls")


def test_calls_of_counted_instructions_have_no_interval():
    (picture,) = (p for p in drawn([counting(), counted("plt", 3, suite="calls"), counted("got", 2, suite="calls")])[0].values()
                  if p.kind == "calls")
    assert picture.title == "A call costs 2 (got, empty) to 3 (plt, empty) instructions"
    assert not {"98% interval", "gross: with its loop"} & set(texts(picture.sheet().svg()))


def of_curves(*records):
    """{stem: (picture, SVG)} of the kind curves."""
    return {stem: (p, p.sheet().svg()) for stem, p in drawn([silicon(caches=CACHES), *records])[0].items() if p.kind == "curves"}


def test_a_latency_names_its_levels_and_the_caches_of_cpuid():
    (picture, svg), = of_curves(latency()).values()
    assert picture.title == "Latency of a load: 4 core cycles in L1, 14 in L2, 220 in memory"
    said = texts(svg)
    assert {"4", "14", "220", "L1 32K", "L2 1M", "latency_4k", "size of the working set"} <= set(said), said
    assert "L1 64K" not in said and "99% intervals" in picture.about
    left, right, _ = shapes(svg, "curve-0")[0]
    caches = [float(x) for x in re.findall(r'<text[^>]*x="([\d.]+)"[^>]*>L[12] ', svg)]
    assert [(x - left) / (right - left) for x in caches] == pytest.approx([3 / 11, 8 / 11], abs=0.01)


def test_curves_of_one_kind_are_one_picture_and_a_spoiled_one_says_why():
    found = of_curves(*curves())
    assert set(found) == {"memory-latency-core0", "memory-read-core0", "memory-alias-core0", "memory-flush-core0"}
    picture, svg = found["memory-latency-core0"]
    assert {"latency_4k", "stride_64"} <= set(texts(svg))
    assert "stride_64 not judged: most sizes were measured on a shared core" in picture.about
    assert "read_16 white: 1 on a shared core" in found["memory-read-core0"][0].about


def test_a_bandwidth_is_bytes_by_time():
    """64 bytes in half a ns: 128 GB/s; the interval of the time goes the other way."""
    picture, svg = of_curves(*curves())["memory-read-core0"]
    assert picture.title == "Reading: up to 256 GB/s, 12.8 at 8 MiB" and "GB/s" in texts(svg)
    line = draw_curves.Line(read_curve.Curve(curve("read_16", [(KIB, 1)], op_bytes=64)))
    assert line.y == [128] and line.band[0] == pytest.approx((128 / 1.2, 128 / 0.9))


def test_offsets_are_drawn_next_to_each_other():
    found = of_curves(*curves())
    assert {"\u22128", "\u22124", "0", "4", "8", "offset, bytes"} <= set(texts(found["memory-alias-core0"][1]))
    assert {"absent", "dirty L1", "flush_clwb"} <= set(texts(found["memory-flush-core0"][1]))


def test_a_map_of_store_forwarding_has_a_line_for_each_pair_of_sizes():
    (picture,) = (p for p in drawn([silicon(), *forwarding()])[0].values() if p.kind == "forward")
    assert picture.title == "Store forwarding: 4.5 core cycles if forwarded, 18 if not"
    assert "loads of 4, 8 bytes" in picture.about and "not judged: most of it" in picture.about
    svg = picture.sheet().svg()
    assert {"store 4", "store 8", "offset of the load from the store, bytes"} <= set(texts(svg))
    boxes = [box for name in re.findall(r'id="(cells-\w+)"', svg) for box in shapes(svg, name)]
    assert len({round(top) for *_, top in boxes}) == 4, boxes


def test_several_cores_have_their_bandwidth_and_latency_in_time():
    """Core cycles of several cores are not alike, so the records have ticks."""
    timed = {"points": [[n, 10.0, None, 8, 14, 4] for n in (1, 2, 4)], "visits": [4] * 3}
    found = of_curves({**curve("cores_read", [(1, 1)], by="cores", unit="ticks", op_bytes=64), **timed},
                      {**curve("loaded_read", [(1, 1)], by="rate", unit="ticks"), **timed})
    picture, svg = found["memory-cores-core0"]
    assert picture.title == "Bandwidth of several cores: up to 16 GB/s, 16 at 4 cores" and "2 cores" in texts(svg)
    assert found["memory-loaded-core0"][0].title == "Latency while other cores use the memory: 4 ns"
    line = draw_curves.Line(read_curve.Curve({**curve("x", [(1, 1)], unit="ticks"), **timed}))
    assert line.y == [4] * 3 and line.band[0] == pytest.approx((3.2, 5.6))


def test_each_type_of_core_has_its_picture():
    cores = [{"type": "core", "core": n, "core_type": kind} for n, kind in enumerate(("performance",) * 2 + ("efficiency",) * 2)]
    found = of_curves(*cores, *(latency(core=core) for core in range(4)))
    assert set(found) == {"memory-latency-core0", "memory-latency-core2"}
    assert "core 2 (efficiency)" in found["memory-latency-core2"][0].about


def test_a_limit_has_its_step_with_the_interval():
    (picture, svg), = of_curves(limit("rob", 224)).values()
    assert picture.title == "Reorder buffer: 224 fillers (222 to 228)" and "98% intervals" in picture.about
    assert {"224", "fillers", "rob"} <= set(texts(svg))


def test_limits_of_one_kind_are_one_picture_with_each_figure():
    found = of_curves(limit("registers_int", 192), limit("registers_mask", 48), limit("width", 384, per=64, of="instructions in 64 cycles"))
    picture, svg = found["limits-registers-core0"]
    assert picture.title == "Registers for results: int 192, mask 48 fillers" and {"192", "48"} <= set(texts(svg))
    assert found["limits-width-core0"][0].title == "Width of the core: 6 instructions per cycle (5.97 to 6.06)"


def test_curves_can_be_chosen_and_those_that_are_not_there_are_told():
    args = argparse.Namespace(kind=["curves"], suite="*", bench="latency*", core=None)
    pictures, absent = plot.drawn(taken([silicon(), *curves()]), args)
    assert [p.stem for p in pictures] == ["memory-latency-core0"]
    assert [a.why for a in absent] == ["memory/latency_2m: unsupported: the kernel gave no pages of 2 MiB"]


def grown(*records):
    """Returns {stem: (picture, SVG)} of the kind growth."""
    return {stem: (p, p.sheet().svg()) for stem, p in drawn([silicon(), *records])[0].items() if p.kind == "growth"}


@pytest.mark.parametrize("curve, said", [
    ("constant", "does not grow: 2.000 core cycles"), ("log n", "grows as log n: 2.000 \u00d7 log\u2082 n core cycles"),
    ("n", "grows as n: 2.000 \u00d7 n core cycles"), ("n log n", "grows as n log n: 2.000 \u00d7 n log\u2082 n core cycles"),
    ("n^2", "grows as n^2: 2.000 \u00d7 n\u00b2 core cycles"),
])
def test_each_curve_has_its_name_and_equation(curve, said):
    (picture, svg), = grown(*growing(curve=curve)).values()
    assert picture.title == f"args/linear {said}"
    assert any(t.startswith(f"{curve}: 2.000") for t in texts(svg)) and "figure, 98% interval" in texts(svg), texts(svg)
    # By the event's equation: figures at 16 are 1.1 of the curve, and at 64 0.9 of it.
    at = draw_growth.CURVES[curve][1]
    values = {r["arg"]: r["per_op"]["cycles"] for r in growing(curve=curve) if "arg" in r}
    assert values[16] == pytest.approx(2.2 * at(16)) and values[64] == pytest.approx(1.8 * at(64))


def points_of(svg):
    """Returns [(left, height)] of the figures, from the smallest argument on; the page's y axis points down."""
    found = re.search(r'<g id="figures">.*?</g>\s*</g>', svg, re.S)[0]
    return [(float(x), float(y)) for x, y in re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"', found)]


def test_points_of_a_growth_lie_about_its_curve_and_have_their_intervals():
    """Arguments with even steps: both axes are linear, so distances are in proportion to figures."""
    (_, svg), = grown(*growing(arguments=(10, 20, 30, 40))).values()
    points = points_of(svg)
    assert len(points) == 4 and [b[0] - a[0] for a, b in zip(points, points[1:])] == pytest.approx([points[1][0] - points[0][0]] * 3)
    figures = [18, 44, 54, 88]
    per_cycle = (points[0][1] - points[3][1]) / (figures[3] - figures[0])
    assert [(points[0][1] - y) / per_cycle for _, y in points] == pytest.approx([f - 18 for f in figures], abs=0.1)
    ((left, right, top),) = shapes(svg, "curve")
    assert (left, right) == pytest.approx((points[0][0], points[3][0]), abs=0.1)
    assert (points[0][1] - top) / per_cycle == pytest.approx(80 - 18, abs=0.1)
    bars = shapes(svg, "intervals")
    assert [(points[0][1] - top) / per_cycle for *_, top in bars] == pytest.approx([18 + 4 - 18, 44 + 8 - 18, 54 + 12 - 18, 88 + 16 - 18], abs=0.2)


def test_a_growth_without_a_fit_or_with_a_failed_argument_says_so():
    records = growing(fits=False, error=0.3, exclusive=False)
    records[1].update(status="wrong", why="it is 16")
    (picture, svg), = grown(*records).values()
    assert "fits no curve; the best (n) is 2.000" in picture.title
    assert "FAILED: n = 16" in picture.about and "SHARED" in picture.about and "30.0 % of the mean" in picture.about
    words = texts(svg)
    assert "failed" in words and "16" in words and len(points_of(svg)) == 3
    assert "stroke-dasharray" in re.search(r'<g id="curve">.*?</g>', svg, re.S)[0]


def test_a_growth_of_counted_instructions_has_no_interval():
    rows = [counted(f"f/{n}", 2 * n, arg=n) for n in (4, 16, 64)]
    event = {**growing()[-1], "suite": "made", "name": "f", "unit": "instructions"}
    (picture, svg), = ((p, p.sheet().svg()) for p in drawn([counting(), *rows, event])[0].values() if p.kind == "growth")
    assert picture.title == "made/f grows as n: 2.000 \u00d7 n instructions"
    assert "figure" in texts(svg) and not any("interval" in t or "cycle" in t for t in texts(svg))


def test_too_few_arguments_for_a_fit_are_told_and_not_drawn():
    *rows, event = growing(arguments=(4, 16))
    for key in ("curve", "coefficient", "error"):
        del event[key]
    _, absent = drawn([silicon(), *rows, {**event, "fits": False}])
    assert [a.why for a in absent if a.kind == "growth"] == ["args/linear: a fit takes three arguments above 0 with a figure"]


def test_arguments_at_the_axis_keep_apart():
    assert draw_growth._some(list(range(1, 21))) == [1, 2, 3, 5, 8, 12, 18]
    assert draw_growth._some([10, 20, 30]) == [10, 20, 30]


def test_the_sign_of_a_skew_is_the_columns(svgs):
    """A pair's figure is the lead of the second core's TSC (bench/cores/exchange.h)."""
    svg = svgs["cores_tsc_skew"]
    assert any("how far the column's TSC is ahead of the line's" in t for t in texts(svg))
    # Line by line, with no value for a core and itself.
    assert "5 10 15 -5 5 10 -10 -5 5 -15 -10 -5" in " ".join(texts(svg)).replace("\N{MINUS SIGN}", "-")


def test_labels_keep_apart_and_stay_near():
    places = ink.apart([0, 0.1, 0.2, 5, 9], 5 * [1])
    assert all(b - a >= 1 - 1e-9 for a, b in zip(places, places[1:]))
    assert places == pytest.approx([-0.9, 0.1, 1.1, 5, 9])


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


# --- files -----------------------------------------------------------------------------------------

@pytest.fixture
def kept(tmp_path):
    def keep(data, name="report.jsonl"):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return keep


def test_a_file_is_the_same_each_time(kept, tmp_path, svgs):
    path = kept(report([*everything(), END]))
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


def test_a_folder_of_all_that_there_is(kept, tmp_path):
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
    (row("x", 1), "gaps", "suite=gaps does"),
    ({**gaps(), "gaps": 0}, "gaps", "no gap on core 0"),
    ({**several_cores()[1], "pairs": []}, "cores", "it takes two cores (cores=all)"),
    (row("x", 1), "linearity", "no record `linearity`"),
    (row("x", 1), "curves", "suite=memory measures some"),
    (row("x", 1), "forward", "suite=memory measures one"),
    (row("x", 1), "growth", ".args of a user row gives them"),
    (row("x", 1), "change", "--against OLD names one"),
])
def test_what_is_not_there_is_named_with_what_gives_it(record, kind, said):
    args = argparse.Namespace(kind=[kind], suite="*", bench="*", core=None)
    pictures, absent = plot.drawn(taken([silicon(), record]), args)
    assert pictures == [] and said in "\n".join(plot.reasons(absent))


def test_nothing_to_draw_is_an_error_and_no_file(kept, tmp_path):
    path = kept(whole(row("a", 1)))
    ran = baretick("plot", path, "-o", tmp_path / "x.svg", "--kind", "histogram,sweep")
    assert ran.returncode == 2 and "there is nothing to draw" in ran.stderr
    assert "no histogram of made/a" in ran.stderr and not (tmp_path / "x.svg").exists()


def test_plot_refuses_wrong_words_by_name(kept, tmp_path):
    path = kept(report([*everything(), END]))
    for words, said in ((("-o", tmp_path / "x.svg"), "pictures do not fit in"),
                        (("--kind", "pie"), "'pie': one of calls, histogram"),
                        (("-o", tmp_path / "x.svg", "--format", "png"), "--format png does not fit"),
                        (("-o", tmp_path / "x.pdf"), "pictures are svg or png"),
                        (("--suite", "none"), "none of 23 rows and 8 curves is chosen"),
                        ((path, "--against", path), "give one FILE")):
        ran = baretick("plot", path, *words)
        assert ran.returncode == 2 and said in ran.stderr, ran.stderr


def test_a_damaged_report_is_drawn_and_named(kept, tmp_path):
    ran = baretick("plot", kept(report(everything())), "-o", tmp_path / "x.svg", "--kind", "linearity")
    assert ran.returncode == 1 and "no record `end`" in ran.stderr and (tmp_path / "x.svg").exists()


def test_without_matplotlib_it_says_what_to_install(kept, tmp_path, monkeypatch):
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
