"""The style of baretick's pictures, and how they are written.

matplotlib comes from the distribution, and is loaded when the first picture is drawn, because that takes a second. The
colours are Okabe and Ito's, which colour-blind people can distinguish; a meaning is never in a colour alone.
A file is the same to the last byte each time it is written: no date, no random ids.
"""
import io
import itertools
import math
import re
import textwrap
import warnings

from tools import distribution

INK, SOFT, FAINT = "#1b1b1b", "#555555", "#d9d9d9"
BLUE, ORANGE, RED, GREEN, GREY = "#0072b2", "#e69f00", "#d55e00", "#009e73", "#8c8c8c"
SERIES = (BLUE, RED, GREEN, "#cc79a7", ORANGE, "#56b4e9", "#7f6000", GREY)
LONGEST_TEXT = 120  # names from a report have any length
FORMATS = ("svg", "png")

STYLE = {
    "font.family": ["DejaVu Sans", "sans-serif"], "font.size": 15, "text.color": INK,
    "axes.labelsize": 15, "axes.labelcolor": INK, "axes.edgecolor": SOFT, "axes.linewidth": 1,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "axes.unicode_minus": True,
    "axes.facecolor": "none", "figure.facecolor": "white",
    "xtick.labelsize": 13, "ytick.labelsize": 13, "xtick.color": SOFT, "ytick.color": SOFT,
    "grid.color": FAINT, "grid.linewidth": 1, "lines.linewidth": 2,
    "svg.hashsalt": "baretick", "svg.fonttype": "none",
}

ON_A_PAGE = {**STYLE, "axes.labelsize": 13, "xtick.labelsize": 12, "ytick.labelsize": 12}


def library():
    """Returns matplotlib with its settings. Raises distribution.Missing."""
    try:
        import matplotlib
        import matplotlib.cm
        import matplotlib.colors
        import matplotlib.figure
        import matplotlib.ticker
    except ImportError as e:
        raise distribution.missing("pictures need", "matplotlib", "python3-matplotlib (pacman: python-matplotlib)",
                                   e) from None
    return matplotlib


def find_library():
    """Continues the command with the distribution's Python if only that has matplotlib."""
    distribution.find(library, "matplotlib")


