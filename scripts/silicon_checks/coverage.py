"""docs/coverage.md: does the interval of launch i contain the figure of launch j? Over all ordered pairs of launches."""
import math
import operator
import random
import statistics
from dataclasses import dataclass

from silicon_checks.neighbours import TOO_SHARED, Check, exclusive, is_exclusive, percent
from silicon_checks.rows import cycles, moves

BOOTSTRAPS = 1000  # the standard error itself is then accurate to 2%
POOLED, EACH = 0.98, 0.90  # the required shares: of all rows together, and of each row


@dataclass
class Coverage:
    pairs: int
    share: float         # of the pairs that are covered; nan: no pair
    se: float = math.nan  # by bootstrap over the launches; nan: not needed, or fewer than three launches

    def fails(self, wanted):
        """Tests whether the share is too small by more than two standard errors."""
        return self.share + 2 * self.se < wanted


def _sum(times, matrix):
    return sum(t * sum(map(operator.mul, times, line)) for t, line in zip(times, matrix) if t)


def _error(judged, covered):
    """Draws launches with replacement. A launch is not paired with itself or its own copies."""
    dice, n, shares = random.Random(1), len(judged), []
    for _ in range(BOOTSTRAPS):
        times = [0] * n
        for i in dice.choices(range(n), k=n):
            times[i] += 1
        pairs = _sum(times, judged)
        if pairs:  # else the same launch every time
            shares.append(_sum(times, covered) / pairs)
    return statistics.stdev(shares)


def of_rows(rows, wanted):
    """rows: for each row a list with (figure, lo, hi) of each launch; None: no figure. Returns the Coverage of all of them
    together. `se` is left out if the share is as large as wanted."""
    launches = range(len(rows[0]))
    judged, covered = [[0] * len(launches) for _ in launches], [[0] * len(launches) for _ in launches]
    for row in rows:
        for i, j in ((i, j) for i in launches for j in launches if i != j and row[i] and row[j]):
            judged[i][j] += 1
            covered[i][j] += row[i][1] <= row[j][0] <= row[i][2]
    pairs = sum(map(sum, judged))
    found = Coverage(pairs, sum(map(sum, covered)) / pairs if pairs else math.nan)
    if found.share < wanted and len(launches) > 2:  # two launches have only one set of pairs
        found.se = _error(judged, covered)
    return found


def judge(rows):
    """rows: as in of_rows(), by name. Returns the Coverage of all of them together, and {name: that of each}."""
    return of_rows(list(rows.values()), math.inf), {name: of_rows([row], EACH) for name, row in rows.items()}


# --- the check ------------------------------------------------------------------------------------

ROWS_LEAST = 10  # fewer prove nothing
LIMIT = f"at least {POOLED:.0%} pooled and {EACH:.0%} in each row; not judged if less than two standard errors below"
MOVING = 1 / 2  # maximum share of varying rows; if more rows vary, none is excluded
# The state that outlasts a launch, if it is known.
WHAT_MOVES = {"sum/cold": "the memory, which is slower at one time than at another"}


def _interval(launch, row):
    per_op = launch.rows[row]["per_op"]
    return (per_op["cycles"], per_op["cycles_lo"], per_op["cycles_hi"]) if is_exclusive(launch, row) else None


def with_intervals(launch):
    return [name for name, row in launch.rows.items() if "cycles" in row.get("per_op", {}) and "interval" in row]


def _holds(pooled, each):
    """Returns None if a share is below a limit by no more than launches differ by chance."""
    if len(each) < ROWS_LEAST or pooled.fails(POOLED) or any(row.fails(EACH) for row in each.values()):
        return False
    return True if pooled.share >= POOLED and not any(row.share < EACH for row in each.values()) else None


def _told(runs, row):
    """Returns the range of the figures of a row that varies between launches, and the cause if it is known."""
    values = [cycles(r, row) for r in exclusive(runs, row)]
    why = f": {WHAT_MOVES[row]}" if row in WHAT_MOVES else ""
    return f"{row} {min(values):.3f} to {max(values):.3f}{why}"


def _excused(runs, rows):
    """Returns rows that vary between launches, which the interval of one launch cannot know. Chains of known latency do
    not vary on a machine in working order: if they do, the measurement is wrong, and nothing is excused."""
    moving = [row for row in rows if moves(runs, row)]
    if len(moving) > MOVING * len(rows) or any(row.startswith("truth/") for row in moving):
        return []
    return moving


def check(runs):
    """Checks the coverage of all rows together and of each."""
    rows = {name: [_interval(launch, name) for launch in runs] for name in with_intervals(runs[0])}
    a_row = statistics.fmean(len(list(filter(None, row))) for row in rows.values())
    if a_row < max(3, len(runs) / 8):
        yield Check(f"{len(rows)} rows", f"{TOO_SHARED}: {a_row:.1f} of {len(runs)} launches, the mean over the rows, had"
                    " the core to themselves", LIMIT, None)
        return
    (pooled, each), moving = judge(rows), []
    if not _holds(pooled, each):
        moving = _excused(runs, rows)
    if moving:
        pooled, each = judge({name: row for name, row in rows.items() if name not in moving})
    holds = _holds(pooled, each)
    shares = sorted((row.share, name) for name, row in each.items() if row.pairs)
    yield Check(f"{len(each)} rows, {pooled.pairs} ordered pairs of launches",
                f"{'not judged: too close to a limit: ' if holds is None else ''}{percent(pooled.share)}, standard error"
                f" {percent(pooled.se)}; the least of a row {percent(min(shares)[0])}", LIMIT, holds)
    yield Check("the rows that are covered least", ", ".join(f"{name} {percent(share, 1)}" for share, name in shares[:5]))
    if moving:
        yield Check("not judged, because they vary between launches, cycles", "; ".join(_told(runs, row) for row in moving))
