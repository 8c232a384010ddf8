#include "lib/stats/stats.h"
#include <stdbool.h>
#include "lib/stats/mathx.h"

/* Below this number of values, insertion is faster than another partition. */
#define INSERTION_MAX 16

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t t = *a;

    *a = *b;
    *b = t;
}

static void sort_by_insertion(uint64_t *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t v = x[i];
        size_t at = i;
        for (; at > 0 && x[at - 1] > v; at--)
            x[at] = x[at - 1];
        x[at] = v;
    }
}

/* Moves x[root] down to its place among the n values of a max-heap. */
static void sift_down(uint64_t *x, size_t root, size_t n)
{
    for (size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && x[child + 1] > x[child])
            child++;
        if (x[root] >= x[child])
            return;
        swap(&x[root], &x[child]);
        root = child;
    }
}

static void sort_by_heap(uint64_t *x, size_t n)
{
    for (size_t root = n / 2; root-- > 0;)
        sift_down(x, root, n);
    for (size_t end = n; end-- > 1;) {
        swap(&x[0], &x[end]);
        sift_down(x, 0, end);
    }
}

static uint64_t median_of_three(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b)
        swap(&a, &b);
    return c <= a ? a : c >= b ? b : c;
}

/* Partitions into values below the pivot [0, *less), equal to it, and above it [*more, n). */
static void partition(uint64_t *x, size_t n, size_t *less, size_t *more)
{
    uint64_t pivot = median_of_three(x[0], x[n / 2], x[n - 1]);
    size_t below = 0, above = n;

    for (size_t i = 0; i < above;) {
        if (x[i] < pivot)
            swap(&x[i++], &x[below++]);
        else if (x[i] > pivot)
            swap(&x[i], &x[--above]);
        else
            i++;
    }
    *less = below;
    *more = above;
}

/* Quicksort in three parts, since samples have few distinct values. A part that was split too often
 * (bad pivots) goes to heapsort, which bounds the whole by n log n. */
void stats_sort(uint64_t *x, size_t n)
{
    struct part {
        size_t from, n;
        unsigned splits_left;
    } waiting[8 *
              sizeof(size_t)]; /* the larger part waits: each is at most half of the previous one */
    unsigned top = 0, log2 = 0;
    if (n < 2)
        return;
    while (n >> log2 > 1)
        log2++;

    struct part now = {0, n, 2 * log2};
    for (;;) {
        uint64_t *at = x + now.from;
        if (now.n > INSERTION_MAX && now.splits_left > 0) {
            size_t less, more;
            partition(at, now.n, &less, &more);
            struct part low = {now.from, less, now.splits_left - 1};
            struct part high = {now.from + more, now.n - more, now.splits_left - 1};
            waiting[top++] = less < now.n - more ? high : low;
            now = less < now.n - more ? low : high;
            continue;
        }
        if (now.n > INSERTION_MAX)
            sort_by_heap(at, now.n);
        else
            sort_by_insertion(at, now.n);
        if (top == 0)
            return;
        now = waiting[--top];
    }
}

double stats_quantile(const uint64_t *sorted, size_t n, double q)
{
    double at = (double)(n - 1) * q, whole = mathx_floor(at);
    size_t i = (size_t)whole;

    if (i + 1 >= n)
        return (double)sorted[n - 1];
    return (double)sorted[i] + (at - whole) * (double)(sorted[i + 1] - sorted[i]);
}

/* Mean of x - base. The halves are summed separately: no sum of 2^32 values can overflow. */
static double mean_above(const uint64_t *x, size_t n, uint64_t base)
{
    uint64_t low = 0, high = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t d = x[i] - base;
        low += (uint32_t)d;
        high += d >> 32;
    }
    return ((double)high * 0x1p32 + (double)low) / (double)n;
}

/* Two passes, from the minimum upwards, corrected for the rounding of the mean (Chan, Golub,
 * LeVeque 1983). */
static double deviation(const uint64_t *sorted, size_t n, double mean_above_min)
{
    double squares = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        double d = (double)(sorted[i] - sorted[0]) - mean_above_min;
        squares += d * d;
        sum += d;
    }
    double centred = squares - sum * sum / (double)n;
    return n > 1 && centred > 0 ? mathx_sqrt(centred / (double)(n - 1)) : 0;
}

