#include "tests/unit/cmocka_unit.h"
#include <math.h>
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/estimated.h"
#include "tests/unit/lib/stats/gauss.h"
#include "lib/stats/literature.h"

/* How often the intervals of lib/stats/estimate.h contain the figure of another launch, over
 * placements of several distributions, and how far figures repeat. */

/* One placement's figure, and what makes it. */
typedef double draw(struct rng *rng);

static double normal(struct rng *rng)
{
    return 5 + 0.1 * gauss(rng);
}

/* One placement in eight is odd. */
static double bimodal(struct rng *rng)
{
    return (rng_unit(rng) < 0.125 ? 4 : 3) + 0.01 * gauss(rng);
}

/* Three levels, of which the middle one is not the most common. */
static double three_levels(struct rng *rng)
{
    double u = rng_unit(rng);

    return (u < 0.4 ? 3 : u < 0.55 ? 4 : 5) + 0.01 * gauss(rng);
}

/* Cauchy's: no mean, no variance. */
static double heavy(struct rng *rng)
{
    return 5 + 0.1 * gauss(rng) / gauss(rng);
}

/* Never below, seldom far above: as times are. */
static double skewed(struct rng *rng)
{
    return 5 - 0.1 * mathx_log(1 - rng_unit(rng));
}

/* All alike, but for the step of the TSC. */
static double lattice(struct rng *rng)
{
    return 5 + 0.01 * mathx_floor(3 * rng_unit(rng));
}

/* Of how many pairs of launches the second one's figure is inside the first one's interval. */
static double share_inside(draw *placement, size_t count, double se)
{
    enum { PAIRS = 4000 };
    struct rng rng = {29};
    int inside = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        double theta[PLACEMENTS_MOST];
        struct estimate e[2];
        for (int l = 0; l < 2; l++) {
            for (size_t i = 0; i < count; i++)
                theta[i] = placement(&rng);
            e[l] = over(theta, count, se, 1000);
        }
        inside += e[0].lo <= e[1].theta && e[1].theta <= e[0].hi;
    }
    return (double)inside / PAIRS;
}

/* However placements are distributed; 0.006: three standard errors of the share. */
TEST(another_launch_lies_inside)
{
    static draw *const draws[] = {normal, bimodal, three_levels, heavy, skewed, lattice};
    static const size_t counts[] = {11, 12, 13, 15, 16, 33, 64};

    EACH_CASE (c, draws)
        EACH_CASE (one, counts)
            assert_true(share_inside(*c, *one, 0) > ESTIMATE_LEVEL - 0.006);
}

/*
 * Four rounds of four placements; placements scatter by 1, rounds by `drift`. How many of the
 * other launches lie inside.
 */
static double share_over_rounds(double drift)
{
    enum { PAIRS = 4000 };
    struct rng rng = {31};
    int inside = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        struct estimate e[2];
        for (int l = 0; l < 2; l++) {
            struct estimate_taken part[16];
            double theta[16], round[4], now = 0;
            for (unsigned i = 0; i < 16; i++) {
                now = i % 4 ? now : drift * gauss(&rng);
                part[i] = (struct estimate_taken){i, i / 4, 8, 100 + now + gauss(&rng), 0};
            }
            estimate_by_placement(part, 16, theta, 16);
            estimate_by_round(part, 16, round, 4);
            const struct estimate_found found = {.theta = theta,
                                                 .placements = 16,
                                                 .round = round,
                                                 .rounds = 4,
                                                 .rounds_differ = estimate_rounds_differ(part, 16)};
            e[l] = estimate_over(&found, scratch);
        }
        inside += e[0].lo <= e[1].theta && e[1].theta <= e[0].hi;
    }
    return (double)inside / PAIRS;
}

/* Placements of one round that have an error in common. If it is of the size of their scatter, not
 * every launch sees it. */
TEST(another_launch_lies_inside_over_rounds)
{
    static const double drifts[] = {0, 0.1, 0.25, 0.5, 1, 2, 5, 20};

    EACH_CASE (c, drifts) {
        double share = share_over_rounds(*c);
        bool seldom_told = *c > 0.25 && *c < 5;
        assert_true(share >= (seldom_told ? 0.95 : 0.98));
    }
}

/* Fewer: Student's t, for values that are normally distributed. */
TEST(another_launch_lies_inside_of_few)
{
    static const size_t counts[] = {1, 2, 3, 4, 8, 10};

    EACH_CASE (c, counts)
        assert_true(share_inside(normal, *c, 0.1) > 0.984);
}

/* A figure that is the most common placement's, where the mean over placements moves with the odd
 * ones that a launch happens to have. */
TEST(the_median_repeats_where_the_mean_moves)
{
    struct rng rng = {31};
    struct moments medians = {0}, means = {0};

    for (int launch = 0; launch < 1000; launch++) {
        double theta[16];
        for (int i = 0; i < 16; i++)
            theta[i] = bimodal(&rng);
        struct estimate e = over(theta, 16, 0, 0);
        moments_add(&medians, e.theta);
        moments_add(&means, e.mean);
    }
    assert_close(medians.mean, 3, 0.01);
    assert_true(moments_sd(&medians) < 0.005);
    assert_close(means.mean, 3.125, 0.01);
    assert_true(moments_sd(&means) > 0.07);
}

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
