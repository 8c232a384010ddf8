"""Pictures of curves, limits and growths by `baretick plot`."""

import argparse
import re

import pytest

from draw import curves as draw_curves
from draw import growth as draw_growth
from draw import plot
from made_plot import drawn, shapes, taken, texts
from made_reports import counted, counting
from pictured import CACHES, KIB, curve, curves, forwarding, growing, latency, limit, silicon
from read import curve as read_curve


def of_curves(*records):
    """{stem: (picture, SVG)} of the kind curves."""
    return {stem: (p, p.sheet().svg()) for stem, p in drawn([silicon(caches=CACHES), *records])[0].items() if p.kind == "curves"}


def test_a_latency_names_its_levels_and_the_caches_of_cpuid():
    (picture, svg), = of_curves(latency()).values()
    assert picture.title.endswith(": 4 core cycles in L1, 14 in L2, 220 in memory")
    said = texts(svg)
    assert {"4", "14", "220", "L1 32K", "L2 1M", "latency_4k", "size of the working set"} <= set(said), said
    assert "L1 64K" not in said and "99% intervals" in picture.about
    left, right, _ = shapes(svg, "curve-0")[0]
    caches = [float(x) for x in re.findall(r'<text[^>]*x="([\d.]+)"[^>]*>L[12] ', svg)]
    assert [(x - left) / (right - left) for x in caches] == pytest.approx([3 / 11, 8 / 11], abs=0.01)


def test_curves_of_one_kind_are_one_picture_and_a_spoiled_one_has_the_reason():
    found = of_curves(*curves())
    assert set(found) == {"memory-latency-core0", "memory-read-core0", "memory-alias-core0", "memory-flush-core0"}
    picture, svg = found["memory-latency-core0"]
    assert {"latency_4k", "stride_64"} <= set(texts(svg))
    assert re.search("stride_64: not judged, .*shared core", picture.about)
    assert "read_16: 1 on a shared core, in white" in found["memory-read-core0"][0].about


def test_a_title_has_no_levels_of_strides_instead_of_those_of_random_loads():
    spoiled = {"judged": False, "spoiled": "a size takes less time than a smaller one"}
    (picture, svg), = of_curves(latency(**spoiled), latency("stride_1k", 0.5, levels=[
        {"value": 2.5, "from": 4 * KIB, "to": 8192 * KIB, "cache_level": 2, "cache_bytes": KIB * KIB}])).values()
    assert picture.title.endswith(", not judged: 4 core cycles in L1, 14 in L2, 220 in memory")
    assert "2.5" not in texts(svg)


def test_a_bandwidth_is_bytes_by_time():
    """64 bytes in half a ns: 128 GB/s; the interval of the time goes the other way."""
    picture, svg = of_curves(*curves())["memory-read-core0"]
    assert picture.title.endswith(": up to 256 GB/s, 12.8 at 8 MiB") and "GB/s" in texts(svg)
    line = draw_curves.Line(read_curve.Curve(curve("read_16", [(KIB, 1)], op_bytes=64)))
    assert line.y == [128] and line.band[0] == pytest.approx((128 / 1.2, 128 / 0.8))


def test_offsets_are_drawn_next_to_each_other():
    found = of_curves(*curves())
    assert {"\u22128", "\u22124", "0", "4", "8", "offset, bytes"} <= set(texts(found["memory-alias-core0"][1]))
    assert {"absent", "dirty L1", "flush_clwb"} <= set(texts(found["memory-flush-core0"][1]))


def test_a_map_of_store_forwarding_has_a_line_for_each_pair_of_sizes():
    (picture,) = (p for p in drawn([silicon(), *forwarding()])[0].values() if p.kind == "forward")
    assert picture.title.endswith(": 4.5 core cycles if forwarded, 18 if not")
    assert "loads of 4, 8 bytes" in picture.about and "not judged: most of it" in picture.about
    svg = picture.sheet().svg()
    assert {"store 4", "store 8", "offset of the load from the store, bytes"} <= set(texts(svg))
    boxes = [box for name in re.findall(r'id="(cells-\w+)"', svg) for box in shapes(svg, name)]
    assert len({round(top) for *_, top in boxes}) == 4, boxes


def test_several_cores_have_their_bandwidth_and_latency_in_time():
    """Core cycles of several cores are not alike, so the records have ticks."""
    timed = {"figures": [[n, 10.0, 4, 4] for n in (1, 2, 4)], "visits": [4] * 3}
    found = of_curves({**curve("cores_read", [(1, 1)], by="cores", unit="ticks", op_bytes=64), **timed},
                      {**curve("loaded_read", [(1, 1)], by="rate", unit="ticks"), **timed})
    picture, svg = found["memory-cores-core0"]
    assert picture.title.endswith(": up to 16 GB/s, 16 at 4 cores") and "2 cores" in texts(svg)
    assert found["memory-loaded-core0"][0].title.endswith(": 4 ns")
    line = draw_curves.Line(read_curve.Curve({**curve("x", [(1, 1)], unit="ticks"), **timed}))
    assert line.y == [4] * 3 and line.band[0] == pytest.approx((2.4, 5.6))


def test_each_type_of_core_has_its_picture():
    cores = [{"type": "core", "core": n, "core_type": kind} for n, kind in enumerate(("performance",) * 2 + ("efficiency",) * 2)]
    found = of_curves(*cores, *(latency(core=core) for core in range(4)))
    assert set(found) == {"memory-latency-core0", "memory-latency-core2"}
    assert "core 2 (efficiency)" in found["memory-latency-core2"][0].about


def test_a_limit_has_its_step_with_the_interval():
    (picture, svg), = of_curves(limit("rob", 224)).values()
    assert picture.title.endswith(": 224 fillers (222 to 228)") and "98% intervals" in picture.about
    assert {"224", "fillers", "rob"} <= set(texts(svg))


def test_large_counts_are_short_and_a_figure_near_the_end_is_left_of_its_line():
    points = [[2 ** k, 2 + k // 14, 1] for k in range(2, 17)]
    svg, = (svg for _, svg in of_curves(limit("btb_8", 16384, figures=points), limit("btb_16", 64, figures=points)).values())
    assert {"4", "1K", "64K"} & {*texts(svg)} and not {"1024", "65536"} & {*texts(svg)}, texts(svg)
    assert "end" in re.search(r"<text([^>]*)>16384</text>", svg)[1]
    assert "end" not in re.search(r"<text([^>]*)>64</text>", svg)[1]


def test_limits_of_one_kind_are_one_picture_with_each_figure():
    found = of_curves(limit("registers_int", 192), limit("registers_mask", 48), limit("width", 384, per=64, of="instructions in 64 cycles"))
    picture, svg = found["limits-registers-core0"]
    assert picture.title.endswith(": int 192, mask 48 fillers") and {"192", "48"} <= set(texts(svg))
    of_each, _ = of_curves(limit("scheduler_int", 192, of="LEAs"), limit("scheduler_load", 48, of="loads"))["limits-scheduler-core0"]
    assert of_each.title.endswith(": int 192 LEAs, load 48 loads")
    assert found["limits-width-core0"][0].title.endswith(": 6 instructions per cycle (5.97 to 6.06)")


def test_curves_can_be_chosen_and_missing_ones_are_named():
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


def test_a_growth_without_a_fit_or_with_a_failed_argument_is_marked():
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
