"""Former names of fields, and their present names (docs/report.md lists them)."""

OPTIONS = {"quiet_budget": "retry_budget"}
FORMER = {
    "run": {"quiet": "controls"},
    "row": {"quiet": "exclusive"},
    "event": {"quiet": "exclusive"},
    "linearity": {"quiet_groups": "exclusive_groups"},
    "gaps": {"iteration_ticks": "iteration_ticks"},
}


def _with(names, members):
    """Returns the members with their present names. If both names are present, the value of the present name is kept."""
    if names.keys().isdisjoint(members):
        return members
    return {**{names[key]: members[key] for key in names if key in members},
            **{key: value for key, value in members.items() if key not in names}}


def renamed(record):
    """Returns the record with the present names."""
    if record["type"] == "gaps" and record.get("suite") == "quiet":
        record = {**record, "suite": "gaps"}
    if record["type"] == "run" and isinstance(record.get("options"), dict):
        record = {**record, "options": _with(OPTIONS, record["options"])}
    return _with(FORMER.get(record["type"], {}), record)
