#include "lib/stats/ranks.h"

double ranks_confidence(size_t n, size_t k)
{
    size_t j = (n + 1) / 2;
    double p = 1, below = 0; /* p: probability that exactly i of the x lie below y(j) */

    for (size_t t = 0; t < j; t++)
        p *= (double)(n - t) / (double)(2 * n - t);
    for (size_t i = 0; i < k; i++) {
        below += p;
        p *= (double)(i + j) / (double)(i + 1) * (double)(n - i) / (double)(2 * n - i - j);
    }
    return 1 - 2 * below;
}

double ranks_median_confidence(size_t n, size_t k)
{
    double p = 1, below = 0;

    for (size_t i = 0; i < n; i++)
        p /= 2;
    for (size_t i = 0; i < k; i++) {
        below += p;
        p *= (double)(n - i) / (double)(i + 1);
    }
    return 1 - 2 * below;
}

size_t ranks_for(size_t n, double confidence)
{
    size_t k = 0;

    while (k < n / 2 && ranks_confidence(n, k + 1) >= confidence)
        k++;
    return k;
}
