#include "tests/unit/cmocka_unit.h"
#include <math.h>
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/estimated.h"
#include "tests/unit/lib/stats/gauss.h"

enum { M = 24, OPS = 100, ADDS = 250 };

/* A placement made to order: windows with a fixed cost, a body of `cycles` cycles per operation, c
 * ticks per cycle that drift, and noise of sd ticks on every block mean. */
struct planted {
    double b[M], b2[M], e[M], e2[M], r[M], r2[M];
};

static struct estimate_blocks plant(struct planted *p, double cycles, double drift, double sd,
                                    double rho, struct rng *rng)
{
    double slow = 0;

    for (int i = 0; i < M; i++) {
        double c = 0.633 * (1 + drift * i);
        slow = rho * slow + sd * gauss(rng);
        p->e[i] = 60;
        p->e2[i] = 60 + c * OPS; /* what is subtracted grows by one cycle per operation */
        p->b[i] = 110 + c * (cycles + 1) * OPS;
        p->b2[i] = 110 + c * (cycles + 1) * 2 * OPS + slow;
        p->r[i] = 77 + c * 20;
        p->r2[i] = 77 + c * (20 + ADDS);
    }
    return (struct estimate_blocks){M, p->b, p->b2, p->e, p->e2, p->r, p->r2, OPS, ADDS};
}

static bool unknown(double x)
{
    return x != x;
}

TEST(drift_of_the_clock_cancels)
{
    struct rng rng = {1};
    struct planted p;
    struct estimate_blocks k = plant(&p, 3.25, 0.01, 0, 0, &rng); /* 23% from first to last */
    struct estimate_placement got = estimate_placement(&k);

    assert_close(got.cycles.value, 3.25, 1e-12);
    assert_close(got.cycles.se, 0, 1e-9); /* body and ruler move together */
    assert_close(got.ticks.value, 3.25 * 0.633 * (1 + 0.01 * (M - 1) / 2), 1e-12);
    assert_true(got.ticks.se > 0.01); /* and ticks alone do not */
    assert_true(got.ticks.rho > 0.8);

    double values[M];
    estimate_block_values(&k, values);
    assert_close(values[0], 3.25 / (1 + 0.01 * (M - 1) / 2),
                 1e-12); /* fewer than ESTIMATE_RULERS */
}

/* The clock goes to another step half-way: blocks away from there do not show it. */
TEST(blocks_are_converted_by_the_rulers_around_them)
{
    enum { MANY = 4 * ESTIMATE_RULERS };
    double b[MANY], b2[MANY], r[MANY], r2[MANY], values[MANY];
    for (size_t i = 0; i < MANY; i++) {
        double ticks = i < MANY / 2 ? 0.6 : 0.66;
        b[i] = (100 + 3.25 * OPS) * ticks;
        b2[i] = (100 + 2 * 3.25 * OPS) * ticks;
        r[i] = (100 + ADDS) * ticks;
        r2[i] = (100 + 2 * ADDS) * ticks;
    }
    struct estimate_blocks k = {MANY, b, b2, NULL, NULL, r, r2, OPS, ADDS};
    estimate_block_values(&k, values);
    for (size_t i = 0; i < MANY; i++) {
        bool away = i < MANY / 2 - ESTIMATE_RULERS / 2 || i >= MANY / 2 + ESTIMATE_RULERS / 2;
        assert_true(away ? fabs(values[i] - 3.25) < 1e-9 : fabs(values[i] / 3.25 - 1) < 0.06);
    }
}

TEST(a_figure_needs_no_subtrahend)
{
    struct rng rng = {1};
    struct planted p;
    struct estimate_blocks k = plant(&p, 3.25, 0, 0, 0, &rng);

    k.e2 = NULL;
    assert_close(estimate_placement(&k).cycles.value, 4.25, 1e-12);
    k.e = NULL;
    assert_close(estimate_placement(&k).cycles.value, 4.25, 1e-12);
}

