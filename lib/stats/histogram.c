#include "lib/stats/histogram.h"
#include "lib/stats/mathx.h"
#include <stdbool.h>

static uint64_t bin_of(const struct histogram *h, uint64_t x)
{
    return x & ~(h->width - 1);
}

/* Doubles the width of the bins and merges neighbours. */
static void widen(struct histogram *h)
{
    size_t kept = 0;

    h->width *= 2;
    for (size_t i = 0; i < h->used; i++) {
        struct bin b = {bin_of(h, h->bin[i].value), h->bin[i].count};
        if (kept > 0 && h->bin[kept - 1].value == b.value)
            h->bin[kept - 1].count += b.count;
        else
            h->bin[kept++] = b;
    }
    h->used = kept;
}

/* Returns the number of additional bins that the samples need. */
static size_t new_bins(const struct histogram *h, const uint64_t *sorted, size_t n)
{
    size_t more = 0;

    for (size_t i = 0, at = 0; i < n; i++) {
        uint64_t value = bin_of(h, sorted[i]);
        if (i > 0 && bin_of(h, sorted[i - 1]) == value)
            continue;
        while (at < h->used && h->bin[at].value < value)
            at++;
        more += at == h->used || h->bin[at].value != value;
    }
    return more;
}

/* Merges from the end, where there is room. */
static void merge(struct histogram *h, const uint64_t *sorted, size_t n, size_t more)
{
    size_t old = h->used, to = h->used + more;

    h->used = to;
    while (n > 0) {
        uint64_t value = bin_of(h, sorted[n - 1]), count = 0;
        for (; n > 0 && bin_of(h, sorted[n - 1]) == value; n--)
            count++;
        while (old > 0 && h->bin[old - 1].value > value)
            h->bin[--to] = h->bin[--old];
        if (old > 0 && h->bin[old - 1].value == value)
            count += h->bin[--old].count;
        h->bin[--to] = (struct bin){value, count};
    }
}

void histogram_add(struct histogram *h, const uint64_t *sorted, size_t n)
{
    size_t more;

    if (n == 0)
        return;
    if (h->all.n == 0 || sorted[0] < h->min)
        h->min = sorted[0];
    if (h->all.n == 0 || sorted[n - 1] > h->max)
        h->max = sorted[n - 1];
    for (size_t i = 0; i < n; i++)
        moments_add(&h->all, (double)sorted[i]);
    while ((more = new_bins(h, sorted, n)) > h->cap - h->used)
        widen(h);
    merge(h, sorted, n, more);
}

/* --- statistics of the samples ---------------------------------------------------------------- */

/* The value that a bin's samples count as: its edge, or the smallest sample if that is higher. */
static uint64_t value_of(const struct histogram *h, size_t bin)
{
    return h->bin[bin].value > h->min ? h->bin[bin].value : h->min;
}

/* The i-th of all samples, sorted. */
static uint64_t at(const struct histogram *h, uint64_t i)
{
    size_t k = 0;

    for (; i >= h->bin[k].count; k++)
        i -= h->bin[k].count;
    return value_of(h, k);
}

/* Like stats_quantile(). */
static double quantile(const struct histogram *h, double q)
{
    double place = (double)(h->all.n - 1) * q, whole = mathx_floor(place);
    uint64_t i = (uint64_t)whole;
    uint64_t low = at(h, i), high = i + 1 < h->all.n ? at(h, i + 1) : low;

    return (double)low + (place - whole) * (double)(high - low);
}

/* Returns twice the distance of a bin from the median: whole even if the median is half-way between
 * two values. */
static uint64_t twice_away(uint64_t value, uint64_t low, uint64_t high)
{
    return value <= low ? 2 * (low - value) + (high - low) : 2 * (value - high) + (high - low);
}

/* As in stats.c: bins lie outwards from the median on either side, and two indices visit them in
 * order of distance. Stops at the i-th distance. */
