"""Curves in pictures: latency and bandwidth by size, accesses by offset, the limits of a core with their steps."""
import math

from draw import ink
from draw.pictures import NoData, Picture, machine
from read import curve as read_curve
from read import interval

# The contents of the curves of a name, for the title; in the order of a page.
WHAT = {
    "latency": "Latency of a load", "read": "Reading", "write": "Writing", "copy": "Copying",
    "tlb": "Latency of a load from another page", "jumps": "A jump to another page", "split": "Accesses across the end of a line or page",
    "flush": "Flushing a line", "cores": "Bandwidth of several cores",
    "node": "Memory of each node",
    "loaded": "Latency while other cores use the memory", "alias": "A load after a store about a page away",
    "width": "Width of the core", "rob": "Reorder buffer", "registers": "Registers for results",
    "loads": "Load buffer", "stores": "Store buffer", "scheduler": "Schedulers", "btb": "Branch targets",
    "history": "Branch history", "targets": "Targets of an indirect jump", "returns": "Return stack",
    "code": "Loop buffer, micro-op cache or L1 cache",
}
X_LABELS = {"size": "size of the working set", "offset": "offset, bytes", "state": "",
            "cores": "", "node": "", "rate": "traffic of the other cores, MB/s"}
A_FEW = ("offset", "state", "cores", "node")  # whose points stand side by side, each with its name
TURNS = {"offset": 60, "state": 20, "cores": 0, "node": 0}  # degrees of these names
NEAR_THE_END = 0.8  # of a picture: the names of the curves follow
LOG_FROM = 8  # times the least value: from there on the axis is logarithmic
LOG_COUNTS_FROM = 64  # the same of counts
MOST_SIZES = 9  # labels of an axis of sizes
MARKERS = "osD^vPX*"
GB = "GB/s"


def _is_wide(values, times=LOG_FROM):
    return min(values) > 0 and max(values) > times * min(values)


class Line:
    """A curve as it is drawn: in GB/s if it moves bytes and the time is known, in ns where there are no core cycles."""

    def __init__(self, curve):
        self.curve, self.label = curve, curve.name
        self.in_gb = curve.moves and any(p.gb is not None for p in curve.points)
        self.in_ns = curve.unit == "ticks" and not self.in_gb and any(p.ns is not None for p in curve.points)
        self.unit = GB if self.in_gb else "ns" if self.in_ns else read_curve.UNITS.get(curve.unit, ink.plain(curve.unit))
        values = [(p, p.gb if self.in_gb else p.ns if self.in_ns else p.value) for p in curve.points]
        self.points, self.y = ([of[i] for of in values if of[1] is not None] for i in (0, 1))
        self.x = [p.at for p in self.points]

    @property
    def band(self):
        """Returns [(low, high)], the intervals of the points that are judged. A bandwidth falls if the time rises."""
        found = []
        for p, value in zip(self.points, self.y):
            lo, hi = p.lo, p.hi
            if p.shared or None in (lo, hi) or not lo > 0 or not p.value:
                found.append((value, value))
            else:
                found.append((value * p.value / hi, value * p.value / lo) if self.in_gb else
                             (value * lo / p.value, value * hi / p.value))
        return found


def groups(report, chosen=lambda record: True):
    """Returns [[Curve] of one picture]. Each type of cores has a picture, with the curves of its first core. chosen:
    tests whether a record is selected."""
    every = [c for c in read_curve.curves(report) if chosen(c.record)]
    kept = set(read_curve.one_of_each_type(report, {c.core for c in every}))
    found = {}
    for c in every:
        if c.core in kept:
            kind = ("" if isinstance(c, read_curve.Limit) else c.by, c.moves, c.unit, c.family) if c.points else (c.name,)
            found.setdefault((c.suite, c.core, *kind), []).append(c)
    order = list(WHAT)
    return sorted(found.values(), key=lambda group: (order.index(group[0].family) if group[0].family in order else len(order)))


def curves(report, group):
    """Returns the picture of curves that are shown together. Raises NoData."""
    first = group[0]
    if not first.points:
        raise NoData(f"{first.full_name}: {first.reason}")
    lines = [line for line in map(Line, group) if line.points]
    if not lines:
        raise NoData(f"{first.full_name}: no point has a figure")
    run, kind = report.one("run"), read_curve.types(report).get(first.core)
    # The line whose levels the title has. A stride's are not those of the caches: prefetchers fetch ahead.
    own = [line for line in lines if line.curve.name.partition("_")[0] == line.curve.family] or lines
    main = max(own, key=lambda line: (line.curve.judged, sum("cache_level" in x for x in line.curve.levels)))
    title = _title(main, lines, run)
    words = [machine(run, first.core) + (f" ({kind})" if kind else "")]
    if levels := {percent for line in lines for percent in line.curve.percents}:
        words.append(f"shaded: {interval.heading(levels, '')} intervals")
    words += _remarks(group)
    alt = f"{title}. " + " ".join(f"{line.label}: {_ends(line)}." for line in lines)

    def paint(sheet):
        _paint(sheet, lines, main, run)

    return Picture("curves", f"{first.suite}-{first.family}-core{first.core}", title, " \N{MIDDLE DOT} ".join(words), alt, paint)


