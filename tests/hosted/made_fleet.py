"""Made-up folders with the reports of a fleet: machines in working order, and planted ones that are not."""
import random

from made_reports import END, head, report, row

NOISE, BETWEEN = 0.002, 0.004  # standard deviations: of a report, of machines in working order
HALF = 3.3 * NOISE  # half-width of the interval for another start
ROWS = 24


def quiet(longest_us=12, limit_us=20, core=0):
    """Returns the records of suite `quiet` of one core with a single gap."""
    ns = longest_us * 1000
    result = "pass" if longest_us <= limit_us else "fail"
    gaps = {"type": "gaps", "suite": "quiet", "name": "quiet", "core": core, "gaps": 1, "gap_ticks": 2 * ns, "longest_ticks": 2 * ns,
            "longest_ns": ns, "wait_ns": ns // 2, "watched_ticks": 2 * 10**10, "elapsed_ticks": 2 * 10**10,
            "first": [[1000, 2 * ns]], "periods": [], "lengths": [[ns, 1, ns]]}
    found = {"type": "quiet", "suite": "quiet", "name": "quiet", "status": "ok", "cores": [core], "complete": True, "asked_s": 10,
             "least_watched": 0.999, "longest_core": core, "longest_ns": ns, "wait_core": core, "wait_ns": ns // 2, "causes": "SMIs",
             "gaps_max_us": limit_us, "result": result, "exceeded": [] if result == "pass" else [core]}
    return [gaps, found]


class Machine:
    """figures: {row: factor} by which rows differ from the other machines'; since: the report from which on."""

    def __init__(self, rng, factors=None, since=0, rows=ROWS, **run):
        self.rng, self.factors, self.since, self.run = rng, factors or {}, since, run
        self.own = {f"r{at}": (1 + at / 4) * (1 + rng.gauss(0, BETWEEN)) for at in range(rows)}

    def noise(self):
        return self.rng.gauss(0, NOISE)

    def report(self, number, longest_us=12, **run):
        """Returns the bytes of its report with this number."""
        rows = []
        for name, value in self.own.items():
            value *= (1 + self.noise()) * (self.factors.get(name, 1) if number >= self.since else 1)
            rows.append(row(name, round(value, 6), half=HALF * value))
        gaps = quiet(longest_us)
        verdict = "fail" if gaps[1]["result"] == "fail" else "pass"
        return report([head(**{**self.run, **run}), *rows, *gaps, {**END, "failures": int(verdict == "fail"), "verdict": verdict}])


def machine_name(at):
    return f"rack{at // 32 + 1}-{at % 32 + 1:02}"


def write(folder, machines, reports, seed=1, rows=ROWS, planted=None):
    """Writes a folder for each machine. planted: {number of a machine: a function(rng) that returns its Machine}."""
    rng = random.Random(seed)
    for at in range(machines):
        machine = (planted or {}).get(at, lambda rng: Machine(rng, rows=rows))(rng)
        place = folder / machine_name(at)
        place.mkdir(parents=True)
        for number in range(reports):
            (place / f"{number + 1:04}.jsonl").write_bytes(machine.report(number))
