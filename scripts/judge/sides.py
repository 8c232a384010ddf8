"""The reports of one side of a comparison, and what must be equal on both sides."""
import collections
import os

from judge import estimate, significance
from read import figure, interval, kept, saved

# Fields of a row. estimate.py and the second part of this file list the fields that they need.
KEPT = kept.Fields(f"""{figure.FIELDS} {interval.FIELDS} why exclusive throttled doubt judged recipe cold share together
    form modes n disturbed shared per_op.ipc ops ticks.min ticks.median ticks.p99 ticks.max interval.estimator interval.kappa
    interval.sd interval.rounds_sd interval.rounds_cycles process.involuntary_switches process.page_faults
    process.migrations process.steal_ms""")


class Index:
    """Data about a report's rows, gathered while they are read, because unpacking all rows again takes as long as
    parsing their JSON. places: {(suite, name, core): number}; twice: the first name that two rows have; estimators:
    those of all figures that are compared; rounds: how much those of these rows differ."""

    def __init__(self):
        self.places, self.twice, self.estimators, self._count = {}, None, set(), 0
        self.rounds = significance.Rounds()

    def take(self, row):
        key = row["suite"], row["name"], row.get("core")
        if self.places.setdefault(key, self._count) != self._count:
            self.twice = self.twice or key
        self._count += 1
        if leaves(row):
            return
        if how := estimator(row):
            self.estimators.add(how)
        self.rounds.add(estimate.in_rounds(row))


class Side:
    """The reports of one side, which must be alike. rows: {(suite, name, core): row of each launch}, packed; estimators:
    those of one report's figures; rounds: [how much those of each report's rows differ]."""

    def __init__(self, title, paths, fields=KEPT):
        """fields: the fields of rows that are kept (saved.Saved)."""
        files = [os.path.realpath(path) for path in paths]
        for path, file in zip(paths, files):
            if files.count(file) > 1:
                raise saved.Unreadable(f"{path}: it is named twice among the launches of {title}: one launch more "
                                       "would be believed than there is")
        indices = [Index() for _ in paths]
        self.title = title
        self.reports = [saved.read_whole(path, fields, index.take) for path, index in zip(paths, indices)]
        for r in self.reports:
            if not r.one("run"):
                raise saved.Unreadable(f"{r.path}: no record `run`: nothing is known of the machine")
        self.run = self.reports[0].one("run")
        self.estimators = next((index.estimators for index in indices if index.estimators), set())
        self.rounds = [index.rounds for index in indices]
        for r, index in zip(self.reports[1:], indices[1:]):
            self._fail_if_unlike(r, index.estimators)
        self.rows = collections.defaultdict(kept.Records)
        for report, index in zip(self.reports, indices):
            if index.twice:
                suite, name, core = index.twice
                raise saved.Unreadable(f"{report.path} has row {suite}/{name} twice on core {core}")
            for key, at in index.places.items():
                self.rows[key].take(report.of("row"), at)

    def _fail_if_unlike(self, other, estimators):
        run = other.one("run")
        apart = [text for _, text in (*unlike(self.run, run),
                                      *unlike_estimators(self.estimators, estimators))]
        if run.get("platform") != self.run.get("platform"):
            apart.append(f"another platform: {self.run.get('platform')} against {run.get('platform')}")
        if apart:
            raise saved.Unreadable(f"{other.path} is not pooled with {self.reports[0].path}: " + "; ".join(apart))

    def line(self):
        build = self.run.get("build", "?")
        files = ", ".join(r.path for r in self.reports)
        several = f"{len(self.reports)} launches: " if len(self.reports) > 1 else ""
        failed = [f"; the verdict of {r.path} is {r.verdict}" for r in self.reports if r.verdict != "pass"]
        return (f"{self.title}: {several}{files} (baretick {self.run.get('version', '?')}, {build}, "
                f"{self.run.get('compiler', 'compiler unknown')}; {PLATFORMS.get(self.run.get('platform'), '?')})" + "".join(failed))


PLATFORMS = {"uefi": "bare machine", "hosted": "hosted: under an operating system"}


def fail_if_unlike(old, new, across):
    """Returns, in words, what differs between the two sides although --across allows it."""
    apart = unlike(old.run, new.run) + unlike_estimators(old.estimators, new.estimators)
    refused = [text for kind, text in apart if kind not in across]
    if refused:
        also = [kind for kind, _ in apart if kind in MAY_CROSS and kind not in across]
        hint = f" (--across {','.join(sorted(set(also)))} compares them nevertheless)" \
            if len(also) == len(refused) else ""
        raise saved.Unreadable(f"{old.title} and {new.title} are not comparable: " + "; ".join(refused) + hint)
    return [text for _, text in apart]


# --- what must be equal ---------------------------------------------------------------------------

# Options that only select rows, set how often they are measured, or set where the report goes. Every other option
# changes what is measured and must be equal, including options that this program does not know.
NOT_MEASURED = frozenset("""suite bench objects samples rounds retry_budget warmup clock seed cores quiet_time gaps_max
    time deadline format table hist console serial finish instructions
    once upload""".split())
