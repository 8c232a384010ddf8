#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"
#include "tests/unit/lib/stats/gauss.h"

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void assert_sorts(const uint64_t *x, size_t n)
{
    uint64_t *ours = malloc(n * sizeof *ours + 1), *theirs = malloc(n * sizeof *theirs + 1);

    memcpy(ours, x, n * sizeof *ours);
    memcpy(theirs, x, n * sizeof *theirs);
    stats_sort(ours, n);
    qsort(theirs, n, sizeof *theirs, compare_u64);
    assert_memory_equal(ours, theirs, n * sizeof *ours);
    free(ours);
    free(theirs);
}

TEST(sort_takes_any_length_and_order)
{
    static uint64_t x[5000];
    struct rng rng = {7};

    for (size_t n = 0; n < 300; n++) {
        for (size_t i = 0; i < n; i++)
            x[i] = rng_next(&rng) >> rng_below(&rng, 64);
        assert_sorts(x, n);
    }
    for (uint64_t distinct = 1; distinct < 1000; distinct *= 3) {
        for (size_t i = 0; i < 5000; i++)
            x[i] = 26 * rng_below(&rng, distinct);
        assert_sorts(x, 5000);
    }
    for (int pattern = 0; pattern < 5; pattern++) {
        for (size_t i = 0; i < 5000; i++) {
            const uint64_t values[] = {i, 5000 - i, i < 2500 ? i : 5000 - i, i % 70,
                                       UINT64_MAX - i};
            x[i] = values[pattern];
        }
        assert_sorts(x, 5000);
    }
}

/*
 * An order in which the pivot, the median of first, middle and last, is always the second smallest,
 * so that each partition takes off two values: quicksort alone would be quadratic. Found by running
 * the partition on positions, and giving values to those that become pivots.
 */
TEST(sort_survives_its_worst_order)
{
    enum { N = 20000 };
    static uint64_t x[N];
    static unsigned at[N];
    uint64_t next = 0;
    for (unsigned i = 0; i < N; i++) {
        at[i] = i;
        x[i] = N;
    }
    for (size_t from = 0, n = N; n > 3; from += 2, n -= 2) {
        unsigned *p = at + from;
        x[p[0]] = next++;
        x[p[n / 2]] = next++;
        uint64_t pivot = next - 1;
        size_t below = 0, above = n;
        for (size_t i = 0; i < above;) {
            size_t other = x[p[i]] < pivot ? below++ : x[p[i]] > pivot ? --above : i;
            unsigned t = p[i];
            p[i] = p[other];
            p[other] = t;
            if (other <= i)
                i++;
        }
    }
    assert_sorts(x, N);
}

TEST(sort_is_quick_enough_for_long_runs)
{
    const size_t n = 5000000;
    uint64_t *x = malloc(n * sizeof *x);
    struct rng rng = {3};

    for (size_t i = 0; i < n; i++)
        x[i] = 1000 + 26 * rng_below(&rng, 40);
    stats_sort(x, n);
    for (size_t i = 1; i < n; i++)
        assert_true(x[i - 1] <= x[i]);
    free(x);
}

/* numpy 1.24: quantile, std(ddof=1), mean, median of the absolute deviations. */
TEST(a_summary_is_that_of_numpy)
{
    uint64_t x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9}, scratch[15];

    stats_sort(x, 15);
    struct statistics s = stats_of(x, 15, scratch);
    assert_int_equal(s.n, 15);
    assert_int_equal(s.min, 1);
    assert_int_equal(s.max, 9);
    assert_true(s.p25 == 3 && s.median == 5 && s.p75 == 7.5 && s.p99 == 9 && s.mad == 2);
    assert_close(s.mean, 5.133333333333334, 1e-15);
    assert_close(s.sd, 2.8250579429371676, 1e-15);

    const uint64_t four[] = {1, 2, 4, 8};
    s = stats_of(four, 4, scratch);
    assert_true(s.p25 == 1.75 && s.median == 3 && s.p75 == 5 && s.mean == 3.75);
    assert_close(s.p99, 7.88, 1e-14);
    assert_true(s.mad == 1.5); /* of 1, 1, 2, 5 */
}

