"""The confidence of a row's interval, and remarks on how it was made (docs/figure.md, "The interval")."""
from read import figure

AT_LEAST = 98  # percent, of order statistics; the exact confidence depends on the number of placements, and is higher
STUDENT = 99  # percent, nominally, of Student's t over few placements
RANKS_FROM = 11  # placements: from there on ranks suffice, as lib/stats/estimate.h has it
RANKS = ("ranks", "rounds")
FIELDS = "method interval.by interval.confidence interval.placements_cycles interval.passes_ticks placements truth_vague truth_above truth_cycles"  # for kept.Fields


def percent(row):
    """Returns the confidence of the row's interval, as in a heading. None: it has no interval, or one without a confidence, as
    other methods have."""
    found = row.get("interval", {})
    if figure.half(row.get("per_op", {})) is None:
        return None
    if found.get("by") in RANKS:
        return AT_LEAST
    return round(100 * found["confidence"]) if "confidence" in found else None


def percent_of(placements):
    """Returns the level of an interval over this number of placements, in percent."""
    return STUDENT if placements < RANKS_FROM else AT_LEAST


def drawn(row):
    """Returns the number of values that the row's interval is made from: placements, or passes of several cores."""
    return len(row.get("interval", {}).get("passes_ticks", ())) or row.get("placements", 0)


def heading(percents, mark="+-"):
    """Returns the heading for intervals of these confidences: all that differ, or the bare mark if one is not known."""
    found = set(percents)
    if not found or None in found:
        return mark
    return f"{mark}{' or '.join(str(percent) for percent in sorted(found))}%"


def heading_of(rows, mark="+-"):
    """Returns the heading for the intervals of these records."""
    return heading([percent(row) for row in rows if figure.half(row.get("per_op", {})) is not None], mark)


def label(rows):
    """Returns the label of a drawn interval: "98% interval"."""
    return f"{heading_of(rows, '')} interval".strip()


def _by_student(row):
    found = row["interval"]
    student = f"Student's t of {100 * found['confidence']:.0f}%"
    if found.get("by") == "rounds":
        return [f"rounds differ: the interval is the wider of ranks and {student}"]
    if found.get("by") == "placements":
        known = len(figure.placements(row)) or row.get("placements", "?")
        return [f"the interval is {student}: {known} placements are too few for ranks"]
    if found.get("by") == "blocks":
        return [f"the interval is of one placement, by {student} over its blocks"]
    return []


def note(row):
    """Returns a remark if ranks alone did not make the interval, or if it is too wide for a latency; else "".
    bench/output/show.c prints the same."""
    found, per_op, said = row.get("interval", {}), row.get("per_op", {}), []
    if figure.half(per_op) is None:
        if found and row["status"] == "ok" and "cycles" in per_op:
            said.append("no interval: " + ("how much of a body the recipe hides is not known, or too few windows are "
                                           "undisturbed" if "method" in row else
                                           "only one block has undisturbed windows of every kind"))
    elif "confidence" in found and found.get("by") != "ranks":
        said += _by_student(row)
    if row.get("truth_vague"):
        said.append("its interval is too wide to distinguish a latency from one a cycle longer")
    if row.get("truth_above"):
        said.append(f"slower than the documented {row['truth_cycles']:g} cycles; not judged: others may have used the "
                    "core or its caches")
    return "; ".join(said)
