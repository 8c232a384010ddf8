"""Former names of fields, and their present names (docs/report.md lists them)."""

TYPES = {"essence": "summary"}
OPTIONS = {"quiet_budget": "retry_budget"}
PER_OP = {"lattice_ticks": "step_ticks"}
FORMER = {
    "run": {"quiet": "controls"},
    "row": {"quiet": "exclusive", "steps": "stepped"},
    "event": {"quiet": "exclusive", "beside": "compared_with", "beside_per_op": "other_per_op"},
    "linearity": {"quiet_groups": "exclusive_groups"},
    "gaps": {"turn_ticks": "iteration_ticks", "stolen_ticks": "gap_ticks", "stolen_ns": "gap_ns"},
}
VALUES = (("gaps", "suite", "gaps", "quiet"), ("event", "kind", "beside", "compared"))
INTERVAL = {"level": "confidence", "median_level": "median_confidence"}
CURVES = ("curve", "limit")
INSIDE = {("run", "options"): OPTIONS, ("row", "per_op"): PER_OP, ("row", "interval"): INTERVAL}  # of members that are objects


def _with(names, members):
    """Returns the members with their present names. If both names are present, the value of the present name is kept."""
    if names.keys().isdisjoint(members):
        return members
    return {**{names[key]: members[key] for key in names if key in members},
            **{key: value for key, value in members.items() if key not in names}}


def _figure(unit, at, ticks, cycles, lo, hi, *ns):
    """Returns a point with the figure in this unit and the longer side of its interval."""
    value = ticks if unit == "ticks" else cycles
    return [at, value, None if None in (value, lo, hi) else max(value - lo, hi - value), *ns]


def _figures(record):
    """Returns a curve's record with `figures` in place of `points`."""
    figures = [_figure(record.get("unit"), *p) for p in record["points"] if isinstance(p, list) and len(p) in (5, 6)]
    return {**{key: value for key, value in record.items() if key != "points"}, "figures": figures}


def _labelled(line):
    return {**line, "label": TYPES.get(line["label"], line["label"])} if isinstance(line, dict) and "label" in line else line


def _typed(record):
    """Returns the record with the present name of its type, which the first line of a summary repeats."""
    if record["type"] not in TYPES:
        return record
    lines = record.get("lines")
    return {**record, "type": TYPES[record["type"]],
            **({"lines": [_labelled(line) for line in lines]} if isinstance(lines, list) else {})}


def renamed(record):
    """Returns the record with the present names."""
    record = _typed(record)
    if record["type"] in CURVES and isinstance(record.get("points"), list):
        record = _figures(record)
    for kind, member, was, now in VALUES:
        if record["type"] == kind and record.get(member) == was:
            record = {**record, member: now}
    for (kind, member), names in INSIDE.items():
        if record["type"] == kind and isinstance(record.get(member), dict):
            record = {**record, member: _with(names, record[member])}
    return _with(FORMER.get(record["type"], {}), record)
