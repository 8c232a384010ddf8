"""The certificate: the part of a page that shows how quiet a machine is. It fits a sheet of paper."""
import hashlib

from draw import markup
from draw.markup import element
from read import quiet, table

ON_PAPER = 16  # cores: of more, the worst are printed
LENGTHS = table.columns(
    ("length from", "from", "<"), ("gaps, all cores", "gaps"), ("most on one core", "most"), ("core", "core"))
HOW = (f"A gap is a time of at least 1 us at which a core that only reads its clock did not run. {quiet.SHARE} of all moments of "
       "the watched time wait at most as long as the wait says until the core runs on. Lengths are exact to some 10 ns on a CPU.")


def lengths(q):
    """A table of the gaps by decade of their length."""
    found = [quiet.by_decade(c.lengths) for c in q.cores]
    for i, name in enumerate(quiet.DECADES):
        counts = [f[i] for f in found]
        if any(counts):
            most = max(counts)
            yield {"from": name, "gaps": sum(counts), "most": most, "core": q.cores[counts.index(most)].core}


def smis(run):
    if "smi_counter" not in run:
        return "not counted: a process cannot read the counter"
    return "counted on each core by MSR_SMI_COUNT (34h)" if run["smi_counter"] else \
        f"not counted: {run.get('smi_counter_why_not', 'the counter is missing')}"


def facts(q, report, machine):
    """Returns [(name, value)]: the certified cores, the place and the method; machine: the page's machine part."""
    shown = dict(machine)
    least = q.record.get("least_watched")
    options = q.run.get("options", {})
    found = [("Watched", q.extent + (f", {100 * least:.2f}% of the time or more" if least is not None else "")),
             ("Possible causes", q.record.get("causes")), ("SMIs", smis(q.run)),
             *((name, shown.get(name)) for name in ("CPU", "Hypervisor", "Board", "Runs on", "TSC", "Program")),
             ("Options", " ".join(f"{k}={options[k]}" for k in ("suite", "quiet_time", "gaps_max", "cores", "turbo", "freq", "dma",
                                                               "takeover") if k in options)),
             ("Report", f"{report.path}, SHA-256 {digest(report.path)}")]
    return [(name, value) for name, value in found if value]


def digest(path):
    """Of the report's file, so that the page belongs to it."""
    try:
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()
    except OSError as e:
        return f"not known: {e.strerror}"


def _cores(q):
    """The table of the cores. On paper only the worst of many."""
    rows = list(quiet.rows(q))
    if len(rows) <= ON_PAPER:
        return markup.table("Each core, the longest gap first", quiet.COLUMNS, rows, label="Cores", kind="whole")
    few = markup.table(f"The {ON_PAPER} cores with the longest gaps, of {len(rows)}", quiet.COLUMNS, rows[:ON_PAPER], label="Worst cores",
                       kind="whole")
    every = element("details", element("summary", f"All {len(rows)} cores"),
                    markup.table("Each core, the longest gap first", quiet.COLUMNS, rows, label="Cores"), class_="points")
    return markup.together([few, every])


def part(q, report, machine, drawn):
    """The certificate of a Quiet. drawn: a picture, or nothing."""
    counted, kind = list(lengths(q)), {"PASS": "good", "FAIL": "bad"}.get(q.result, "")
    heading = element("p", element("b", f"{q.result}. " if kind else ""), q.sentence, class_=f"verdict {kind}".strip())
    side = [markup.table("Gaps of all cores, by length", LENGTHS, counted, label="Lengths", sortable=False), drawn]
    return markup.together([heading, _cores(q), element("div", *side, class_="sides") if any(side) else "",
                            markup.facts(facts(q, report, machine)), element("p", HOW, class_="soft how")], "\n")