/* Sorted values lie outwards from the median on either side; two indices visit the deviations in
 * order, doubled: they are whole even if the median is half-way between two values. */
static double median_deviation(const uint64_t *sorted, size_t n, uint64_t *twice)
{
    uint64_t low = sorted[(n - 1) / 2], high = sorted[n / 2];
    size_t below = n / 2, above = n / 2;

    for (size_t i = 0; i < n; i++) {
        bool take_above =
            below == 0 || (above < n && sorted[above] - high <= low - sorted[below - 1]);
        uint64_t away = take_above ? sorted[above++] - high : low - sorted[--below];
        twice[i] = 2 * away + (high - low);
    }
    return stats_quantile(twice, n, 0.5) / 2;
}

struct statistics stats_of(const uint64_t *sorted, size_t n, uint64_t *scratch)
{
    struct statistics s = {.n = n};

    if (n == 0)
        return s;
    double above_min = mean_above(sorted, n, sorted[0]);
    s.min = sorted[0];
    s.max = sorted[n - 1];
    s.p25 = stats_quantile(sorted, n, 0.25);
    s.median = stats_quantile(sorted, n, 0.5);
    s.p75 = stats_quantile(sorted, n, 0.75);
    s.p99 = stats_quantile(sorted, n, 0.99);
    s.mean = (double)sorted[0] + above_min;
    s.sd = deviation(sorted, n, above_min);
    s.mad = median_deviation(sorted, n, scratch);
    return s;
}

double stats_disturbed_above(const struct statistics *s, double step)
{
    double most = 3 * step;

    if (15 * s->mad > most)
        most = 15 * s->mad;
    if (0.05 * s->median > most)
        most = 0.05 * s->median;
    return s->median + most;
}

#define LEVEL_SHARE 0.05
#define LEVEL_LEAST 3
#define LEVEL_MAD   0.02 /* of their median */

static size_t how_many_up_to(const uint64_t *sorted, size_t n, double limit)
{
    size_t low = 0;

    while (low < n && (double)sorted[low] <= limit)
        low++;
    return low;
}

double stats_above_levels(const uint64_t *sorted, size_t n, double step, uint64_t *scratch)
{
    struct statistics s = stats_of(sorted, n, scratch);
    double above = stats_disturbed_above(&s, step);

    for (size_t from = how_many_up_to(sorted, n, above);
         n - from >= LEVEL_LEAST && (double)(n - from) >= LEVEL_SHARE * (double)n;
         from = how_many_up_to(sorted, n, above)) {
        s = stats_of(sorted + from, n - from, scratch);
        if (s.mad > step && s.mad > LEVEL_MAD * s.median)
            break;
        above = stats_disturbed_above(&s, step);
    }
    return above;
}

double median(double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && x[j - 1] > x[j]; j--) {
            double t = x[j];
            x[j] = x[j - 1];
            x[j - 1] = t;
        }
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

void moments_add(struct moments *m, double x)
{
    double away = x - m->mean;

    m->n++;
    m->mean += away / (double)m->n;
    m->squares += away * (x - m->mean);
}

double moments_variance(const struct moments *m)
{
    return m->n > 1 ? m->squares / (double)(m->n - 1) : UNKNOWN;
}

double moments_sd(const struct moments *m)
{
    return mathx_sqrt(moments_variance(m));
}

/*
 * When the mean moves from a to a + d, the sum over k pairs of (x[i] - a)(x[i+1] - a) grows by -d
 * (sum of x[i] - a over all but the last, and over all but the first) + k d^2. Both sums are known,
 * since all deviations sum to zero.
 */
void lag1_add(struct lag1 *l, double x)
{
    double pairs = (double)l->all.n - 1, mean = l->all.mean;

    moments_add(&l->all, x);
    if (l->all.n == 1) {
        l->first = x;
    } else {
        double moved = l->all.mean - mean;
        l->products += moved * (l->first - mean + (l->last - mean)) + pairs * moved * moved;
        l->products += (l->last - l->all.mean) * (x - l->all.mean);
    }
    l->last = x;
}

double lag1_correlation(const struct lag1 *l)
{
    return l->all.n > 1 && l->all.squares > 0 ? l->products / l->all.squares : 0;
}
