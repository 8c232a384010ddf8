"""Statistics of a few dozen figures of launches."""
import math
import statistics

from judge.significance import quantile

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