TEST(a_row_that_cannot_be_doubled_keeps_the_windows_ticks)
{
    struct rng rng = {1};
    struct planted p;
    struct estimate_blocks k = plant(&p, 3.25, 0, 0, 0, &rng);

    k.b2 = k.e2 = NULL;
    struct estimate_placement got = estimate_placement(&k);
    /* b - e: the windows' own 110 - 60 ticks stay in it. */
    assert_close(got.ticks.value, 4.25 * 0.633 + 0.5, 1e-12);
    assert_close(got.cycles.value, 4.25 + 0.5 / 0.633, 1e-12);
}

TEST(without_a_ruler_ticks_remain)
{
    struct rng rng = {1};
    struct planted p;
    double values[M];
    struct estimate_blocks k = plant(&p, 3.25, 0, 0, 0, &rng);

    k.r2 = p.r; /* does not grow */
    assert_true(unknown(estimate_placement(&k).cycles.value));
    k.r = k.r2 = NULL;
    struct estimate_placement got = estimate_placement(&k);
    assert_true(unknown(got.cycles.value) && unknown(got.cycles.se));
    assert_close(got.ticks.value, 3.25 * 0.633, 1e-12);
    estimate_block_values(&k, values);
    assert_close(values[5], 3.25 * 0.633, 1e-12);
}

TEST(few_blocks_have_no_error)
{
    struct rng rng = {1};
    struct planted p;
    struct estimate_blocks k = plant(&p, 3.25, 0, 1, 0, &rng);

    k.m = 1;
    struct estimate_placement got = estimate_placement(&k);
    assert_close(got.cycles.value, 3.25, 0.1);
    assert_true(unknown(got.cycles.se) && unknown(got.ticks.se));
    k.m = 2;
    got = estimate_placement(&k);
    /* Of two values the jackknife is the plain standard error: half their distance. */
    double away = (p.b2[0] - p.b2[1]) / 2 / OPS;
    assert_close(got.ticks.se, away < 0 ? -away : away, 1e-12);
    assert_close(got.ticks.rho, 0, 0);
    k.r2 = (const double[]){p.r[0], p.r2[1]}; /* one block holds the whole ruler */
    assert_true(unknown(estimate_placement(&k).cycles.se));
}

/* The standard error must be what the estimates really scatter by. */
TEST(the_error_is_the_scatter)
{
    static const double rhos[] = {0, 0.3, 0.6};

    for (int j = 0; j < 3; j++) {
        struct rng rng = {17};
        struct moments values = {0}, squares = {0};
        for (int round = 0; round < 2000; round++) {
            struct planted p;
            struct estimate_blocks k = plant(&p, 3.25, 0.001, 2, rhos[j], &rng);
            struct estimate_part got = estimate_placement(&k).cycles;
            moments_add(&values, got.value);
            moments_add(&squares, got.se * got.se);
        }
        double ratio = mathx_sqrt(squares.mean) / moments_sd(&values);
        assert_close(values.mean, 3.25, 0.003);
        /* Too large without a correlation, since only rho > 0 counts; rho itself is biased low. */
        assert_true(ratio > 0.85 && ratio < 1.25);
    }
}

TEST(rho_is_bounded)
{
    enum { LONG = 400 };
    static double b[LONG], b2[LONG], r[LONG], r2[LONG];
    struct moments plain = {0};
    for (int i = 0; i < LONG; i++) {
        b2[i] = i;
        r2[i] = 1;
        moments_add(&plain, i);
    }
    struct estimate_blocks k = {LONG, b, b2, NULL, NULL, r, r2, 1, 1};
    struct estimate_part got = estimate_placement(&k).cycles;
    assert_true(got.rho > 0.98);
    assert_close(got.se / (moments_sd(&plain) / 20), mathx_sqrt(1.95 / 0.05), 1e-9);
}

