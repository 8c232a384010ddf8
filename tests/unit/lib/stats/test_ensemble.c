#include "lib/stats/literature.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/cmocka_unit.h"

TEST(results_are_those_computed_by_hand)
{
    /* Means 4, 6, 11; variances 4, 4, 1; minima 2, 4, 10. */
    static const uint64_t ticks[] = {2, 4, 6, 4, 8, 6, 11, 10, 12, 1, 1};
    struct ensemble e;

    ensemble_start(&e, 3);
    for (int i = 0; i < 11; i++) /* the last two do not fill an ensemble */
        ensemble_add(&e, ticks[i]);
    struct ensemble_result r = ensemble_judge(&e, 1);
    assert_int_equal(r.ensembles, 3);
    assert_int_equal(r.least, 2);
    assert_int_equal(r.range_of_minima, 8);
    assert_int_equal(r.largest_deviation, 4); /* 6 - 2 and 8 - 4; 12 - 10 */
    assert_close(r.mean, 7, 1e-14);
    assert_close(r.mean_variance, 3, 1e-14);
    assert_close(r.variance_of_variances, 3, 1e-14);
    assert_close(r.variance_of_minima, 52.0 / 3, 1e-13);
    assert_close(r.variance_of_means, 13, 1e-13);
    assert_close(r.f, 13, 1e-13);                /* 13 / (3 / 3) */
    assert_close(r.variance_f, 3.0 / 36, 1e-14); /* 3 / (3^2 8 / 2) */
    assert_close(r.variance_f_bound, 999, 1e-9); /* F(2, 2): p / (1 - p) */
    assert_false(r.variance_of_variances <= 1 || !r.same_variance);
    assert_close(r.f_bound, 27.0, 1e-9); /* F(2, 6): 3 (0.001^(-1/3) - 1) */
    assert_close(r.lag1, -5.0 / 18 + 1.0 / 3, 1e-14);
    assert_true(r.judged && !r.same_minimum && r.same_mean && r.uncorrelated && !r.ergodic);
}

/* Samples of a lattice: the step is 26 ticks. kind says what is wrong with them. */
enum fault { NONE, OTHER_FLOOR, DRIFT, CORRELATED, WIDER, INTERRUPTED };
static struct ensemble_result planted(enum fault fault, uint64_t m, uint64_t n, uint64_t seed)
{
    struct rng rng = {seed};
    struct ensemble e;
    double slow = 0;

    ensemble_start(&e, n);
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t k = 0; k < n; k++) {
            slow = 0.5 * slow + gauss(&rng);
            double noise = fault == CORRELATED ? slow : gauss(&rng);
            /* Never below 10 steps, and often there. */
            uint64_t steps = 10 + (noise > 0 ? (uint64_t)(2 * noise) : 0);
            if (fault == DRIFT && rng_below(&rng, 4 * m) < i)
                steps++;
            if (fault == OTHER_FLOOR && i == 3)
                steps += 4;
            /* 22 and 12 more or less: in all windows of one ensemble, a fifth of the others'. */
            if (fault == WIDER)
                steps = i == 3 || k % 10 < 2 ? 10 + k % 2 * 24 : 22;
            if (fault == INTERRUPTED && i == 3 && k == 50)
                steps += 300;
            ensemble_add(&e, 26 * steps);
        }
    return ensemble_judge(&e, 26);
}

TEST(a_calm_stream_is_ergodic)
{
    int ergodic = 0;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct ensemble_result r = planted(NONE, 20, 200, seed);
        assert_int_equal(r.ensembles, 20);
        assert_int_equal(r.least, 260);
        assert_int_equal(r.range_of_minima, 0);
        assert_true(r.same_minimum);
        ergodic += r.ergodic;
    }
    assert_true(ergodic >= 49); /* two tests at 99.9% each */
}

TEST(each_failed_test_of_ergodicity_is_named)
{
    struct ensemble_result r = planted(OTHER_FLOOR, 20, 200, 1);

    assert_true(r.judged && !r.ergodic && !r.same_minimum && !r.same_mean && r.uncorrelated);
    assert_int_equal(r.range_of_minima, 4 * 26);
    assert_int_equal(r.least, 260);
    r = planted(DRIFT, 20, 400, 1);
    assert_true(!r.ergodic && r.same_minimum && !r.same_mean && r.uncorrelated);
    r = planted(WIDER, 20, 200, 1);
    assert_true(!r.ergodic && r.same_minimum && !r.same_variance && r.same_mean);
    r = planted(CORRELATED, 20, 200, 1);
    assert_true(!r.ergodic && r.same_minimum && !r.uncorrelated);
    assert_true(r.lag1 > 0.3 && r.lag1 < 0.5);
}

