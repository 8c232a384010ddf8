"""Student's t, and tests over many rows at once. Uses only the standard library, because a CI machine has nothing else.

The distribution is that of the regularised incomplete beta function (Abramowitz and Stegun 26.7.1), by its
continued fraction (26.5.8).
"""
import bisect
import functools
import itertools
import math
import statistics

NORMAL = statistics.NormalDist()
# From this number of degrees of freedom on, t is treated as normal: the 99% quantiles differ by less than 1 in 10^4.
MANY = 1e5
CLOSE = 1e-5  # a step of t, as a share of it, after which the error, about its cube, is that of rounding


def _fraction(x, a, b):
    """Returns the value of the continued fraction, from its end. The number of terms that count grows with the root."""
    value = 0.0
    for m in range(20 + int(3 * math.sqrt(max(a, b))), 0, -1):
        at = a + 2 * m
        even, odd = m * (b - m) * x / ((at - 1) * at), -(a + m) * (a + b + m) * x / (at * (at + 1))
        value = even / (1 + odd / (1 + value))
    return 1 / (1 - (a + b) * x / (a + 1) / (1 + value))


def _front(x, a, b):
    """x^a (1 - x)^b / B(a, b)"""
    return math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))


def _beta(x, a, b):
    """Returns I_x(a, b), from 0 to 1."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = _front(x, a, b)
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def two_sided(t, df):
    """Returns the probability that |T| is at least t."""
    if math.isinf(t):
        return 0.0
    if df > MANY:
        return math.erfc(abs(t) / math.sqrt(2))
    return _beta(df / (df + t * t), df / 2, 0.5)


def upper(t, df):
    """Returns the probability that T is at least t."""
    half = two_sided(t, df) / 2
    return half if t > 0 else 1 - half


@functools.lru_cache(65536)
def quantile(df, confidence=0.99):
    """Returns the t that |T| does not exceed with this probability: from Cornish and Fisher's expansion (26.7.5) by Halley's
    steps of the logarithm of two_sided() over that of t, which is nearly a line. Its slope is -2 front / two_sided()."""
    z, p = NORMAL.inv_cdf((1 + confidence) / 2), 1 - confidence
    if df > MANY:
        return z
    t = z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df * df)
    for _ in range(12):
        found = two_sided(t, df)
        height, slope = math.log(found / p), 2 * _front(df / (df + t * t), df / 2, 0.5) / found
        bend = slope * (1 - (df + 1) * t * t / (df + t * t) + slope)
        step = 2 * height * slope / (2 * slope * slope + height * bend)
        t *= math.exp(step)
        if abs(step) < CLOSE:
            break
    return t


def benjamini_hochberg(ps):
    """Returns adjusted p values: of those at most q, an expected share of at most q is false."""
    n, order = len(ps), sorted(range(len(ps)), key=ps.__getitem__, reverse=True)
    least = itertools.accumulate([min(1.0, ps[at] * n / (n - larger)) for larger, at in enumerate(order)], min)
    return [p for _, p in sorted(zip(order, least))]


def holm(ps):
    """Returns adjusted p values: with a probability of at least 1 - q none of those at most q is false."""
    n, order = len(ps), sorted(range(len(ps)), key=ps.__getitem__)
    most = itertools.accumulate([min(1.0, ps[at] * (n - smaller)) for smaller, at in enumerate(order)], max)
    return [p for _, p in sorted(zip(order, most))]


# --- shifts ---------------------------------------------------------------------------------------

# The shift between two sets of figures, with an interval that assumes no distribution.
#
# The shift is Hodges and Lehmann's: the median of all differences between a new and an old figure. Its interval is
# Moses': from the k-th smallest to the k-th largest of these differences, where k comes from the exact distribution
# of Mann and Whitney's U (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 4.2 and 4.3).

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
    """Returns the median of sorted values."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


class Shift:
    """Compares new figures with old ones: value; lo and hi, None if there are too few figures; level of these; p: the
    probability of so large a difference, in either direction, without a true one. Differences of exactly 0 count
    against a shift. longer: the factor of Rounds, by which lo and hi are farther from the value."""

    def __init__(self, old, new, confidence=0.99, longer=1.0):
        new = sorted(new)
        differences = [y - x for x in old for y in new]
        differences.sort()
        m, n = len(old), len(new)
        self.value = middle(differences)
        k, self.level = rank(m, n, confidence)
        self.lo, self.hi = _ends(differences, k, self.value, longer)
        none = self.value * (1 - 1 / longer)  # is as far from the value as 0, before the interval is made longer
        self.p_above = tail(bisect.bisect_right(differences, none), m, n)
        self.p = min(1.0, 2 * min(self.p_above, tail(m * n - bisect.bisect_left(differences, none), m, n)))


def _ends(ordered, k, value, longer):
    """Returns the interval from the k-th smallest to the k-th largest."""
    if not k:
        return None, None
    return value - (value - ordered[k - 1]) * longer, value + (ordered[-k] - value) * longer


LEAST_ROUNDS = 4  # with fewer, it is not known how much rounds differ; lib/stats/shift.h has the same constants
UNSURE = 12
# Rounds of two reports seem to differ if the ratio of Rounds, over all their rows, is above this. Of reports with 160
# rows whose rounds are alike, 1 in 50 exceeds it by chance; with fewer rows more do, which only costs power.
ALIKE = 1.1
APART = 3  # a row whose own ratio is above this has rounds that differ, whatever the others have


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


class Rounds:
    """Adds up how much the rounds of launches differ: h, Kruskal and Wallis' H of the rounds, and df, its degrees of
    freedom. few: a launch has too few rounds to know. h / df is the variance of a round's mean rank, relative to what
    independent placements have."""

    def __init__(self):
        self.h = self.df = 0
        self.few = False

    def add(self, rounds):
        """rounds: [placements' figures of a round]. Rounds of one placement each are independent."""
        groups = [g for g in rounds if g]
        if len(groups) < 2 or all(len(g) == 1 for g in groups):
            return
        self.h += _h(groups)
        self.df += len(groups) - 1
        self.few = self.few or len(groups) < LEAST_ROUNDS

    def longer(self, all_differ):
        """Returns the factor by which rounds that differ make an interval longer. all_differ: those of all rows do."""
        ratio = self.h / self.df if self.df else 0
        if ratio <= (1 if all_differ else APART):
            return 1.0
        return math.sqrt(1 + (1 + UNSURE / self.df) * (ratio - 1))


def differ(every):
    """Tests whether the rounds of all rows of several reports seem to differ. every: the Rounds of each report."""
    return sum(rounds.h for rounds in every) > ALIKE * sum(rounds.df for rounds in every)


def factor(old, new, confidence=0.99, longer=1.0):
    """Returns (value, lo, hi) of the ratios of a new to an old figure. All of `old` are above 0."""
    new = sorted(new)
    ratios = [y / x for x in old for y in new]
    ratios.sort()
    k, _ = rank(len(old), len(new), confidence)
    value = middle(ratios)
    return value, *_ends(ratios, k, value, longer)


def p_one_source(groups):
    """Returns the probability that groups differ this much if all have one distribution (Kruskal and Wallis, with chi
    squared as Wilson and Hilferty approximate it)."""
    h, df = max(_h(groups), 0), len(groups) - 1
    return 1 - NORMAL.cdf(((h / df) ** (1 / 3) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))) if h else 1.0
