"""The parts of the page of `baretick report`. Each is made from the records of one report."""
from draw import markup
from draw.markup import element
from judge import compare, compare_report, sides
from read import curve, figure, show, table

COMPARED = table.columns(
    ("row", "row", "<"), ("figure", "per_op", ".3f"), ("compared with", "compared_with", "<"),
    ("figure", "other_per_op", ".3f"), ("apart", "apart", ".3f"), ("from", "apart_lo", ".3f"), ("to", "apart_hi", ".3f"),
    ("unit", "unit", "<"))
SELFTESTS = table.columns(("self-test", "name", "<"), ("result", "result", "<"), ("what was seen", "detail", "<"))
LINEARITY = table.columns(
    ("recipe", "recipe", "<"), ("line", "line", "<"), ("bends by, cycles", "bend_cycles", ".2f"),
    ("hides, cycles", "shadow_cycles", ".2f"), ("slope", "slope", ".5f"), ("R\N{SUPERSCRIPT TWO}", "r2", ".9f"),
    ("spurious minima", "spurious_minima"), ("note", "why", "<"))
CORES = table.columns(
    ("core", "core"), ("APIC id", "apic_id"), ("package", "package"), ("core in it", "in_package"),
    ("thread", "thread"), ("type", "type", "<"), ("TSC offset, ticks", "offset"),
    ("ticks a cycle", "ticks_per_cycle", ".4f"), ("note", "note", "<"))
PAIRS = table.columns(
    ("core", "a"), ("core", "b"), ("least", "least", ".2f"), ("median", "median", ".2f"),
    ("greatest", "greatest", ".2f"))
CONTENTIONS = table.columns(
    ("row", "row", "<"), ("cores", "cores"), ("ticks", "ticks", ".3f"), ("ns", "ns", ".3f"),
    ("quickest core's ticks", "least_ticks", ".3f"), ("slowest core's ticks", "greatest_ticks", ".3f"))
GAPS = table.columns(
    ("core", "core"), ("gaps", "gaps"), ("of the time, %", "stolen", ".3f"), ("longest, us", "longest", ".2f"),
    ("seconds", "seconds", ".3f"), ("a second", "gaps_per_second", ".1f"), ("SMIs", "smis"), ("NMIs", "nmis"))
OTHERS = {"object": "User objects",
          "bare_window": "Bare windows of each recipe, in ensembles (record `bare_window`)",
          "c_program": "What a small C program prints (record `c_program`)", "timer": "Timers (record `timer`)",
          "witness": "Was a core shared (record `witness`)", "advice": "Advice about the machine's settings"}
COUNTER_WITHIN = 0.005  # of the ruler: CYCLE_WITHIN of bench/


# --- what is wrong ---------------------------------------------------------------------------------

def warnings(report):
    """Returns [text]: everything that makes figures of the report unreliable."""
    found = [f"the file is damaged: {wrong}" for wrong in report.damage]
    if report.reports > 1:
        found.append(f"the file holds {report.reports} reports, one after another: this is the last one")
    if report.verdict != "pass":
        found.append(show.ending(report).replace("verdict: ", "the run's verdict: "))
    if not report.one("run"):
        found.append("the record `run` is missing: nothing is known of the machine")
    found += [f"self-test {t['name']} failed: {t.get('detail', '')}" for t in report.of("selftest")
              if t["result"] == "fail"]
    rows = report.of("row")
    found += [f"{r['suite']}/{r['name']} on core {r.get('core', 0)} failed: {r.get('why', 'no reason given')}"
              for r in rows if r["status"] == "wrong"]
    for said, some in (("the core was shared in", [r for r in rows if r.get("exclusive") is False]),
                       ("the core was throttled in", [r for r in rows if r.get("throttled")])):
        if names := list(dict.fromkeys(f"{r['suite']}/{r['name']}" for r in some)):
            found.append(f"{said} {len(names)} row{'s' if len(names) > 1 else ''}: {table.some(names, 8)}")
    found += [f"{e['kind']}: {e.get('message', '')}" for e in report.of("event") if e.get("kind") in show.TOLD]
    found += [f"{a['topic']}: {a['text']}" for a in report.of("advice") if a.get("change")]
    return found


def warned(said, place):
    """Returns the box of warnings, or nothing."""
    if not said:
        return markup.Markup()
    return element("section", element("h2", f"What to know first ({len(said)})"), markup.listed(said),
                   class_="warnings", id=place, aria_label="Warnings")


# --- the machine -----------------------------------------------------------------------------------

def _joined(*words):
    return ", ".join(str(w) for w in words if w not in (None, ""))