TEST(few_placements_have_the_interval_computed_by_hand)
{
    static const double theta[] = {4, 6, 5, 5, 9};
    struct estimate e = over(theta, 2, 9, 9);

    assert_int_equal(e.placements, 2);
    assert_true(e.by == ESTIMATE_PLACEMENTS && e.rank == 0 && unknown(e.within));
    assert_close(e.theta, 5, 1e-15);
    assert_close(e.s, 1.41421356237309505, 1e-14);
    assert_close(e.hi - 5, 63.6567411628716 * 1.41421356237309505, 1e-9); /* t(1), sqrt(2/2) = 1 */
    assert_close(5 - e.lo, e.hi - 5, 1e-12);
    e = over(theta, 4, 0, 0);
    assert_close(e.s, mathx_sqrt(2.0 / 3), 1e-14);
    assert_close(e.hi - 5,
                 5.84090930973336 * e.s * mathx_sqrt(0.5) * mathx_sqrt(3.14159265358979 / 2), 1e-9);
    assert_close(e.confidence, 0.99, 0);
    e = over(theta, 5, 0, 0); /* one that is odd moves the mean, not the figure */
    assert_true(e.theta == 5);
    assert_close(e.mean, 5.8, 1e-15);
    /* One placement: t(15) and its own standard error. */
    e = over(theta, 1, 0.02, 16);
    assert_true(e.theta == 4 && e.mean == 4 && unknown(e.s) && e.by == ESTIMATE_BLOCKS);
    assert_close(e.hi - 4, 2.94671288347524 * 0.02 * mathx_sqrt(2), 1e-9);
    assert_true(unknown(over(theta, 1, __builtin_nan(""), 1).hi));
    /* Counted instructions: no spread, no width. */
    static const double same[] = {3, 3, 3};
    e = over(same, 3, 0, 0);
    assert_true(e.theta == 3 && e.s == 0 && e.lo == 3 && e.hi == 3);
}

TEST(intervals_by_ranks_are_those_computed_by_hand)
{
    double theta[16];

    for (int i = 0; i < 16; i++)
        theta[i] = 1 + (i * 5) % 16; /* 1 to 16 */
    struct estimate e = over(theta, 16, 0, 0);
    assert_true(e.by == ESTIMATE_RANKS && e.rank == 2 && e.theta == 8.5 && e.mean == 8.5);
    assert_true(e.lo == 2 && e.hi == 15 && e.within == 0);
    assert_close(e.confidence, 0.984501, 1e-6);
    assert_close(e.median_confidence, 1 - 2 * 17.0 / 65536, 1e-15);
    /* Far off on one side: the figure stays, and so does the other end. */
    theta[6] = theta[3] = 1000;
    e = over(theta, 16, 0, 0);
    assert_true(e.theta == 8.5 && e.mean > 100 && e.hi == 1000 && e.lo == 2);
    /* Widened by the error within the placements, and never by less than the step makes. */
    struct estimate_found found = {.theta = theta, .placements = 16, .se = 0.04, .finest = 0.01};
    e = estimate_over(&found, scratch);
    assert_close(e.within, mathx_sqrt(3.14159265358979) * 0.01, 1e-12);
    assert_close(e.hi, 1000 + e.within, 1e-9);
    found.finest = 0.08;
    assert_close(estimate_over(&found, scratch).within, 2 * e.within, 1e-12);
    found.se = __builtin_nan("");
    assert_close(estimate_over(&found, scratch).within, 2 * e.within, 1e-12);
    /* A placement without a figure does not count; 10 are too few. */
    for (int i = 0; i < 5; i++)
        theta[i] = __builtin_nan("");
    e = over(theta, 16, 0, 0);
    assert_true(e.by == ESTIMATE_RANKS && e.placements == 11 && e.rank == 1);
    theta[5] = __builtin_nan("");
    e = over(theta, 16, 0, 0);
    assert_true(e.by == ESTIMATE_PLACEMENTS && e.placements == 10);
}

/* Rounds of four placements: `apart` between them, 1 and -1 within. */
static size_t in_rounds(struct estimate_taken *part, double apart)
{
    for (unsigned i = 0; i < 16; i++)
        part[i] = (struct estimate_taken){i, i / 4, 8, 10 + apart * (i / 4) + (i % 2 ? 1 : -1), 0};
    return 16;
}

TEST(rounds_that_differ_are_found_by_f)
{
    struct estimate_taken part[16];

    /* F = 4 apart^2 5/3 / (4/3) = 5 apart^2; F(3, 12) of 5% is 3.490. */
    assert_false(estimate_rounds_differ(part, in_rounds(part, 0.835)));
    assert_true(estimate_rounds_differ(part, in_rounds(part, 0.836)));
    part[3].value = part[9].value = __builtin_nan(""); /* one that has no figure is left out */
    assert_true(estimate_rounds_differ(part, in_rounds(part, 3)));
    /* One round; one part per round; nothing that varies within. */
    assert_false(estimate_rounds_differ(part, 4));
    for (unsigned i = 0; i < 16; i++)
        part[i].round = i;
    assert_false(estimate_rounds_differ(part, 16));
    for (unsigned i = 0; i < 16; i++)
        part[i] = (struct estimate_taken){i, i / 4, 8, 3, 0};
    assert_false(estimate_rounds_differ(part, 16) || estimate_rounds_differ(part, 0));
}

