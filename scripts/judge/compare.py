"""Compares the rows of two sides. The Lines have the differences with their verdicts."""
import collections

from judge import estimate, sides, significance
from read import figure, interval, kept, show, table

# Both are probabilities: the share of rows called faster or slower that did not change; a false failure of
# --fail-if-slower.
RISK = 0.01
SLOWER, FASTER, SAME, UNLIKE = "slower", "faster", "same", "not comparable"
FAILED = "FAILED"  # the row is in a report of either side, without a figure there
MORE, FEWER = "more", "fewer"  # counted instructions are not time

COLUMNS = table.columns(
    ("row", "row", "<"), ("core", "core"), ("unit", "unit", "<"), ("old", "old", ".3f"), ("+-", "old_half", ".3f"),
    ("new", "new", ".3f"), ("+-", "new_half", ".3f"), ("change", "change"), ("from", "change_from"),
    ("to", "change_to"), ("verdict", "verdict", "<"), ("instr/op", "counts"), ("IPC", "ipc"), ("note", "why", "<"))
# For programs: numbers instead of texts, and separate members for what people read in one column.
TEXTS = ("change", "change_from", "change_to", "counts", "ipc")
PARTS = table.parts(
    "shift", "shift_lo", "shift_hi", "ratio", "ratio_lo", "ratio_hi", "by", "old_instructions", "new_instructions",
    "old_left_instructions", "new_left_instructions", "old_iterations", "new_iterations", "count_verdict", "old_ipc", "new_ipc", "suite", "name", "old_lo", "old_hi", "new_lo", "new_hi", "old_percent",
    "new_percent", "old_launches", "new_launches", "old_left_out", "new_left_out",
    "p_adjusted")


def headed(lines):
    """Returns COLUMNS, with the level of these Lines' intervals in the heading."""
    titles = {f"{side}_half": interval.heading(found) for side, found in lines.percents.items()}
    return table.retitled(COLUMNS, titles)


def half(e):
    return None if e.lo is None else round(max(e.hi - e.value, e.value - e.lo), 6)


def why_not(old, new, left):
    """Returns why the launches of a row that stay cannot be compared, or None. left: {side: why others left}."""
    for side, rows in (("old", old), ("new", new)):
        if not rows:
            return f"{side}: {left[side]}" if left[side] else f"only in the {'old' if side == 'new' else 'new'} report"
    for side, rows in (("old", old), ("new", new)):
        for row in rows:
            if why := sides.unfit(row):
                return f"{side}: {why}"
    for row in [*old[1:], *new]:
        if why := sides.unlike_rows(old[0], row):
            return why
    return None


def change_of(d, unit):
    """Returns a difference in words, as fields of COLUMNS: in percent, or in the figure's unit if the old figure is near
    zero."""
    if d.relative:
        values, form, unit = [v and v - 1 for v in (d.ratio, d.ratio_lo, d.ratio_hi)], "+.2%", ""
    else:
        values, form, unit = (d.shift, d.shift_lo, d.shift_hi), "+.3f", f" {unit}"
    found = [None if value is None else format(value, form) for value in values]
    return {"change": found[0] and found[0] + unit, "change_from": found[1], "change_to": found[2]}


def arrow(old, new):
    """Returns "old -> new", or one of these texts if both are alike."""
    return old if old == new else f"{old} -> {new}"


# --- exact counts ---------------------------------------------------------------------------------

# A shared core does not change them, so they are compared over all launches, whatever is said of the time.

# Windows in the state that the timed ones left may have other numbers of operations: docs/checks.md, History.
NEARLY = 0.01
# (member of a line, title in a table, function of a row, share by which equal counts may differ)
EXACT = (("instructions", "", figure.instructions, 0), ("left_instructions", "left ", figure.left_instructions, NEARLY),
         ("iterations", "iterations ", figure.iterations, 0))


def counted(rows, of):
    """Returns (least, most) of the launches that counted, or None. of: a function of EXACT."""
    found = [n for n in map(of, rows) if n is not None]
    return (min(found), max(found)) if found else None


def single(count, near):
    """Returns the number of a count, or None if the launches of a side differ."""
    return count[0] if count and count[1] - count[0] <= near * abs(count[1]) else None


