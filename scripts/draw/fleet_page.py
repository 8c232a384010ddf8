"""The page of a fleet: machines compared with their peers, their history, their certificates."""
import collections
import math
import statistics

from draw import markup
from draw.markup import element
from judge import fleet_peers
from read import quiet, table

MOST = 1000  # lines of a table; --to csv has all
LONG = 100  # lines of a table that are printed
NAMED = 5  # machines that a line names
STRIPS = 12  # rows of a kind that are drawn

OUTLIERS = table.columns(
    ("machine", "machine", "<"), ("row", "row", "<"), ("off, %", "off", "+.1f"), ("core", "core"),
    ("figure", "value", ".3f"), ("+-", "half", ".3f"), ("peers", "middle", ".3f"), ("unit", "unit", "<"),
    ("verdict", "verdict", "<"), ("reports in a row", "reports"),
    ("what else differs from most peers", "differs", "<"))
CHANGES = table.columns(
    ("row", "row", "<"), ("change, %", "change", "+.1f"), ("core", "core"), ("machines", "count"),
    ("since", "since", "<"), ("history", "picture", "<"), ("from", "old", ".3f"), ("to", "new", ".3f"),
    ("unit", "unit", "<"), ("at the same time", "what", "<"))
CERTIFICATES = table.columns(
    ("machine", "machine", "<"), ("result", "result", "<"), ("longest gap", "longest"), ("limit, us", "limit"),
    (f"wait, {quiet.SHARE}", "wait"), ("longest gap over reports", "picture", "<"), ("cores", "cores"),
    ("seconds", "seconds", "g"), ("report", "report", "<"))
KINDS = table.columns(
    ("kind", "kind", "<"), ("machines", "count"), ("CPU", "cpu", "<"), ("microcode", "microcode", "<"),
    ("board", "board", "<"), ("build", "build", "<"), ("differs from kind 1 in", "differs", "<"))
ROWS = table.columns(
    ("row", "row", "<"), ("core", "core"), ("middle", "middle", ".3f"), ("unit", "unit", "<"),
    ("spread, %", "spread", ".2f"), ("machines", "count"), ("outliers", "outliers"),
    ("machines from least to greatest", "picture", "<"), ("edge, %", "span", ".1f"))
MACHINES = table.columns(
    ("machine", "machine", "<"), ("kind", "kind"), ("verdict", "verdict", "<"), ("quiet", "quiet", "<"),
    ("outlier rows", "outliers"), ("changed rows", "changes"), ("reports", "reports"), ("damaged", "damaged"),
    ("newest report", "newest", "<"), ("failed rows", "failed", "<"))
DAMAGED = table.columns(("report", "report", "<"), ("what is wrong", "wrong", "<"))
SHOWN_OF_KIND = {"cpu": "CPU", "microcode": "microcode", "board": "board", "build": "build"}
SPARK = (140, 30)  # pixels
STRIP = (420, 18)
PLACES = 160  # places of a strip; machines at the same place are one mark
EDGE = 4
KINDS_SHOWN = 10  # kinds whose rows are on the page
HOW = (f"Peers are machines of the same kind. Each row is judged in kinds of {fleet_peers.LEAST_PEERS} machines or more. An outlier's interval "
       f"is outside the band of its peers, and the figure is at least {fleet_peers.LEAST:.0%} from their middle, in enough of its newest reports "
       "to exclude a state that other machines have too. Until then it is to be measured again. An outlier is different; that need not be "
       f"a fault. A change is a level of two reports or more that differs from the one before, in {fleet_peers.LEAST_REPORTS} reports or more. "
       f"docs/fleet.md has the rules. The risk of a false outlier by noise is {fleet_peers.RISK:.0%} for the page, and that of a false change "
       "too.")


