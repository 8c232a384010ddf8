#include "lib/stats/agree.h"
#include "lib/stats/known.h"

static void insert(double *sorted, size_t n, double v)
{
    for (; n > 0 && sorted[n - 1] > v; n--)
        sorted[n] = sorted[n - 1];
    sorted[n] = v;
}

bool agree_is_narrow(struct agreed a)
{
    double size = a.value < 0 ? -a.value : a.value, most = AGREE_SHARE * size;

    return a.hi - a.lo <= (most > AGREE_WIDTH ? most : AGREE_WIDTH);
}

static void sort(const double *x, size_t n, double sorted[AGREE_MOST])
{
    for (size_t i = 0; i < n; i++)
        insert(sorted, i, x[i]);
}

/* Fewer than two measurements. */
static struct agreed too_few(const double *x, size_t n)
{
    return (struct agreed){.value = n ? x[0] : UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN};
}

struct agreed agree_least(const double *x, size_t n)
{
    double sorted[AGREE_MOST];

    if (n < 2)
        return too_few(x, n);
    sort(x, n, sorted);
    struct agreed a = {.value = sorted[1], .lo = sorted[0], .hi = sorted[n > 2 ? 2 : 1]};
    a.settled = n >= AGREE_LEAST && agree_is_narrow(a);
    return a;
}

struct agreed agree(const double *x, size_t n)
{
    double sorted[AGREE_MOST];
    size_t k = n >= AGREE_TRIM ? 1 : 0;

    if (n < 2)
        return too_few(x, n);
    sort(x, n, sorted);
    struct agreed a = {.value = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
                       .lo = sorted[k],
                       .hi = sorted[n - 1 - k]};
    a.settled = n >= AGREE_LEAST && agree_is_narrow(a);
    return a;
}

struct agreed agree_minus(struct agreed a, struct agreed b)
{
    return (struct agreed){.value = a.value - b.value,
                           .lo = a.lo - b.hi,
                           .hi = a.hi - b.lo,
                           .settled = a.settled && b.settled};
}

double agree_error(struct agreed a)
{
    double below = a.value - a.lo, above = a.hi - a.value;

    return below > above ? below : above;
}

bool agree_differ(struct agreed a, struct agreed b)
{
    double larger = a.value > b.value ? a.value : b.value, apart = a.value - b.value;

    if (a.lo <= b.hi && b.lo <= a.hi)
        return false;
    return (apart < 0 ? -apart : apart) > AGREE_SHARE * larger;
}
