"""Which operations exit to a hypervisor, and what an exit costs: by the figures of one report under it and of one
without it, or under another (docs/exits.md). No list says what exits; two kinds of rows are the scale: CPUID, which every
hypervisor handles in its kernel, and a port that no device has, which only user space answers."""
import math
import statistics
import textwrap

from judge import sides
from read import figure, table

CPUID = ("exits/cpuid", "privileged/cpuid_")  # the row with their median cost is the scale
NO_DEVICE = "exits/in_ed"
# Of these suites it is known how often an operation can exit: once, or as often as here.
COUNTED = ("exits/", "devices/", "privileged/")
ACCESSES = {"devices/pit": 3, "devices/pci_ports": 2, "privileged/to_cr0_wp": 2, "privileged/to_cr3_other": 2,
            "privileged/to_cr3_pcids": 2, "privileged/to_cr3_pcids_keep": 2, "privileged/to_cr4_pge": 2,
            "privileged/clts_set": 2, "privileged/wrmsr_ibrs": 2, "privileged/wrmsr_stibp": 2, "privileged/wrmsr_ssbd": 2,
            "privileged/wrmsr_xfd_tiles": 2, "privileged/invlpgb": 2}
APART = 1.5  # an exit that user space handles costs at least this many times CPUID's, or the two cannot be distinguished
SHARE = 2  # an operation that costs less than CPUID's exit divided by this does not exit
EXITS, STAYS, UNDECIDED = "exits", "stays", "not decided"
KERNEL, USER_SPACE = "kernel", "user space"

COLUMNS = table.columns(
    ("row", "row", "<"), ("core", "core"), ("without ns", "without", ".1f"), ("with ns", "with", ".1f"),
    ("exit ns", "cost", ".1f"), ("from", "cost_lo", ".1f"), ("to", "cost_hi", ".1f"), ("CPUIDs", "cpuids", ".2f"),
    ("verdict", "exit", "<"), ("handled by", "by", "<"))

PARTS = table.parts("exit", "exit_ns", "exit_by")  # for programs


def in_ns(rows, hz):
    """Returns (value, lo, hi) of a row's launches in ns, or None. hz: the TSC's frequency."""
    found = []
    for row in rows or ():
        ns = figure.of(row).get("ns")
        if ns and ns.lo is not None:
            found.append(ns)
        elif row["status"] == "ok" and hz and row.get("ops") and "min" in row.get("ticks", {}):
            # Without an interval, as under an emulator, the shortest window is what other programs disturb least. An exit is
            # much longer than the rest of the window.
            least = row["ticks"]["min"] / row["ops"] / hz * 1e9
            found.append(figure.Figure("ns", least, least, least))
    if not found:
        return None
    return statistics.median(f.value for f in found), min(f.lo for f in found), max(f.hi for f in found)


def line_of(key, without, over):
    """Returns a line with both figures of a row and the difference."""
    suite, name, core = key
    return {"row": f"{suite}/{name}", "core": core, "without": without[0], "with": over[0], "cost": over[0] - without[0],
            "cost_lo": over[1] - without[2], "cost_hi": over[2] - without[1], "with_lo": over[1], "with_hi": over[2]}


def scale(lines, prefixes):
    """Returns the line with the median cost of those whose names begin so, or None."""
    found = sorted((line for line in lines if line["row"].startswith(prefixes)), key=lambda line: line["cost"])
    return found[(len(found) - 1) // 2] if found else None


def verdict(line, exit_ns):
    """Returns EXITS if the hypervisor adds half of CPUID's exit or more to the operation, STAYS if the operation takes
    less than that half under the hypervisor, else UNDECIDED."""
    if line["cost_lo"] >= exit_ns / SHARE:
        return EXITS
    return STAYS if line["with_hi"] < exit_ns / SHARE else UNDECIDED


class Exits:
    """lines: of all rows with a figure in both; exit_ns: cost of CPUID's exit; user_ns: of one that user space handles,
    or None; under: the side (0: old, 1: new) whose CPUID costs more. why: why no line is there, or None."""

    def __init__(self, old, new):
        """old, new: judge.sides.Side."""
        self.lines, self.exit_ns, self.user_ns, self.under, self.why = [], None, None, None, None
        names = [sides.hypervisor(side.run) for side in (old, new)]
        if names == [None, None]:
            self.why = "Nothing exits: neither machine has a hypervisor."
            return
        hz = [side.run.get("tsc", {}).get("hz") for side in (old, new)]
        pairs = [(key, in_ns(old.rows[key], hz[0]), in_ns(new.rows[key], hz[1])) for key in old.rows if key in new.rows]
        pairs = [pair for pair in pairs if None not in pair[1:]]
        lines = [line_of(*pair) for pair in pairs]
        cpuid = scale(lines, CPUID)
        if not cpuid:
            self.why = "What exits is not known: rows of suite exits are missing on one of the two sides."
            return
        self.under = int(cpuid["cost"] > 0)
        if not self.under:
            lines = [line_of(key, new_ns, old_ns) for key, old_ns, new_ns in pairs]
            cpuid = scale(lines, CPUID)
        self.name = names[self.under] or "?"
        if cpuid["with_lo"] < SHARE * max(cpuid["without"], 0):
            self.why = f"What exits is not known: CPUID takes {old.title} and {new.title} about the same time."
            return
        self.exit_ns, self.lines = cpuid["cost"], lines
        port = scale(lines, (NO_DEVICE,))
        self.user_ns = port["cost"] if port and port["cost"] >= APART * self.exit_ns else None
        for line in lines:
            self._judge(line)

    def _judge(self, line):
        line["exit"] = verdict(line, self.exit_ns)
        line["cpuids"] = line["cost"] / self.exit_ns if line["exit"] != STAYS else None
        if line["exit"] == EXITS and self.user_ns and line["row"].startswith(COUNTED):
            each = line["cost"] / ACCESSES.get(line["row"], 1)
            line["by"] = KERNEL if each < math.sqrt(self.exit_ns * self.user_ns) else USER_SPACE

    def added(self, lines):
        """Yields the lines of compare with PARTS."""
        known = {(line["row"], line["core"]): line for line in self.lines}
        for line in lines:
            exit_of = known.get((line["row"], line["core"]), {})
            yield {**line, "exit": exit_of.get("exit"), "exit_ns": exit_of.get("cost"), "exit_by": exit_of.get("by")}

    def of(self, said):
        return [line for line in self.lines if line["exit"] == said]


def shown(exits, side, form):
    """Prints what exits. side: what the side with the hypervisor is called."""
    if exits.why:
        print(exits.why)
        return
    print(f"Exits to {exits.name} ({side}). CPUID costs {exits.exit_ns:.0f} ns more there"
          + (f", and a port that no device has {exits.user_ns:.0f} ns:\nwhat costs about as much is handled in user space."
             if exits.user_ns else ".\nWhether kernel or user space handles an exit is not known: a port that no device has costs no more."))
    print()
    found = sorted((line for line in exits.lines if line["exit"] != STAYS), key=lambda line: -line["cost"])
    table.write(form, COLUMNS, found)
    stays = [line["row"] for line in exits.of(STAYS)]
    print()
    print(f"{len(exits.of(EXITS))} rows exit, {len(exits.of(UNDECIDED))} are not decided, {len(stays)} do not exit"
          + (":" if stays else ""))
    if stays:
        print(textwrap.fill(", ".join(dict.fromkeys(stays)), 100, initial_indent="  ", subsequent_indent="  ",
                            break_on_hyphens=False))
    print()
