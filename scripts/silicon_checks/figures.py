"""Statistics of a few dozen figures of launches."""
import functools
import math
import statistics

CONFIDENCE = 0.99


def _t_density(x, df):
    log = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    return math.exp(log - (df + 1) / 2 * math.log1p(x * x / df))


def _t_central(x, df):
    """Returns the probability between -x and x, by Simpson's rule."""
    steps = 1000
    h = x / steps
    total = _t_density(0, df) + _t_density(x, df)
    for i in range(1, steps):
        total += (4 if i % 2 else 2) * _t_density(i * h, df)
    return 2 * total * h / 3


@functools.lru_cache(maxsize=None)
def t_quantile(df, confidence=CONFIDENCE):
    """Returns the x that |t| does not exceed with this probability."""
    low, high = 0.0, 1.0
    while _t_central(high, df) < confidence:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_central(middle, df) < confidence else (low, middle)
    return high


def mean_half(values):
    """Returns the mean and the half-width of its 99% interval; takes at least two values."""
    half = t_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
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
