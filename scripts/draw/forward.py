"""Store forwarding as a map: a load after a store, by the sizes of both and by its offset."""
import math

from draw import ink
from draw.pictures import NoData, Picture, machine
from read import curve as read_curve

LINE_INCHES = 0.115  # of a pair of sizes
GAP = 0.6  # lines between two sizes of the store
MOST_TICKS = 12


def forward(report, found):
    """Returns the picture of a read.forward.Map. Raises NoData."""
    values = [c.value for c in found.cells if c.value is not None]
    if not values:
        raise NoData(f"{found.full_name}: {found.reason or 'no cell has a figure'}")
    run, low, high = report.one("run"), min(values), max(values)
    unit = read_curve.UNITS.get(found.unit, ink.plain(found.unit))
    places, at, store = {}, 0.0, None
    for pair in found.pairs:  # lines, from the top
        at += GAP if store not in (None, pair[0]) else 0
        places[pair], store = at, pair[0]
        at += 1

    def paint(sheet):
        axes = sheet.axes(left=1.35, right=1.0 if sheet.page else 1.6, bottom=0.8)
        colours = ink.colours(sheet, "cividis")
        # Of both ends: a store that is forwarded in no time differs from one in four cycles as one of 4 from one of 18.
        reach = (math.log(max(low, 0.25)), math.log(max(high, 0.5)))
        for level, boxes in _by_level(found, places, reach).items():
            ink.rectangles(axes, boxes, "#eeeeee" if level is None else colours[level], gid=f"cells-{level}")
        axes.set(xlim=(min(c.at for c in found.cells) - 0.5, max(c.at for c in found.cells) + 0.5), ylim=(at, 0),
                 xlabel="offset of the load from the store, bytes")
        stores = {}  # the size is written once, at the middle of its lines
        for (store, _), top in places.items():
            stores.setdefault(store, []).append(top)
        axes.set_yticks([(tops[0] + tops[-1] + 1) / 2 for tops in stores.values()], [f"store {store}" for store in stores])
        axes.tick_params(axis="y", length=0, labelcolor=ink.INK, labelsize=12)
        axes.xaxis.set_major_locator(sheet.library.ticker.MaxNLocator(MOST_TICKS, integer=True))
        axes.grid(axis="x", color=ink.FAINT, linewidth=0.5)
        bar = ink.key(sheet, axes, sheet.library.colors.LogNorm(*(math.exp(v) for v in reach)), colours, unit, 0.04)
        bar.yaxis.set_major_locator(sheet.library.ticker.LogLocator(subs=(1, 2, 5)))
        bar.yaxis.set_minor_locator(sheet.library.ticker.NullLocator())
        bar.yaxis.set_major_formatter(lambda v, _: f"{v:g}")

    title = f"Store forwarding: {_best(found, unit)}"
    sizes = sorted({load for _, load in found.pairs})  # from the top
    said = ", ".join(map(str, sizes)) if len(sizes) < 4 else f"{sizes[0]}, {sizes[1]} ... {sizes[-1]}"
    words = [machine(run, found.core), f"lines: loads of {said} bytes"] + found.remarks
    alt = f"{title}. " + " ".join(f"{said}." for said in found.found)
    taller = max(0.0, at * LINE_INCHES + 2.2 - ink.Sheet.TALK[1])
    return Picture("forward", f"forward-core{found.core}", title, " \N{MIDDLE DOT} ".join(words), alt, paint, taller)


def _best(found, unit):
    """Returns the time of a forwarded load and that of a load that waits, in words."""
    def reach(letters):
        values = [c.value for c in found.cells if c.how in letters and c.value is not None]
        ends = dict.fromkeys(f"{end:.3g}" for end in (min(values), max(values))) if values else ()
        return f"{' to '.join(ends)} {unit}" if ends else None

    forwarded, waits = reach("f"), reach("np")
    if forwarded and waits:
        return f"{forwarded} if forwarded, {waits.removesuffix(f' {unit}')} if not"
    return forwarded or waits or reach("c-")


def _by_level(found, places, reach):
    """Returns {step of the colours, or None: its rectangles}; adjacent rectangles of one step are merged."""
    boxes = {}
    for pair, cells in found.pairs.items():
        top, levels = places[pair], [None if c.value is None else ink.level(math.log(max(c.value, 0.01)), *reach) for c in cells]
        for level, first, last in ink.runs(levels):
            boxes.setdefault(level, []).append((cells[first].at - 0.5, top + 0.95, cells[last].at + 0.5, top))
    return boxes
