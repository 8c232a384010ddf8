"""Small pictures of a fleet, as SVG in the page: a figure over a machine's reports, and the machines of a kind in a
strip."""
import math

from draw.markup import element

SPARK = (140, 30)  # pixels
STRIP = (420, 18)
COLUMNS = 160  # places of a strip; machines at the same place are one mark
EDGE = 4


def _svg(size, label, *content, kind):
    return element("svg", *content, viewBox=f"0 0 {size[0]} {size[1]}", width=size[0], height=size[1], role="img", class_=kind,
                   aria_label=label)


def _scaled(value, low, high, size):
    share = (value - low) / (high - low) if high > low else 0.5
    return round(EDGE + share * (size - 2 * EDGE), 1)


def spark(values, changes, label, logarithmic=False):
    """Draws values from left to right. changes: the positions at which a new level begins, each a vertical line."""
    width, height = SPARK
    scale = [math.log(max(v, 1)) for v in values] if logarithmic else values
    low, high = min(scale), max(scale)
    places = [(_scaled(at, 0, len(scale) - 1, width), round(height - _scaled(v, low, high, height), 1)) for at, v in enumerate(scale)]
    lines = [element("line", x1=x, x2=x, y1=1, y2=height - 1, class_="change")
             for x in (_scaled(at - 0.5, 0, len(scale) - 1, width) for at in changes)]
    dots = [element("circle", cx=x, cy=y, r=1.8) for x, y in places] if len(places) <= 60 else []
    return _svg(SPARK, label, *lines, element("polyline", points=" ".join(f"{x},{y}" for x, y in places)), *dots, kind="spark")


def strip(values, far, span, label):
    """Draws machines in a line. values: their distances from the middle, as shares; far: of these, the positions of
    outliers; span: the greatest distance that the picture has, others are at its edge."""
    width, height = STRIP
    far, marks = set(far), {}
    for at, value in enumerate(values):
        x = round((max(-span, min(span, value)) / span + 1) / 2 * COLUMNS)
        marks[x, at in far] = marks.get((x, at in far), 0) + 1
    middle = element("line", x1=width / 2, x2=width / 2, y1=0, y2=height, class_="middle")
    dots = [element("circle", cx=round(EDGE + x / COLUMNS * (width - 2 * EDGE), 1), cy=height / 2,
                    r=round(min(2.2 + math.log2(count) / 2, 6), 1), class_="far" if is_far else None)
            for (x, is_far), count in sorted(marks.items(), key=lambda item: item[0][1])]
    return _svg(STRIP, label, middle, *dots, kind="strip")
