"""The reports of one side of a comparison, and what must be equal on both sides."""
import collections.abc
import os

from judge import difference, likeness, shift
from read import figure, interval, kept, saved

# Fields of a row. likeness.py, estimate.py and difference.py list the fields that they need.
KEPT = kept.Fields(f"""{figure.FIELDS} {interval.FIELDS} why exclusive throttled doubt judged recipe cold share together
    form modes n disturbed shared per_op.ipc ops ticks.min ticks.median ticks.p99 ticks.max interval.estimator interval.kappa
    interval.sd interval.rounds_sd interval.rounds_cycles process.involuntary_switches process.page_faults
    process.migrations process.steal_ms""")


class Index:
    """Data about a report's rows, gathered while they are read, because unpacking all rows again takes as long as
    parsing their JSON. places: {(suite, name, core): number}; twice: the first name that two rows have; estimators:
    those of all figures; rounds: how much those of all rows differ."""

    def __init__(self):
        self.places, self.twice, self.estimators, self._count = {}, None, set(), 0
        self.rounds = shift.Rounds()

    def take(self, row):
        key = row["suite"], row["name"], row.get("core")
        if self.places.setdefault(key, self._count) != self._count:
            self.twice = self.twice or key
        self._count += 1
        if estimator := likeness.estimator(row):
            self.estimators.add(estimator)
        self.rounds.add(difference.in_rounds(row))


class Launches(collections.abc.Mapping):
    """{(suite, name, core): [row of each launch]}; rows are unpacked on access."""

    def __init__(self, reports, indices):
        for report, index in zip(reports, indices):
            if index.twice:
                suite, name, core = index.twice
                raise saved.Unreadable(f"{report.path} has row {suite}/{name} twice on core {core}")
        self._launches = [(report.of("row"), index.places) for report, index in zip(reports, indices)]
        self._keys = dict.fromkeys(key for _, places in self._launches for key in places) if len(reports) > 1 \
            else self._launches[0][1]

    def __getitem__(self, key):
        if key not in self._keys:
            raise KeyError(key)
        return [rows[places[key]] for rows, places in self._launches if key in places]

    def __contains__(self, key):
        return key in self._keys

    def __iter__(self):
        return iter(self._keys)

    def __len__(self):
        return len(self._keys)


class Side:
    """The reports of one side, which must be alike. rows: their Launches; estimators: those of one report's figures;
    rounds: [how much those of each report's rows differ]."""

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
        self.estimators = indices[0].estimators
        self.rounds = [index.rounds for index in indices]
        for r, index in zip(self.reports[1:], indices[1:]):
            self._fail_if_unlike(r, index.estimators)
        self.rows = Launches(self.reports, indices)

    def _fail_if_unlike(self, other, estimators):
        run = other.one("run")
        apart = [text for _, text in (*likeness.unlike(self.run, run),
                                      *likeness.unlike_estimators(self.estimators, estimators))]
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
    apart = likeness.unlike(old.run, new.run) + likeness.unlike_estimators(old.estimators, new.estimators)
    refused = [text for kind, text in apart if kind not in across]
    if refused:
        also = [kind for kind, _ in apart if kind in likeness.MAY_CROSS and kind not in across]
        hint = f" (--across {','.join(sorted(set(also)))} compares them nevertheless)" \
            if len(also) == len(refused) else ""
        raise saved.Unreadable(f"{old.title} and {new.title} are not comparable: " + "; ".join(refused) + hint)
    return [text for _, text in apart]