def count_verdict(old, new, near):
    """Returns how two counts differ. None: one is not known, or launches of a side differ and both sides overlap."""
    if not old or not new:
        return None
    if new[0] - old[1] > near * abs(old[1]):
        return MORE
    if old[0] - new[1] > near * abs(old[0]):
        return FEWER
    return SAME if None not in (single(old, near), single(new, near)) else None


def told(count, near):
    """Returns a count in words; of launches that differ the least and the greatest."""
    if not count:
        return "-"
    return f"{count[0]:.10g}" if single(count, near) is not None else f"{count[0]:.10g} to {count[1]:.10g}"


def with_counts(line, old, new):
    """Adds the exact counts of a row to its line. Any difference is a change. The state that timed windows left and string
    instructions are compared if either side has them."""
    texts, found = [], []
    for key, title, of, near in EXACT:
        a, b = (counted(rows, of) for rows in (old, new))
        if not (a or b) or key != "instructions" and not any(key in row.get("stepped", {}) for row in (*old, *new)):
            continue
        line.update({f"old_{key}": single(a, near), f"new_{key}": single(b, near)})
        said = count_verdict(a, b, near)
        found.append(said)
        texts.append(title + arrow(told(a, near), told(b, near)) + (f" {said}" if said in (MORE, FEWER) else ""))
    if texts:
        line["counts"] = ", ".join(texts)
    known = [said for said in found if said]
    if known:
        line["count_verdict"] = next((said for said in known if said != SAME), SAME)


def with_ipc(line, old, new):
    """Adds the median IPC of each side. It depends on the time."""
    found = [sorted(row["per_op"]["ipc"] for row in rows if "ipc" in row.get("per_op", {})) for rows in (old, new)]
    a, b = (significance.middle(ipc) if ipc else None for ipc in found)
    line.update(old_ipc=a, new_ipc=b)
    if (a, b) != (None, None):
        line["ipc"] = arrow(*("-" if ipc is None else f"{ipc:.2f}" for ipc in (a, b)))


# --- a row ----------------------------------------------------------------------------------------


def has_failed(rows):
    return any(row["status"] == "wrong" for row in rows)


def broke(old, new):
    """Returns why a row fails in the new launches and did not in the old ones, or ""."""
    failed = [row for row in new if has_failed([row])]
    return sides.unfit(failed[0]) if failed and not has_failed(old) else ""


def figure_left(old, new):
    """Returns the figure of the side that has one, for a row that failed on the other side."""
    found = {}
    for side, rows in (("old", old), ("new", new)):
        if rows and not any(sides.unfit(row) for row in rows):
            unit = figure.unit(rows[0])
            e = estimate.pooled([estimate.of_row(r, unit) for r in rows])
            found.update({"unit": unit, side: e.value, f"{side}_half": half(e), f"{side}_percent": e.percent})
    return found


def judged(key, old, new, all_differ):
    """Returns one line of the comparison, and its difference, or None. all_differ: the rounds of all rows seem to."""
    suite, name, core = key
    line = {"row": f"{suite}/{name}", "suite": suite, "name": name, "core": core}
    stay, left = {}, {}
    for side, rows in (("old", old), ("new", new)):
        stay[side], left[side] = sides.staying(rows)
        line[f"{side}_left_out"] = len(rows) - len(stay[side])
    found, d = judged_by_time(stay["old"], stay["new"], left, all_differ)
    line.update(found)
    if line.get("verdict") == FAILED:
        line["broke"] = broke(old, new)
    if old and new and not (d and d.by == "counts"):
        with_counts(line, old, new)
    return line, d