TEST(rounds_that_differ_widen_the_interval_as_computed)
{
    double theta[16], round[4] = {1, 5, 9, 13};

    for (int i = 0; i < 16; i++)
        theta[i] = round[i / 4] + 0.1 * (i % 4);
    struct estimate_found found = {
        .theta = theta, .placements = 16, .round = round, .rounds = 4, .rounds_differ = true};
    struct estimate e = estimate_over(&found, scratch);
    double half = 5.84090930973336 * e.between * mathx_sqrt(0.5);
    assert_true(e.by == ESTIMATE_ROUNDS && e.rank == 2 && unknown(e.median_confidence));
    assert_close(e.hi - e.theta, half, 1e-9);
    assert_close(e.theta - e.lo, half, 1e-9);
    /* Never narrower than by ranks. */
    for (int i = 0; i < 4; i++)
        round[i] = 7;
    e = estimate_over(&found, scratch);
    assert_close(e.hi, 13.2, 1e-12);
    assert_close(e.lo, 1.1, 1e-12);
}

TEST(each_side_of_an_interval_is_separate)
{
    const struct estimate e = {.theta = 3, .lo = 2.5, .hi = 5},
                          low = {.theta = 3, .lo = 0, .hi = 5};

    assert_true(estimate_side(&e, 1) == 0.5 && estimate_side(&e, 4) == 2);
    assert_true(estimate_longer_side(&e) == 2 && estimate_longer_side(&low) == 3);
    const struct estimate none = {.theta = 3, .lo = UNKNOWN, .hi = UNKNOWN};
    assert_true(unknown(estimate_longer_side(&none)) && unknown(estimate_side(&none, 4)));
}

TEST(intervals_over_rounds_are_those_computed_by_hand)
{
    const double nan = __builtin_nan("");
    static const double theta[] = {4, 6, 5, 5};
    /* Two rounds that lie apart: t(1) sqrt(2/2) of their standard deviation. */
    struct estimate_found found = {theta, 4, (const double[]){4.5, 5.5}, 2, 0, 0, 0, false};
    struct estimate e = estimate_over(&found, scratch);

    assert_int_equal(e.rounds, 2);
    assert_close(e.between, mathx_sqrt(0.5), 1e-15);
    assert_close(e.hi - 5, 63.6567411628716 * mathx_sqrt(0.5), 1e-9);
    /* Alike by chance: what the placements show stays. */
    found.round = (const double[]){5, 5};
    e = estimate_over(&found, scratch);
    assert_close(e.hi - 5,
                 5.84090930973336 * mathx_sqrt(2.0 / 3) * mathx_sqrt(3.14159265358979 / 4), 1e-9);
    /* A round and a placement without a figure do not count. */
    found = (struct estimate_found){
        (const double[]){4, nan, 6}, 3, (const double[]){nan, 4, 6, nan}, 4, 0, 0, 0, false};
    e = estimate_over(&found, scratch);
    assert_true(e.placements == 2 && e.rounds == 2 && e.theta == 5);
    assert_close(e.hi - 5, 63.6567411628716 * mathx_sqrt(2), 1e-9);
    found = (struct estimate_found){&nan, 1, &nan, 1, nan, 0, 0, false};
    e = estimate_over(&found, scratch);
    assert_true(e.placements == 0 && e.rounds == 0 && unknown(e.theta) && unknown(e.hi));
    /* One placement, of whose only part nothing is known but its figure, in several rounds. */
    found = (struct estimate_found){&theta[2], 1, (const double[]){4, 6}, 2, nan, 1, 0, false};
    e = estimate_over(&found, scratch);
    assert_close(e.hi - 5, 63.6567411628716 * mathx_sqrt(2), 1e-9);
}