TEST(a_summary_of_one_or_equal_values_has_no_spread)
{
    uint64_t scratch[3];
    const uint64_t one[] = {42}, same[] = {~0ull - 7, ~0ull - 7, ~0ull - 7};
    struct statistics none = stats_of(NULL, 0, NULL), s = stats_of(one, 1, scratch);

    assert_true(none.n == 0 && none.min == 0 && none.mean == 0 && none.sd == 0 && none.mad == 0);
    assert_true(s.n == 1 && s.min == 42 && s.max == 42 && s.p25 == 42 && s.median == 42);
    assert_true(s.p75 == 42 && s.p99 == 42 && s.mean == 42 && s.sd == 0 && s.mad == 0);
    s = stats_of(same, 3, scratch);
    assert_true(s.sd == 0 && s.mad == 0 && s.mean == (double)same[0]);
}

/* One value far away must not hide the spread of the others. */
TEST(summary_keeps_precision)
{
    uint64_t x[1000], scratch[1000];

    for (size_t i = 0; i < 1000; i++)
        x[i] = (1ull << 60) + i % 2 * 2;
    stats_sort(x, 1000);
    struct statistics s = stats_of(x, 1000, scratch);
    assert_close(s.sd, mathx_sqrt(1000.0 / 999), 1e-12);
    assert_true(s.mad == 1);
    for (size_t i = 0; i < 1000; i++)
        x[i] = ~0ull - 1000 + i;
    assert_close(stats_of(x, 1000, scratch).mean, 18446744073709551115.5, 4096);
}

static double naive_quantile(const uint64_t *sorted, size_t n, double q)
{
    for (size_t i = 0; i + 1 < n; i++) {
        double from = (double)i / (double)(n - 1), to = (double)(i + 1) / (double)(n - 1);
        if (q <= to) {
            double share = (q - from) / (to - from);
            return (double)sorted[i] * (1 - share) + (double)sorted[i + 1] * share;
        }
    }
    return (double)sorted[n - 1];
}

/* The median by rank: the mean of the values that have as many below as above. */
static double naive_median(const double *x, size_t n)
{
    double sum = 0;
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        size_t below = 0, same = 0;
        for (size_t j = 0; j < n; j++) {
            below += x[j] < x[i];
            same += x[j] == x[i];
        }
        for (size_t rank = (n - 1) / 2; rank <= n / 2; rank++)
            if (below <= rank && rank < below + same) {
                sum += x[i] / (double)same;
                found += 1;
            }
    }
    assert_true(found >= 1);
    return sum / (double)(n / 2 - (n - 1) / 2 + 1);
}

TEST(summary_agrees_with_its_definitions)
{
    struct rng rng = {11};

    for (int round = 0; round < 300; round++) {
        uint64_t x[200], scratch[200];
        double away[200];
        size_t n = 2 + rng_below(&rng, 199);
        uint64_t width = 1ull << rng_below(&rng, 30), step = 1 + rng_below(&rng, 30);
        for (size_t i = 0; i < n; i++)
            x[i] = 100 + step * rng_below(&rng, width);
        long double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i];
        for (size_t i = 0; i < n; i++)
            squares += (x[i] - sum / n) * (x[i] - sum / n);
        double mean = (double)(sum / n), scale = 1e-12 * (double)(step * width + 100);

        stats_sort(x, n);
        struct statistics s = stats_of(x, n, scratch);
        assert_int_equal(s.min, x[0]);
        assert_int_equal(s.max, x[n - 1]);
        assert_close(s.mean, mean, scale);
        assert_close(s.sd, mathx_sqrt((double)(squares / (n - 1))), scale);
        assert_close(s.p25, naive_quantile(x, n, 0.25), scale);
        assert_close(s.median, naive_quantile(x, n, 0.5), scale);
        assert_close(s.p75, naive_quantile(x, n, 0.75), scale);
        assert_close(s.p99, naive_quantile(x, n, 0.99), scale);
        for (size_t i = 0; i < n; i++)
            away[i] = (double)x[i] < s.median ? s.median - (double)x[i] : (double)x[i] - s.median;
        assert_close(s.mad, naive_median(away, n), scale);
    }
}

TEST(quantiles_at_the_ends_are_the_extremes)
{
    const uint64_t x[] = {10, 20, 40};

    assert_true(stats_quantile(x, 3, 0) == 10);
    assert_true(stats_quantile(x, 3, 1) == 40);
    assert_true(stats_quantile(x, 3, 0.75) == 30);
    assert_true(stats_quantile(x, 1, 0.5) == 10);
}

TEST(disturbed_is_above_the_widest_of_three)
{
    struct statistics s = {.median = 1000, .mad = 2};

    assert_close(stats_disturbed_above(&s, 1), 1050, 1e-9);
    assert_close(stats_disturbed_above(&s, 26), 1078, 1e-9);
    s.mad = 10;
    assert_close(stats_disturbed_above(&s, 26), 1150, 1e-9);
    s = (struct statistics){.median = 0};
    assert_close(stats_disturbed_above(&s, 0), 0, 0);
}

