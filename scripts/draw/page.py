"""The page of a report: everything in it, as HTML."""
import os
import sys

from draw import certificate, datasheet, ink, markup, page_parts, pictures, plot
from draw import machine as draw_machine
from draw.markup import element
from judge import compare
from read import curve, forward, quiet, show
from tools import distribution

TITLE = "Certificate of quiet"
OF_MACHINE = ("linearity", "cores", "gaps")
FIRST = "memory-latency-"  # the beginning of the file's name of the picture of a datasheet that comes first


# --- pictures --------------------------------------------------------------------------------------

class Figures:
    """The pictures of a page. There are no pictures without matplotlib, or with --plots 0."""

    def __init__(self, most):
        self.most, self.why_none, self.taken = sys.maxsize if most == "all" else most, None, 0
        if most:
            try:
                ink.library()
            except distribution.Missing as e:
                self.why_none = str(e)
        self.wanted = bool(most) and not self.why_none

    def figure(self, picture, run, full=False):
        """Returns (the figure's id, the figure). It does not name the machine, which the page does."""
        self.taken += 1
        place = f"picture-{self.taken}"
        parts = [p.removeprefix(pictures.machine(run)).strip(" ,") for p in picture.about.split(" \N{MIDDLE DOT} ")]
        about = " \N{MIDDLE DOT} ".join(p for p in parts if p)
        svg = markup.inline(picture.sheet(page=True).svg(), f"{place}-", picture.alt)
        return place, element("figure", element("figcaption", picture.title, element("span", about)), svg,
                              id=place, class_="full" if full else None)

    def each(self, drawn, run, full=False):
        """Returns the figures of those that are pictures, if pictures are wanted."""
        return [self.figure(p, run, full)[1] for p in drawn if self.wanted and isinstance(p, pictures.Picture)]

    def together(self, drawn, run, kind="plots"):
        """Returns the same in one frame; nothing without any."""
        made = self.each(drawn, run)
        return element("div", *made, class_=kind) if made else markup.Markup()


def drawn_curves(figures, report, args):
    """Returns {suite: its pictures of curves and maps}."""
    found = {}
    if figures.wanted:
        drawn = [(group[0].suite, picture) for group, picture in plot.curves_by_group(report, args)]
        drawn += [("memory", picture) for picture in plot.forward(report, args)]
        drawn += [(suite, picture) for suite in {suite for suite, _ in drawn} for picture in plot.matrices(report, suite)]
        for suite, picture in drawn:
            if isinstance(picture, pictures.Picture):
                found.setdefault(suite, []).append(picture)
    return found


def first_of_all(figures, report, args, found):
    """The picture that a reader sees first: what the ways of calling cost, or the latency of each type of
    cores. found: as from drawn_curves(); pictures that are first are taken out of it."""
    picture, of_memory = plot.calls(report, args), found.get("memory", [])
    first = [picture] if isinstance(picture, pictures.Picture) else [p for p in of_memory if p.stem.startswith(FIRST)]
    found["memory"] = [p for p in of_memory if p not in first]
    return markup.together(figures.each(first, report.one("run"), full=True))


def of_curves(figures, report, found, is_chosen):
    """Returns [(suite, its pictures and tables)] of the selected curves and maps."""
    lines = [c for c in curve.curves(report) if is_chosen(c.record)]
    maps = [m for m in forward.maps(report) if is_chosen(m.record)]
    for suite in dict.fromkeys(c.suite for c in [*lines, *maps]):
        several = len({c.core for c in lines if c.suite == suite}) > 1
        yield (suite, figures.together(found.get(suite, []), report.one("run"), "plots side" if several else "plots"),
               datasheet.curves([c for c in lines if c.suite == suite]), datasheet.maps([m for m in maps if m.suite == suite]))


def of_machine(figures, report, core, drawn):
    """The pictures that belong to no row. drawn: as from drawn_curves(), whose pictures have another place."""
    elsewhere = {picture.stem for of_suite in drawn.values() for picture in of_suite}
    found = [p for kind in OF_MACHINE for p in plot.of_machine(kind, report, core) if getattr(p, "stem", None) not in elsewhere]
    return markup.together(figures.each(found, report.one("run")))


def worth(row):
    """Returns the kinds of picture that are useful for this row."""
    hist = row.get("hist", [])
    if len(hist) > 1:
        yield "histogram"
    if len(row.get("modes", [])) > 1:
        yield "modes"
    if "sweep" in row:
        yield "sweep"


def of_rows(figures, report, rows, names, old):
    """Returns (the figures, {row: the id of its first one}, the number of rows with figures)."""
    run = report.one("run")
    changed = {(x["suite"], x["name"], x["core"]) for x in old.lines
               if x["verdict"] not in (compare.SAME, compare.UNLIKE, compare.FAILED)} if old else set()
    made, places = [], {}
    for row in page_parts.of_interest(rows, names, changed):
        if len(places) >= figures.most:
            break
        for kind in worth(row):
            try:
                place, figure = figures.figure(plot.of_row(kind, run, row, old), run)
            except pictures.NoData:
                continue
            made.append(figure)
            places.setdefault((row["suite"], row["name"], row["core"]), place)
    return markup.together(made), places


# --- the page --------------------------------------------------------------------------------------

def verdict(report, place, warnings):
    """Returns the verdict in a line, with a link to the warnings."""
    good = report.verdict == "pass" and not report.damage
    way = [" \N{MIDDLE DOT} ", element("a", f"what to know first ({warnings})", href=f"#{place}")] if warnings else []
    return element("p", show.ending(report), *way, class_=f"verdict {'good' if good else 'bad'}")


