"""Curves of a saved report: the records `curve` of suite memory, and `limit` of suite limits."""
import collections
import statistics

from read import interval

# at: size in bytes, offset or number; value: in the curve's unit, with its interval; gb: GB/s, if bytes are moved;
# percent: the level of the interval; shared: a neighbour used the core, so that it is not judged. What is not known is
# None.
Point = collections.namedtuple("Point", "at value lo hi percent ns gb shared visits")
LEAST = 3  # visits of a point with an interval
UNITS = {"cycles": "core cycles", "instructions": "instructions", "ticks": "ticks of the TSC"}
FAMILIES = {"stride_": "latency", "tlb_code_": "jumps"}  # curves that are not shown with those of their first word


def size(count):
    """Returns `48 KiB`, `1.5 MiB`."""
    for name, factor in (("GiB", 2 ** 30), ("MiB", 2 ** 20), ("KiB", 2 ** 10)):
        if count >= factor:
            return f"{count / factor:g} {name}" if count % factor == 0 else f"{count / factor:.4g} {name}"
    return f"{count:g} bytes"


class Curve:
    """A record `curve`. family: the first word of its name, `latency` of `latency_4k`; curves of one family are shown together;
    is_of_pages: its levels are those of TLBs; moves: an operation moves bytes, so that there is a bandwidth; percents: the levels
    of its intervals; reason: why it is missing, empty: it is not."""

    def __init__(self, record):
        self.record = record
        self.suite, self.name, self.core = record["suite"], record["name"], record["core"]
        self.full_name, self.moves = f"{self.suite}/{self.name}", "op_bytes" in record
        self.is_of_pages = self.name.startswith("tlb_")
        other = next((family for start, family in FAMILIES.items() if self.name.startswith(start)), None)
        self.family = other or self.name.partition("_")[0]
        self.by, self.unit = record.get("by", ""), record.get("unit", "cycles")
        self._shared, self._moved = set(record.get("shared", ())), record.get("op_bytes")
        self.points = [self._point(visits, *point) for visits, point in zip(self._visits(), record.get("figures", ()))
                       if point[0] is not None]
        self.percents = {p.percent for p in self.points if p.percent is not None}
        self.reason = "" if self.points else f"{record['status']}: {record.get('why', 'no reason given')}"
        self._labels = {p.at: label for p, label in zip(self.points, record.get("labels", ()))}
        self.levels, self.steps = record.get("levels", []), record.get("steps", [])
        self.judged = record.get("judged", True)

    def _visits(self):
        """Returns how often each point was measured."""
        return self.record.get("visits") or [0] * len(self.record.get("figures", ()))

    def _point(self, visits, at, value, half, ns=None):
        lo, hi = (None, None) if None in (value, half) else (value - half, value + half)
        gb = self._moved / ns if self._moved and ns else None
        percent = None if None in (lo, hi) else interval.percent_of(visits)
        return Point(at, value, lo, hi, percent, ns, gb, at in self._shared, visits)

    @property
    def found(self):
        """Returns its levels in words."""
        return [self.level(level) for level in self.levels]

    @property
    def remarks(self):
        """Returns remarks in words: why it is not judged, or ends early."""
        found = [f"not judged: {self.record['spoiled']}"] if "spoiled" in self.record else []
        for key, why in (("less_memory", "there is too little memory for more"),
                         ("less_time", "more would take too long")):
            if self.record.get(key) and self.points and self.by in ("cores", "rate", "node"):
                found.append({"less_memory": "there is too little memory for sets of the size that is wanted",
                              "less_time": "numbers of cores are left out, because they would take too long"}[key])
            elif self.record.get(key) and self.points:
                wanted = f" instead of {self.place(self.record['wanted'])}" if "wanted" in self.record else ""
                found.append(f"ends at {self.place(self.points[-1].at)}{wanted}: {why}")
        if not self.points or not self.judged:
            return found
        if shared := [self.place(p.at) for p in self.points if p.shared]:
            found.append(f"not judged, because the core was shared: {', '.join(shared)}")
        if self.unit == "cycles" and (vague := [self.place(p.at) for p in self.points if p.lo is None and p.value is not None]):
            found.append(f"no interval, because visits are fewer than {LEAST} or differ too much: {', '.join(vague)}")
        return found

    def place(self, at):
        """Returns a point's first number in words."""
        if self.by == "state":
            return self._labels.get(at, str(at))
        if self.by == "cores":
            return f"{at:g} core{'' if at == 1 else 's'}"
        if self.by == "node":
            return f"node {at:g}{' (own)' if at == self.record.get('node') else ''}"
        return size(at) if self.by == "size" else f"{at:g}"

    def cache(self, level):
        """Returns the cache or TLB of CPUID that this level is, in words, or None."""
        if not {"cache_level", "cache_bytes"} <= level.keys():
            return None
        return f"L{level['cache_level']}{' TLB' if self.is_of_pages else ''} {size(level['cache_bytes'])}"

    def level(self, level):
        """Returns a level in words."""
        said = f"{level['value']:.4g} {self.unit} from {self.place(level['from'])} to {self.place(level['to'])}"
        return f"{said}; ends {ends}" if (ends := self.ends(level)) else said

    def of_level(self, level):
        """Returns (the half of a typical interval of the level's points, its GB/s); each may be None."""
        points = [p for p in self.points if level["from"] <= p.at <= level["to"] and not p.shared]
        halves, gb = [p.hi - p.value for p in points if p.hi is not None], [p.gb for p in points if p.gb is not None]
        return statistics.median(halves) if halves else None, statistics.median(gb) if gb else None

    def ends(self, level):
        """Returns where a level ends, in words; empty: the curve ends in it. Reports of older versions have no `half_way`."""
        if not level.get("beyond"):
            return ""
        cache = self.cache(level)
        if any("half_way" in other for other in self.levels) and "half_way" not in level:
            return f"somewhere in CPUID's {cache}" if cache else "at no clear size"
        return f"{'before' if level.get('early') else 'at'} CPUID's {cache}" if cache else "at no cache of CPUID"


