"""Pictures of several cores: the transfer from each to each, and contention."""
from draw import ink
from draw.pictures import NoData, Picture, machine, ns

LEAST_LETTERS = 9  # points: in smaller cells a heat map has no figures
MOST_RIMMED = 32  # cores
NOT_JUDGED = "NOT JUDGED: cores of an emulator take turns"
CORES_HINT = "suite=cores with cores=all measures pairs of cores, and contention among them"

MATRICES = {  # name: the name of a pair's figure, and whether its sign says who is ahead
    "pingpong": ("a cache line's way", False),
    "core_to_core": ("a cache line's way", False),
    "tsc_skew": ("how far the column's TSC is ahead of the line's", True),
}
FROM_ONE = {"wake": "from the boot core's wake-up to the core's first instruction",
            "ipi": "from the boot core's interrupt to the core's handler"}


def _unit_of(run):
    """Returns (ns or ticks, the factor)."""
    factor = ns(1, run)
    return ("ns", factor) if factor else ("ticks of the TSC", 1)


def _by_level(cells, low, high):
    """Returns {step of the colours, or None: [its rectangles]}; if cells are too small for a rim, neighbours are
    merged."""
    found, rim = {}, 0.03 if len(cells) <= MOST_RIMMED else 0
    for i, line in enumerate(cells):
        levels = [None if c is None else ink.level(c, low, high) for c in line]
        for level, first, last in [(x, j, j) for j, x in enumerate(levels)] if rim else ink.runs(levels):
            found.setdefault(level, []).append((first + rim, i + rim, last + 1 - rim, i + 1 - rim))
    return found


def pairs_of(report, matrix):
    """Returns the picture of a record `matrix`. Raises NoData."""
    if not matrix.get("pairs"):
        raise NoData(f"{matrix['suite']}/{matrix['name']} has no pair: it takes two cores (cores=all)")
    return (from_one if matrix["name"] in FROM_ONE else heat_map)(report, matrix)


def _said(matrix, *words):
    """Returns the second line of a matrix's picture."""
    found = [NOT_JUDGED] if matrix.get("judged") is False else []
    found += words
    if matrix.get("sampled"):
        found.append(f"a sample of {matrix['pairs_all']} pairs")
    return " \N{MIDDLE DOT} ".join(found)