def about_pictures(figures, shown, rows):
    if figures.why_none:
        return element("p", f"This page has no pictures: {figures.why_none}.", class_="bad")
    if not figures.most:
        return element("p", "No pictures: --plots 0 was given.", class_="soft")
    having = sum(r["status"] == "ok" and any(worth(r)) for r in rows)
    if having > shown:
        return element("p", f"Pictures of {shown} of {having} rows: those that changed, those of the summary, those of "
                            "several modes. --plots all draws every one.", class_="soft")
    return markup.Markup()


def one(report, args, figures, name, prefix):
    """Returns (heading and warnings, the Page of the rest) of a report. name: of its file."""
    run, rows, machine = report.one("run"), plot.chosen(report, args), page_parts.machine(report.one("run"))
    quiets = [q for q in quiet.quiets(report) if show.choice(args)({**q.record, "core": args.core})]
    page = markup.Page(certifies=bool(quiets) and not (report.of("row") or datasheet.is_one(report)))
    old = plot.Old(args.against, report.path, args) if args.against else None
    found = drawn_curves(figures, report, args)
    first = [first_of_all(figures, report, args, found), page_parts.ten_figures(report)]
    shown, names = page_parts.the_summary(report)
    for n, q in enumerate(quiets):
        worst = [plot.attempt("gaps", draw_machine.gaps, report, q.worst.record)] if q.worst else []
        page.section(f"{prefix}certificate{n or ''}", TITLE,
                     certificate.part(q, report, machine, markup.together(figures.each(worst, run))))
    page.section(f"{prefix}summary", "Summary", shown)
    page.section(f"{prefix}machine", "Machine", markup.facts(machine), page_parts.cores(report))
    made, places, general = markup.Markup(), {}, markup.Markup()
    if figures.wanted:
        general = of_machine(figures, report, args.core, found)
        made, places = of_rows(figures, report, rows, names, old)
    if old:
        page.section(f"{prefix}change", "Old against new", *figures.each([plot.change(old)], run, full=True),
                     page_parts.change(old.old, old.new, old.crossed, old.lines, old.differences))
    for suite, *parts in of_curves(figures, report, found, show.choice(args)):
        page.section(f"{prefix}{suite}", suite.capitalize(), *parts)
    page.section(f"{prefix}instructions", "Instructions", datasheet.instructions(report, args.core))
    page.section(f"{prefix}not-judged", "Not judged, not measured", datasheet.not_judged(report))
    page.section(f"{prefix}rows", "Rows", page_parts.rows_by_suite(report, rows, places))
    note = about_pictures(figures, len(places), rows)
    drawn = element("div", general, made, class_="plots") if general or made else ""
    page.section(f"{prefix}pictures", "Pictures", note, drawn)
    page.section(f"{prefix}cores", "Cores and gaps", page_parts.several_cores(report))
    page.section(f"{prefix}compared", "Compared rows", page_parts.compared(report))
    page.section(f"{prefix}growth", "Growth with the argument", figures.together(plot.growth(report, rows), run),
                 markup.listed(page_parts.said_by(report, "growth")))
    page.section(f"{prefix}exits", "Exits to a hypervisor", markup.listed(page_parts.said_by(report, "exits")))
    page.section(f"{prefix}method", "Recipes and self-tests", page_parts.linearity(report),
                 markup.table("Self-tests of the run", page_parts.SELFTESTS, report.of("selftest"), label="Self-tests"))
    page.section(f"{prefix}others", "Further records", page_parts.others(report))
    title = element("h1", f"{TITLE if page.certifies else 'baretick'}: {pictures.machine(run)}")
    warnings = page_parts.warnings(report)
    if page.certifies:  # which has the result itself
        warnings = [w for w in warnings if not w.startswith("the run's verdict: FAIL")]
    head = [title, element("div", element("p", name, class_="soft"), verdict(report, f"{prefix}warnings", len(warnings)),
                           class_="screen" if page.certifies else None),
            element("div", *first, class_="first") if any(first) else "",
            page_parts.warned(warnings, f"{prefix}warnings")]
    return markup.together(head), page


def name_of(report, reports):
    """Returns the name of a report's file; with its path if another of these reports has the same name."""
    name = os.path.basename(report.path)
    return name if sum(os.path.basename(r.path) == name for r in reports) == 1 else report.path


def html(reports, args):
    """Returns the page of these reports."""
    figures, body = Figures(args.plots), []
    for n, report in enumerate(reports):
        head, page = one(report, args, figures, name_of(report, reports), f"r{n + 1}-" if len(reports) > 1 else "")
        ways = element("nav", markup.listed(page.ways), aria_label="Sections" if len(reports) == 1 else name_of(report, reports))
        body.append(element("main" if len(reports) == 1 else "article", head, ways, "\n",
                            markup.together(page.body, "\n"), class_="certificate" if page.certifies else None))
    if len(reports) > 1:
        body = [element("main", markup.together(body, "\n"))]
    body.append(element("footer", "Made by baretick report. Figures with +- are intervals: another boot's figure lies within as "
                                  "often as the heading says, 98 times in 100 with +-98%. docs/report.md says what each field is."))
    first = reports[0]
    title = f"baretick: {pictures.machine(first.one('run'))}, {(first.verdict or 'no verdict').upper()}"
    return markup.document(title, markup.together(body, "\n"))
