"""Pictures of one row: the histogram of its windows, its modes and placements, its layout sweep."""
import math

from draw import ink
from draw.pictures import NoData, Picture, about, estimate, row_name, row_stem, spread, titled, whole_step
from read import figure, interval

MOST_BINS = 56
# Windows beyond the quantile are described in words if they would take most of the picture's width.
BODY, STRETCH = 0.98, 2.5
OTHER_METHOD = "method={} keeps neither histogram nor modes: method=doubled does"


def fail_unless_measured(row):
    """Raises NoData if there are no windows of the row at all."""
    if row["status"] != "ok":
        raise NoData(f"{row['status']}: {row.get('why', 'no reason given')}")
    if row.get("form") == "cores":
        raise NoData("a row of several cores is timed as a whole; --kind cores draws it")


# --- histogram -------------------------------------------------------------------------------------

class Windows:
    """The windows of a row's record: their lengths, and how many of each. per: ticks of a core cycle, to convert them
    to core cycles."""

    def __init__(self, run, row, per=None):
        hist = row.get("hist")
        if not hist:
            fail_unless_measured(row)
            raise NoData(OTHER_METHOD.format(row["method"]) if "method" in row else
                         "the report has no histogram (it was made with hist=off): hist=full keeps it")
        counted = run.get("execution") == "instructions"
        self.unit = "core cycles" if per else "instructions" if counted else "ticks of the TSC"
        per = per or (run.get("ticks_per_instruction", 1) if counted else 1)
        self.values = [(ticks / per, n) for ticks, n in hist]
        self.known = sum(n for _, n in hist)
        self.left_out = row.get("hist_rest", 0)
        self.n = self.known + self.left_out
        ticks = row.get("ticks", {})
        self.least, self.greatest = self.values[0][0], max(self.values[-1][0], ticks.get("max", 0) / per)
        self.median = ticks["median"] / per if "median" in ticks else None
        # The TSC may advance in steps; bins of another width would interfere with them.
        self.step = 1.0 if counted else max(1.0, float(run.get("tsc", {}).get("step_ticks", 1))) / per

    def body(self):
        """Returns the greatest length that is drawn."""
        seen, at = 0, self.values[-1][0]
        for value, n in self.values:
            seen += n
            if seen >= BODY * self.known:
                at = value
                break
        return self.greatest if self.greatest - self.least <= STRETCH * max(at - self.least, self.step) else at

    def binned(self, lo, hi, width):
        """Returns [share of all windows] of bins from lo on."""
        bins = [0] * (int(round((hi - lo) / width)) or 1)
        for value, n in self.values:
            i = int((value - lo) / width)
            if value <= hi and 0 <= i < len(bins):
                bins[i] += n
        return [100 * n / self.n for n in bins]


def _frame(several):
    """Returns (lo, hi, width of a bin) that show the bulk of all windows; bins are whole steps of the TSC."""
    step = max(w.step for w in several)
    lo, hi = min(w.least for w in several), max(w.body() for w in several)
    width = whole_step((hi - lo) / step / MOST_BINS) * step
    room = 4 if hi - lo < 8 * width else 1  # more around a few values, but none below zero
    lo -= step / 2  # a value is in the middle of its step
    lo -= min(room, max(0, int(lo / width))) * width
    hi += room * width
    return lo, lo + math.ceil((hi - lo) / width + 0.5) * width, width


def _beyond(w, hi):
    """Describes, in words, what is not drawn."""
    said = []
    longer = sum(n for value, n in w.values if value > hi)
    if longer:
        said.append(f"{ink.count(longer)} of {ink.count(w.n)} windows are longer, up to {ink.count(w.greatest)} "
                    "\N{RIGHTWARDS ARROW}")
    if w.left_out:
        said.append(f"{ink.count(w.left_out)} windows in rare bins are left out: hist=full keeps them")
    return said


def _ticks_per_cycle(run, row):
    """Returns the value while this row was measured, or None."""
    hz, core = run.get("clock_tsc_hz"), row.get("core_hz")
    return hz / core if hz and core else None


def _both(run, row, old):
    """Returns windows of both rows. The core's clock may have changed, so in core cycles if possible."""
    per, per_old = _ticks_per_cycle(run, row), _ticks_per_cycle(*old)
    if per is None or per_old is None:
        per = per_old = None
    try:
        return Windows(run, row, per), Windows(*old, per_old)
    except NoData:
        return Windows(run, row), None


