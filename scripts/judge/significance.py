"""Student's t, and tests over many rows at once. Uses only the standard library, because a CI machine has nothing else.

The distribution is that of the regularised incomplete beta function (Abramowitz and Stegun 26.7.1), by its
continued fraction (26.5.8), evaluated as Lentz does.
"""
import functools
import math
import statistics

NORMAL = statistics.NormalDist()
# From this number of degrees of freedom on, t is treated as normal: the 99% quantiles differ by less than 1 in 10^4.
MANY = 1e5
# two_sided() falls with t except for rounding, which grows with the degrees of freedom. This share of t for each
# degree is well above the rounding (50 times).
NEAR = 2e-14
CLOSE = 1e-5  # a step of t, as a share of it, whose cube is below NEAR


def _fraction(x, a, b):
    tiny, from_0 = 1e-300, a + b
    c, d = 1.0, 1 - from_0 * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 500):
        at = a + 2 * m
        numerator = m * (b - m) * x / ((at - 1) * at)
        d, c = 1 + numerator * d, 1 + numerator / c
        d = 1 / (d if abs(d) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        result *= d * c
        numerator = -(a + m) * (from_0 + m) * x / (at * (at + 1))
        d, c = 1 + numerator * d, 1 + numerator / c
        d = 1 / (d if abs(d) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        last = d * c
        result *= last
        if abs(last - 1) < 1e-14:
            break
    return result


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


def _close(df, p):
    """Returns an approximation of t's quantile: from Cornish and Fisher's expansion (26.7.5) by Halley's steps of the
    logarithm of two_sided() over that of t, which is nearly a line. Its slope is -2 front / two_sided()."""
    z = NORMAL.inv_cdf(1 - p / 2)
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


def _near(df, p):
    """Returns two adjacent values that enclose t's quantile."""
    t, near = _close(df, p), NEAR * (10 + df)
    below, above = t * (1 - near), t * (1 + near)
    return below if two_sided(below, df) > p else 0.0, above if two_sided(above, df) < p else math.inf


@functools.lru_cache(65536)
def quantile(df, confidence=0.99):
    """Returns the t that |T| does not exceed with this probability."""
    low = NORMAL.inv_cdf((1 + confidence) / 2)
    if df > MANY:
        return low
    p = 1 - confidence
    below, above = _near(df, p)

    def is_low(t):
        return t <= below or (t < above and two_sided(t, df) > p)

    high = 2 * low
    while is_low(high):
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        if is_low(middle):
            low = middle
        else:
            high = middle
    return high


def benjamini_hochberg(ps):
    """Returns adjusted p values: of those at most q, an expected share of at most q is false."""
    order, found, least = sorted(range(len(ps)), key=lambda i: ps[i]), [0.0] * len(ps), 1.0
    for rank in range(len(ps), 0, -1):
        at = order[rank - 1]
        least = min(least, ps[at] * len(ps) / rank)
        found[at] = least
    return found


def holm(ps):
    """Returns adjusted p values: with a probability of at least 1 - q none of those at most q is false."""
    order, found, most = sorted(range(len(ps)), key=lambda i: ps[i]), [0.0] * len(ps), 0.0
    for done, at in enumerate(order):
        most = max(most, min(1.0, ps[at] * (len(ps) - done)))
        found[at] = most
    return found
