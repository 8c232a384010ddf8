"""Student's t, and tests over many rows at once. The standard library alone: a CI's machine has no other.

The distribution is that of the regularised incomplete beta function (Abramowitz and Stegun 26.7.1), by its
continued fraction (26.5.8), evaluated as Lentz does.
"""
import functools
import math
import statistics

NORMAL = statistics.NormalDist()
# From here on t is taken for the normal distribution: the 99% quantiles are less than 1 in 10^4 apart.
MANY = 1e5
NEAR = 1e-11  # a share of t, well above the error of two_sided()


def _fraction(x, a, b):
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 500):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + numerator * d
            c = 1 + numerator / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            result *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return result


def _beta(x, a, b):
    """I_x(a, b), from 0 to 1."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def two_sided(t, df):
    """Probability that |T| is t and more."""
    if math.isinf(t):
        return 0.0
    if df > MANY:
        return math.erfc(abs(t) / math.sqrt(2))
    return _beta(df / (df + t * t), df / 2, 0.5)


def upper(t, df):
    """Probability that T is t and more."""
    half = two_sided(t, df) / 2
    return half if t > 0 else 1 - half


def _near(df, p, low, high):
    """Two places between low and high, close together, that t's quantile lies between: found by secants of the
    logarithm of two_sided(), which is nearly a line."""
    def height(t):
        return math.log(two_sided(t, df) / p)

    (a, at_a), (b, at_b) = (low, height(low)), (high, height(high))
    for _ in range(12):
        if at_a == at_b or abs(b - a) < NEAR * b:
            break
        t = min(high, max(low, b - at_b * (b - a) / (at_b - at_a)))
        a, at_a, b, at_b = b, at_b, t, height(t)
    below, above = b * (1 - NEAR), b * (1 + NEAR)
    return below if height(below) > 0 else low, above if height(above) < 0 else high


@functools.lru_cache(65536)
def quantile(df, confidence=0.99):
    """The t that T lies within, on either side of 0, with this probability."""
    low = NORMAL.inv_cdf((1 + confidence) / 2)
    if df > MANY:
        return low
    high = 2 * low
    while two_sided(high, df) > 1 - confidence:
        low, high = high, 2 * high
    below, above = _near(df, 1 - confidence, low, high)
    for _ in range(40):
        middle = (low + high) / 2
        if middle <= below or (middle < above and two_sided(middle, df) > 1 - confidence):
            low = middle
        else:
            high = middle
    return high


def benjamini_hochberg(ps):
    """Adjusted p values: of those at q and below, a share of q at the most is false, as expected."""
    order, found, least = sorted(range(len(ps)), key=lambda i: ps[i]), [0.0] * len(ps), 1.0
    for rank in range(len(ps), 0, -1):
        at = order[rank - 1]
        least = min(least, ps[at] * len(ps) / rank)
        found[at] = least
    return found


def holm(ps):
    """Adjusted p values: with probability 1 - q at the least none of those at q and below is false."""
    order, found, most = sorted(range(len(ps)), key=lambda i: ps[i]), [0.0] * len(ps), 0.0
    for done, at in enumerate(order):
        most = max(most, min(1.0, ps[at] * (len(ps) - done)))
        found[at] = most
    return found