def judged_by_time(old, new, left, all_differ):
    """Returns the part of a line that is known of the figures, and their difference, or None. old, new: launches that
    stay; left: {side: why others left}."""
    line = {"why": why_not(old, new, left) or ""}
    if line["why"]:
        if has_failed((*old, *new)):
            return {**line, **figure_left(old, new), "verdict": FAILED}, None
        return {**line, "verdict": UNLIKE}, None
    unit = figure.unit(old[0])
    a, b = (estimate.pooled([estimate.of_row(r, unit) for r in rows]) for rows in (old, new))
    for side, e in (("old", a), ("new", b)):
        line.update({side: e.value, f"{side}_lo": e.lo, f"{side}_hi": e.hi, f"{side}_half": half(e),
                     f"{side}_percent": e.percent, f"{side}_launches": e.launches})
    line["unit"] = unit
    if unit != "instructions":
        with_ipc(line, old, new)
    said_left = [f"{side}: {why}" for side, why in left.items() if why]
    d, note = estimate.of_rows(old, new, unit, a, b, all_differ)
    if d is None:
        return {**line, "verdict": UNLIKE, "why": "; ".join([note, *said_left])}, None
    line.update(shift=round(d.shift, 6), shift_lo=d.shift_lo, shift_hi=d.shift_hi, by=d.by, **change_of(d, unit))
    if d.relative:
        line.update(ratio=d.ratio, ratio_lo=d.ratio_lo, ratio_hi=d.ratio_hi)
    several = "several modes" if any(len(r.get("modes", [])) > 1 for r in (*old, *new)) else ""
    line["why"] = "; ".join(said for said in (several, *intervals(old, new), note, *said_left) if said)
    return line, d


def intervals(old, new):
    """Adds what must be known of each side's interval. The interval of several launches is computed here."""
    said = [interval.note(rows[0]) if len(rows) == 1 else "" for rows in (old, new)]
    if said[0] == said[1]:
        return said[:1]
    return [f"{side}: {text}" for side, text in zip(("old", "new"), said) if text]


def verdict(d, p):
    if p > RISK:
        return SAME
    if d.counts:
        return FEWER if d.less else MORE
    return FASTER if d.less else SLOWER


# The part of a difference that is kept: whether the new figure is less, whether it counts instructions, p, and p of being
# above the limit.
Difference = collections.namedtuple("Difference", "less counts p p_above")


class Lines(kept.Records):
    """The lines of a comparison, packed, with totals over all of them, gathered in one pass: verdicts; moved
    (exact counts); by (how many lines of each); left_out (the rows of each side that launches left, others staying); left
    (the rows with counts in the state that timed windows left); cores; percents (the levels of each side's intervals)."""

    def __init__(self):
        super().__init__()
        self.verdicts, self.moved, self.by = (collections.Counter() for _ in range(3))
        self.left_out, self.left = collections.Counter(), 0
        self.cores, self.percents = set(), {"old": set(), "new": set()}

    def append(self, line):
        """Adds a line and counts it."""
        super().append(line)
        self.cores.add(line["core"])
        for kind, found in (("verdict", self.verdicts), ("count_verdict", self.moved), ("by", self.by)):
            if kind in line:
                found[line[kind]] += 1
        for side, found in self.percents.items():
            if line.get(f"{side}_half") is not None:
                found.add(line.get(f"{side}_percent"))
            if line.get(f"{side}_left_out") and line.get(f"{side}_launches"):
                self.left_out[side] += 1
        self.left += ", left " in line.get("counts", "")

    def judge(self, at, said, p):
        """Adds the verdict to a line."""
        self.extend(at, verdict=said, p_adjusted=p)
        self.verdicts[said] += 1


def compared(old, new, args, limit=None):
    """Returns the Lines, and the Difference of each compared line, by position. limit: allowed slowdown."""
    is_chosen, lines, differences = show.choice(args), Lines(), {}
    all_differ = significance.differ([*old.rounds, *new.rounds])
    for key in (*old.rows, *(k for k in new.rows if k not in old.rows)):
        if not is_chosen(dict(zip(("suite", "name", "core"), key))):
            continue
        line, d = judged(key, *(list(side.rows.get(key, ())) for side in (old, new)), all_differ)
        if d:
            differences[len(lines)] = Difference(d.shift < 0, d.by == "counts", d.p, None if limit is None else d.p_above(limit))
        lines.append(line)
    adjusted = significance.benjamini_hochberg([d.p for d in differences.values()])
    for (at, d), p in zip(differences.items(), adjusted):
        lines.judge(at, verdict(d, p), p)
    return lines, differences
