"""The page of a fleet: machines compared with their peers, their history, their certificates."""
from draw import document, fleet_parts, markup
from draw.markup import element
from fleet import history, peers

KINDS_SHOWN = 10  # kinds whose rows are on the page
HOW = (f"Peers are machines of the same kind. Each row is judged in kinds of {peers.LEAST_PEERS} machines or more. An outlier's interval "
       f"is outside the band of its peers, and the figure is at least {peers.LEAST:.0%} from their middle, in enough of its newest reports "
       "to exclude a state that other machines have too. Until then it is to be measured again. An outlier is different; that need not be "
       f"a fault. A change is a level of two reports or more that differs from the one before, in {history.LEAST_REPORTS} reports or more. "
       f"docs/fleet.md has the rules. The risk of a false outlier by noise is {peers.RISK:.0%} for the page, and that of a false change "
       "too.")


def _page(fleet, groups, numbers):
    page = document.Page()
    page.section("outliers", "Outliers", fleet_parts.outliers(fleet, groups))
    page.section("changes", "Changes", fleet_parts.changes(fleet))
    page.section("certificates", "Certificates", fleet_parts.certificates(fleet))
    page.section("kinds", "Kinds of machines", fleet_parts.kinds(fleet))
    large = [(n, g) for n, g in enumerate(fleet.groups, 1) if g.bands]
    page.section("rows", "Rows", *(fleet_parts.rows(g, n) for n, g in large[:KINDS_SHOWN]), _left_out(fleet, large))
    page.section("machines", "Machines", fleet_parts.machines(fleet, numbers))
    page.section("damaged", "Damaged reports", fleet_parts.damaged(fleet))
    return page


def _left_out(fleet, large):
    """Returns which kinds are not among the tables of rows, in words."""
    alone = [g for g in fleet.groups if not g.bands]
    said = [f"{fleet_parts.several(len(large) - KINDS_SHOWN, 'smaller kind')} not shown here"] if len(large) > KINDS_SHOWN else []
    if alone:
        few = sum(len(g.machines) for g in alone)
        said.append(f"{fleet_parts.several(few, 'machine')} of {fleet_parts.several(len(alone), 'kind')} not judged by peers: fewer than "
                    f"{peers.LEAST_PEERS} machines, or no row with an interval")
    return element("p", "; ".join(said) + ".", class_="soft") if said else markup.Markup()


def html(fleet, folder):
    """Returns the page of a fleet.Fleet."""
    groups = {m.name: g for g in fleet.groups for m in g.machines}
    numbers = {m.name: n for n, g in enumerate(fleet.groups, 1) for m in g.machines}
    page = _page(fleet, groups, numbers)
    title = f"{fleet_parts.several(fleet.reports, 'report')} of {fleet_parts.several(len(fleet.every), 'machine')}"
    ways = element("nav", markup.listed(page.ways), aria_label="Sections")
    body = element("main", element("h1", title), element("p", folder, class_="soft"), fleet_parts.summary(fleet), ways, "\n",
                   element("p", HOW, class_="soft how"), markup.together(page.body, "\n"), class_="fleet")
    return document.html(f"baretick: {title}", markup.together([body, element("footer", "Made by baretick report.")], "\n"))
