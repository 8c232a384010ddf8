#include "lib/stats/shift.h"
#include "lib/stats/known.h"
#include "lib/stats/median.h"

/*
 * The number of arrangements with U = u is the coefficient of q^u in the Gaussian binomial
 * coefficient (n + m over n): the product of (1 - q^(m+i)) / (1 - q^i), i from 1 to n. All stay
 * below 2^53.
 */
static void count_arrangements(double *ways, size_t n, size_t m)
{
    size_t end = n * m;

    ways[0] = 1;
    for (size_t u = 1; u <= end; u++)
        ways[u] = 0;
    for (size_t i = 1; i <= n; i++) {
        for (size_t u = end; u >= m + i; u--)
            ways[u] -= ways[u - (m + i)];
        for (size_t u = i; u <= end; u++)
            ways[u] += ways[u - i];
    }
}

size_t shift_rank(size_t n, size_t m, double level)
{
    double ways[SHIFT_MOST * SHIFT_MOST + 1], all = 0, below = 0;
    size_t k = 0;

    if (n == 0 || m == 0)
        return 0;
    count_arrangements(ways, n, m);
    for (size_t u = 0; u <= n * m; u++)
        all += ways[u];
    while (below + ways[k] <= (1 - level) / 2 * all)
        below += ways[k++];
    return k;
}

struct shift shift_of(const double *a, size_t n, const double *b, size_t m, double level)
{
    double difference[SHIFT_MOST * SHIFT_MOST];
    struct shift s = {UNKNOWN, UNKNOWN, UNKNOWN};
    size_t k = shift_rank(n, m, level), all = n * m;

    if (all == 0)
        return s;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            difference[i * m + j] = a[i] - b[j];
    s.by = median(difference, all); /* leaves them in order */
    if (k > 0) {
        s.lo = difference[k - 1];
        s.hi = difference[all - k];
    }
    return s;
}