def machine(run):
    """Returns [(name, value)] of the machine and the run."""
    cpu, smbios, firmware = (run.get(k, {}) for k in ("cpu", "smbios", "firmware"))
    topology, tsc, options = run.get("topology", {}), run.get("tsc", {}), run.get("options", {})
    caches = [f"L{c['level']} {c['type']} {curve.size(c['size_bytes'])}" for c in run.get("caches", [])]
    memory = run.get("memory", {})
    modules = [_joined(f"{m['count']} x", curve.size(m["bytes"]) if "bytes" in m else None, m.get("type"),
                       f"{m['mega_transfers_per_s']} MT/s" if "mega_transfers_per_s" in m else None)
               for m in memory.get("modules", [])]
    found = [
        ("CPU", _joined(cpu.get("brand"), cpu.get("vendor"), *(f"{k} {cpu[k]}" for k in ("family", "model", "stepping")
                                                                if k in cpu),
                        "model masked: no CPU of it has all of these features" if cpu.get("model_masked") else None,
                        f"microcode {int(cpu['microcode']):#x}" if "microcode" in cpu else "microcode not known")),
        ("Hypervisor", sides.hypervisor(run) or "none"),
        ("Topology", _joined(*(f"{topology[k]} {said}{'' if topology[k] == 1 else 's'}" for k, said in (
            ("packages", "package"), ("cores", "core"), ("logical_cpus", "logical CPU")) if k in topology))),
        ("Caches", ", ".join(caches)),
        ("Memory", _joined(curve.size(memory["bytes"]) if "bytes" in memory else None, *modules)),
        ("Board", _joined(smbios.get("system_vendor"), smbios.get("system_product"),
                          f"BIOS {smbios['bios_version']}" if "bios_version" in smbios else None,
                          smbios.get("bios_date"))),
        ("Runs on", _joined("the bare machine, by UEFI" if run.get("platform") == "uefi" else "an operating system",
                            firmware.get("vendor"), *run.get("system", {}).values(),
                            *(k for k in ("pinned", "locked", "fifo") if run.get("process", {}).get(k)))),
        ("Executes", _joined(run.get("execution"), run.get("execution_why"))),
        ("TSC", _joined(f"{tsc['hz'] / 1e6:.3f} MHz by {tsc.get('source', '?')}" if "hz" in tsc else "frequency not known",
                        None if tsc.get("invariant", True) else "not invariant",
                        f"moves in steps of {tsc['step_ticks']:g} ticks" if tsc.get("step_ticks", 1) != 1 else None)),
        ("Core cycles", _joined(f"by {run['cycle']}" if "cycle" in run else "not known",
                                f"{run['ticks_per_cycle']:.4f} ticks each" if "ticks_per_cycle" in run else None,
                                f"{run['cycle_counter']} next to it" if "cycle_counter" in run else None)),
        ("Recipe", _joined(run.get("recipe"), f"LFENCE serialises: {cpu['lfence']}" if "lfence" in cpu else None)),
        ("Options", " ".join(f"{k}={v}" for k, v in options.items()) + f" (from: {run.get('options_from', '?')})"),
        ("Program", _joined(f"baretick {run.get('version', '?')}", run.get("build"), run.get("compiler"))),
        ("Licence of figures", run.get("licence")),
    ]
    return [(name, value) for name, value in found if value]


# --- the summary -----------------------------------------------------------------------------------

NO_SUMMARY = "This report has no summary: an older version wrote it, or the run did not reach its end."


def _matrix(lines, caption, name):
    """Returns the lines of cells as a table; the first line has the headings."""
    (label, heads), *rest = [(line["label"], line["cells"]) for line in lines]
    columns = table.columns((label, "label", "<"), *((head, str(i)) for i, head in enumerate(heads)))
    rows = [{"label": label, **{str(i): cell for i, cell in enumerate(cells)}} for label, cells in rest]
    return markup.table(caption, columns, rows, sortable=False, label=name)


SHEET = "datasheet"  # the first label of the ten figures


def _cells(report):
    """Returns the lines of the summary that have cells: those of a datasheet, or those of suite `calls`."""
    return [line for line in report.one("summary").get("lines", []) if "cells" in line]


def ten_figures(report):
    """Returns the ten figures of a datasheet as a table."""
    cells = _cells(report)
    return _matrix(cells, "Ten figures with their intervals; ? marks a doubtful one", "Ten figures") if cells and cells[0]["label"] == SHEET \
        else markup.Markup()


