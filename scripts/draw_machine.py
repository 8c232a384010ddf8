"""Pictures of the machine: what the recipes hide, how far its cores are from each other, what held it up."""
import math

import ink
from pictures import NoData, Picture, duration, machine, ns

MOST_NUMBERED = 12  # cores, up to which each cell of a heat map has its figure in it
NOT_JUDGED = "NOT JUDGED: cores of an emulator take turns"
CORES_HINT = "suite=cores with cores=all measures pairs of cores, and contests of them"


# --- linearity -------------------------------------------------------------------------------------

def linearity(report):
    """What each recipe hides of chains of adds, in one picture: a recipe that is right is a flat line."""
    run = report.one("run")
    counted = run.get("execution") == "instructions"
    key = "error_instructions" if counted else "error_cycles"
    unit = "instructions" if counted else "core cycles"
    found = [r for r in report.of("linearity") if any(key in p for p in r.get("points", []))]
    if not found:
        raise NoData("the report has no record `linearity` with figures" if not report.of("linearity") else
                     "core cycles are not known here, so what a recipe hides is not known either")
    used = run.get("recipe")
    chains = sorted({p["adds"] for r in found for p in r["points"]})
    lines = {}
    for r in found:  # recipes that are exactly alike are one line
        line = tuple((chains.index(p["adds"]), p[key]) for p in r["points"] if key in p)
        lines.setdefault(line, []).append(r)
    low, high = min(y for line in lines for _, y in line), max(y for line in lines for _, y in line)
    room = max(high - low, 1)
    mine = next((r for r in found if r["recipe"] == used), None)

    def paint(sheet):
        axes = sheet.axes(left=1.0, right=1.45)
        axes.axhline(0, color=ink.SOFT, linewidth=1)
        labels = []
        colours = iter(ink.SERIES[1:])
        for line, recipes in sorted(lines.items(), key=lambda x: mine in x[1]):
            strong = mine in recipes
            colour = ink.BLUE if strong else next(colours, ink.GREY)
            axes.plot([x for x, _ in line], [y for _, y in line], marker="o", color=colour,
                      markersize=8 if strong else 5, linewidth=3.5 if strong else 1.8, zorder=3 if strong else 2)
            names = ", ".join(r["recipe"] for r in recipes)
            if len(recipes) > 3:
                names = f"{used if strong else recipes[0]['recipe']}\nand {len(recipes) - 1} more"
            labels.append((line[-1][1], names, colour, "bold" if strong else "normal"))
        axes.set_xticks(range(len(chains)), [str(n) for n in chains], size=10.5 if sheet.page else None)
        axes.set_xlim(-0.3, len(chains) - 0.75)
        axes.set_ylim(min(low - 0.08 * room, -1), max(high + 0.08 * room, 1))
        axes.set_xlabel("dependent adds in the window")
        axes.set_ylabel(f"missing (\N{MINUS SIGN}) or extra, {unit}")
        axes.yaxis.set_major_locator(sheet.library.ticker.MaxNLocator(6, integer=True))
        axes.grid(axis="y")
        ink.direct_labels(axes, labels, len(chains) - 1, 0.075 * (axes.get_ylim()[1] - axes.get_ylim()[0]))

    if counted:
        worst = max(abs(y) for line in lines for _, y in line)
        title = "Every recipe counts chains of adds exactly" if worst == 0 else \
            f"Chains of adds are counted within {worst:g} instructions"
    elif mine is None:
        title = "What each recipe hides of a chain of adds"
    else:
        worst = mine.get("bend_cycles", max(abs(p[key]) for p in mine["points"]))
        bent = sum(r.get("straight") is False for r in found if r is not mine)
        if mine.get("straight", True):
            title = f"Recipe {used}: chains of adds lie within {worst:.2f} core cycles of a line"
            if bent:
                title += f"; {bent} other recipe{'s bend' if bent > 1 else ' bends'}"
        else:
            title = f"Recipe {used} bends by {worst:.2f} core cycles"
    alt = title + ". " + " ".join(f"{r['recipe']}: {r['points'][-1][key]:g} {unit} at {r['points'][-1]['adds']} adds."
                                  for r in found if key in r["points"][-1])
    return Picture("linearity", "linearity", title, machine(run), alt, paint)


