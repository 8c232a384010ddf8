"""The cost of the ways of calling in one picture: each net and gross, with its interval."""
from draw import ink
from draw.pictures import NoData, Picture, UNITS, machine
from read import figure, interval

WAYS = ("inline", "direct", "plt", "got", "register", "virtual")  # inline: no call; the others are compared with it
FORMS = {"empty": "", "++*x": "_inc", "straight": "_straight", "compiled": "_c"}  # and the ends of the rows' names
BAR_INCHES, GROUP_INCHES = 0.225, 0.14
LEFT, RIGHT = 2.0, 1.6  # inches: the names, and the figures
HALF_BAR = 0.36  # of the distance between two
BEYOND = 1.5  # an interval longer than this share of the longest bar is cut, and has an arrow


class Bar:
    """One way in one form. net, lo, hi, gross: None if missing; text: its label; bad: whether the figure is
    doubtful."""

    def __init__(self, row, way, form):
        self.way, self.form, self.row, per_op = way, form, row, row.get("per_op", {})
        unit, doubt = figure.unit(row), "shared" if row.get("exclusive") is False else "doubted" if row.get("doubt") else ""
        self.bad = bool(doubt) or row["status"] != "ok"
        self.net = per_op.get(unit) if row["status"] == "ok" else None
        half = figure.half(per_op) if unit == "cycles" and self.net is not None and not doubt else None
        self.lo, self.hi = (per_op.get(k) if half is not None else None for k in ("cycles_lo", "cycles_hi"))
        self.gross = figure.gross(per_op) if self.net is not None and unit == "cycles" else None
        self.text = self._text(unit, doubt, half)

    def _text(self, unit, doubt, half):
        if self.row["status"] != "ok":
            return ink.plain(f"FAILED: {self.row.get('why', 'no reason given')}", 48)
        if self.net is None:
            return "?"
        if doubt:
            return f"{ink.figures(self.net)} {doubt}"
        if half is not None:
            return f"{ink.figures(self.net)} \N{PLUS-MINUS SIGN} {ink.figures(half)}"
        return f"{self.net:g}" if unit == "instructions" else ink.figures(self.net)


def bars(rows):
    """Returns [[Bar] of each way], of the first core that has rows of them."""
    named = {}
    for row in rows:
        if row["suite"] == "calls" and row["status"] != "unsupported":
            named.setdefault(row["name"], row)
    found = [[Bar(named[way + ending], way, form) for form, ending in FORMS.items() if way + ending in named]
             for way in WAYS]
    return [group for group in found if group]


def calls(report, rows):
    """rows: the selected rows of the report."""
    run = report.one("run")
    groups = bars(rows)
    every = [b for group in groups for b in group]
    if not every:
        raise NoData("the report has no row of a way of calling: suite=calls has them")
    unit = UNITS[next((u for r in rows if r["suite"] == "calls" and (u := figure.unit(r))), "cycles")]
    has_gross = any(b.gross is not None for b in every)
    longest = max([v for b in every for v in (b.net, b.gross) if v is not None] + [0.1])
    reach = min(max([b.hi for b in every if b.hi is not None] + [longest]), BEYOND * longest) * 1.02  # the end of the axis

    def paint(sheet):
        axes = sheet.axes(left=LEFT, right=RIGHT, bottom=0.95 if has_gross else 0.7)
        at, placed = 0.0, []
        for group in groups:
            axes.text((0.03 * sheet.width - LEFT) / (sheet.width - LEFT - RIGHT), at, group[0].way, size=13, weight="bold", va="center", ha="left",
                      transform=axes.get_yaxis_transform(), color=ink.INK)
            for b in group:
                placed.append((at, b))
                at += 1
            at += GROUP_INCHES / BAR_INCHES
        axes.set_yticks([y for y, _ in placed], [b.form for _, b in placed])
        axes.tick_params(axis="y", length=0, labelcolor=ink.INK, labelsize=12)
        axes.set(ylim=(at - GROUP_INCHES / BAR_INCHES - 0.4, -0.6), xlabel=f"{unit} a call",
                 xlim=(min(0, *(b.lo for b in every if b.lo is not None), 0), reach))
        axes.axvline(0, color=ink.SOFT, linewidth=1)
        _bars(axes, placed)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        if has_gross:
            _legend(sheet)

    def _legend(sheet):
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch
        sheet.figure.legend(
            handles=[Patch(facecolor=ink.BLUE, label="net"), Patch(facecolor="none", edgecolor=ink.SOFT, label="gross: with its loop"),
                     Line2D([], [], color=ink.INK, linewidth=2, label=interval.label([b.row for b in every if b.hi is not None]))],
            loc="lower center", ncol=3, frameon=False, fontsize=12, columnspacing=1.2, handlelength=1.3)

    known = [b for b in every if b.net is not None and not b.bad and b.way != "inline"]
    title = "Ways of calling"
    if known:
        least, most = min(known, key=lambda b: b.net), max(known, key=lambda b: b.net)
        form = "g" if unit == "instructions" else None
        said = [f"{b.net:g}" if form else ink.figures(b.net) for b in (least, most)]
        title = f"A call costs {said[0]} ({least.way}, {least.form}) to {said[1]} ({most.way}, {most.form}) {unit}"
    alt = title + ". " + " ".join(f"{b.way}, {b.form}: {b.text}." for b in every)
    height = len(every) * BAR_INCHES + len(groups) * GROUP_INCHES + 2.2
    return Picture("calls", "calls", title, machine(run, rows[0].get("core")), alt, paint, max(0.0, height - ink.Sheet.TALK[1]))


def _bar(axes, at, b, reach):
    """Returns the interval of a bar, and its text."""
    if b.hi is not None:
        axes.plot([b.lo, min(b.hi, reach)], [at, at], color=ink.INK, linewidth=2, solid_capstyle="butt")
        axes.plot([b.lo], [at], "|", color=ink.INK, markersize=7, markeredgewidth=2)
        axes.plot([min(b.hi, reach)], [at], "|" if b.hi <= reach else ">", color=ink.INK, markersize=7,
                  markeredgewidth=2, clip_on=False)
    # A row that failed has its reason in place of its bar.
    axes.text(0.01 if b.net is None else 1.04, at, b.text, size=12, va="center", transform=axes.get_yaxis_transform(),
              color=ink.RED if b.bad or b.net is None else ink.INK)


def _bars(axes, placed):
    """Draws all of them: [(position, Bar)]. The gross cost is an outline, because the loop is not part of the
    figure."""
    def boxes(value, some):
        return [(0, at - HALF_BAR, value(b), at + HALF_BAR) for at, b in some]

    ink.rectangles(axes, boxes(lambda b: b.gross, [(at, b) for at, b in placed if b.gross is not None]), "none",
                   edge=ink.SOFT, gid="gross")
    with_figure = [(at, b) for at, b in placed if b.net is not None]
    ink.rectangles(axes, boxes(lambda b: b.net, [p for p in with_figure if not p[1].bad]), ink.BLUE, gid="net")
    ink.rectangles(axes, boxes(lambda b: b.net, [p for p in with_figure if p[1].bad]), ink.GREY, gid="net-doubted")
    for at, b in placed:
        _bar(axes, at, b, axes.get_xlim()[1])