# The run and its rows have the effect of these options, and that is compared.
REPORTED = frozenset(("recipe", "cycle", "takeover"))
# Options that only one method uses.
KNOBS = {"kbest": ("k", "epsilon", "most", "compensate"), "ensembles": ("ensembles", "size"),
         "adaptive": ("target",)}
# Kinds of difference that --across may allow: the same CPU with changed settings, or another version of baretick.
MAY_CROSS = ("firmware", "microcode", "hypervisor", "option", "estimator")


def words(*values):
    """Returns the values that are known, in one text."""
    return " ".join(str(v) for v in values if v not in (None, ""))


def hypervisor(run):
    """Returns the hypervisor's name, or None."""
    return run.get("hypervisor") or "one without a name" if run.get("virtualised") else None


def measured(options):
    """Returns the names of the options that change what is measured, in their order."""
    unused = {name for method, names in KNOBS.items() if method != options.get("method") for name in names}
    return [name for name in options if name not in NOT_MEASURED | REPORTED | unused]


def machine(run):
    """Returns {(kind, what): value} of everything that must be equal; None for unknown values."""
    cpu, firmware, smbios = (run.get(key, {}) for key in ("cpu", "firmware", "smbios"))
    options = run.get("options", {})
    found = {
        ("execution", "execution"): run.get("execution"),
        ("cpu", "CPU"): words(cpu.get("brand", cpu.get("vendor")), "family", cpu.get("family"), "model",
                              cpu.get("model"), "stepping", cpu.get("stepping")),
        ("microcode", "microcode"): cpu.get("microcode"),
        ("hypervisor", "hypervisor"): hypervisor(run) or "none",
        # A process knows of the firmware only what SMBIOS says.
        ("firmware", "firmware"): words(firmware.get("vendor"), firmware.get("revision")) or None,
        ("firmware", "BIOS"): words(smbios.get("bios_version"), smbios.get("bios_date")) or None,
        ("option", "takeover"): run.get("takeover"),
    }
    found.update({("option", f"option {name}="): options[name] for name in measured(options)})
    return found


def unlike(a, b):
    """Returns [(kind, in words what differs)] for two records `run`."""
    a, b = machine(a), machine(b)
    return [(key[0], f"another {key[1]}: {a[key]} against {b[key]}" if key[0] != "option"
             else f"another {key[1]} {a[key]} against {b[key]}")
            for key in a if key in b and None not in (a[key], b[key]) and a[key] != b[key]]


def estimator(row):
    """Returns how a row's figure is computed from its placements, in a word, or None if it has no interval. Reports
    older than the field `interval.estimator` have means."""
    interval = row.get("interval")
    return interval.get("estimator", "mean") if interval and "cycles" in row.get("per_op", {}) else None


def unlike_estimators(a, b):
    """Returns [(kind, in words)] if the figures of two reports are of different kinds. a, b: the estimators of their
    rows."""
    if not a or not b or a == b:
        return []
    return [("estimator", f"another estimator of the figures: {' and '.join(sorted(a))} against {' and '.join(sorted(b))}")]


def leaves(row):
    """Returns why a launch takes itself out of a row, or None: what happened to that launch alone, whatever its figure
    is. The other launches of its side are compared without it."""
    if row["status"] != "ok":
        return None
    if figure.unit(row) is None:
        return "it has no figure of an operation"
    if row.get("exclusive") is False:
        return "a shared core"
    return "the core was throttled" if row.get("throttled") else None


def staying(rows):
    """Returns (the launches of a row that did not take themselves out, in words why the others did, or "")."""
    why = [leaves(row) for row in rows]
    if not any(why):
        return rows, ""
    reasons = " or ".join(dict.fromkeys(filter(None, why)))
    count = sum(map(bool, why))
    if count == len(rows):
        return [], reasons if count == 1 else f"{reasons} in all {count} launches"
    return ([row for row, said in zip(rows, why) if not said],
            f"{count} of {len(rows)} launches left out: {reasons}")


def unfit(row):
    """Returns why a row's figure must not be compared with any other, or None."""
    if row["status"] != "ok":
        return f"{row['status']}: {row['why']}" if row.get("why") else row["status"]
    if why := leaves(row):
        return why
    if row.get("doubt"):
        return row["doubt"]
    if row.get("judged") is False:
        return "cores of an emulator take turns"
    return None


def unlike_rows(a, b):
    """Returns why two comparable rows cannot be compared with each other, or None."""
    if figure.unit(a) != figure.unit(b):
        return f"another unit: {figure.unit(a)} against {figure.unit(b)}"
    for key, name in (("recipe", "recipe"), ("cycle_source", "source of core cycles"), ("cold", "state of caches"),
                      ("share", "way to share cores"), ("together", "number of cores at it"), ("form", "form")):
        if a.get(key) != b.get(key):
            return f"another {name}: {a.get(key)} against {b.get(key)}"
    return None
