"""Pictures of curves, limits and growths by `baretick plot`."""

import argparse
import re

import pytest

from draw import curves as draw_curves
from draw import growth as draw_growth
from draw import plot
from made_plot import drawn, shapes, taken, texts
from pictured import CACHES, KIB, curve, curves, forwarding, growing, latency, limit, silicon
from read import curve as read_curve


def of_curves(*records):
    """{stem: (picture, SVG)} of the kind curves."""
    return {stem: (p, p.sheet().svg()) for stem, p in drawn([silicon(caches=CACHES), *records])[0].items() if p.kind == "curves"}


def test_caches_of_cpuid_are_at_their_sizes():
    (_, svg), = of_curves(latency()).values()
    left, right, _ = shapes(svg, "curve-0")[0]
    caches = [float(x) for x in re.findall(r'<text[^>]*x="([\d.]+)"[^>]*>L[12] ', svg)]
    assert [(x - left) / (right - left) for x in caches] == pytest.approx([3 / 11, 8 / 11], abs=0.01)


def test_a_bandwidth_is_bytes_by_time():
    """64 bytes in half a ns: 128 GB/s; the interval of the time goes the other way."""
    line = draw_curves.Line(read_curve.Curve(curve("read_16", [(KIB, 1)], op_bytes=64)))
    assert line.y == [128] and line.band[0] == pytest.approx((128 / 1.2, 128 / 0.8))


def test_a_map_of_store_forwarding_has_a_line_for_each_pair_of_sizes():
    (picture,) = (p for p in drawn([silicon(), *forwarding()])[0].values() if p.kind == "forward")
    svg = picture.sheet().svg()
    boxes = [box for name in re.findall(r'id="(cells-\w+)"', svg) for box in shapes(svg, name)]
    assert len({round(top) for *_, top in boxes}) == 4, boxes


def test_ticks_of_several_cores_are_drawn_in_time():
    """Core cycles of several cores are not alike."""
    timed = {"figures": [[n, 10.0, 4, 4] for n in (1, 2, 4)], "visits": [4] * 3, "unit": "ticks"}
    line = draw_curves.Line(read_curve.Curve({**curve("x", [(1, 1)]), **timed}))
    assert line.y == [4] * 3 and line.band[0] == pytest.approx((2.4, 5.6))


def test_large_counts_are_short_and_a_figure_near_the_end_is_left_of_its_line():
    points = [[2 ** k, 2 + k // 14, 1] for k in range(2, 17)]
    svg, = (svg for _, svg in of_curves(limit("btb_8", 16384, figures=points), limit("btb_16", 64, figures=points)).values())
    assert {"4", "1K", "64K"} & {*texts(svg)} and not {"1024", "65536"} & {*texts(svg)}, texts(svg)
    assert "end" in re.search(r"<text([^>]*)>16384</text>", svg)[1]
    assert "end" not in re.search(r"<text([^>]*)>64</text>", svg)[1]


def test_curves_can_be_chosen_and_missing_ones_are_named():
    args = argparse.Namespace(kind=["curves"], suite="*", bench="latency*", core=None)
    pictures, absent = plot.drawn(taken([silicon(), *curves()]), args)
    assert [p.stem for p in pictures] == ["memory-latency-core0"]
    assert [a.why for a in absent] == ["memory/latency_2m: unsupported: the kernel gave no pages of 2 MiB"]


def grown(*records):
    """Returns {stem: (picture, SVG)} of the kind growth."""
    return {stem: (p, p.sheet().svg()) for stem, p in drawn([silicon(), *records])[0].items() if p.kind == "growth"}


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


def test_too_few_arguments_for_a_fit_are_stated_and_not_drawn():
    *rows, event = growing(arguments=(4, 16))
    for key in ("curve", "coefficient", "error"):
        del event[key]
    _, absent = drawn([silicon(), *rows, {**event, "fits": False}])
    (why,) = (a.why for a in absent if a.kind == "growth")
    assert why.startswith("args/linear: ") and "three arguments" in why, why


def test_arguments_at_the_axis_keep_apart():
    assert draw_growth._some(list(range(1, 21))) == [1, 2, 3, 5, 8, 12, 18]
    assert draw_growth._some([10, 20, 30]) == [10, 20, 30]


def test_a_curve_that_does_not_fit_is_dashed():
    (_, svg), = grown(*growing(fits=False)).values()
    assert "stroke-dasharray" in re.search(r'<g id="curve">.*?</g>', svg, re.S)[0]
