#include "lib/stats/shift.h"
#include "lib/stats/dist.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/moments.h"
#include "lib/stats/stats.h"

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
    struct shift s = {UNKNOWN, UNKNOWN, UNKNOWN, false};
    size_t k = shift_rank(n, m, level), all = n * m;

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
    size_t n, rounds;     /* rounds that have a value */
    struct moments means; /* of these */
    double h;             /* Kruskal and Wallis' H of the rounds */
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
        struct moments values = {0}, ranks = {0};
        for (end = from; end < s->n && s->round[end] == s->round[from]; end++) {
            moments_add(&values, s->value[end]);
            moments_add(&ranks, rank_of(s, end));
            moments_add(&all, rank_of(s, end));
        }
        s->rounds++;
        moments_add(&s->means, values.mean);
        between += (double)ranks.n * (ranks.mean - middle) * (ranks.mean - middle);
    }
    s->h = all.squares > 0 ? ((double)s->n - 1) * between / all.squares : 0;
}

/* Wilson and Hilferty, "The distribution of chi-square", 1931. */
static double chi_squared(double p, double df)
{
    double spread = 2 / (9 * df), root = 1 - spread + dist_normal(p) * mathx_sqrt(spread);

    return df * root * root * root;
}

static bool rounds_matter(const struct in_rounds *a, const struct in_rounds *b)
{
    if (a->rounds < 2 || b->rounds < 2 || (a->rounds == a->n && b->rounds == b->n))
        return false;
    double df = (double)(a->rounds + b->rounds - 2);
    return a->rounds < SHIFT_ROUNDS || b->rounds < SHIFT_ROUNDS ||
           a->h + b->h > chi_squared(1 - SHIFT_DIFFER, df);
}

/* Welch's half-width of the difference of the means over rounds. */
static double half_by_rounds(const struct in_rounds *a, const struct in_rounds *b, double level)
{
    double mine = moments_variance(&a->means) / (double)a->rounds;
    double theirs = moments_variance(&b->means) / (double)b->rounds, both = mine + theirs;

    if (!(both > 0))
        return 0;
    double df = both * both /
                (mine * mine / ((double)a->rounds - 1) + theirs * theirs / ((double)b->rounds - 1));
    return dist_t(1 - (1 - level) / 2, df) * mathx_sqrt(both);
}

struct shift shift_over_rounds(const struct shift_set *a, const struct shift_set *b, double level)
{
    struct in_rounds mine = known_values(a), theirs = known_values(b);
    struct shift s = shift_of(mine.value, mine.n, theirs.value, theirs.n, level);

    judge_rounds(&mine);
    judge_rounds(&theirs);
    if (!is_known(s.lo) || !rounds_matter(&mine, &theirs))
        return s;
    double half = half_by_rounds(&mine, &theirs, level);
    s.by_rounds = true;
    s.lo = s.lo < s.by - half ? s.lo : s.by - half;
    s.hi = s.hi > s.by + half ? s.hi : s.by + half;
    return s;
}