def histogram(run, row, old=None):
    """Draws one row; old: (run, row) of the same row in an older report, which is drawn over it."""
    new, before = _both(run, row, old) if old else (Windows(run, row), None)
    lo, hi, width = _frame([w for w in (new, before) if w])
    ops = row.get("ops", 1)

    def paint(sheet):
        axes = sheet.axes(left=0.95, rows=(0, 0.97 - 0.055 * len(_beyond(new, hi))))
        edges = [lo + i * width for i in range(int(round((hi - lo) / width)) + 1)]
        shares = new.binned(lo, hi, width)
        ink.rectangles(axes, [(edge, 0, edge + 0.92 * width, share) for edge, share in zip(edges, shares) if share],
                       ink.BLUE, gid="windows", label="new")
        most = max(shares)
        if before:
            earlier = before.binned(lo, hi, width)
            most = max(most, *earlier)
            axes.stairs(earlier, edges, color=ink.RED, linewidth=2.2, gid="old", label="old")
            axes.legend(frameon=False, fontsize=13, loc="upper center", ncol=2)
        of = f" of {ink.count(ops)} operations" if ops > 1 else ""
        axes.set(xlim=(lo, hi), ylim=(0, most * 1.22), xlabel=f"one window{of}, {new.unit}", ylabel="windows, %")
        axes.xaxis.set_major_formatter(lambda v, _: ink.count(v))
        axes.xaxis.set_major_locator(sheet.library.ticker.MaxNLocator(6, integer=True))
        axes.grid(axis="y")
        if new.least == new.greatest and not before:
            said = f"all {ink.count(new.n)} windows alike: {ink.count(new.least)} {new.unit}"
            axes.text(new.least, most * 1.03, said, ha="center", va="bottom", size=14, weight="bold")
            return
        if new.median is not None and lo < new.median < hi and not before:
            axes.axvline(new.median, ymax=0.86, color=ink.INK, linewidth=1.6, linestyle=(0, (4, 3)))
            right = new.median > (lo + hi) / 2
            axes.text(new.median, most * 1.06, f" median {ink.count(new.median)} ", ha="right" if right else "left",
                      va="bottom", size=13)
        said = _beyond(new, hi)
        if said:
            axes.text(1, 1.02, "\n".join(said), transform=axes.transAxes, ha="right", va="bottom", size=12.5,
                      color=ink.INK, linespacing=1.35)

    title = titled(row)
    if estimate(row) is None and new.median is not None:
        title = f"{row_name(row)}: a window takes {ink.count(new.median)} {new.unit} (median)"
    if before and estimate(old[1]):
        title = f"{row_name(row)}: {estimate(old[1])} before, {estimate(row)} now"
    alt = (f"Histogram of {new.n} windows of {row_name(row)}, in {new.unit}: from {new.least:g}, "
           + (f"median {new.median:g}, " if new.median is not None else "") + f"to {new.greatest:g}.")
    said = about(run, row)
    if new.unit != "instructions" and "ticks_per_cycle" in run:
        said += f" \N{MIDDLE DOT} {run['ticks_per_cycle']:.4g} ticks a core cycle"
    return Picture("histogram", f"{row_stem(row)}-histogram", title, said, alt, paint)


# --- modes -----------------------------------------------------------------------------------------

KINDS = {"layout": ("by placement", ink.BLUE, "o"), "time": ("by time", ink.RED, "s"),
         "only": ("at all times", ink.BLUE, "o")}


def _stacked(values, apart):
    """Returns (value, level) of dots that would otherwise cover each other."""
    found, tops = [], []
    for v in sorted(values):
        level = next((i for i, at in enumerate(tops) if v - at >= apart), len(tops))
        if level == len(tops):
            tops.append(v)
        tops[level] = v
        found.append((v, level))
    return found