static uint64_t twice_deviation(const struct histogram *h, uint64_t i)
{
    uint64_t low = at(h, (h->all.n - 1) / 2), high = at(h, h->all.n / 2), passed = 0;
    size_t below = 0, above;

    while (below < h->used && value_of(h, below) <= low)
        below++;
    above = below; /* bins [0, below) are at most the lower median, [above, used) more */
    for (;;) {
        uint64_t down = below > 0 ? twice_away(value_of(h, below - 1), low, high) : UINT64_MAX;
        uint64_t up = above < h->used ? twice_away(value_of(h, above), low, high) : UINT64_MAX;
        passed += up <= down ? h->bin[above].count : h->bin[below - 1].count;
        if (passed > i)
            return up <= down ? up : down;
        if (up <= down)
            above++;
        else
            below--;
    }
}

static double median_deviation(const struct histogram *h)
{
    uint64_t low = twice_deviation(h, (h->all.n - 1) / 2);
    uint64_t high = twice_deviation(h, h->all.n / 2);

    return ((double)low + (double)(high - low) / 2) / 2;
}

/* Two passes over the bins, from the minimum upwards, as in stats.c: exact if each value has its
 * own bin. */
static void take_moments(const struct histogram *h, struct statistics *s)
{
    double n = (double)h->all.n, squares = 0, sum = 0, above = 0;

    for (size_t i = 0; i < h->used; i++)
        above += (double)(h->bin[i].value - h->min) * (double)h->bin[i].count;
    above /= n;
    for (size_t i = 0; i < h->used; i++) {
        double d = (double)(h->bin[i].value - h->min) - above;
        squares += d * d * (double)h->bin[i].count;
        sum += d * (double)h->bin[i].count;
    }
    double centred = squares - sum * sum / n;
    s->mean = (double)h->min + above;
    s->sd = s->n > 1 && centred > 0 ? mathx_sqrt(centred / (n - 1)) : 0;
}

struct statistics histogram_stats(const struct histogram *h)
{
    struct statistics s = {.n = (size_t)h->all.n, .min = h->min, .max = h->max};

    if (s.n == 0)
        return s;
    s.p25 = quantile(h, 0.25);
    s.median = quantile(h, 0.5);
    s.p75 = quantile(h, 0.75);
    s.p99 = quantile(h, 0.99);
    s.mad = median_deviation(h);
    if (h->width == 1) {
        take_moments(h, &s);
    } else {
        s.mean = h->all.mean;
        s.sd = s.n > 1 ? moments_sd(&h->all) : 0;
    }
    return s;
}

static size_t bins_of_at_least(const struct histogram *h, uint64_t count)
{
    size_t bins = 0;

    for (size_t i = 0; i < h->used; i++)
        bins += h->bin[i].count >= count;
    return bins;
}

/* Returns the smallest count c for which at most `cap` bins have c samples or more. */
static uint64_t count_that_fits(const struct histogram *h, size_t cap)
{
    if (h->used <= cap)
        return 1;
    /* At most n / c bins can have c samples. */
    uint64_t too_small = 1, fits = h->all.n / (cap + 1) + 1;
    while (fits - too_small > 1) {
        uint64_t middle = too_small + (fits - too_small) / 2;
        if (bins_of_at_least(h, middle) <= cap)
            fits = middle;
        else
            too_small = middle;
    }
    return fits;
}

size_t histogram_fullest(const struct histogram *h, struct bin *bins, size_t cap, uint64_t *rest)
{
    uint64_t fits = count_that_fits(h, cap);
    /* Remaining room goes to the smallest values with fits - 1 samples. */
    size_t ties = cap - bins_of_at_least(h, fits), used = 0;

    *rest = 0;
    for (size_t i = 0; i < h->used; i++) {
        bool tie = h->bin[i].count + 1 == fits && ties > 0;
        if (h->bin[i].count >= fits || tie)
            bins[used++] = h->bin[i];
        else
            *rest += h->bin[i].count;
        ties -= tie;
    }
    return used;
}