def from_one(report, matrix):
    """Draws the figures from the boot core to each other one: the median, and the range from smallest to largest."""
    run, name = report.one("run"), f"{matrix['suite']}/{matrix['name']}"
    unit, factor = _unit_of(run)
    pairs = sorted((b, *(v * factor for v in figures)) for _, b, *figures in matrix["pairs"])

    def paint(sheet):
        axes = sheet.axes(left=1.15)
        x = range(len(pairs))
        axes.vlines(x, [p[1] for p in pairs], [p[3] for p in pairs], color=ink.GREY, linewidth=3)
        axes.plot(x, [p[2] for p in pairs], "o", color=ink.BLUE, markersize=9, gid="medians")
        step = max(1, len(pairs) // 16)
        axes.set_xticks(x[::step], [str(p[0]) for p in pairs][::step])
        axes.set(xlim=(-0.6, len(pairs) - 0.4), ylim=(0, max(p[3] for p in pairs) * 1.1 or 1), xlabel="core", ylabel=unit)
        axes.yaxis.set_major_formatter(lambda v, _: ink.count(v))
        axes.grid(axis="y")

    medians = sorted(p[2] for p in pairs)
    reach = f"{medians[0]:.0f}" if medians[0] == medians[-1] else f"{medians[0]:.0f} to {medians[-1]:.0f}"
    title = f"{name}: {reach} {unit} to another core"
    said = _said(matrix, machine(run), f"{FROM_ONE[matrix['name']]}: median, least to greatest")
    return Picture("cores", name, title, said,
                   f"{title}. " + " ".join(f"Core {b}: {median:.0f}." for b, _, median, _ in pairs), paint)


def heat_map(report, matrix):
    """Draws the median of every pair of cores, in ns if the clock is known."""
    run, pairs = report.one("run"), matrix["pairs"]
    unit, factor = _unit_of(run)
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
        axes = sheet.axes(left=0.95, right=0.9 if sheet.page else 1.9, bottom=0.3, rows=(0, 0.9))
        steps = ink.colours(sheet, "PuOr" if signed else "cividis")
        reach = (low, high) if low != high else (low - 1, high + 1)
        for level, found in _by_level(cells, *reach).items():
            ink.rectangles(axes, found, "#eeeeee" if level is None else steps[level], gid=f"pairs-{level}")
        axes.set(aspect="equal", xlim=(0, n), ylim=(n, 0), ylabel="core", anchor="N" if sheet.page else "C")
        step = max(1, n // 12)
        marks = range(0, n, step)
        axes.set_xticks([i + 0.5 for i in marks], [str(cores[i]) for i in marks])
        axes.set_yticks([i + 0.5 for i in marks], [str(cores[i]) for i in marks])
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.set_xlabel("core", labelpad=6)
        axes.tick_params(length=0, labelcolor=ink.INK)
        for spine in axes.spines.values():
            spine.set_visible(False)
        side = min(sheet.height - (1.1 if sheet.page else 2.1), 0.85 * (sheet.width - 1.85))
        letters = min(20, side / n * 72 / (0.75 * max(len(f"{c:.0f}") for c in known)))
        if letters >= LEAST_LETTERS:
            for i, line in enumerate(cells):
                for j, c in enumerate(line):
                    if c is not None:
                        r, g, b, _ = steps[ink.level(c, *reach)]
                        dark = 0.299 * r + 0.587 * g + 0.114 * b < 0.55
                        axes.text(j + 0.5, i + 0.5, f"{c:.0f}".replace("-", "\N{MINUS SIGN}"), ha="center", va="center",
                                  size=letters, color="white" if dark else "black")
        if low != high:
            ink.key(sheet, axes, sheet.library.colors.Normalize(low, high), steps, unit, 0.06)

    medians = sorted(abs(p[3]) * factor for p in pairs)
    name = f"{matrix['suite']}/{matrix['name']}"
    if signed:
        known_to = max(p[4] - p[2] for p in pairs) / 2 * factor
        title = f"{name}: TSCs at most {medians[-1]:.0f} {unit} apart, known to \N{PLUS-MINUS SIGN} {known_to:.0f} {unit}"
    elif len(medians) == 1:
        a, b, least, _, greatest = pairs[0]
        title = f"{name}: {medians[0]:.0f} {unit} ({least * factor:.0f} to {greatest * factor:.0f}) from core {a} to core {b}"
    elif medians[0] == medians[-1]:
        title = f"{name}: {medians[0]:.0f} {unit} between any two cores"
    else:
        title = f"{name}: {medians[0]:.0f} to {medians[-1]:.0f} {unit} between two cores"
    middle = "" if signed else ", median" + (f" of each of {len(pairs)} pairs" if len(pairs) > 1 else "")
    said = _said(matrix, machine(run), what + middle)
    alt = f"Heat map of {len(pairs)} pairs of {n} cores. {title}."
    return Picture("cores", name, title, said, alt, paint, taller=0.6)


def contentions(report):
    """Draws rows of the suite cores that go over 1, 2, 4 ... cores in one picture."""
    run = report.one("run")
    rows = [r for r in report.of("row") if len(r.get("by_cores", [])) > 1 and r["status"] == "ok"]
    if not rows:
        raise NoData(f"the report has no contention of cores: {CORES_HINT}")
    unit, factor = _unit_of(run)
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
        if max(places) > 5 * min(places) > 0:
            ink.log_scale(sheet, axes, min(places) / 1.3, max(places) * 1.3)
        else:
            axes.set_ylim(0, max(places) * 1.15)
        axes.set_xticks(range(len(steps)), [str(c) for c in steps])
        axes.set(xlim=(-0.15, len(steps) - 0.95), xlabel="cores at it together", ylabel=f"{unit} an operation")
        axes.grid(axis="y")
        ink.names_at_ends(axes, labels, len(steps) - 1, 0.08)

    row, line = worst
    name = f"{row['suite']}/{row['name']}"
    times = line[-1][1] / line[0][1] if line[0][1] else 0
    title = f"{name}: {times:.3g} times as long with {line[-1][0]} cores at it" if times > 1.005 else \
        f"Contention of {line[-1][0]} cores takes no longer"
    said = f"{machine(run)} · one core's time; shaded: from the quickest core to the slowest"
    if any(r.get("judged") is False for r in rows):
        said = f"{NOT_JUDGED} · {said}"
    alt = title + ". " + " ".join(f"{r['name']}: " + ", ".join(f"{t:.3g} {unit} on {c}" for c, t, *_ in line) + "."
                                  for r, line in lines)
    return Picture("cores", "cores-contention", title, said, alt, paint)
