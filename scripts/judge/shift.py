"""The shift between two sets of figures, with an interval that assumes no distribution.

The shift is Hodges and Lehmann's: the median of all differences between a new and an old figure. Its interval is
Moses': from the k-th smallest to the k-th largest of these differences, where k comes from the exact distribution
of Mann and Whitney's U (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 4.2 and 4.3).
Uses only the standard library, because a CI machine has nothing else.
"""
import bisect
import functools
import itertools
import math
import statistics

from judge import significance

NORMAL = statistics.NormalDist()
# With more pairs than this, U is treated as normal, with its continuity correction, because the exact distribution of
# 300 against 300 figures takes seconds. At 100 against 100 the two differ by 3% of a tail of 0.5%.
EXACT_PAIRS = 10000


@functools.lru_cache(maxsize=256)
def _below(m, n):
    """Returns [P(U <= 0), P(U <= 1), ...] of m and n figures from one distribution: partitions in an m by n box, by
    Gauss' product of (1 - q^(n+i)) / (1 - q^i)."""
    size = m * n // 2 + 1  # the other half is symmetric
    counts = [1] + [0] * (size - 1)
    for i in range(1, m + 1):
        for k in range(size - 1, n + i - 1, -1):
            counts[k] -= counts[k - n - i]
        for k in range(i, size):
            counts[k] += counts[k - i]
    total, sum_, found = math.comb(m + n, m), 0, []
    for count in counts:
        sum_ += count
        found.append(sum_ / total)
    return found


def tail(u, m, n):
    """Returns the probability that U is u or less."""
    if u < 0:
        return 0.0
    if u >= m * n:
        return 1.0
    if m * n > EXACT_PAIRS:
        return NORMAL.cdf((u + 0.5 - m * n / 2) / math.sqrt(m * n * (m + n + 1) / 12))
    below = _below(min(m, n), max(m, n))
    return below[u] if u < len(below) else 1 - below[m * n - u - 1]


@functools.lru_cache(maxsize=1024)
def rank(m, n, confidence):
    """Returns (k, level): the interval from the k-th smallest to the k-th largest of m n differences contains the shift
    with this probability, which is at least `confidence`. k is 0 if there are too few figures."""
    k = 0
    while 2 * tail(k, m, n) <= 1 - confidence:
        k += 1
    return k, 1 - 2 * tail(k - 1, m, n)


def middle(ordered):
    """statistics.median() of sorted values."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def variance(values):
    """statistics.variance() computes with fractions and is ten times slower. This is exact too: the values are
    multiples of one power of 2, and the quotient of two integers is rounded once."""
    ratios = [v.as_integer_ratio() for v in values]
    unit = max([below for _, below in ratios])
    multiples = [above * (unit // below) for above, below in ratios]
    n, total = len(multiples), sum(multiples)
    return (n * sum([m * m for m in multiples]) - total * total) / (n * (n - 1) * unit * unit)


class Shift:
    """Compares new figures with old ones: value; lo and hi, None if there are too few figures; level of these; p: the
    probability of so large a difference, in either direction, if there is none. Differences of exactly 0 count
    against a shift."""

    def __init__(self, old, new, confidence=0.99):
        new = sorted(new)
        differences = [y - x for x in old for y in new]
        differences.sort()
        m, n = len(old), len(new)
        self.value = middle(differences)
        k, self.level = rank(m, n, confidence)
        self.lo, self.hi = (differences[k - 1], differences[-k]) if k else (None, None)
        self.p = min(1.0, 2 * min(tail(bisect.bisect_right(differences, 0), m, n),
                                  tail(m * n - bisect.bisect_left(differences, 0), m, n)))


# The level at which rounds seem to differ: one in four pairs with equal rounds is reported (lib/stats/shift.h).
DIFFER = 0.25
LEAST_ROUNDS = 4  # with fewer rounds they are assumed to differ, because the test has little power


def _ranks(every):
    """Returns ({value: its mean rank}, the correction for ties) of sorted values."""
    n, ranks = len(every), dict(zip(every, range(1, len(every) + 1)))
    if len(ranks) == n:
        return ranks, 1.0
    ties = before = 0
    for v, same in itertools.groupby(every):
        count = sum(1 for _ in same)
        ranks[v] = before + (count + 1) / 2
        ties += count ** 3 - count
        before += count
    return ranks, 1 - ties / (n ** 3 - n)


def _h(groups):
    """Returns Kruskal and Wallis' H, corrected for ties; 0 if all values are equal."""
    every = sorted(itertools.chain.from_iterable(groups))
    n, (ranks, spread) = len(every), _ranks(every)
    if spread <= 0:
        return 0.0
    between = sum([sum([ranks[v] for v in g]) ** 2 / len(g) for g in groups])
    return (12 / (n * (n + 1)) * between - 3 * (n + 1)) / spread


def _p_of_chi_squared(h, df):
    """Returns the probability of at least h (Wilson and Hilferty)."""
    z = ((max(h, 0) / df) ** (1 / 3) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))
    return 1 - NORMAL.cdf(z)


class Rounds:
    """For two sides of [placements' figures of a round]: whether rounds matter; if they do, se and df of the difference
    of the means over rounds (Welch)."""

    def __init__(self, old, new):
        sides = [[g for g in side if g] for side in (old, new)]
        self.matter = False
        if any(len(side) < 2 for side in sides) or all(len(g) == 1 for side in sides for g in side):
            return
        few = any(len(side) < LEAST_ROUNDS for side in sides)
        h, df = sum(_h(side) for side in sides), sum(len(side) - 1 for side in sides)
        self.matter = few or _p_of_chi_squared(h, df) < DIFFER
        if not self.matter:
            return
        parts = [(variance([statistics.fmean(g) for g in side]) / len(side), len(side) - 1) for side in sides]
        self.se = math.sqrt(sum(v for v, _ in parts))
        below = sum(v * v / n for v, n in parts)
        self.df = self.se ** 4 / below if below > 0 else math.inf

    def half(self, confidence):
        return significance.quantile(self.df, confidence) * self.se

    def p(self, shift):
        """Returns the probability of a shift this large, in either direction, if there is none."""
        return significance.two_sided(shift / self.se, self.df) if self.se else float(shift == 0)

    def p_above(self, shift):
        """Returns the probability of a shift this large if there is none, or a negative one."""
        return significance.upper(shift / self.se, self.df) if self.se else float(shift <= 0)


def factor(old, new, confidence=0.99):
    """Returns (value, lo, hi) of the ratios of a new to an old figure. All of `old` are above 0."""
    new = sorted(new)
    ratios = [y / x for x in old for y in new]
    ratios.sort()
    k, _ = rank(len(old), len(new), confidence)
    lo, hi = (ratios[k - 1], ratios[-k]) if k else (None, None)
    return middle(ratios), lo, hi


def p_above(old, new):
    """Returns the probability of this if no new figure tends to be above the old."""
    return tail(sum(y <= x for x in old for y in new), len(old), len(new))


def p_one_source(groups):
    """Returns the probability that groups differ this much if all have one distribution (Kruskal and Wallis, with chi
    squared as Wilson and Hilferty approximate it)."""
    h = _h(groups)
    return _p_of_chi_squared(h, len(groups) - 1) if h else 1.0