# --- cores -----------------------------------------------------------------------------------------

MATRICES = {  # name: what a pair's figure is, and whether its sign tells who is ahead
    "pingpong": ("a cache line's way", False),
    "tsc_skew": ("the line's TSC less the column's", True),
}


def _unit_of(run, pairs):
    """(ns or ticks, the factor)."""
    factor = ns(1, run)
    return ("ns", factor) if factor else ("ticks of the TSC", 1)


def heat_map(report, matrix):
    """Every pair of cores: the median, in ns where the clock is known."""
    run, pairs = report.one("run"), matrix.get("pairs", [])
    if not pairs:
        raise NoData(f"{matrix['suite']}/{matrix['name']} has no pair: it takes two cores (cores=all)")
    unit, factor = _unit_of(run, pairs)
    what, signed = MATRICES.get(matrix["name"], (matrix["name"], False))
    cores = sorted({c for p in pairs for c in p[:2]})
    n = len(cores)
    cells = [[None] * n for _ in cores]
    for a, b, _, median, _ in pairs:
        i, j = cores.index(a), cores.index(b)
        cells[i][j] = median * factor
        cells[j][i] = -median * factor if signed else median * factor
    known = [c for line in cells for c in line if c is not None]
    low, high = min(known), max(known)
    if signed:
        high = max(abs(low), abs(high)) or 1
        low = -high

    def paint(sheet):
        axes = sheet.axes(left=0.95, right=1.9, bottom=0.3, rows=(0, 0.9))
        colours = sheet.library.colormaps["PuOr" if signed else "cividis"].copy()
        colours.set_bad("#eeeeee")
        grid = [[float("nan") if c is None else c for c in line] for line in cells]
        if low == high:
            bounds = {"vmin": low - abs(low) * 0.5 - 1e-9, "vmax": high + abs(high) * 0.5 + 1e-9}
        else:
            bounds = {"vmin": low, "vmax": high}
        image = axes.pcolormesh(grid, cmap=colours, edgecolors="white", linewidth=1.5 if n <= 32 else 0.2,
                                gid="pairs", **bounds)
        axes.set_aspect("equal")
        axes.invert_yaxis()
        step = max(1, n // 12)
        marks = range(0, n, step)
        axes.set_xticks([i + 0.5 for i in marks], [str(cores[i]) for i in marks])
        axes.set_yticks([i + 0.5 for i in marks], [str(cores[i]) for i in marks])
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.set_xlabel("core", labelpad=6)
        axes.set_ylabel("core")
        axes.tick_params(length=0, labelcolor=ink.INK)
        for spine in axes.spines.values():
            spine.set_visible(False)
        if n <= MOST_NUMBERED:
            for i, line in enumerate(cells):
                for j, c in enumerate(line):
                    if c is None:
                        continue
                    r, g, b, _ = image.cmap(image.norm(c))
                    dark = 0.299 * r + 0.587 * g + 0.114 * b < 0.55
                    axes.text(j + 0.5, i + 0.5, f"{c:.0f}".replace("-", "\N{MINUS SIGN}"), ha="center", va="center",
                              size=max(9, min(20, 52 / n + 7)), color="white" if dark else "black")
        if low != high:
            bar = sheet.figure.colorbar(image, ax=axes, fraction=0.05, pad=0.06)
            bar.set_label(unit)
            bar.outline.set_visible(False)
            bar.ax.tick_params(length=0)

    medians = sorted(abs(p[3]) * factor for p in pairs)
    name = f"{matrix['suite']}/{matrix['name']}"
    if signed:
        title = f"{name}: TSCs at most {medians[-1]:.0f} {unit} apart"
    elif len(medians) == 1:
        title = f"{name}: {medians[0]:.0f} {unit} from core {pairs[0][0]} to core {pairs[0][1]}"
    elif medians[0] == medians[-1]:
        title = f"{name}: {medians[0]:.0f} {unit} between any two cores"
    else:
        title = f"{name}: {medians[0]:.0f} to {medians[-1]:.0f} {unit} between two cores"
    said = [machine(run), f"{what}, median" + (f" of each of {len(pairs)} pairs" if len(pairs) > 1 else "")]
    if matrix.get("sampled"):
        said.append(f"a sample of {matrix['pairs_all']} pairs")
    if matrix.get("judged") is False:
        said.insert(0, NOT_JUDGED)
    alt = f"Heat map of {len(pairs)} pairs of {n} cores. {title}."
    return Picture("cores", name, title, " · ".join(said), alt, paint, taller=0.6)


def contests(report):
    """Rows of the suite cores that go over 1, 2, 4 ... cores, in one picture."""
    run = report.one("run")
    rows = [r for r in report.of("row") if len(r.get("by_cores", [])) > 1 and r["status"] == "ok"]
    if not rows:
        raise NoData(f"the report has no contest of cores: {CORES_HINT}")
    unit, factor = _unit_of(run, rows)
    lines = [(r, [(c["cores"], c["ticks"] * factor, c["least_ticks"] * factor, c["greatest_ticks"] * factor)
                  for c in r["by_cores"]]) for r in rows]
    steps = sorted({c for _, line in lines for c, *_ in line})
    worst = max(lines, key=lambda x: x[1][-1][1] / x[1][0][1] if x[1][0][1] else 0)

    def paint(sheet):
        axes = sheet.axes(left=1.05, right=1.75)
        labels, places = [], []
        for (r, line), colour, marker in zip(lines, ink.SERIES, "osD^vPX*"):
            x = [steps.index(c) for c, *_ in line]
            axes.plot(x, [t for _, t, _, _ in line], marker=marker, color=colour, markersize=8, linewidth=2.5)
            axes.fill_between(x, [lo for _, _, lo, _ in line], [hi for *_, hi in line], color=colour, alpha=0.15,
                              linewidth=0)
            labels.append((line[-1][1], r["name"], colour, "normal"))
            places += [v for _, *values in line for v in values]
        scale = math.log10 if max(places) > 5 * min(places) > 0 else float
        if scale is float:
            axes.set_ylim(0, max(places) * 1.15)
        else:
            axes.set_yscale("log")
            axes.set_ylim(min(places) / 1.3, max(places) * 1.3)
            axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}")
            axes.yaxis.set_minor_formatter(sheet.library.ticker.NullFormatter())
        axes.set_xticks(range(len(steps)), [str(c) for c in steps])
        axes.set_xlim(-0.15, len(steps) - 0.95)
        axes.set_xlabel("cores at it together")
        axes.set_ylabel(f"{unit} an operation")
        axes.grid(axis="y")
        # On a log axis the labels are moved apart in its own measure.
        bottom, top = (scale(v) for v in axes.get_ylim())
        beside = axes.twinx()
        beside.set_ylim(bottom, top)
        beside.set_axis_off()
        ink.direct_labels(beside, [(scale(y), *rest) for y, *rest in labels], len(steps) - 1,
                          0.08 * (top - bottom))

    row, line = worst
    name = f"{row['suite']}/{row['name']}"
    times = line[-1][1] / line[0][1] if line[0][1] else 0
    title = f"{name}: {times:.3g} times as long with {line[-1][0]} cores at it" if times > 1.005 else \
        f"No contest takes longer with {line[-1][0]} cores at it"
    said = f"{machine(run)} · one core's time; shaded: from the quickest core to the slowest"
    if any(r.get("judged") is False for r in rows):
        said = f"{NOT_JUDGED} · {said}"
    alt = title + ". " + " ".join(f"{r['name']}: " + ", ".join(f"{t:.3g} {unit} on {c}" for c, t, *_ in line) + "."
                                  for r, line in lines)
    return Picture("cores", "cores-contests", title, said, alt, paint)


