"""The essence of a report: the figures of the program's own last screen (docs/reading.md), out of the records.

The rows are those of bench/essence/essence.c; a test holds the two together.
"""
import math

from draw import ink
from read import figure, interval, show

WAYS = ("direct", "plt", "got", "register", "virtual")
FORMS = {"empty": "", "++*x": "_inc", "straight": "_straight", "compiled": "_c"}
TARGETS = ("random_16", "turn_16")
SUM = ("cold", "warm")
CORES = ("pingpong", "tsc_skew", "wake", "ipi")
NOTHING = "do_nothing"


class Figure:
    """Of one row: `text`, with its interval where it has one; value and half, or None."""

    def __init__(self, run, row):
        self.row, self.value, self.half, self.text = row, None, None, "-"
        self.name = f"{row['suite']}/{row['name']}" if row else None
        if row is None or row["status"] == "unsupported":
            self.row = None
        elif row["status"] != "ok":
            self.text = "FAIL"
        elif row.get("form") == "empty":
            self._window(run)
        else:
            self._figure(run)

    def _window(self, run):
        window = self.row.get("ticks") or self.row.get("body") or {}
        counted = run.get("execution") == "instructions"
        median = show.in_unit(window.get("median"), run.get("ticks_per_instruction", 1) if counted else 1)
        self.value, self.text = median, "?" if median is None else \
            f"{median:g} {'instructions' if counted else 'ticks'}"

    def _figure(self, run):
        per_op, unit = self.row.get("per_op", {}), figure.unit(self.row)
        if self.row.get("form") == "cores":
            time = per_op.get("ns") if run.get("execution") == "silicon" else None
            self.value = time if time is not None else per_op.get("ticks")
            self.text = f"{ink.figures(self.value)} {'ticks' if time is None else 'ns'}"
            return
        self.value = per_op.get(unit)
        if self.value is None:
            self.text = "?"
            return
        self.shared, self.doubted = self.row.get("quiet") is False, bool(self.row.get("doubt"))
        if unit == "cycles":
            self.half = figure.half(per_op)
        if self.shared or self.doubted:
            self.text = f"{ink.figures(self.value)} {'shared' if self.shared else 'doubted'}"
            self.half = None
        elif self.half is not None:
            self.text = f"{ink.figures(self.value)} \N{PLUS-MINUS SIGN} {ink.figures(self.half)}"
        else:
            self.text = ink.figures(self.value) if unit != "instructions" else f"{self.value:g}"