def modes(run, row):
    """Shows where the figure comes from: its modes, its placements and rounds, and the interval that they make."""
    found = row.get("modes", [])
    per_op, made = row.get("per_op", {}), row.get("interval", {})
    placed = figure.placements(row)
    rounds = [c for c in made.get("rounds_cycles", []) if c is not None]
    if not found and not placed and not rounds:
        fail_unless_measured(row)
        if run.get("execution") == "instructions":
            raise NoData("counted instructions have no modes: every placement counts the same")
        if "method" in row:
            raise NoData(OTHER_METHOD.format(row["method"]))
        raise NoData("core cycles are not known, or the row has nothing to subtract")
    value, lo, hi = per_op.get("cycles"), per_op.get("cycles_lo"), per_op.get("cycles_hi")
    points = placed + rounds + [m["cycles"] for m in found] + ([value] if value is not None else [])
    left, right = spread(points, 0.1)
    if None not in (lo, hi) and hi - lo < 2.5 * (right - left):  # a wider one would hide the rest: it gets arrows
        left, right = spread([*points, lo, hi], 0.06)
    if right - left < 0.02 * abs(right):  # noise of a thousandth must not fill the picture
        middle = (left + right) / 2
        left, right = middle - 0.01 * abs(right), middle + 0.01 * abs(right)

    def strip(sheet, axes):
        lines = []
        if placed:
            lines.append((f"{len(placed)} placements", placed, ink.BLUE))
        if rounds:
            lines.append((f"{len(rounds)} rounds", rounds, ink.GREEN))
        at = len(lines) + 1
        names, places = [], []
        for name, values, colour in lines:
            at -= 1
            stacked = _stacked(values, (right - left) / 70)
            base = at - 0.055 * min(6, max(level for _, level in stacked))
            axes.plot([v for v, _ in stacked], [base + min(level, 6) * 0.11 for _, level in stacked], "o",
                      color=colour, markersize=8, markeredgecolor="white", markeredgewidth=0.8, gid=name.split()[1])
            names.append(name)
            places.append(at)
        if value is not None and None not in (lo, hi):
            axes.plot([max(lo, left), min(hi, right)], [0, 0], color=ink.INK, linewidth=3, solid_capstyle="butt")
            for edge, limit, marker in ((lo, left, "<"), (hi, right, ">")):
                beyond = edge < left or edge > right
                axes.plot([limit if beyond else edge], [0], marker if beyond else "|", color=ink.INK, markersize=11,
                          markeredgewidth=2.5, clip_on=False)
            axes.plot([value], [0], "D", color=ink.INK, markersize=10)
            names.append(", ".join(filter(None, ("figure", interval.heading_of([row], "")))))
            places.append(0)
        axes.set_yticks(places, names)
        axes.tick_params(axis="y", length=0, labelcolor=ink.INK)
        axes.set(ylim=(-0.5, len(lines) + 0.75), xlim=(left, right), xlabel="core cycles an operation")
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_locator(sheet.library.ticker.MaxNLocator(7))

    def stems(sheet, axes):
        taken, kinds = [], {}  # (from, to, height) of the labels
        letter = 0.108 / (sheet.width - 2.0) * (right - left)
        heads = {m["cycles"]: (m["cycles"] - letter, m["cycles"] + letter, 100 * m["share"]) for m in found}
        for m in sorted(found, key=lambda m: -m["share"]):
            said, colour, marker = KINDS.get(m.get("kind"), KINDS["only"])
            kinds[said] = colour, marker
            share = 100 * m["share"]
            axes.plot([m["cycles"]] * 2, [0, share], color=colour, linewidth=4, solid_capstyle="butt")
            axes.plot([m["cycles"]], [share], marker, color=colour, markersize=11)
            label = f"{ink.figures(m['cycles'])}, {m['share']:.0%}"
            # To the right of the stem, or to the left if it would leave the picture; higher if another label is there.
            turn = m["cycles"] + (len(label) + 3) * letter > right
            ends = sorted((m["cycles"], m["cycles"] + (-1 if turn else 1) * (len(label) + 2) * letter))
            height = share
            while any(abs(height - y) < 20 and ends[0] < stop and start < ends[1] for start, stop, y in
                      (*taken, *(h for at, h in heads.items() if at != m["cycles"]))):
                height += 2
            taken.append((*ends, height))
            axes.annotate(label, (m["cycles"], height), xytext=(-11 if turn else 11, 0), textcoords="offset points",
                          ha="right" if turn else "left", va="center", size=13, color=ink.INK)
        axes.set(ylim=(0, max(118, *(y + 12 for *_, y in taken))), xlim=(left, right), ylabel="blocks, %", yticks=[0, 50, 100])
        for said, (colour, marker) in sorted(kinds.items()):
            axes.plot([], [], marker, color=colour, markersize=9, label=said)
        axes.legend(frameon=False, fontsize=13, loc="lower right", ncol=2, bbox_to_anchor=(1.01, 0.92),
                    handletextpad=0.1, columnspacing=1)
        axes.tick_params(axis="x", labelbottom=False, length=0)
        axes.grid(axis="y")

    def paint(sheet):
        several = len(found) > 1
        if several:
            stems(sheet, sheet.axes(left=1.75, rows=(0.50, 0.95)))
        strip(sheet, sheet.axes(left=1.75, rows=(0.0, 0.44 if several else 0.95)))

    if len(found) > 1:
        shares = ", ".join(f"{ink.figures(m['cycles'])} ({m['share']:.0%})" for m in found[:4])
        title = f"{row_name(row)} has {len(found)} modes: {shares}{' ...' if len(found) > 4 else ''} core cycles"
    else:
        title = titled(row)
    said = about(run, row)
    if len(found) > 1 and estimate(row):
        said = f"median over placements {estimate(row)} · {said}"
    alt = f"{title}. {len(placed)} placements" + (f" from {min(placed):g} to {max(placed):g}" if placed else "") + \
        f", {len(rounds)} rounds."
    return Picture("modes", f"{row_stem(row)}-modes", title, said, alt, paint)


