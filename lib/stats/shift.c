#include "lib/stats/shift.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

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

size_t shift_rank(size_t n, size_t m, double confidence)
{
    double ways[SHIFT_MOST * SHIFT_MOST + 1], all = 0, below = 0;
    size_t k = 0;

    if (n == 0 || m == 0)
        return 0;
    count_arrangements(ways, n, m);
    for (size_t u = 0; u <= n * m; u++)
        all += ways[u];
    while (below + ways[k] <= (1 - confidence) / 2 * all)
        below += ways[k++];
    return k;
}

struct shift shift_of(const double *a, size_t n, const double *b, size_t m, double confidence)
{
    double difference[SHIFT_MOST * SHIFT_MOST];
    struct shift s = {UNKNOWN, UNKNOWN, UNKNOWN, false};
    size_t k = shift_rank(n, m, confidence), all = n * m;

    if (all == 0)
        return s;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            difference[i * m + j] = a[i] - b[j];
    s.by = median(difference, all); /* sorts them */
    if (k > 0) {
        s.lo = difference[k - 1];
        s.hi = difference[all - k];
    }
    return s;
}

/* A set without the missing values, and the round of each value. */
struct in_rounds {
    double value[SHIFT_MOST];
    size_t round[SHIFT_MOST];
    size_t n, rounds; /* rounds that have a value */
    double h;         /* Kruskal and Wallis' H of the rounds */
};

static struct in_rounds known_values(const struct shift_set *set)
{
    struct in_rounds s = {.n = 0};

    for (size_t i = 0; i < set->n; i++)
        if (is_known(set->value[i])) {
            s.value[s.n] = set->value[i];
            s.round[s.n++] = i * set->rounds / set->n;
        }
    return s;
}

/* Returns the rank; equal values, including itself, add half a rank each. */
static double rank_of(const struct in_rounds *s, size_t i)
{
    double rank = 0.5;

    for (size_t k = 0; k < s->n; k++)
        rank += s->value[k] < s->value[i] ? 1 : s->value[k] == s->value[i] ? 0.5 : 0;
    return rank;
}

static void judge_rounds(struct in_rounds *s)
{
    struct moments all = {0};
    double between = 0, middle = ((double)s->n + 1) / 2;

    for (size_t from = 0, end; from < s->n; from = end) {
        struct moments ranks = {0};
        for (end = from; end < s->n && s->round[end] == s->round[from]; end++) {
            moments_add(&ranks, rank_of(s, end));
            moments_add(&all, rank_of(s, end));
        }
        s->rounds++;
        between += (double)ranks.n * (ranks.mean - middle) * (ranks.mean - middle);
    }
    s->h = all.squares > 0 ? ((double)s->n - 1) * between / all.squares : 0;
}

/* Tests whether the values of a round may have something in common. */
static bool has_rounds(const struct in_rounds *s)
{
    return s->rounds > 1 && s->rounds < s->n;
}

static bool has_few_rounds(const struct in_rounds *s)
{
    return has_rounds(s) && s->rounds < SHIFT_ROUNDS;
}

/* Returns the factor by which rounds that differ make the interval longer. */
static double longer_by(const struct in_rounds *a, const struct in_rounds *b)
{
    double h = 0, df = 0;

    if (has_rounds(a)) {
        h += a->h;
        df += (double)a->rounds - 1;
    }
    if (has_rounds(b)) {
        h += b->h;
        df += (double)b->rounds - 1;
    }
    return h > df ? mathx_sqrt(1 + (1 + SHIFT_UNSURE / df) * (h / df - 1)) : 1;
}

struct shift shift_over_rounds(const struct shift_set *a, const struct shift_set *b,
                               double confidence)
{
    struct in_rounds mine = known_values(a), theirs = known_values(b);
    struct shift s = shift_of(mine.value, mine.n, theirs.value, theirs.n, confidence);

    judge_rounds(&mine);
    judge_rounds(&theirs);
    if (has_few_rounds(&mine) || has_few_rounds(&theirs)) {
        s.lo = s.hi = UNKNOWN;
        return s;
    }
    double factor = longer_by(&mine, &theirs);
    s.by_rounds = is_known(s.lo) && factor > 1;
    s.lo = s.by - (s.by - s.lo) * factor;
    s.hi = s.by + (s.hi - s.by) * factor;
    return s;
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
    memcpy(sorted, x, n * sizeof *x);
    median(sorted, n); /* sorts them */
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
    memcpy(sorted, x, n * sizeof *x);
    struct agreed a = {.value = median(sorted, n)}; /* sorts them */
    a.lo = sorted[k];
    a.hi = sorted[n - 1 - k];
    a.settled = n >= AGREE_LEAST && agree_is_narrow(a);
    return a;
}

double agree_error(struct agreed a)
{
    return mathx_larger(a.value - a.lo, a.hi - a.value);
}

bool agree_differ(struct agreed a, struct agreed b)
{
    if (a.lo <= b.hi && b.lo <= a.hi)
        return false;
    return mathx_size(a.value - b.value) > AGREE_SHARE * mathx_larger(a.value, b.value);
}