class Essence:
    """lines: [(label, text)]; matrix: [(way, [Figure of each form])]; names: of all rows that it is made of."""

    def __init__(self, report):
        self.run, self.report = report.one("run"), report
        rows = report.of("row")
        self.core = next((r.get("core") for r in rows if r.get("form") != "cores"), 0)
        self._rows = {(r["suite"], r["name"]): r for r in reversed(rows) if r.get("core") in (self.core, None)
                      or r.get("form") == "cores"}
        self.unit = next((u for r in rows if (u := figure.unit(r)) and r.get("form") != "cores"), "ticks")
        self.window = self._of("baseline", f"empty_{self.run.get('recipe')}")
        self.nothing = self._of("baseline", NOTHING)
        self.matrix = [(way, [self._of("calls", way + form) for form in FORMS.values()]) for way in WAYS]
        self.matrix = [(way, cells) for way, cells in self.matrix if any(c.row for c in cells)]
        self.targets = [self._of("calls", name) for name in TARGETS]
        self.sum = [self._of("sum", name) for name in SUM]
        self.cores = [self._of("cores", name) for name in CORES]
        self.names = [f.name for f in self._shown()]
        self.lines = [(label, said) for label, said in self._said() if said]

    def _shown(self):
        """The figures that have a row."""
        cells = [c for _, cells in self.matrix for c in cells]
        return [f for f in (self.window, self.nothing, *cells, *self.targets, *self.sum, *self.cores) if f.row]

    def _of(self, suite, name):
        return Figure(self.run, self._rows.get((suite, name)))

    @staticmethod
    def _named(figures):
        return ", ".join(f"{f.name} {f.text}" for f in figures if f.row)

    def _figures(self):
        """What all figures are in, and whose."""
        cores = sorted({r["core"] for r in self.report.of("row") if "core" in r})
        levels = interval.heading_of([f.row for f in self._shown() if f.half is not None], "")
        of_level = f", {levels} intervals" if levels else ""
        named = {"cycles": f"core cycles an operation by {self.run.get('cycle', '?')}{of_level}",
                 "instructions": "INSTRUCTIONS an operation, not time"}.get(self.unit, "ticks of the TSC an operation")
        method = self.run.get("options", {}).get("method", "doubled")
        if method != "doubled":
            named = f"{named}, method={method}"
        if self.run.get("execution") == "emulated":
            named = f"NOISE: an emulator executes this code; {named}"
        return named + (f", core {self.core} of {len(cores)}" if len(cores) > 1 else "")

    def _said(self):
        yield "figures", self._figures() if self.names else ""
        yield "machine", self._machine()
        yield "clock", self._clock()
        yield "spoiled", ", ".join(self._spoiled())
        yield "window", self._named([self.window]) + (f", {self.nothing.name} {self.nothing.text} a call"
                                                      if self.nothing.row else "")
        yield "targets", self._named(self.targets) + self._mispredicted()
        yield "sum", self._named(self.sum)
        cores = self._named(self.cores)
        yield "cores", cores + (", not judged" if cores and self.run.get("execution") != "silicon" else "")
        yield "failed", ", ".join(failed(self.report))
        yield "stopped", ", ".join(e.get("message", "") for e in self.report.of("event") if e.get("kind") == "stopped")
        yield "verdict", show.ending(self.report).removeprefix("verdict: ")

    def _machine(self):
        run, cpu, smbios = self.run, self.run.get("cpu", {}), self.run.get("smbios", {})
        cores = run.get("cores", {}).get("count") or run.get("topology", {}).get("logical_cpus")
        words = [cpu.get("brand") or cpu.get("vendor") or "CPU not known"]
        if cpu.get("model_masked"):
            words.append("model masked")
        if cores:
            words.append(f"{cores} core{'s' if cores > 1 else ''}")
        if run.get("virtualised"):
            words.append(f"under {run.get('hypervisor') or 'a hypervisor'}")
        board = " ".join(str(smbios[k]) for k in ("system_vendor", "system_product") if k in smbios)
        return ", ".join(words + ([board] if board else []))

    def _clock(self):
        run = self.run
        if run.get("execution") == "instructions":
            return f"one instruction is {run.get('ticks_per_instruction', '?')} ticks of the TSC"
        hz, per = run.get("clock_tsc_hz") or run.get("tsc", {}).get("hz"), run.get("ticks_per_cycle")
        said = f"TSC {hz / 1e6:.3f} MHz" if hz else "TSC of unknown frequency"
        if per and run.get("execution") == "silicon":
            said += f", core {hz / per / 1e6:.1f} MHz: {per:.4f} ticks a cycle" if hz else f", {per:.4f} ticks a cycle"
        return said

    def _spoiled(self):
        """As the last screen has it: nothing but the emulator has a share in counted instructions."""
        rows = [r for r in self.report.of("row") if r.get("form") != "cores" and r["status"] != "unsupported"]
        nmis = sum(r.get("nmis", 0) for r in rows)
        if self.run.get("execution") == "silicon":
            yield self._own(rows)
            smis = self.report.one("end").get("smis")
            yield "SMIs not counted" if smis is None else f"{smis} SMI{'' if smis == 1 else 's'}"
            throttled = [r["throttled"] for r in rows if "throttled" in r]
            yield f"{sum(throttled)} rows throttled" if throttled else "throttling not known"
            windows = sum(r.get("n") or r.get("body", {}).get("n", 0) for r in rows)
            if disturbed := sum(r.get("disturbed", 0) for r in rows):
                yield f"{100 * disturbed / windows:.2f}% of windows disturbed" if windows else f"{disturbed} disturbed"
            yield from (e["message"].removeprefix("while rows were measured: ") for e in self.report.of("event")
                        if e.get("kind") == "process" and "message" in e)
        if nmis:
            yield f"{nmis} NMIs, machine checks or moves to another CPU"

    def _own(self, rows):
        witness = self.report.one("witness") or self.run.get("witness", {})
        if "blocks" not in witness:
            return "not known whether a core is shared"
        if "nops_per_cycle" not in witness:
            return "the core appears permanently shared"
        return f"{sum(r.get('quiet') is False for r in rows)} of {len(rows)} rows shared"

    def _mispredicted(self):
        """What a mispredicted target costs: their difference, with the errors of both."""
        a, b = self.targets
        if None in (a.value, b.value):
            return ""
        what = "mispredicted" if self.run.get("execution") == "silicon" else "apart"
        apart = f": {what} {ink.figures(a.value - b.value)}"
        if None not in (a.half, b.half):
            apart += f" \N{PLUS-MINUS SIGN} {ink.figures(math.hypot(a.half, b.half))}"
        return apart


def failed(report):
    """What failed, by name."""
    rows = [f"{r['suite']}/{r['name']}@{r.get('core', 0)}" for r in report.of("row") if r["status"] == "wrong"]
    return rows + [f"self-test {t['name']}" for t in report.of("selftest") if t["result"] == "fail"]