/* A clock of coarse steps that reads 10 of them in turn with 11, as a beat has it: nothing but the
 * step is there, so nothing is judged by it. One more, and it is. */
TEST(minima_within_one_step_are_ergodic)
{
    for (unsigned wide = 1; wide <= 2; wide++) {
        struct ensemble e;
        ensemble_start(&e, 100);
        for (unsigned i = 0; i < 20 * 100; i++)
            ensemble_add(&e, 26 * (10 + (i % 50 < 2 + i / 100 ? wide : 0)));
        struct ensemble_result r = ensemble_judge(&e, 26);
        assert_true(r.same_minimum && r.same_variance && r.lag1 > r.lag1_bound);
        assert_int_equal(r.ergodic, wide == 1);
    }
}

/* One interrupt in one of 20 ensembles: no minimum sees it; the variances do. */
TEST(one_interrupt_is_not_ergodic)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct ensemble_result r = planted(INTERRUPTED, 20, 200, seed);
        assert_true(r.same_minimum && r.variance_of_minima == 0);
        assert_true(r.variance_of_variances > 2e8 && r.variance_f > r.variance_f_bound);
        assert_true(!r.same_variance && !r.ergodic);
    }
}

/* N samples of a wide noise, `scale` ticks. */
static struct ensemble_result noisy(double scale, bool exponential, uint64_t seed)
{
    struct rng rng = {seed};
    struct ensemble e;

    ensemble_start(&e, 200);
    for (unsigned i = 0; i < 20 * 200; i++) {
        double u = 1 - rng_unit(&rng);
        double noise = exponential ? -mathx_log(u) : 6 + gauss(&rng);
        ensemble_add(&e, (uint64_t)(scale * (1 + noise)));
    }
    return ensemble_judge(&e, 1);
}

/* The ratio does not know the unit; calm noise and noise above a floor pass, many steps wide. */
TEST(chance_is_within_the_bound_at_any_scale)
{
    for (int exponential = 0; exponential < 2; exponential++) {
        int same = 0;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            struct ensemble_result r = noisy(1e4, exponential, seed);
            assert_true(r.variance_of_variances > 1e8); /* no step explains it */
            assert_close(r.variance_f, noisy(1e6, exponential, seed).variance_f, 0.01);
            same += r.same_variance;
        }
        assert_true(same >= 98);
    }
}

/* Short ensembles: without the correction by 1/N nothing would ever pass. */
TEST(short_ensembles_are_not_biased)
{
    int uncorrelated = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct ensemble_result r = planted(NONE, 1000, 5, seed);
        assert_close(r.lag1, 0, 0.06);
        uncorrelated += r.uncorrelated;
    }
    assert_true(uncorrelated >= 39);
}

/* Counted instructions: every sample is the same. */
TEST(equal_samples_are_ergodic)
{
    struct ensemble e;

    ensemble_start(&e, 10);
    for (int i = 0; i < 50; i++)
        ensemble_add(&e, 128);
    struct ensemble_result r = ensemble_judge(&e, 128);
    assert_true(r.ergodic && r.same_mean && r.f != r.f);
    assert_true(r.same_variance && r.variance_f != r.variance_f);
    assert_true(r.mean_variance == 0 && r.variance_of_variances == 0 && r.variance_of_means == 0);
    assert_int_equal(r.least, 128);
}

TEST(one_ensemble_is_not_judged)
{
    struct ensemble e;

    ensemble_start(&e, 4);
    for (int i = 0; i < 7; i++)
        ensemble_add(&e, 100 + 26 * (i % 2));
    struct ensemble_result r = ensemble_judge(&e, 26);
    assert_true(r.ensembles == 1 && !r.judged && !r.ergodic && r.least == 100);
    assert_true(r.variance_of_means != r.variance_of_means && r.f_bound != r.f_bound);
    ensemble_start(&e, 4);
    r = ensemble_judge(&e, 26);
    assert_true(r.ensembles == 0 && !r.judged && r.range_of_minima == 0);
}

/* The largest that docs/literature.md names, 1000 x 100,000, has 99,999,000 degrees of freedom. */
TEST(the_f_bound_is_correct_for_the_largest_ensembles)
{
    struct ensemble e;

    ensemble_start(&e, 100000);
    e.means.n = e.variances.n = e.minima.n = 1000;
    struct ensemble_result r = ensemble_judge(&e, 26);
    assert_close(r.f_bound, 1.1439928, 1e-7);
    assert_close(r.lag1_bound, 3.2905e-4, 1e-7);
}