# --- words -----------------------------------------------------------------------------------------

def short(value):
    """Returns a number with three digits, enough for a title."""
    return f"{value:.3g}" if abs(value) < 1000 else ink.count(value)


def _remarks(group):
    """Returns the remarks about these curves: `latency_4k, stride_64: ends early`."""
    found = {}
    for c in group:
        for said in _brief(c):
            found.setdefault(said, []).append(c.name)
    return [f"{', '.join(names)}: {said}" for said, names in found.items()]


def _brief(curve):
    """Returns the remarks about a curve as a line of text."""
    if curve.judged and (shared := sum(p.shared for p in curve.points)):
        yield f"{shared} on a shared core, in white"
    if not curve.judged:
        yield f"not judged, {curve.record.get('spoiled', 'no reason given')}"
    if curve.by not in ("cores", "rate", "node") and (curve.record.get("less_memory") or curve.record.get("less_time")):
        yield "ends early"


def _ends(line):
    first, last, c = line.points[0], line.points[-1], line.curve
    values = line.y
    return (f"{short(values[0])} {line.unit} at {c.place(first.at)}" if len(values) == 1 else
            f"{short(values[0])} at {c.place(first.at)} to {short(values[-1])} {line.unit} at {c.place(last.at)}")


def caches(run):
    """Returns [(level, bytes)] of the caches for data that CPUID reports."""
    return sorted((c["level"], c["size_bytes"]) for c in run.get("caches", []) if c["type"] in ("data", "unified"))


def level_name(curve, level, run):
    """Returns where a level ends: `in L2`, `in memory`, or `up to` a size."""
    if "cache_level" in level:
        return f"in L{level['cache_level']}" if not curve.is_of_pages else f"within the L{level['cache_level']} TLB"
    if not curve.is_of_pages and not level.get("beyond") and level["to"] > max((size for _, size in caches(run)), default=math.inf):
        return "in memory"
    return f"up to {read_curve.size(level['to'])}"


def _title(main, lines, run):
    curve = main.curve
    what = WHAT.get(curve.family, curve.full_name)
    if curve.by == "size" and curve.levels and not main.in_gb and not main.in_ns:
        said = [f"{short(level['value'])}{'' if n else f' {main.unit}'} {level_name(curve, level, run)}"
                for n, level in enumerate(curve.levels)]
        return f"{what}{'' if curve.judged else ', not judged'}: {', '.join(said)}"
    if main.in_gb:
        points = [p for line in lines for p in line.points]
        sure = [p.gb for p in points if not p.shared and None not in (p.lo, p.hi)]
        largest = max(p.at for p in points)
        last = max(p.gb for p in points if p.at == largest)
        return f"{what}: up to {short(max(sure or [p.gb for p in points]))} {GB}, {short(last)} at {curve.place(largest)}"
    limits = [line.curve for line in lines if line.curve.steps]
    if len(limits) == 1:
        return f"{what}: {limits[0].limit(limits[0].steps[0])}"
    if limits:
        units = [c.counted for c in limits]
        parts = [c.name.removeprefix(f"{c.family}_") for c in limits]  # `int` of `registers_int`
        said = [f"{c.name if part.isdigit() else part} {c.count(c.steps[0]['at'])}" + (f" {unit}" if len(set(units)) > 1 else "")
                for c, part, unit in zip(limits, parts, units)]
        return f"{what}: {', '.join(said)}" + (f" {units[0]}" if len(set(units)) == 1 else "")
    values = [y for line in lines for y in line.y]
    least, most = short(min(values)), short(max(values))
    return f"{what}: {least if least == most else f'{least} to {most}'} {main.unit}"


# --- painting --------------------------------------------------------------------------------------

def _size_ticks(low, high):
    """Returns powers of two as labels of an axis, and not too many."""
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    step = max(1, math.ceil((last - first + 1) / MOST_SIZES))
    return [2 ** k for k in range(first, last + 1, step)]


def _tick(size):
    """Returns `32K` or `1M` for a power of two."""
    for name, factor in (("G", 2 ** 30), ("M", 2 ** 20), ("K", 2 ** 10)):
        if size >= factor:
            return f"{size // factor}{name}"
    return str(size)


def _scale_x(sheet, axes, lines):
    x = sorted({at for line in lines for at in line.x})
    by = lines[0].curve.by
    counted = by if all(line.curve.by == by for line in lines) else "instructions"
    axes.set_xlabel(X_LABELS.get(by, ink.plain(counted)))
    if by in A_FEW:
        return {at: i for i, at in enumerate(x)}
    if by == "size" or _is_wide(x, LOG_COUNTS_FROM):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(sheet.library.ticker.NullLocator())
        axes.set_xlim(x[0] / 1.15, x[-1] * 1.15)
        ticks = _size_ticks(x[0], x[-1])
        axes.set_xticks(ticks, [_tick(t) for t in ticks])
    return {at: at for at in x}