# --- small pictures: a figure over a machine's reports, the machines of a kind in a strip ----------

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
        x = round((max(-span, min(span, value)) / span + 1) / 2 * PLACES)
        marks[x, at in far] = marks.get((x, at in far), 0) + 1
    middle = element("line", x1=width / 2, x2=width / 2, y1=0, y2=height, class_="middle")
    dots = [element("circle", cx=round(EDGE + x / PLACES * (width - 2 * EDGE), 1), cy=height / 2,
                    r=round(min(2.2 + math.log2(count) / 2, 6), 1), class_="far" if is_far else None)
            for (x, is_far), count in sorted(marks.items(), key=lambda item: item[0][1])]
    return _svg(STRIP, label, middle, *dots, kind="strip")


# --- tables ----------------------------------------------------------------------------------------

def _named(key):
    suite, name, core, unit = key
    return {"row": f"{suite}/{name}", "core": core, "unit": unit}


def listed(caption, columns, rows, **how):
    """Returns a table of at most MOST lines. A long one scrolls on the screen, and is not printed as a whole."""
    if not rows:
        return markup.Markup()
    if len(rows) > MOST:
        caption += f"; the first {MOST} of {len(rows)} are here, --to csv writes all"
    if len(rows) <= LONG:
        return markup.table(caption, columns, rows, **how)
    note = element("p", f"{caption}: {len(rows)} lines. Use the filter on the screen to print some of them.", class_="on-paper")
    return markup.together([markup.table(caption, columns, rows[:MOST], kind="long", **how), note])


# --- outliers --------------------------------------------------------------------------------------

def _usual(group):
    """Returns {fact: the value that most machines of a group have}."""
    every = [m.newest.facts for m in group.machines]
    return {name: statistics.mode(facts[name] for facts in every) for name in every[0]}


def outliers(fleet, groups):
    """groups: {machine: its Group}."""
    usual, machines = {id(g): _usual(g) for g in fleet.groups if g.found}, {m.name: m for m in fleet.machines}
    lines = []
    for f in fleet.found[:MOST + 1]:
        facts = machines[f.machine].newest.facts
        differs = [f"{name} {facts[name]}, not {value}" for name, value in usual[id(groups[f.machine])].items()
                   if facts.get(name) not in (None, value)]
        value, lo, hi = f.figure
        lines.append({"machine": f.machine, **_named(f.row), "value": value, "half": max(hi - value, value - lo), "middle": f.middle,
                      "off": None if f.share is None else 100 * f.share, "verdict": f.verdict, "reports": f.reports,
                      "differs": "; ".join(differs), "_class": "failed" if f.verdict == fleet_peers.OUTLIER else None})
    lines += fleet.found[MOST + 1:]  # for the number in the heading
    return listed("Machines whose newest figure is far from those of their peers", OUTLIERS, lines, label="Outliers")


# --- history ---------------------------------------------------------------------------------------

def _together(changes):
    """Returns [[fleet_peers.Change]]: the changes of a row in one direction and from alike levels are one line."""
    found = table.grouped(changes, lambda c: (c.row, c.up))
    return sorted(found.values(), key=lambda some: (-len(some), -abs(some[0].share or 0)))


def changes(fleet):
    lines, machines = [], {m.name: m for m in fleet.machines}
    for some in _together(fleet.changes):
        first = max(some, key=lambda c: abs(c.share or 0))
        shares = [c.share for c in some if c.share is not None]
        since = [f"{c.machine}: {machines[c.machine].reports[c.at].name.rpartition('/')[2]}" for c in some]
        starts = [first.places.index(c.at) for c in machines[first.machine].changes if c.row == first.row]
        picture = spark(first.values, starts, f"{first.machine}: {first.row[0]}/{first.row[1]} over {len(first.values)} reports")
        lines.append({**_named(first.row), "change": 100 * statistics.median(shares) if shares else None, "count": len(some),
                      "since": table.some(since, NAMED), "picture": (picture, len(some)), "old": first.old, "new": first.new,
                      "what": "; ".join(dict.fromkeys(c.what for c in some[:NAMED] if c.what))})
    return listed("Rows whose level changed, in the history of a machine. The picture and both levels are of the machine that changed most",
                  CHANGES, lines, label="Changes")


