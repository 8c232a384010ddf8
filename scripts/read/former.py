"""Former names of fields, and their present names (docs/report.md lists them)."""

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
INSIDE = {("run", "options"): OPTIONS, ("row", "per_op"): PER_OP, ("row", "interval"): INTERVAL}  # of members that are objects


def _with(names, members):
    """Returns the members with their present names. If both names are present, the value of the present name is kept."""
    if names.keys().isdisjoint(members):
        return members
    return {**{names[key]: members[key] for key in names if key in members},
            **{key: value for key, value in members.items() if key not in names}}


def renamed(record):
    """Returns the record with the present names."""
    for kind, member, was, now in VALUES:
        if record["type"] == kind and record.get(member) == was:
            record = {**record, member: now}
    for (kind, member), names in INSIDE.items():
        if record["type"] == kind and isinstance(record.get(member), dict):
            record = {**record, member: _with(names, record[member])}
    return _with(FORMER.get(record["type"], {}), record)
