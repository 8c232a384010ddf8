/* How often the intervals of lib/stats/estimate.h contain the figure of another launch, over
 * placements of several distributions, and how far figures repeat. */
#include "tests/unit/cmocka_unit.h"
#include <math.h>
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/estimated.h"
#include "tests/unit/lib/stats/gauss.h"

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
