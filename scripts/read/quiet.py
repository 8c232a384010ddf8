"""Suite `quiet` of a report: what held the cores up, and the result of gaps_max=."""
from read import table

UNITS = (("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9))
DECADES = ((1, "1 us"), (10, "10 us"), (100, "100 us"), (1000, "1 ms"), (10000, "10 ms"), (100000, "100 ms"), (1000000, "1 s"))
SHARE = "99.999%"


def duration(ns):
    """`35.20 us`: four digits, in the largest unit of which there is at least one."""
    if ns is None:
        return "not known"
    name, unit = next(((n, u) for n, u in reversed(UNITS) if ns >= u), UNITS[0])
    value = ns / unit
    return f"{value:.{3 if value < 10 else 2 if value < 100 else 1}f} {name}" if ns else "0 us"


class Core:
    """A record `gaps`, with its times in ns."""

    def __init__(self, record, run):
        hz = run.get("clock_tsc_hz") or run.get("tsc", {}).get("hz")
        self.record, self.core, self.gaps = record, record["core"], record["gaps"]
        self._ns = 1e9 / hz if hz else None
        self.longest = record.get("longest_ns")
        self.wait = record.get("wait_ns")
        self.lengths = record.get("lengths", [])

    def ns(self, ticks):
        return ticks * self._ns if self._ns else None

    @property
    def least(self):
        """The shortest gap that counts."""
        return self.ns(self.record["threshold_ticks"] - self.record["iteration_ticks"]) if "threshold_ticks" in self.record else None

    @property
    def waits(self):
        return duration(self.wait) if self.wait else f"< {duration(round(self.least, -2)) if self.least else '1 us'}"

    @property
    def watched(self):
        """The share of the time, 0 to 1."""
        elapsed = self.record.get("elapsed_ticks")
        return min(1, self.record.get("watched_ticks", 0) / elapsed) if elapsed else None

    @property
    def periods(self):
        found = [duration(self.ns(p["ticks"])) for p in self.record.get("periods", []) if self._ns]
        return ", ".join(found) or ("no period" if self.gaps else "")

    def by_decade(self):
        """The number of gaps from each length of DECADES on, up to the next."""
        limits = [us * 1000 for us, _ in DECADES] + [None]
        return [sum(n for ns, n, _ in self.lengths if low <= ns and (high is None or ns < high))
                for low, high in zip(limits, limits[1:])]


class Quiet:
    """A record `quiet`, and the cores that watched."""

    def __init__(self, record, cores, run):
        self.record, self.cores, self.run = record, cores, run
        self.name = f"{record['suite']}/{record['name']}"
        self.worst = max(cores, key=lambda c: c.record["longest_ticks"], default=None)

    @property
    def result(self):
        """`PASS`, `FAIL`, `not judged`, or None without gaps_max=."""
        result = self.record.get("result")
        return result.upper() if result in ("pass", "fail") else result

    @property
    def extent(self):
        """`8 cores at once for 1.000 h each`."""
        n = len(self.cores)
        return f"{n} core{'s at once' if n > 1 else ''} for {duration(self.record.get('asked_s', 0) * 1e9)}{' each' if n > 1 else ''}"

    @property
    def sentence(self):
        """The result, in a sentence."""
        if not self.cores:
            return f"Not judged: no core watched. {self.record.get('why', '')}".strip()
        limit = f"{self.record['gaps_max_us']} us" if "gaps_max_us" in self.record else None
        longest = f"the longest gap was {duration(self.worst.longest)}, on core {self.worst.core}"
        if self.result == "FAIL":
            exceeded = self.record.get("exceeded", [])
            some = ", ".join(map(str, exceeded[:12])) + (f" and {len(exceeded) - 12} more" if len(exceeded) > 12 else "")
            return f"Gaps longer than {limit} on core{'s' if len(exceeded) > 1 else ''} {some}: {longest}."
        if self.result == "PASS":
            return f"No gap longer than {limit}: {longest}."
        if self.result:
            why = self.record.get("why") or "not every core watched for all of the time"
            return f"Not judged by the limit of {limit}: {why}. Until then {longest}."
        return f"{longest[0].upper()}{longest[1:]}. No limit was given (gaps_max=)."

    def lines(self):
        """Returns the lines that `show` prints."""
        yield f"{self.name}, {self.extent}: {self.result + ': ' if self.result in ('PASS', 'FAIL') else ''}{self.sentence}"
        for c in self.cores:
            smis = f", {c.record['smis']} SMIs" if "smis" in c.record else ""
            periods = "" if not c.gaps else ", no period" if not c.record.get("periods") else f", one every {c.periods}"
            yield (f"{self.name}, core {c.core}: {c.gaps} gaps{f', longest {duration(c.longest)}' if c.gaps else ''}, "
                   f"{SHARE} of all moments wait {c.waits}{smis}{periods}")
        yield f"{self.name}: possible causes: {self.record.get('causes', 'not known')}"


def quiets(report):
    """[Quiet] of a report."""
    run, found = report.one("run"), []
    for record in report.of("quiet"):
        cores = [Core(g, run) for g in report.of("gaps") if (g["suite"], g["name"]) == (record["suite"], record["name"])]
        found.append(Quiet(record, cores, run))
    return found


COLUMNS = table.columns(
    ("core", "core"), ("longest gap", "longest"), (f"wait, {SHARE}", "wait"), ("gaps", "gaps"),
    ("of the time, %", "share", ".5f"), ("watched, %", "watched", ".2f"), ("SMIs before", "before"),
    ("after", "after"), ("NMIs", "nmis"), ("period", "periods", "<"))


def rows(quiet):
    """A table of the cores, by COLUMNS; the longest gap first."""
    for c in sorted(quiet.cores, key=lambda c: -c.record["longest_ticks"]):
        r = c.record
        yield {"core": c.core, "longest": (duration(c.longest) if c.gaps else "none", c.longest or 0), "wait": (c.waits, c.wait or 0),
               "gaps": c.gaps, "share": 100 * r["gap_ticks"] / r["watched_ticks"] if r.get("watched_ticks") else None,
               "watched": None if c.watched is None else 100 * c.watched, "before": r.get("smis_before"), "after": r.get("smis_after"),
               "nmis": r.get("nmis"), "periods": c.periods, "_class": "failed" if c.core in quiet.record.get("exceeded", []) else None}