# --- layout sweep ----------------------------------------------------------------------------------

def sweep(run, row):
    """Draws the cost at each offset of code, stack and data."""
    found = row.get("sweep")
    if not found:
        fail_unless_measured(row)
        raise NoData("the layout was not swept: layout=sweep does")
    parts = [(name, found[name]) for name in ("code", "stack", "data") if "min" in found.get(name, {})]
    unit = "instructions" if run.get("execution") == "instructions" else "core cycles"
    values = [c for _, p in parts for c in p["cycles"] if c is not None]
    if not values:
        raise NoData("no offset of the sweep has a figure")
    moved, most = max(((name, p["max"] - p["min"]) for name, p in parts), key=lambda x: x[1])
    lo, hi = spread(values, 0.17)
    if hi - lo < 0.1 * abs(hi):
        middle = (lo + hi) / 2
        lo, hi = middle - 0.05 * abs(hi), middle + 0.05 * abs(hi)

    def paint(sheet):
        apart = 0.045
        each = (1 - apart * (len(parts) - 1)) / len(parts)
        for i, (name, p) in enumerate(parts):
            axes = sheet.axes(left=1.0, span=(i * (each + apart), i * (each + apart) + each), rows=(0, 0.91))
            at = [k * p["step_bytes"] for k in range(len(p["cycles"]))]
            known = [(x, c) for x, c in zip(at, p["cycles"]) if c is not None]
            strong = name == moved and most > 0
            axes.plot([x for x, _ in known], [c for _, c in known], "o", color=ink.BLUE if strong else ink.GREY,
                      markersize=5.5, gid=f"sweep-{name}")
            axes.set(xlim=(-0.04 * at[-1], 1.04 * at[-1]), ylim=(lo, hi), xticks=[at[0], at[-1]])
            axes.grid(axis="y")
            axes.set_title(name if sheet.page else f"offset of {name}", size=14, color=ink.INK,
                           weight="bold" if strong else "normal", pad=8)
            axes.set_xlabel("bytes", labelpad=-10)
            if i:
                axes.tick_params(axis="y", labelleft=False, length=0)
                axes.spines["left"].set_visible(False)
            else:
                axes.set_ylabel(f"{unit} an operation")
            if strong:
                for offset, value, up in ((p["worst"], p["max"], True), (p["best"], p["min"], False)):
                    side = "left" if offset < 0.3 * at[-1] else "right" if offset > 0.7 * at[-1] else "center"
                    axes.plot([offset], [value], "o", markersize=11, markerfacecolor="none", color=ink.RED,
                              markeredgewidth=2)
                    axes.annotate(f"{ink.figures(value)} at {offset}", (offset, value),
                                  xytext=(0, 12 if up else -12), textcoords="offset points",
                                  ha=side, va="bottom" if up else "top", size=13)

    wide = dict(parts)[moved]
    if most > 0:
        title = (f"{row_name(row)}: {ink.figures(wide['min'])} to {ink.figures(wide['max'])} {unit}, "
                 f"by where its {moved} lies")
    else:
        title = f"{row_name(row)}: {ink.figures(values[0])} {unit} wherever code, stack and data lie"
    said = about(run, row)
    if estimate(row):
        said = f"over all offsets {estimate(row)} · {said}"
    alt = title + ". " + " ".join(f"{name}: {p['min']:g} to {p['max']:g}, best at {p['best']}, worst at {p['worst']} "
                                  "bytes." for name, p in parts)
    return Picture("sweep", f"{row_stem(row)}-sweep", title, said, alt, paint)