def the_summary(report):
    """Returns the record `summary` as a section of the page, and the names of its rows."""
    record = report.one("summary")
    lines = record.get("lines", [])
    said = [(line["label"], ", ".join(line["parts"])) for line in lines if "parts" in line]
    parts = [] if record else [element("p", NO_SUMMARY, class_="soft")]
    parts.append(markup.facts([*said, ("verdict", show.ending(report).removeprefix("verdict: "))]))
    cells = _cells(report)
    if cells and cells[0]["label"] != SHEET:
        parts.append(_matrix(cells, "Calls: the rows calls/direct, direct_inc, direct_straight, direct_c and so on", "Calls"))
    return markup.together(parts), record.get("rows", [])


# --- tables ----------------------------------------------------------------------------------------

def note(row):
    """Returns the notes about a row: those of `show`, and those below the row in the program's table."""
    per_op, window = row.get("per_op", {}), row.get("ticks") or row.get("body") or {}
    found, n = [show.note(row)], row.get("n", window.get("n", 0))
    if row.get("errors"):
        found.append(f"{row['errors']} operations failed; their samples are left out")
    if row.get("disturbed", 0) * 100 > n:
        found.append(f"{row['disturbed']} of {n} windows disturbed")
    for key, said in (("smis", "SMIs occurred"), ("nmis", "NMIs, machine checks or moves occurred")):
        if row.get(key):
            found.append(f"{row[key]} {said}")
    ruler = per_op.get("cycles_ruler", per_op.get("cycles"))
    if per_op.get("cycles_counter") is not None and ruler is not None:
        half = figure.half(per_op) or 0
        # The program's rule. The counter's interval is not in the record; it is about as wide as the ruler's.
        if abs(per_op["cycles_counter"] - ruler) > COUNTER_WITHIN * max(abs(ruler), 1) + 2 * half:
            found.append(f"{row.get('cycle_counter', 'counter')} and ruler disagree: {per_op['cycles_counter']:.3f}, "
                         f"{ruler:.3f} cycles an operation")
    if row.get("counter_unread_blocks"):
        found.append(f"{row['counter_unread_blocks']} blocks without a reading of "
                     f"{row.get('cycle_counter', 'the counter')}")
    return "; ".join(f for f in found if f)


# The figure first: on a phone the windows are out of sight.
ROW = ("row", "core", "cycles", "interval", "instructions", "ipc", "ticks", "ns", "ops", "min", "median", "p99", "max", "note")


def rows_by_suite(report, rows, linked):
    """Returns one table per suite; a row links to its picture, if that is on the page. linked: {(suite, name, core): id}."""
    run = report.one("run")
    per = run.get("ticks_per_instruction", 1)
    suites, several = {}, set()
    for r in rows:
        several.add(r["core"])
        flat = show.flat(report.path, r, per)
        place = linked.get((r["suite"], r["name"], r["core"]))
        flat["note"] = note(r)
        name = markup.breakable(r["name"])
        name = element("a", name, href=f"#{place}") if place else name
        if r["status"] == "wrong":  # in the column that remains in sight
            flat["_class"], flat["note"] = "failed", ""
            name = markup.together([name, element("span", f"FAILED: {note(r).removeprefix('wrong: ')}", class_="why")])
        flat["row"] = (name, r["name"])
        suites.setdefault(r["suite"], []).append({key: flat.get(key) for key in (*ROW, "percent", "_class")})
    columns = sorted((c for c in show.COLUMNS if c.key in ROW and (len(several) > 1 or c.key != "core")),
                     key=lambda c: ROW.index(c.key))
    unit = run.get("unit", "ticks")
    return markup.together(
        markup.table(f"{suite}: {len(found)} row{'s' if len(found) > 1 else ''}; min to max are whole windows, in "
                     f"{unit}", show.headed(columns, found), found, label=f"Suite {suite}") for suite, found in suites.items())


def compared(report):
    found = [{**e, "row": f"{e.get('suite')}/{e.get('name')}"} for e in report.of("event") if e.get("kind") == "compared"]
    return markup.together([markup.table("Rows compared with the row that they name", COMPARED, found, label="Compared rows"),
                            markup.listed(said_by(report, "breaks_even"))])


def said_by(report, kind):
    """Returns the messages of all events of a kind."""
    return [e.get("message", "") for e in report.of("event") if e.get("kind") == kind]


def linearity(report):
    lines = {r["recipe"]: r for r in report.of("regression")}
    found = []
    for r in report.of("linearity"):
        line = lines.get(r["recipe"], {})
        found.append({**r, "why": r.get("why", ""), "r2": line.get("r2"), "spurious_minima": line.get("spurious_minima"),
                      "slope": line.get("slope_cycles", line.get("slope_instructions")),
                      "line": {True: "straight", False: "bends"}.get(r.get("straight"), "")})
    return markup.table("Recipes on chains of adds: a straight one can be believed", LINEARITY, found, label="Recipes")