class Limit(Curve):
    """A record `limit`: a curve over a count, and its steps."""

    def __init__(self, record):
        super().__init__(record)
        self.per = record.get("per", 1)
        self.by = record.get("of", "")

    def _visits(self):
        return [self.record.get("visits", 0)] * len(self.record.get("figures", ()))

    @property
    def found(self):
        """Returns its steps, which are the limits."""
        return [f"{self.limit(step)}: {step['before']:.4g} to {step['after']:.4g} {self.unit}" for step in self.steps]

    @property
    def counted(self):
        """Returns the unit of a limit, such as `loads`."""
        return f"{self.by.partition(' in ')[0]} per cycle" if self.per != 1 else self.by

    def limit(self, step):
        """Returns `224 XORs (220 to 228)`."""
        return f"{self.count(step['at'])} {self.counted} ({self.count(step['from'])} to {self.count(step['to'])})"

    def count(self, at):
        return f"{at / self.per:.3g}" if self.per != 1 else f"{at:g}"


def curves(report):
    """Returns every Curve and Limit, in the order of the report."""
    return [Curve(record) for record in report.of("curve")] + [Limit(record) for record in report.of("limit")]


# --- which cores have curves ----------------------------------------------------------------------

def types(report):
    """Returns {core: its type}; empty if the CPU does not report types."""
    return {c["core"]: c["core_type"] for c in report.of("core") if "core_type" in c}


def one_of_each_type(report, cores):
    """Returns the first core of each type among these cores, in their order."""
    of, found = types(report), {}
    for core in sorted(cores):
        found.setdefault(of.get(core), core)
    return sorted(found.values())


def title(report, core):
    """Returns `efficiency core 4`, or `core 0` if the CPU has one type."""
    kind = types(report).get(core)
    return f"{kind} core {core}" if kind else f"core {core}"
