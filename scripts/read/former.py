"""Names that fields of older reports have, and the names of today: docs/report.md, "Former names"."""

FORMER = {
    "run": {"quiet": "controls"},
    "row": {"quiet": "exclusive"},
    "event": {"quiet": "exclusive"},
    "linearity": {"quiet_groups": "exclusive_groups"},
}


def renamed(record):
    """The record with the names of today. A record with both keeps the value of today's."""
    if record["type"] == "gaps" and record.get("suite") == "quiet":
        record = {**record, "suite": "gaps"}
    names = FORMER.get(record["type"], {})
    if names.keys().isdisjoint(record):
        return record
    return {**{names[key]: record[key] for key in names if key in record},
            **{key: value for key, value in record.items() if key not in names}}