def plain(text, most=LONGEST_TEXT):
    """Returns text of a report in a form that SVG can contain, and that is not read as a formula."""
    text = re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\N{REPLACEMENT CHARACTER}", str(text))
    if len(text) > most:
        text = text[:most - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return text.replace("$", r"\$")


def count(value):
    """Returns an integer with blanks between thousands, which no language reads as a point."""
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def figures(value):
    """Returns a figure with as many digits as are useful: three decimals, fewer for a large one."""
    if value is None:
        return "-"
    size = abs(value)
    text = f"{value:.3f}" if size < 100 else f"{value:.1f}" if size < 10000 else count(value)
    return (text.removeprefix("-") if float(text.replace("\N{NARROW NO-BREAK SPACE}", "")) == 0 else text).replace(
        "-", "\N{MINUS SIGN}")


def heading(title):
    """Returns (size in points, lines) of a title: one line, a smaller one, or two of about equal length."""
    for size, most in ((20, 55), (17.5, 64)):
        if len(title) <= most:
            return size, [title]
    whole = title.replace(" (", "\N{NO-BREAK SPACE}(")  # a figure and its share stay together
    lines = [x.replace("\N{NO-BREAK SPACE}", " ") for x in textwrap.wrap(whole, max(40, min(66, len(title) // 2 + 8)))]
    return 17, lines if len(lines) <= 2 else [lines[0], " ".join(lines[1:])[:65] + "\N{HORIZONTAL ELLIPSIS}"]


class Sheet:
    """A figure with its heading, and an area below it for the drawing.

    A picture for a talk contains its title and subject. One for a page has neither, since the page prints them, and is
    smaller, so that its letters are large on a phone.
    """

    TALK, PAGE = (10.0, 5.625), (5.9, 3.9)

    def __init__(self, title, about, page=False, taller=0.0):
        self.library, self.page = library(), page
        width, height = self.PAGE if page else self.TALK
        with self.style():
            self.figure = self.library.figure.Figure(figsize=(width, height + taller))
        self.width, self.height = width, height + taller
        self.top = 0.97 if page else 1 - 1.16 / self.height
        if not page:
            size, lines = heading(title)
            self.figure.text(0.03, 1 - 0.14 / self.height, "\n".join(plain(x) for x in lines), size=size,
                             weight="bold", va="top", color=INK)
            about = textwrap.wrap(plain(about, 210), 104)[:2]
            self.figure.text(0.03, 1 - (0.56 if len(lines) == 1 else 0.72) / self.height, "\n".join(about), size=12.5,
                             va="top", color=SOFT, linespacing=1.3)

    def axes(self, left=0.95, right=0.25, bottom=0.85, span=(0.0, 1.0), rows=(0.0, 1.0), **more):
        """Returns axes with margins in inches; span and rows: their part of the width and of the height."""
        x0, x1 = left / self.width, 1 - right / self.width
        y0, y1 = bottom / self.height, self.top
        box = (x0 + (x1 - x0) * span[0], y0 + (y1 - y0) * rows[0],
               (x1 - x0) * (span[1] - span[0]), (y1 - y0) * (rows[1] - rows[0]))
        return self.figure.add_axes(box, **more)

    def style(self):
        """Returns matplotlib's settings for painting a sheet."""
        return self.library.rc_context(ON_A_PAGE if self.page else STYLE)

    def svg(self):
        """Returns the picture as text, without a date, and with ids that depend only on the picture."""
        out = io.StringIO()
        self._write(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        return out.getvalue()

    def png(self):
        out = io.BytesIO()
        self._write(out, format="png", dpi=200, metadata={"Software": None})
        return out.getvalue()

    def _write(self, out, **how):
        with self.style(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")  # in the reader's font, or else a box
            self.figure.savefig(out, **how)


def rectangles(axes, found, colour, edge=None, **more):
    """Draws [(left, bottom, right, top)] as one shape, which makes a small file; edge: the colour of its outline."""
    if not found:
        return
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path
    corners, codes = [], []
    for x0, y0, x1, y1 in found:
        corners += [(x0, y0), (x0, y1), (x1, y1), (x1, y0), (x0, y0)]
        codes += [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    axes.add_patch(PathPatch(Path(corners, codes), facecolor=colour, edgecolor=edge or "none",
                             linewidth=1 if edge else 0, **more))


def apart(places, gaps):
    """Returns positions moved as little as possible (least squares) so that each is above the one before by its own
    member of `gaps`, of which the first is not used; positions ascend."""
    sums = list(itertools.accumulate(gaps[1:], initial=0))
    blocks = []  # [sum, number] of positions that move together: isotonic regression of the positions minus their gaps
    for y, offset in zip(places, sums):
        blocks.append([y - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, n = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += n
    level = [total / n for total, n in blocks for _ in range(n)]
    return [y + offset for y, offset in zip(level, sums)]


def within(places, gaps, low, high):
    """Returns positions of apart(), with its gaps, moved so that the first is at least at low and the last at most at
    high."""
    found = []
    for y, gap in zip(places, gaps):
        found.append(max(y, found[-1] + gap if found else low))
    for at in reversed(range(len(found))):
        found[at] = min(found[at], high)
        high = found[at] - gaps[at]
    return found


def names_at_ends(axes, labels, x, share):
    """Draws names at the ends of lines in place of a legend, without overlaps and within the axis, linear or logarithmic. labels:
    [(y, text, colour, weight)]; share: the height of a line of text, of the axis."""
    scale = math.log10 if axes.get_yscale() == "log" else float
    bottom, top = (scale(v) for v in axes.get_ylim())
    right = axes.twinx()
    right.set_ylim(bottom, top)
    right.set_axis_off()
    labels = sorted((scale(y), *rest) for y, *rest in labels)
    heights = [share * (top - bottom) * (1 + text.count("\n")) for _, text, *_ in labels]
    gaps = [0, *((below + above) / 2 for below, above in itertools.pairwise(heights))]
    places = within(apart([y for y, *_ in labels], gaps), gaps, bottom + heights[0] / 2, top - heights[-1] / 2)
    for place, (_, text, colour, weight) in zip(places, labels):
        right.annotate(text, (x, place), xytext=(9, 0), textcoords="offset points", color=colour, weight=weight,
                       va="center", ha="left", size=13, annotation_clip=False)


def key(sheet, axes, norm, colours, unit, pad):
    """Draws the colours of a map on their scale next to it. Returns its axes."""
    scale = sheet.library.cm.ScalarMappable(norm, sheet.library.colors.ListedColormap(colours))
    bar = sheet.figure.colorbar(scale, ax=axes, fraction=0.05, pad=pad)
    bar.set_label(unit)
    bar.solids.set_rasterized(False)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    return bar.ax


STEPS = 21  # of the colours of a map


def level(value, low, high):
    """Returns the step of the colours from low to high."""
    return min(STEPS - 1, max(0, int((value - low) / ((high - low) or 1) * STEPS)))


def colours(sheet, name):
    """Returns a few steps of a map's colours, because a smooth bar would be a raster image among the lines."""
    scale = sheet.library.colormaps[name]
    return [scale(i / (STEPS - 1)) for i in range(STEPS)]


def runs(levels):
    """Returns [(level, first, last)] of equal neighbours."""
    found, start = [], 0
    for level, same in itertools.groupby(levels):
        end = start + sum(1 for _ in same)
        found.append((level, start, end - 1))
        start = end
    return found


def log_scale(sheet, axes, bottom, top):
    """Makes an axis logarithmic, with 1, 2, 5, 10 ... if it has few decades, else the decades."""
    axes.set(yscale="log", ylim=(bottom, top))
    axes.yaxis.set_major_locator(sheet.library.ticker.LogLocator(subs=(1, 2, 5) if top < 200 * bottom else (1,)))
    axes.yaxis.set_minor_locator(sheet.library.ticker.NullLocator())
    axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}")
