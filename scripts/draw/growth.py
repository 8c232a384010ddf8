"""The growth of a row's figure with its argument: the figures with their intervals, and the curve that fits them
best."""
import collections
import math

from draw import ink
from draw.pictures import NoData, Picture, UNITS, machine, spread
from read import figure, interval

# The curves of lib/stats/growth.h: the text after the coefficient, and the value.
CURVES = {
    "constant": ("", lambda n: 1.0), "log n": ("log\N{SUBSCRIPT TWO} n", math.log2), "n": ("n", float),
    "n log n": ("n log\N{SUBSCRIPT TWO} n", lambda n: n * math.log2(n)), "n^2": ("n\N{SUPERSCRIPT TWO}", lambda n: float(n) ** 2),
}
FITTED = {"fits", "coefficient", "error"}
STEPS = 200  # of the curve
LOG_FROM = 16  # times the smallest: from there on an axis is logarithmic
MOST_TICKS = 8
ABOVE = 1.5  # an interval longer than this share of the largest figure does not set the scale


# One argument. value, lo, hi: None if missing; failed: its row did not do its work.
Point = collections.namedtuple("Point", "row n failed value lo hi")


def of_series(report, event):
    """Returns [Point] of an event `growth`, ascending, of the first core that has its rows."""
    found = {}
    for row in report.of("row"):
        if row["suite"] == event["suite"] and "arg" in row and row["name"] == f"{event['name']}/{row['arg']}":
            per_op = row.get("per_op", {})
            value = per_op.get(event["unit"]) if row["status"] == "ok" else None
            ends = figure.ends(per_op) if event["unit"] == "cycles" else (None, None)
            found.setdefault(row["arg"], Point(row, row["arg"], row["status"] == "wrong", value, *ends))
    return [found[n] for n in sorted(found)]


def equation(event):
    """Returns `3.970 x log2 n`, or only the coefficient of a constant."""
    words = [ink.figures(event["coefficient"]), CURVES[event["curve"]][0]]
    return " \N{MULTIPLICATION SIGN} ".join(w for w in words if w)


def growth(report, event):
    """Returns the picture of an event `growth`. Raises NoData."""
    run, name = report.one("run"), f"{event['suite']}/{event['name']}"
    if event.get("curve") not in CURVES or event.get("unit") not in UNITS or not FITTED <= event.keys():
        raise NoData(f"{name}: a fit takes three arguments above 0 with a figure")
    unit = UNITS[event["unit"]]
    every = of_series(report, event)
    points = [p for p in every if p.value is not None and p.n >= 1]
    if not points:
        raise NoData(f"{name}: the rows of its arguments are not in the report")

    def paint(sheet):
        axes = sheet.axes(left=1.15, right=0.35, bottom=1.1)
        curve = _curve(event, points[0].n, points[-1].n)
        failed = [p.n for p in every if p.failed and p.n >= 1]
        _scale(sheet, axes, points, sorted([*failed, *(p.n for p in points)]), [y for _, y in curve])
        axes.plot(*zip(*curve), color=ink.RED, linewidth=2.5, linestyle="-" if event["fits"] else "--", gid="curve",
                  label=f"{event['curve']}: {equation(event)}", zorder=2)
        _points(axes, points)
        if failed:  # at the bottom, where no figure is
            axes.plot(failed, [0.03] * len(failed), "x", color=ink.RED, markersize=10, markeredgewidth=2.5,
                      transform=axes.get_xaxis_transform(), label="failed", clip_on=False)
        axes.set(xlabel="argument n", ylabel=f"{unit} an operation")
        axes.grid(axis="y")
        sheet.figure.legend(loc="lower center", ncol=3, frameon=False, fontsize=12.5, columnspacing=1.2, handlelength=1.3)

    said = f"fits no curve; the best ({event['curve']}) is" if not event["fits"] else \
        "does not grow:" if event["curve"] == "constant" else f"grows as {event['curve']}:"
    title = f"{name} {said} {equation(event)} {unit}"
    words = [machine(run), f"error of the curve {100 * event['error']:.1f} % of the mean"]
    if event.get("exclusive") is False:
        words.append("the core was SHARED")
    if failed := [str(p.n) for p in every if p.failed]:
        words.append(f"FAILED: n = {', '.join(failed)}")
    alt = f"{title}. " + " ".join(f"n = {p.n}: {ink.figures(p.value)}." for p in points)
    return Picture("growth", f"growth-{event['suite']}-{event['name']}", title, " \N{MIDDLE DOT} ".join(words), alt, paint)


def _is_wide(values):
    """Tests whether these values are better drawn on a logarithmic axis."""
    return min(values) > 0 and max(values) >= LOG_FROM * min(values)


def _curve(event, low, high):
    """Returns [(n, figure)]."""
    at, parts = CURVES[event["curve"]][1], [i / STEPS for i in range(STEPS + 1)]
    along = [low * (high / low) ** x if _is_wide([low, high]) else low + (high - low) * x for x in parts]
    return [(n, event["coefficient"] * at(n)) for n in along]


def _scale(sheet, axes, points, arguments, curve):
    """Makes the axes logarithmic if the arguments, or the figures, cover more than a decade."""
    ticker, figures = sheet.library.ticker, [p.value for p in points]
    if _is_wide(arguments):
        axes.set_xscale("log", base=2)
        axes.set_xlim(arguments[0] / 1.3, arguments[-1] * 1.3)
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    else:
        axes.set_xlim(*spread(arguments))
    axes.set_xticks(_some(arguments), [ink.count(n) for n in _some(arguments)])
    if _is_wide(arguments) and _is_wide(figures):
        ink.log_scale(sheet, axes, min(figures) / 2, max(figures + curve) * 2)
    else:
        top = max([*figures, *curve, 0.1])
        top = max([top] + [p.hi for p in points if p.hi is not None and p.hi <= ABOVE * top])
        axes.set_ylim(min(0, *figures), 1.06 * top)


def _some(arguments):
    """Returns the values that keep a distance from the previous one on the axis."""
    along = math.log if _is_wide(arguments) else float
    least, chosen = (along(arguments[-1]) - along(arguments[0])) / MOST_TICKS, []
    for n in arguments:
        if not chosen or along(n) - along(chosen[-1]) >= least * 0.999:
            chosen.append(n)
    return chosen


def _points(axes, points):
    ends = [[max(p.value - p.lo, 0), max(p.hi - p.value, 0)] if p.lo is not None else [0, 0] for p in points]
    has = any(any(pair) for pair in ends)
    dots, _, bars = axes.errorbar([p.n for p in points], [p.value for p in points], yerr=list(zip(*ends)) if has else None, fmt="o",
                  color=ink.BLUE, markersize=8, elinewidth=2, capsize=4, zorder=3,
                  label=f"figure, {interval.label([p.row for p in points])}" if has else "figure")
    dots.set_gid("figures")
    for bar in bars:
        bar.set_gid("intervals")
