"""The frame of a page of HTML: one file with its style and its script, which loads nothing and can be read without
scripts."""
import base64
import hashlib
import os

from draw import markup
from draw.markup import element

HERE = os.path.dirname(os.path.realpath(__file__))


def _asset(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


def html(title, body):
    """Returns the document. body: Markup."""
    script = _asset("page.js")
    # What a report says can be no script, whatever is wrong with this program.
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; base-uri 'none'; "
              "form-action 'none'")
    head = element("head", markup.Markup('<meta charset="utf-8">\n'),
                   markup.Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'),
                   markup.Markup('<meta name="viewport" content="width=device-width, initial-scale=1">\n'),
                   markup.Markup('<meta name="color-scheme" content="light dark">\n'), element("title", title), "\n",
                   element("style", markup.Markup(_asset("page.css"))), "\n")
    return ("<!DOCTYPE html>\n" + element("html", head, "\n", element("body", body, "\n",
            markup.Markup(f"<script>{script}</script>")), lang="en") + "\n")


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
