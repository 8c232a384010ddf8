"""Suite `quiet` of a report: what held the cores up, and the result of gaps_max=."""
from read import table

UNITS = (("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9))
DECADES = ("1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "1000 s")
SHARE = "99.999%"


def duration(ns):
    """`35.20 us`: four digits, in the largest unit of which there is at least one."""
    if ns is None:
        return "not known"
    name, unit = next(((n, u) for n, u in reversed(UNITS) if ns >= u), UNITS[0])
    value = ns / unit
    return f"{value:.{3 if value < 10 else 2 if value < 100 else 1}f} {name}" if ns else "0 us"


def by_decade(lengths):
    """Returns the number of gaps from each length of DECADES on, up to the next. lengths: the bins of a record `gaps`."""
    counts = [0] * len(DECADES)
    for ns, count, _ in lengths:
        counts[min(len(str(ns)) - len("1000"), len(DECADES) - 1)] += count
    return counts


class Core:
    """A record `gaps`, with its times in ns. watched: the share of the time, 0 to 1; waits, periods: in words."""

    def __init__(self, record, run):
        hz = run.get("clock_tsc_hz") or run.get("tsc", {}).get("hz")
        self.record, self.core, self.gaps = record, record["core"], record["gaps"]
        self.longest, self.wait, self.lengths = record.get("longest_ns"), record.get("wait_ns"), record.get("lengths", [])
        least = "1 us"  # the shortest gap that counts
        if hz and "threshold_ticks" in record:
            least = duration(round((record["threshold_ticks"] - record["iteration_ticks"]) / hz * 1e9, -2))
        self.waits = duration(self.wait) if self.wait else f"< {least}"
        elapsed = record.get("elapsed_ticks")
        self.watched = min(1, record.get("watched_ticks", 0) / elapsed) if elapsed else None
        periods = [duration(p["ticks"] / hz * 1e9) for p in record.get("periods", []) if hz]
        self.periods = ", ".join(periods) or ("no period" if self.gaps else "")


class Quiet:
    """A record `quiet`, and the cores that watched. result: `PASS`, `FAIL`, `not judged`, or None without gaps_max=; extent:
    `8 cores at once for 1.000 h each`."""

    def __init__(self, record, cores, run):
        self.record, self.cores, self.run = record, cores, run
        self.name = f"{record['suite']}/{record['name']}"
        self.worst = max(cores, key=lambda c: c.record["longest_ticks"], default=None)
        result, n = record.get("result"), len(cores)
        self.result = result.upper() if result in ("pass", "fail") else result
        self.extent = f"{n} core{'s at once' if n > 1 else ''} for {duration(record.get('asked_s', 0) * 1e9)}{' each' if n > 1 else ''}"

    @property
    def sentence(self):
        """The result, in a sentence."""
        if not self.cores:
            return f"Not judged: no core watched. {self.record.get('why', '')}".strip()
        limit = f"{self.record['gaps_max_us']} us" if "gaps_max_us" in self.record else None
        longest = f"the longest gap was {duration(self.worst.longest)}, on core {self.worst.core}"
        if self.result == "FAIL":
            exceeded = self.record.get("exceeded", [])
            return f"Gaps longer than {limit} on core{'s' if len(exceeded) > 1 else ''} {table.some(exceeded, 12)}: {longest}."
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