# --- certificates ----------------------------------------------------------------------------------

def _result(q):
    return q.result or "no limit" if q.cores else "no core watched"


def certificates(fleet):
    lines = []
    for m in fleet.machines:
        if not m.certificate:
            continue
        q, over = m.certificate.quiet, [r.quiet.longest for r in m.reports if r.quiet and r.quiet.longest is not None]
        picture = spark(over, [], f"{m.name}: longest gap over {len(over)} reports", logarithmic=True) if len(over) > 1 else None
        lines.append({"machine": m.name, "result": _result(q), "limit": q.limit_us, "longest": (quiet.duration(q.longest), q.longest or 0),
                      "wait": (quiet.duration(q.wait) if q.wait else "< 1 us", q.wait or 0), "picture": (picture, len(over)) if picture else None,
                      "cores": q.cores, "seconds": q.asked_s, "report": m.certificate.name, "_class": "failed" if q.result == "FAIL" else None})
    lines.sort(key=lambda line: (line["result"] != "FAIL", -line["longest"][1]))
    return listed("The newest report of suite quiet of each machine, the longest gap first. baretick report FILE makes the certificate of each",
                  CERTIFICATES, lines, label="Certificates")


# --- kinds -----------------------------------------------------------------------------------------

def kinds(fleet):
    lines, first = [], dict(fleet.groups[0].kind) if fleet.groups else {}
    for number, group in enumerate(fleet.groups, 1):
        kind = dict(group.kind)
        differs = [f"{name} {value}" for name, value in kind.items() if value != first.get(name) and name not in SHOWN_OF_KIND.values()]
        lines.append({"kind": f"kind {number}", "count": len(group.machines), "differs": ", ".join(differs),
                      **{key: kind.get(name) if kind.get(name) not in (None, "") else "not known" for key, name in SHOWN_OF_KIND.items()}})
    return listed("Machines of a kind are peers: the same CPU, microcode, board, program and options", KINDS, lines, label="Kinds")


def _rows_of(group):
    """Yields (row, fleet_peers.Band, {machine: its figure}) of the rows that are judged."""
    figures = collections.defaultdict(dict)
    for m in group.machines:
        for row, value, *_ in m.newest.figures():
            if row in group.bands:
                figures[row][m.name] = value
    for row, band in group.bands.items():
        yield row, band, figures[row]


def rows(group, number):
    """Returns the table of a group's rows; those with outliers, and then those with the widest spread, have a
    picture."""
    far = collections.defaultdict(set)
    for f in group.found:
        far[f.row].add(f.machine)
    judged = [(row, band, figures) for row, band, figures in _rows_of(group) if band.middle > 0]
    judged.sort(key=lambda one: (-len(far[one[0]]), -one[1].spread / one[1].middle))
    lines = []
    for at, (row, band, figures) in enumerate(judged):
        shares = {m: value / band.middle - 1 for m, value in figures.items()}
        picture, span = "", None
        if at < STRIPS:
            span = max(fleet_peers.LEAST, *map(abs, shares.values()))
            names = list(shares)
            label = f"{row[0]}/{row[1]}: {len(names)} machines within {100 * span:.1f}% of the middle, {len(far[row])} far from their peers"
            picture = strip(list(shares.values()), [i for i, m in enumerate(names) if m in far[row]], span, label), at
        lines.append({**_named(row), "middle": band.middle, "spread": 100 * band.spread / band.middle, "count": len(figures),
                      "outliers": len(far[row]), "picture": picture,
                      "span": None if span is None else 100 * span})
    drawn = f"; the first {STRIPS} are drawn" if len(lines) > STRIPS else ""
    return listed(f"Kind {number}: {len(group.machines)} machines; rows with outliers first, then those in which machines differ most{drawn}",
                  ROWS, lines, label=f"Rows of kind {number}")


# --- machines, damage ------------------------------------------------------------------------------

