"""Neighbours: which launches had an exclusive core, and whether the witness sees a neighbour."""
import collections
import math
import statistics

from judge.significance import quantile


# limit: empty if the figure is shown and not judged; holds: None if the core was shared for too much of the time to judge.
Check = collections.namedtuple("Check", "what figure limit holds", defaults=("", True))


def percent(x, digits=2):
    return f"{100 * x:.{digits}f}%"


TOO_SHARED = "too shared to judge"


AWAY_MOST = 0.1  # of a row's time without the CPU: with more, other programs used the core too


def had_cpu(launch, *rows):
    """Tests whether the launch had the CPU nearly all the time of these rows."""
    away = away_ms(launch, *rows)
    return not away or away <= AWAY_MOST * sum(launch.ms(row) for row in rows)


def is_exclusive(launch, row):
    record = launch.rows.get(row, {})
    return record.get("exclusive", True) and "cycles" in record.get("per_op", {}) and had_cpu(launch, row)


def exclusive(runs, *rows):
    """Returns the launches in which each of these rows was measured on an exclusive core that was not taken away."""
    return [r for r in runs if all(is_exclusive(r, row) for row in rows)]


def enough(runs, of):
    """Tests whether this number of launches can represent all that were made."""
    return len(runs) >= max(3, len(of) / 8)


def too_shared(what, runs, of, limit):
    return Check(what, f"{TOO_SHARED}: {len(runs)} of {len(of)} launches had the core to themselves",
               limit, None)


def away_ms(launch, *rows):
    """Returns the time without the CPU while these rows were sampled."""
    return sum(launch.rows[row].get("process", {}).get("away_ms", 0) for row in rows)


def net_ms(launch, *rows):
    """Returns the CPU time of sampling these rows, without what the system gave to other programs."""
    return max(0, sum(launch.ms(row) for row in rows) - away_ms(launch, *rows))


def witnesses(runs):
    return [w for r in runs for w in r.witnesses if "blocks" in w]


def shared_share(runs):
    """Returns the share of all blocks during which a neighbour used the core; None: no witness ran."""
    found = witnesses(runs)
    blocks = sum(w["blocks"] for w in found)
    return sum(w["shared_blocks"] for w in found) / blocks if blocks else None


def neighbours(runs):
    """Shows how much of the time the core was shared."""
    shares = [s for s in (shared_share([r]) for r in runs) if s is not None]
    if not shares:
        why = next((w["why"] for r in runs for w in r.witnesses if "why" in w), "no reason given")
        yield Check("the core was shared", f"not known: {why}")
        return
    yield Check("the core was shared",
              f"{percent(shared_share(runs), 1)} of the time; {percent(min(shares), 1)} to"
              f" {percent(max(shares), 1)} of a launch; {len(shares)} launches")


SEEN = 0.95  # of a neighbour's blocks


def sees_sibling(runs):
    """Checks launches on two threads of one core at once."""
    what, limit = "two busy sibling threads, each the other's neighbour", "at least 95%"
    shares = [w["shared"] for w in witnesses(runs)]
    if not shares:
        yield Check(what, "not judged: no witness ran", limit, None)
        return
    said = f"{percent(min(shares), 1)} to {percent(max(shares), 1)} of a thread's blocks are seen as shared"
    holds = min(shares) >= SEEN
    if not holds and any(r.run.get("hypervisor") for r in runs):
        # A hypervisor may run two such threads on different cores, or one after the other.
        yield Check(what, f"not judged: {said}, but a hypervisor decides where and when these threads run", limit, None)
        return
    yield Check(what, said, limit, holds)


# --- statistics -----------------------------------------------------------------------------------

CONFIDENCE = 0.99


def mean_half(values):
    """Returns the mean and the half-width of its 99% interval; takes at least two values."""
    half = quantile(len(values) - 1, CONFIDENCE) * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values), half


def median_half(values):
    """Returns the median and the half-width of its 99% interval by ranks, which a few outliers do not move. Fewer than
    8 values have no such interval; then returns the mean and its interval."""
    n = len(values)
    below = [sum(math.comb(n, i) for i in range(k)) / 2 ** n for k in range(n // 2 + 1)]
    rank = max(k for k, p in enumerate(below) if 2 * p <= 1 - CONFIDENCE + 1e-12)
    if rank == 0:
        return mean_half(values)
    ranked, middle = sorted(values), statistics.median(values)
    return middle, max(middle - ranked[rank - 1], ranked[n - rank] - middle)


def spread(values):
    """Returns the range from smallest to largest, relative to the median."""
    return (max(values) - min(values)) / abs(statistics.median(values))