def cores(report):
    found = []
    for c in report.of("core"):
        place = c.get("topology", {})
        note = c.get("why") or _joined("measures" if c.get("measures") else "", *(
            f"{said} differ: {c[key]}" for key, said in (("mtrr", "MTRRs"), ("features", "features")) if key in c))
        found.append({"core": c["core"], "apic_id": c.get("apic_id"), "package": place.get("package"),
                      "in_package": place.get("core"), "thread": place.get("thread"), "type": c.get("core_type"),
                      "offset": c.get("tsc_offset_ticks"), "ticks_per_cycle": c.get("ticks_per_cycle"), "note": note})
    return markup.table("Cores of the machine", CORES, found, label="Cores")


def several_cores(report):
    """Returns pairs, contentions and gaps as tables, because a heat map does not show numbers."""
    parts = []
    for m in report.of("matrix"):
        pairs = [dict(zip(("a", "b", "least", "median", "greatest"), p)) for p in m.get("pairs", [])]
        judged = "" if m.get("judged") else "; not judged"
        said = f"{m['suite']}/{m['name']}: every pair, in {m.get('unit', 'ticks')}{judged}"
        parts.append(markup.table(said, PAIRS, pairs, first_is_name=False, label=f"Pairs of {m['name']}"))
    contentions = [{"row": f"{r['suite']}/{r['name']}", **c} for r in report.of("row") for c in r.get("by_cores", [])]
    parts.append(markup.table("By the number of cores: an operation of one core under contention, or a TLB shootdown", CONTENTIONS, contentions,
                              label="Contests"))
    certified = {(q["suite"], q["name"]) for q in report.of("quiet")}  # these are in the certificate
    found = [{**g, "stolen": 100 * g["gap_ticks"] / g["watched_ticks"] if g.get("watched_ticks") else None,
              "longest": g["longest_ns"] / 1e3 if "longest_ns" in g else None}
             for g in report.of("gaps") if (g["suite"], g["name"]) not in certified]
    parts.append(markup.table("Gaps: what held a core up while it only read its TSC", GAPS, found, label="Gaps"))
    return markup.together(parts)


def _flat(record, before=""):
    """Returns {name.of.a.field: value} of a record, without the fields that every record has."""
    found = {}
    for key, value in record.items():
        if isinstance(value, dict):
            found.update(_flat(value, f"{before}{key}."))
        elif before or key not in ("baretick", "seq", "type", "crc"):
            found[before + key] = ", ".join(map(str, value)) if isinstance(value, list) else value
    return found


def others(report):
    """Returns the records that no other part shows: one table per kind, headed by the field names of docs/report.md."""
    parts = []
    for kind, said in OTHERS.items():
        records = [_flat(r) for r in report.of(kind)]
        names = list(dict.fromkeys(key for r in records for key in r))
        columns = table.columns(*((n, n, "<" if any(isinstance(r.get(n), str) for r in records) else "") for n in names))
        parts.append(markup.table(said, columns, records, label=said))
    return markup.together(parts)


def change(old, new, crossed, lines, differences):
    """Returns the output of `compare` as a section, with changed rows first."""
    in_order = sorted(lines, key=lambda x: (x["verdict"] == compare.SAME) + 2 * (x["verdict"] == compare.UNLIKE))
    in_order = [{**x, "_class": "failed"} if x["verdict"] == compare.FAILED else x for x in in_order]
    several = len(lines.cores) > 1
    parts = [element("p", side.line()) for side in (old, new)]
    parts += [element("p", f"Compared nevertheless: {said}") for said in crossed]
    parts.append(element("p", element("b", compare_report.sentence(lines))))
    parts += [element("p", said, class_="soft") for said in compare_report.explanation(lines, differences)]
    parts.append(markup.table("Old against new, row by row",
                              [c for c in compare.headed(lines) if c.key != "core" or several], in_order,
                              label="Old against new"))
    return markup.together(parts)


def of_interest(rows, names, changed):
    """Yields the rows that get pictures: changed rows, swept rows, rows of the summary, rows with several modes, then
    the others."""
    def rank(row):
        name = f"{row['suite']}/{row['name']}"
        modes = row.get("modes", [])
        if (row["suite"], row["name"], row["core"]) in changed:
            return 0, 0
        if "sweep" in row:
            return 1, 0
        if name in names:
            return 2, names.index(name)
        if len(modes) > 1:
            return 3, max(m["share"] for m in modes)
        return 4, 0

    ranks = sorted((rank(row), at) for at, row in enumerate(rows) if row["status"] == "ok")
    return (rows[at] for _, at in ranks)