/* Three placements in two rounds; one of two parts; one part without a figure. */
TEST(parts_become_placements_and_rounds)
{
    const double nan = __builtin_nan("");
    const struct estimate_taken part[] = {
        {0, 0, 8, 4, 0.3}, {0, 1, 8, 6, 0.4}, {1, 1, 8, nan, nan}, {2, 1, 6, 8, 0.75}};
    double placement[4], round[3];
    size_t m;

    estimate_by_placement(part, 4, placement, 4);
    assert_true(placement[0] == 5 && unknown(placement[1]) && placement[2] == 8);
    assert_true(unknown(placement[3]));
    estimate_by_round(part, 4, round, 3);
    assert_true(round[0] == 4 && round[1] == 7 && unknown(round[2]));
    assert_close(estimate_placement_se(part, 4, &m), (0.25 + 0.75) / 2, 1e-15);
    assert_int_equal(m, 6);
    estimate_placement_se(part, 2, &m);
    assert_int_equal(m, 15); /* one less for the second part's own mean */
    assert_true(unknown(estimate_placement_se(part + 2, 1, &m)) && m == 0);
}

/* Intervals by order statistics. */

/* n over k. */
static double choose(unsigned n, unsigned k)
{
    double ways = 1;

    for (unsigned i = 1; i <= k; i++)
        ways = ways * (n - k + i) / i;
    return ways;
}

/* Of the table of the sign test: 1 - 2 P(Bin(n, 1/2) < k). */
TEST(ranks_have_the_level_of_the_median_of_all)
{
    assert_close(ranks_median_confidence(8, 1), 0.9921875, 1e-15);
    assert_close(ranks_median_confidence(16, 3), 0.995819091796875, 1e-14);
    assert_close(ranks_median_confidence(16, 4), 0.978729248046875, 1e-14);
    assert_close(ranks_median_confidence(10, 2), 0.978515625, 1e-14);
    assert_close(ranks_median_confidence(5, 1), 0.9375, 1e-15);
    assert_close(ranks_median_confidence(192, 73), 1 - 2 * 3.2456e-4, 1e-4);
    assert_true(ranks_median_confidence(1000, 1) == 1 && ranks_median_confidence(16, 0) == 1);
}

/* Of all C(2n, n) orders in which n and n values may come, those with fewer than k x below y(j),
 * counted one by one. */
static double counted_level(unsigned n, unsigned k)
{
    unsigned j = (n + 1) / 2, outside = 0, all = 0;

    for (uint32_t set = 0; set < 1u << 2 * n; set++) { /* a bit is a y */
        unsigned ys = 0, xs_before = 0;
        if ((unsigned)__builtin_popcount(set) != n)
            continue;
        all++;
        for (unsigned at = 0; ys < j; at++)
            if (set >> at & 1)
                ys++;
            else
                xs_before++;
        outside += xs_before < k;
    }
    return 1 - 2.0 * outside / all;
}

TEST(ranks_have_the_level_counted_for_another_median)
{
    for (unsigned n = 1; n <= 10; n++)
        for (unsigned k = 0; k <= n / 2; k++)
            assert_close(ranks_confidence(n, k), counted_level(n, k), 1e-13);
    /* Nobody below y(6) of 12: C(18, 6) / C(24, 12). */
    assert_close(ranks_confidence(12, 1), 1 - 2 * choose(18, 6) / choose(24, 12), 1e-13);
    assert_close(ranks_confidence(16, 2), 0.984501, 1e-6);
    assert_close(ranks_confidence(16, 3), 0.946198, 1e-6);
}

TEST(each_count_has_the_lowest_sufficient_rank)
{
    static const struct {
        size_t n, k;
    } known[] = {{0, 0},  {1, 0},  {8, 0},  {10, 0}, {11, 1},
                 {14, 1}, {15, 2}, {16, 2}, {32, 7}, {192, 73}};
    EACH_CASE (c, known)
        assert_int_equal(ranks_for(c->n, 0.98), c->k);
    assert_int_equal(ranks_for(16, 0.99), 1);
    for (size_t n = 11; n <= 192; n++) {
        size_t k = ranks_for(n, 0.98);
        assert_true(ranks_confidence(n, k) >= 0.98 && ranks_confidence(n, k + 1) < 0.98);
    }
}
