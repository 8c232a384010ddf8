"""Names that fields of older reports have, and the names of today (docs/report.md lists them)."""

OPTIONS = {"quiet_budget": "retry_budget"}
FORMER = {
    "run": {"quiet": "controls"},
    "row": {"quiet": "exclusive"},
    "event": {"quiet": "exclusive"},
    "linearity": {"quiet_groups": "exclusive_groups"},
}


def _with(names, members):
    """The members by their names of today. One that is there by both keeps the value of today's."""
    if names.keys().isdisjoint(members):
        return members
    return {**{names[key]: members[key] for key in names if key in members},
            **{key: value for key, value in members.items() if key not in names}}


def renamed(record):
    """The record with the names of today."""
    if record["type"] == "gaps" and record.get("suite") == "quiet":
        record = {**record, "suite": "gaps"}
    if record["type"] == "run" and isinstance(record.get("options"), dict):
        record = {**record, "options": _with(OPTIONS, record["options"])}
    return _with(FORMER.get(record["type"], {}), record)