def _scale_y(sheet, axes, values, tops):
    if _is_wide(values):
        ink.log_scale(sheet, axes, min(values) / 1.4, max(values) * 1.6)
    else:
        top = max(values + [t for t in tops if t < 1.5 * max(values)] + [0.1])
        axes.set_ylim(min(0, *values), 1.15 * top)


def _mark_caches(axes, run):
    """Marks above the picture the sizes at which CPUID says that a cache is full."""
    left, right = axes.get_xlim()
    for level, size in caches(run):
        if left < size < right:
            axes.axvline(size, color=ink.SOFT, linewidth=1, linestyle=":")
            axes.annotate(f"L{level} {_tick(size)}", (size, 1), xycoords=axes.get_xaxis_transform(), xytext=(0, 3),
                          textcoords="offset points", ha="center", va="bottom", size=12, color=ink.SOFT)


def _mark_levels(axes, line):
    for level in line.curve.levels:
        value = level["value"]
        axes.plot([level["from"], level["to"]], [value, value], color=ink.INK, linewidth=1.5, zorder=4)
        middle = math.sqrt(level["from"] * level["to"])
        axes.annotate(short(value), (middle, value), xytext=(0, 5), textcoords="offset points", ha="center",
                      va="bottom", size=13, weight="bold", color=ink.INK, zorder=5)


def _mark_steps(axes, line, colour, above):
    """Draws a line at each limit, as wide as its interval. above: the number of limits of other curves; the figure of each
    is in a separate line, since those of neighbours would cover each other."""
    for number, step in enumerate(line.curve.steps, above):
        axes.axvspan(step["from"], step["to"], color=colour, alpha=0.15, linewidth=0)
        axes.axvline(step["at"], color=colour, linewidth=1.5, linestyle="--")
        place = axes.transData.transform((step["at"], axes.get_ylim()[1]))
        left = axes.transAxes.inverted().transform(place)[0] > NEAR_THE_END  # 0 is the left end of the picture, 1 the right one
        axes.annotate(line.curve.count(step["at"]), (step["at"], 1), xycoords=axes.get_xaxis_transform(),
                      xytext=(-3 if left else 3, -2 - 15 * number), textcoords="offset points", ha="right" if left else "left",
                      va="top", size=13, weight="bold", color=colour)


def _paint(sheet, lines, main, run):
    longest = max(len(line.label) for line in lines)
    axes = sheet.axes(left=1.05, right=min(0.35 + 0.115 * min(longest, 24), 0.35 * sheet.width), rows=(0, 0.94),
                      bottom=1.25 if main.curve.by == "state" else 0.85)
    at = _scale_x(sheet, axes, lines)
    bands = {line.label: line.band for line in lines}
    _scale_y(sheet, axes, [y for line in lines for y in line.y], [hi for band in bands.values() for _, hi in band])
    low, high = axes.get_ylim()
    if main.curve.by == "size" and not main.curve.is_of_pages:
        _mark_caches(axes, run)
    coloured = []
    for number, line in enumerate(lines):
        colour = ink.SERIES[number % len(ink.SERIES)]
        coloured.append((line, colour))
        x = [at[v] for v in line.x]
        axes.plot(x, line.y, color=colour, linewidth=2.5, gid=f"curve-{number}", zorder=3,
                  marker=MARKERS[number % len(MARKERS)], markersize=8 if main.curve.by in A_FEW else 4)
        shared = [(at[p.at], y) for p, y in zip(line.points, line.y) if p.shared]
        if shared:
            axes.plot(*zip(*shared), "o", color=colour, markerfacecolor="white", markersize=8, zorder=4)
        lows, highs = zip(*((max(lo, low), min(hi, high)) for lo, hi in bands[line.label]))
        axes.fill_between(x, lows, highs, color=colour, alpha=0.2, linewidth=0)
        _mark_steps(axes, line, colour, sum(len(before.curve.steps) for before in lines[:number]))
    if not main.in_gb and not main.in_ns and main.curve.by == "size":
        _mark_levels(axes, main)
    if main.curve.by in A_FEW:
        names = [ink.plain(main.curve.place(v), 24).replace("-", "\N{MINUS SIGN}" if main.curve.by == "offset" else "-") for v in at]
        axes.set_xticks(list(at.values()), names, rotation=TURNS[main.curve.by], size=12,
                        ha="right" if main.curve.by == "state" else "center")
    axes.set_ylabel(main.unit if main.in_gb else f"{main.unit} an operation")
    axes.grid(axis="y")
    ink.names_at_ends(axes, [(line.y[-1], ink.plain(line.label, 24), colour, "normal") for line, colour in coloured],
                      max(at.values()), 0.075)
