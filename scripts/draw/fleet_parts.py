"""The tables of a fleet page."""
import collections
import statistics

from draw import fleet_pictures, markup
from draw.markup import element
from fleet import peers
from read import quiet, table

MOST = 1000  # lines of a table; --to csv has all
LONG = 100  # lines of a table that are printed
NAMED = 5  # machines that a line names
STRIPS = 12  # rows of a kind that are drawn

OUTLIERS = (
    table.Column("machine", "machine", left=True), table.Column("row", "row", left=True), table.Column("off, %", "off", "+.1f"),
    table.Column("core", "core"), table.Column("figure", "value", ".3f"), table.Column("+-", "half", ".3f"),
    table.Column("peers", "middle", ".3f"), table.Column("unit", "unit", left=True), table.Column("verdict", "verdict", left=True),
    table.Column("reports in a row", "reports"), table.Column("what else differs from most peers", "differs", left=True))
CHANGES = (
    table.Column("row", "row", left=True), table.Column("change, %", "change", "+.1f"), table.Column("core", "core"),
    table.Column("machines", "count"), table.Column("since", "since", left=True), table.Column("history", "picture", left=True),
    table.Column("from", "old", ".3f"), table.Column("to", "new", ".3f"), table.Column("unit", "unit", left=True),
    table.Column("at the same time", "what", left=True))
CERTIFICATES = (
    table.Column("machine", "machine", left=True), table.Column("result", "result", left=True), table.Column("longest gap", "longest"),
    table.Column("limit, us", "limit"), table.Column(f"wait, {quiet.SHARE}", "wait"), table.Column("longest gap over reports", "picture", left=True),
    table.Column("cores", "cores"), table.Column("seconds", "seconds", "g"), table.Column("report", "report", left=True))
KINDS = (
    table.Column("kind", "kind", left=True), table.Column("machines", "count"), table.Column("CPU", "cpu", left=True),
    table.Column("microcode", "microcode", left=True), table.Column("board", "board", left=True), table.Column("build", "build", left=True),
    table.Column("differs from kind 1 in", "differs", left=True))
ROWS = (
    table.Column("row", "row", left=True), table.Column("core", "core"), table.Column("middle", "middle", ".3f"),
    table.Column("unit", "unit", left=True), table.Column("spread, %", "spread", ".2f"), table.Column("machines", "count"),
    table.Column("outliers", "outliers"), table.Column("machines from least to greatest", "picture", left=True), table.Column("edge, %", "span", ".1f"))
MACHINES = (
    table.Column("machine", "machine", left=True), table.Column("kind", "kind"), table.Column("verdict", "verdict", left=True),
    table.Column("quiet", "quiet", left=True), table.Column("outlier rows", "outliers"), table.Column("changed rows", "changes"),
    table.Column("reports", "reports"), table.Column("damaged", "damaged"), table.Column("newest report", "newest", left=True),
    table.Column("failed rows", "failed", left=True))
DAMAGED = (table.Column("report", "report", left=True), table.Column("what is wrong", "wrong", left=True))
SHOWN_OF_KIND = {"cpu": "CPU", "microcode": "microcode", "board": "board", "build": "build"}


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
    found = collections.defaultdict(collections.Counter)
    for m in group.machines:
        for name, value in m.newest.facts.items():
            found[name][value] += 1
    return {name: counts.most_common(1)[0][0] for name, counts in found.items()}


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
                      "differs": "; ".join(differs), "_class": "failed" if f.verdict == peers.OUTLIER else None})
    lines += fleet.found[MOST + 1:]  # for the number in the heading
    return listed("Machines whose newest figure is far from those of their peers", OUTLIERS, lines, label="Outliers")


# --- history ---------------------------------------------------------------------------------------

def _together(changes):
    """Returns [[history.Change]]: the changes of a row in one direction and from alike levels are one line."""
    found = collections.defaultdict(list)
    for c in changes:
        found[c.row, c.up].append(c)
    return sorted(found.values(), key=lambda some: (-len(some), -abs(some[0].share or 0)))


def changes(fleet):
    lines, machines = [], {m.name: m for m in fleet.machines}
    for some in _together(fleet.changes):
        first = max(some, key=lambda c: abs(c.share or 0))
        shares = [c.share for c in some if c.share is not None]
        since = [f"{c.machine}: {machines[c.machine].reports[c.at].name.rpartition('/')[2]}" for c in some[:NAMED]]
        more = f" and {len(some) - NAMED} more" if len(some) > NAMED else ""
        starts = [first.places.index(c.at) for c in machines[first.machine].changes if c.row == first.row]
        picture = fleet_pictures.spark(first.values, starts, f"{first.machine}: {first.row[0]}/{first.row[1]} over {len(first.values)} reports")
        lines.append({**_named(first.row), "change": 100 * statistics.median(shares) if shares else None, "count": len(some),
                      "since": ", ".join(since) + more, "picture": (picture, len(some)), "old": first.old, "new": first.new,
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
        picture = fleet_pictures.spark(over, [], f"{m.name}: longest gap over {len(over)} reports", logarithmic=True) if len(over) > 1 else None
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
    """Yields (row, peers.Band, {machine: its figure}) of the rows that are judged."""
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
            span = max(peers.LEAST, *map(abs, shares.values()))
            names = list(shares)
            label = f"{row[0]}/{row[1]}: {len(names)} machines within {100 * span:.1f}% of the middle, {len(far[row])} far from their peers"
            picture = fleet_pictures.strip(list(shares.values()), [i for i, m in enumerate(names) if m in far[row]], span, label), at
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


def damaged(fleet):
    return listed("Reports that are not judged", DAMAGED, [{"report": r.name, "wrong": "; ".join(r.damage)} for r in fleet.damaged],
                  label="Damaged reports")


def several(count, what):
    """Returns `1 machine`, `12 machines`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def summary(fleet):
    """Returns a line about everything that needs attention, for the top."""
    certain = sum(f.verdict == peers.OUTLIER for f in fleet.found)
    counts = [(len(fleet.failed), "failed machine", ""), (certain, "outlier", ""),
              (len(fleet.found) - certain, "figure", " to measure again"), (len(fleet.changes), "change", ""),
              (len(fleet.damaged), "damaged report", "")]
    said = [several(count, what) + more for count, what, more in counts if count]
    bad = fleet.wrong or fleet.damaged
    return element("p", ", ".join(said) or "No machine failed, and none is an outlier.", class_=f"verdict {'bad' if bad else 'good'}")
