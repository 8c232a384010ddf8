"""HTML in small pieces, and the document that they are put into: one file with its style and its script, which loads
nothing and can be read without scripts. All text goes through text(), so that nothing of a report can be read as markup.

A piece that is markup already is a Markup; everything else is text.
"""
import base64
import hashlib
import html
import os
import re

from draw import ink

HERE = os.path.dirname(os.path.realpath(__file__))


class Markup(str):
    """Text that is HTML."""


def text(value):
    """Returns a value as HTML. Bytes that no document may contain are shown as such."""
    if isinstance(value, Markup):
        return value
    value = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]",
                   "\N{REPLACEMENT CHARACTER}", str(value))
    return Markup(html.escape(value, quote=True))


def breakable(value):
    """Returns a name that may be wrapped after a `_` or `/`, for a phone."""
    return value if isinstance(value, Markup) else Markup(re.sub("([_/])", r"\1<wbr>", text(value)))


def element(name, *content, **attributes):
    """Returns <name attribute="value">content</name>. An attribute that is None is left out; `_` in a name becomes `-`,
    and a `_` at its end is dropped: class_."""
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
                    if value is not None)
    return Markup(f"<{name}{words}>{''.join(text(c) for c in content)}</{name}>")


def together(pieces, between=""):
    return Markup(between.join(text(p) for p in pieces))


LONG = 18  # characters: a longer text continues in the next line


def table(caption, columns, rows, first_is_name=True, sortable=True, label=None, kind=""):
    """Returns a table; nothing without rows. columns: of scripts/read/table.py; rows: dicts by their keys. The first column
    is a row's heading. A value may be (shown, value to sort by). kind: further classes of its frame."""
    if not rows:
        return Markup()
    columns = [c for c in columns if any(row.get(c.key) not in (None, "") for row in rows)]
    head = element("tr", *(element("th", c.title, scope="col", class_=None if c.left else "n") for c in columns))
    body = []
    for row in rows:
        cells = []
        for i, c in enumerate(columns):
            value = row.get(c.key)
            shown, key = value if isinstance(value, tuple) else (None, value)
            shown = c.text(key) if shown is None else shown
            number = isinstance(key, (int, float)) and not isinstance(key, bool)
            exact = f"{key:.12g}" if number else None
            how = {"class_": None if c.left else "n", "data_v": None if exact == shown else exact}
            if i == 0 and first_is_name:
                cells.append(element("th", breakable(shown), scope="row", **how))
            else:
                cells.append(element("td", element("span", shown, class_="words") if len(shown) > LONG else shown, **how))
        body.append(element("tr", *cells, class_=row.get("_class")))
    made = element("table", element("caption", caption), element("thead", head),
                   element("tbody", together(body, "\n")), class_="sort" if sortable and len(rows) > 1 else None)
    # A table that is too wide scrolls separately, with the keyboard too.
    return element("div", made, class_=f"wide {kind}".strip(), tabindex="0", role="region", aria_label=label or caption)


def facts(pairs):
    """Returns a table of names and values, for people."""
    return element("table", element("tbody", together(
        [element("tr", element("th", name, scope="row"), element("td", value)) for name, value in pairs], "\n")),
        class_="facts")


def listed(items):
    """Returns a list; nothing without items."""
    return element("ul", together([element("li", i) for i in items], "\n")) if items else Markup()


COLOURS = {ink.INK: "ink", ink.SOFT: "soft", ink.FAINT: "line", ink.BLUE: "blue", ink.RED: "red", ink.GREEN: "green",
           ink.ORANGE: "orange", ink.GREY: "grey"}


def inline(svg, prefix, label):
    """Returns matplotlib's file as an element of the page: with the page's colours, light and dark, with unique ids,
    and with its content in words."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.S)
    box = re.search(r'viewBox="([^"]*)"', svg)[1]
    svg = re.sub(r"<svg[^>]*>", "", svg, count=1)
    svg = re.sub(r'<g id="patch_1">.*?</g>', "", svg, count=1, flags=re.S)  # the sheet's white background
    used = set(re.findall(r"url\(#([^)]*)\)|xlink:href=\"#([^\"]*)\"", svg))
    used = {a or b for a, b in used}
    svg = re.sub(r' id="([^"]*)"', lambda m: f' id="{prefix}{m[1]}"' if m[1] in used else "", svg)
    svg = svg.replace("url(#", f"url(#{prefix}").replace('xlink:href="#', f'href="#{prefix}')
    for colour, name in COLOURS.items():
        svg = svg.replace(colour, f"var(--{name})")
    svg = svg.replace("stroke: #ffffff", "stroke: var(--paper)").replace("'DejaVu Sans', ", "")
    svg = re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><")
    start = element("svg", viewBox=box, class_="plot", role="img", aria_label=label)
    return Markup(start.removesuffix("</svg>") + svg)


def _asset(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


def document(title, body):
    """Returns the document. body: Markup."""
    script = _asset("page.js")
    # What a report says can be no script, whatever is wrong with this program.
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; base-uri 'none'; "
              "form-action 'none'")
    head = element("head", Markup('<meta charset="utf-8">\n'),
                   Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'),
                   Markup('<meta name="viewport" content="width=device-width, initial-scale=1">\n'),
                   Markup('<meta name="color-scheme" content="light dark">\n'), element("title", title), "\n",
                   element("style", Markup(_asset("page.css"))), "\n")
    return ("<!DOCTYPE html>\n" + element("html", head, "\n", element("body", body, "\n",
            Markup(f"<script>{script}</script>")), lang="en") + "\n")


class Page:
    """Sections with their headings, and links to them."""

    def __init__(self, certifies=False):
        self.body, self.ways, self.certifies = [], [], certifies

    def section(self, place, title, *content):
        """Nothing without content. Of a certificate only the first section is printed."""
        if not any(content):
            return
        self.ways.append(element("a", title, href=f"#{place}"))
        self.body.append(element("section", element("h2", title, id=f"{place}-title"), *content, id=place,
                                 class_="screen" if self.body and self.certifies else None, aria_labelledby=f"{place}-title"))