TEST(another_state_is_above_the_fastest_values)
{
    const uint64_t outlier[] = {100, 1000, 1010, 1020, 1500}, one[] = {1000};

    assert_close(stats_other_state_above(outlier, 5, 26), 1056, 1e-9);
    assert_close(stats_other_state_above(one, 1, 0), 1030, 1e-9);
}

TEST(a_separate_level_is_not_a_disturbance)
{
    uint64_t x[64], scratch[64];

    for (size_t i = 0; i < 64; i++)
        x[i] = i < 45 ? 2366 : 2496; /* more than 5% above, 30% of them */
    assert_true(stats_above_levels(x, 64, 26, scratch) > 2496);
    x[63] = 9000; /* above either */
    assert_true(stats_above_levels(x, 64, 26, scratch) < 9000);
    for (size_t i = 45; i < 64; i++)
        x[i] = 2500 + 100 * (i - 45); /* they share nothing */
    assert_close(stats_above_levels(x, 64, 26, scratch), 2366 + 0.05 * 2366, 1e-9);
    for (size_t i = 0; i < 64; i++)
        x[i] = i < 62 ? 2366 : 2496; /* too few to be one */
    assert_close(stats_above_levels(x, 64, 26, scratch), 2366 + 0.05 * 2366, 1e-9);
    assert_close(stats_above_levels(x, 1, 26, scratch), 2366 + 0.05 * 2366, 1e-9);
}

TEST(moments_are_those_of_known_numbers)
{
    static const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct lag1 l = {0};

    for (int i = 0; i < 8; i++)
        lag1_add(&l, x[i]);
    assert_int_equal(l.all.n, 8);
    assert_close(l.all.mean, 5, 1e-15);
    assert_close(moments_variance(&l.all), 32.0 / 7, 1e-14);
    assert_close(moments_sd(&l.all), 2.13808993529939517, 1e-14);
    /* (-3)(-1) + 1 + 1 + 0 + 0 + 0 + 8 = 13, over 32 */
    assert_close(lag1_correlation(&l), 13.0 / 32, 1e-15);
}

/* The sums are taken about a mean that moves; about the final mean, in two passes, they must be the
 * same. */
TEST(one_pass_gives_the_correlation_of_two_passes)
{
    enum { N = 2000 };
    static double x[N];
    struct rng rng = {11};
    for (int shape = 0; shape < 4; shape++) {
        struct lag1 l = {0};
        double mean = 0, squares = 0, products = 0, drift = 0;
        for (int i = 0; i < N; i++) {
            drift = 0.9 * drift + gauss(&rng);
            x[i] = shape == 0 ? gauss(&rng) : shape == 1 ? 1e9 + drift : shape == 2 ? i : i % 2;
            if (i == 0 && shape == 0)
                x[i] = 1e6; /* a cold first sample */
            lag1_add(&l, x[i]);
            mean += x[i] / N;
        }
        for (int i = 0; i < N; i++) {
            squares += (x[i] - mean) * (x[i] - mean);
            if (i)
                products += (x[i] - mean) * (x[i - 1] - mean);
        }
        assert_close(l.all.mean / mean, 1, 1e-12);
        assert_close(l.all.squares / squares, 1, 1e-6);
        assert_close(lag1_correlation(&l), products / squares, 1e-6);
    }
}

TEST(a_planted_correlation_is_found)
{
    struct rng rng = {5};
    struct lag1 l = {0};
    double x = 0;

    for (int i = 0; i < 200000; i++) {
        x = 0.6 * x + gauss(&rng);
        lag1_add(&l, x);
    }
    assert_close(lag1_correlation(&l), 0.6, 0.01); /* five standard deviations */
    assert_close(moments_variance(&l.all), 1 / (1 - 0.36), 0.04);
}

TEST(few_values_are_unknown)
{
    struct lag1 l = {0};
    double variance = moments_variance(&l.all);

    assert_true(variance != variance && lag1_correlation(&l) == 0);
    lag1_add(&l, 7);
    variance = moments_variance(&l.all);
    assert_true(variance != variance && lag1_correlation(&l) == 0 && l.all.mean == 7);
    lag1_add(&l, 7);
    lag1_add(&l, 7);
    assert_true(moments_variance(&l.all) == 0 && lag1_correlation(&l) == 0);
}