# --- gaps ------------------------------------------------------------------------------------------

DECADES = ("< 1 \N{MICRO SIGN}s", "10 \N{MICRO SIGN}s", "100 \N{MICRO SIGN}s", "1 ms", "10 ms", "100 ms", "1 s", "longer")


def gaps(report, found):
    """What held a core up: the first gaps over time, and all of them by their length."""
    run, name = report.one("run"), f"{found['suite']}/{found['name']}"
    watched = found.get("watched_ticks", 0)
    if not found.get("gaps"):
        raise NoData(f"{name}: no gap on core {found['core']} in {watched} ticks: there is nothing to draw")
    time = ns(1, run)
    # Counted instructions tell no time.
    across, along = (time / 1e6, time / 1e3) if time else (1, 1)
    first = [(at * across, long * along) for at, long in found["first"]]
    longest = found["longest_at_ticks"] * across, found["longest_ticks"] * along

    def paint(sheet):
        both = any(found.get("decades", []))
        axes = sheet.axes(left=1.05, right=0.3, span=(0, 0.58 if both else 1))
        low = min(long for _, long in first) / 2
        axes.vlines([at for at, _ in first], low, [long for _, long in first], color=ink.BLUE, linewidth=2.5, gid="gaps")
        axes.plot([at for at, _ in first], [long for _, long in first], "o", color=ink.BLUE, markersize=6)
        axes.set_yscale("log")
        axes.set_ylim(low, max(long for _, long in first) * 2)
        axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}")
        axes.yaxis.set_minor_formatter(sheet.library.ticker.NullFormatter())
        end = max(at for at, _ in first)
        axes.set_xlim(-0.03 * (end or 1), 1.05 * (end or 1))
        axes.set_xlabel("time, ms" if time else "ticks of the TSC")
        axes.set_ylabel("length of a gap, \N{MICRO SIGN}s" if time else "length of a gap, ticks")
        axes.set_title("all gaps over time" if len(first) == found["gaps"] else f"the first {len(first)} over time",
                       size=14, pad=8)
        axes.grid(axis="y")
        if both:
            counts = found["decades"]
            used = [i for i, c in enumerate(counts) if c]
            shown = range(min(used), max(used) + 1)
            side = sheet.axes(left=1.05, right=0.55, span=(0.76 if not sheet.page else 0.8, 1))
            side.barh([str(i) for i in shown], [counts[i] for i in shown], color=ink.BLUE, height=0.62)
            side.set_yticks(range(len(shown)), [("" if i in (0, 7) else "< ") + DECADES[i] for i in shown])
            for at, i in enumerate(shown):
                side.text(counts[i], at, f" {ink.count(counts[i])}", va="center", size=13)
            side.set_xlim(0, max(counts) * 1.25)
            side.set_title(f"all {ink.count(found['gaps'])} by length", size=14, pad=8)
            side.tick_params(length=0, labelcolor=ink.INK)
            side.set_xticks([])
            side.spines["bottom"].set_visible(False)

    stolen = found["stolen_ticks"] / watched if watched else 0
    long = duration(longest[1] * 1e3) if time else f"{ink.count(longest[1])} ticks"
    span = f"{found['seconds']:g} s" if found.get("seconds") and time else f"{ink.count(watched)} ticks"
    some = f"{ink.count(found['gaps'])} gaps" if found["gaps"] > 1 else "one gap"
    title = f"{name}: {some} took {stolen:.2%} of {span}, the longest {long}"
    said = [machine(run, found.get("core"))]
    if found.get("rhythm"):
        said.append("they come evenly, as a timer's do")
    if "smis" in found:
        said.append(f"{found['smis']} SMIs")
    return Picture("gaps", f"quiet-gaps-core{found.get('core', 0)}", title, " · ".join(said), title + ".", paint)
