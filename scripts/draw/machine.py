"""Pictures of the machine: what its recipes hide, and its gaps."""
from draw import ink
from draw.pictures import NoData, Picture, duration, machine, ns
from read import quiet


# --- linearity -------------------------------------------------------------------------------------

def linearity(report):
    """Draws what each recipe hides of chains of adds in one picture: a correct recipe is a flat line."""
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
    for r in found:  # recipes with equal figures are one line
        line = tuple((chains.index(p["adds"]), p[key], p.get("half_cycles", 0)) for p in r["points"] if key in p)
        lines.setdefault(line, []).append(r)
    # A point whose interval contains zero does not set the scale: a neighbour's half a millisecond would hide all
    # others.
    sure = [y for line in lines for _, y, half in line if abs(y) > half] or [0]
    low, high = min(0, *sure), max(0, *sure)
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
            x, y, half = zip(*line)
            half = [h if h <= room / 4 else 0 for h in half]  # an interval longer than the picture is useless in it
            axes.errorbar(x, y, yerr=half if any(half) else None, marker="o", color=colour, elinewidth=1.2,
                          markersize=8 if strong else 5, linewidth=3.5 if strong else 1.8, zorder=3 if strong else 2)
            names = ", ".join(r["recipe"] for r in recipes)
            if len(recipes) > 3:
                names = f"{used if strong else recipes[0]['recipe']}\nand {len(recipes) - 1} more"
            wide = max(h for *_, h in line)
            if wide > room / 4:
                names += f"\n(\N{PLUS-MINUS SIGN}{wide:.0f})"
            labels.append((min(max(line[-1][1], min(low, -1)), max(high, 1)), names, colour, "bold" if strong else "normal"))
        axes.set_xticks(range(len(chains)), [str(n) for n in chains], size=10.5 if sheet.page else None)
        axes.set(xlim=(-0.3, len(chains) - 0.75), ylim=(min(low - 0.08 * room, -1), max(high + 0.08 * room, 1)),
                 xlabel="dependent adds in the window", ylabel=f"missing (\N{MINUS SIGN}) or extra, {unit}")
        axes.yaxis.set_major_locator(sheet.library.ticker.MaxNLocator(6, integer=True))
        axes.grid(axis="y")
        ink.names_at_ends(axes, labels, len(chains) - 1, 0.075)

    if counted:
        worst = max(abs(y) for line in lines for _, y, _ in line)
        title = "Every recipe counts chains of adds exactly" if worst == 0 else \
            f"Chains of adds are counted within {worst:g} instructions"
    elif mine is None:
        title = "What each recipe hides of a chain of adds"
    else:
        worst = mine.get("bend_cycles", max(abs(p[key]) for p in mine["points"] if key in p))
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


# --- gaps ------------------------------------------------------------------------------------------

def gaps(report, found):
    """Draws a core's gaps: the first ones over time, and all of them by length."""
    run, name = report.one("run"), f"{found['suite']}/{found['name']}"
    watched = found.get("watched_ticks", 0)
    if not found.get("gaps") or not found["first"]:
        raise NoData(f"{name}: no gap on core {found['core']} in {watched} ticks: there is nothing to draw")
    time = ns(1, run)
    # Counted instructions are not time.
    across, along = (time / 1e6, time / 1e3) if time else (1, 1)
    long_watch = time and found["first"][-1][0] * across >= 10000
    if long_watch:
        across /= 1e3
    first = [(at * across, long * along) for at, long in found["first"]]
    longest = found["longest_ticks"] * along

    def paint(sheet):
        counts = quiet.by_decade(found.get("lengths", []))
        both = any(counts)
        rows = (0, 0.91 if sheet.page else 1)  # their titles are above
        axes = sheet.axes(left=1.05, right=0.3, span=(0, 0.58 if both else 1), rows=rows)
        low = min(long for _, long in first) / 2
        axes.vlines([at for at, _ in first], low, [long for _, long in first], color=ink.BLUE, linewidth=2.5,
                    gid="gaps")
        axes.plot([at for at, _ in first], [long for _, long in first], "o", color=ink.BLUE, markersize=6)
        ink.log_scale(sheet, axes, low, max(long for _, long in first) * 2)
        end = max(at for at, _ in first) or 1
        axes.set(xlim=(-0.03 * end, 1.05 * end), xlabel="time, s" if long_watch else "time, ms" if time else "ticks of the TSC",
                 ylabel="length of a gap, \N{MICRO SIGN}s" if time else "length of a gap, ticks")
        axes.set_title("all gaps over time" if len(first) == found["gaps"] else f"the first {len(first)} over time",
                       size=14, pad=8)
        axes.grid(axis="y")
        if both:
            used = [i for i, c in enumerate(counts) if c]
            shown = range(min(used), max(used) + 1)
            side = sheet.axes(left=1.05, right=0.55, span=(0.76 if not sheet.page else 0.8, 1), rows=rows)
            side.barh([str(i) for i in shown], [counts[i] for i in shown], color=ink.BLUE, height=0.62)
            side.set_yticks(range(len(shown)), ["\N{GREATER-THAN OR EQUAL TO} " + quiet.DECADES[i].replace("us", "\N{MICRO SIGN}s")
                                                for i in shown])
            for at, i in enumerate(shown):
                side.text(counts[i], at, f" {ink.count(counts[i])}", va="center", size=13)
            side.set_xlim(0, max(counts) * 1.25)
            side.set_title(f"all {ink.count(found['gaps'])} by length", size=14, pad=8)
            side.tick_params(length=0, labelcolor=ink.INK)
            side.set_xticks([])
            side.spines["bottom"].set_visible(False)

    stolen = found["gap_ticks"] / watched if watched else 0
    long = duration(longest * 1e3) if time else f"{ink.count(longest)} ticks"
    span = f"{found['seconds']:.3g} s" if found.get("seconds") and time else f"{ink.count(watched)} ticks"
    some = f"{ink.count(found['gaps'])} gaps" if found["gaps"] > 1 else "one gap"
    title = f"{name}: {some} took {100 * stolen:.2g}% of {span}, the longest {long}"
    said = [machine(run, found.get("core"))]
    said += [f"one every {duration(ns(p['ticks'], run))}" for p in found.get("periods", []) if time]
    if "smis" in found:
        said.append(f"{found['smis']} SMIs")
    return Picture("gaps", f"gaps-core{found.get('core', 0)}", title, " · ".join(said), title + ".", paint)