def machines(fleet, numbers):
    """numbers: {machine: the number of its group}."""
    far, changed = collections.Counter(f.machine for f in fleet.found), collections.Counter(c.machine for c in fleet.changes)
    lines = []
    for m in fleet.every:
        newest = m.newest
        lines.append({"machine": m.name, "kind": numbers.get(m.name), "verdict": newest.verdict if newest else "no intact report",
                      "quiet": _result(m.certificate.quiet) if m.certificate else "", "outliers": far[m.name] or None,
                      "changes": changed[m.name] or None, "reports": len(m.reports), "damaged": sum(bool(r.damage) for r in m.reports) or None,
                      "newest": newest.name if newest else "", "failed": ", ".join(newest.failures[:NAMED]) if newest else "",
                      "_class": "failed" if not newest or newest.verdict != "pass" else None})
    lines.sort(key=lambda line: line["_class"] is None)
    return listed("Every machine; those whose newest report did not pass first", MACHINES, lines, label="Machines")


def several(count, what):
    """Returns `1 machine`, `12 machines`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def summary(fleet):
    """Returns a line about everything that needs attention, for the top."""
    certain = sum(f.verdict == fleet_peers.OUTLIER for f in fleet.found)
    counts = [(len(fleet.failed), "failed machine", ""), (certain, "outlier", ""),
              (len(fleet.found) - certain, "figure", " to measure again"), (len(fleet.changes), "change", ""),
              (len(fleet.damaged), "damaged report", "")]
    said = [several(count, what) + more for count, what, more in counts if count]
    bad = fleet.wrong or fleet.damaged
    return element("p", ", ".join(said) or "No machine failed, and none is an outlier.", class_=f"verdict {'bad' if bad else 'good'}")


# --- the page --------------------------------------------------------------------------------------

def _left_out(fleet, large):
    """Returns which kinds are not among the tables of rows, in words."""
    alone = [g for g in fleet.groups if not g.bands]
    said = [f"{several(len(large) - KINDS_SHOWN, 'smaller kind')} not shown here"] if len(large) > KINDS_SHOWN else []
    if alone:
        few = sum(len(g.machines) for g in alone)
        said.append(f"{several(few, 'machine')} of {several(len(alone), 'kind')} not judged by peers: fewer than "
                    f"{fleet_peers.LEAST_PEERS} machines, or no row with an interval")
    return element("p", "; ".join(said) + ".", class_="soft") if said else markup.Markup()


def html(fleet, folder):
    """Returns the page of a fleet.Fleet."""
    groups = {m.name: g for g in fleet.groups for m in g.machines}
    numbers = {m.name: n for n, g in enumerate(fleet.groups, 1) for m in g.machines}
    large, page = [(n, g) for n, g in enumerate(fleet.groups, 1) if g.bands], markup.Page()
    page.section("outliers", "Outliers", outliers(fleet, groups))
    page.section("changes", "Changes", changes(fleet))
    page.section("certificates", "Certificates", certificates(fleet))
    page.section("kinds", "Kinds of machines", kinds(fleet))
    page.section("rows", "Rows", *(rows(g, n) for n, g in large[:KINDS_SHOWN]), _left_out(fleet, large))
    page.section("machines", "Machines", machines(fleet, numbers))
    page.section("damaged", "Damaged reports", listed(
        "Reports that are not judged", DAMAGED, [{"report": r.name, "wrong": "; ".join(r.damage)} for r in fleet.damaged],
        label="Damaged reports"))
    title = f"{several(fleet.reports, 'report')} of {several(len(fleet.every), 'machine')}"
    ways = element("nav", markup.listed(page.ways), aria_label="Sections")
    body = element("main", element("h1", title), element("p", folder, class_="soft"), summary(fleet), ways, "\n",
                   element("p", HOW, class_="soft how"), markup.together(page.body, "\n"), class_="fleet")
    return markup.document(f"baretick: {title}", markup.together([body, element("footer", "Made by baretick report.")], "\n"))
