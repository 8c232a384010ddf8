"""Tests whether a row's figures rise or fall over runs: the slope of Theil and Sen, and the test of Mann and Kendall.

The slope is the median of the slopes of all pairs of runs. Its interval is Sen's, by ranks of these slopes. The test
counts the pairs in which the later figure is greater, exactly if no two are equal (Hollander, Wolfe and Chicken,
Nonparametric Statistical Methods, 3rd edition, 8.1 and 9.2 to 9.3). Uses only the standard library, because a CI
machine has nothing else.
"""
import functools
import itertools
import math
import statistics

NORMAL = statistics.NormalDist()
# With more runs than this the test's statistic is treated as normal, with its continuity correction.
EXACT_RUNS = 40


@functools.lru_cache(maxsize=64)
def _inversions(n):
    """Returns how many orders of n figures have 0, 1, 2, ... pairs in which the later one is less."""
    counts = [1]
    for m in range(2, n + 1):
        longer = [0] * (len(counts) + m - 1)
        for at, count in enumerate(counts):
            for more in range(m):
                longer[at + more] += count
        counts = longer
    return counts


def _sign(value):
    return (value > 0) - (value < 0)


def _variance(values):
    """Returns the variance of the sum of the signs of all pairs if there is no trend; equal figures lessen it."""
    def part(n):
        return n * (n - 1) * (2 * n + 5)

    ties = sum(part(values.count(v)) for v in set(values))
    return (part(len(values)) - ties) / 18


def mann_kendall(values):
    """Returns the probability of so clear a rise or fall, in either direction, if all orders of the figures are equally
    likely."""
    n = len(values)
    signs = sum(_sign(b - a) for a, b in itertools.combinations(values, 2))
    if n <= EXACT_RUNS and len(set(values)) == n:
        counts = _inversions(n)
        fewest = min((n * (n - 1) // 2 - signs) // 2, (n * (n - 1) // 2 + signs) // 2)
        return min(1.0, 2 * sum(counts[:fewest + 1]) / math.factorial(n))
    variance = _variance(values)
    if variance <= 0:
        return 1.0
    return min(1.0, 2 * NORMAL.cdf(-max(0, abs(signs) - 1) / math.sqrt(variance)))


class Slope:
    """Theil and Sen's slope of figures over positions (numbers of runs): value, per run; lo and hi, None if there are
    too few figures."""

    def __init__(self, places, values, confidence):
        slopes = sorted((b - a) / (y - x) for (x, a), (y, b) in itertools.combinations(zip(places, values), 2))
        self.value, self.lo, self.hi = statistics.median(slopes), None, None
        reach = NORMAL.inv_cdf((1 + confidence) / 2) * math.sqrt(_variance(values))
        rank = math.floor((len(slopes) - reach) / 2)
        if rank >= 1:
            self.lo, self.hi = slopes[rank - 1], slopes[-rank]
