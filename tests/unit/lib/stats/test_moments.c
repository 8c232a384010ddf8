#include "lib/stats/stats.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/cmocka_unit.h"

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
