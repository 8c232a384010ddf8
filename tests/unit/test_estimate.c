#include "tests/unit/unit.h"
#include <math.h>
#include <stdbool.h>
#include "lib/stats/estimate.h"
#include "lib/stats/median.h"
#include "lib/stats/moments.h"
#include "tests/unit/close.h"
#include "tests/unit/gauss.h"

enum { M = 24, OPS = 100, ADDS = 250 };

/* A placement made to order: windows that cost a fixed sum of their own, a body of `cycles` cycles
 * an operation, c ticks a cycle that drift, and noise of sd ticks on every block mean. */
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
        p->e2[i] = 60 + c * OPS; /* what is subtracted grows by a cycle an operation */
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

static void drift_cancels(void **state)
{
    (void)state;
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
static void blocks_are_reckoned_by_the_rulers_around_them(void **state)
{
    enum { MANY = 4 * ESTIMATE_RULERS };
    double b[MANY], b2[MANY], r[MANY], r2[MANY], values[MANY];
    (void)state;
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

static void without_what_is_subtracted_doubled(void **state)
{
    (void)state;
    struct rng rng = {1};
    struct planted p;
    struct estimate_blocks k = plant(&p, 3.25, 0, 0, 0, &rng);
    k.e2 = NULL;
    assert_close(estimate_placement(&k).cycles.value, 4.25, 1e-12);
    k.e = NULL;
    assert_close(estimate_placement(&k).cycles.value, 4.25, 1e-12);
}

static void a_row_that_cannot_be_doubled(void **state)
{
    (void)state;
    struct rng rng = {1};
    struct planted p;
    struct estimate_blocks k = plant(&p, 3.25, 0, 0, 0, &rng);
    k.b2 = k.e2 = NULL;
    struct estimate_placement got = estimate_placement(&k);
    /* b - e: the windows' own 110 - 60 ticks stay in it. */
    assert_close(got.ticks.value, 4.25 * 0.633 + 0.5, 1e-12);
    assert_close(got.cycles.value, 4.25 + 0.5 / 0.633, 1e-12);
}

static void without_a_ruler_ticks_remain(void **state)
{
    (void)state;
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

static void few_blocks(void **state)
{
    (void)state;
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
static void the_error_is_the_scatter(void **state)
{
    (void)state;
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
        /* Too large where there is none, since only rho > 0 counts; rho itself is biased low. */
        assert_true(ratio > 0.85 && ratio < 1.25);
    }
}

static void rho_is_bounded(void **state)
{
    (void)state;
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

/* Placements of one round. */
static struct estimate over(const double *theta, size_t n, double se, size_t m, double kappa)
{
    const struct estimate_found found = {.theta = theta, .placements = n, .se = se, .m = m};
    return estimate_over(&found, kappa);
}

static void intervals_by_hand(void **state)
{
    (void)state;
    static const double theta[] = {4, 6, 5, 5};
    struct estimate e = over(theta, 2, 9, 9, 0);
    assert_int_equal(e.placements, 2);
    assert_close(e.theta, 5, 1e-15);
    assert_close(e.s, 1.41421356237309505, 1e-14);
    assert_close(e.half, 63.6567411628716 * 1.41421356237309505, 1e-9); /* t(1), sqrt(2/2) = 1 */
    e = over(theta, 4, 0, 0, 0.01);
    double drawn = 5.84090930973336 * e.s * mathx_sqrt(0.5),
           boot = 2.57582930354890 * 0.05 * mathx_sqrt(2);
    assert_close(e.s, mathx_sqrt(2.0 / 3), 1e-14);
    assert_close(e.half, mathx_sqrt(drawn * drawn + boot * boot), 1e-9);
    /* One placement: t(15) and its own standard error. */
    e = over(theta, 1, 0.02, 16, 0);
    assert_true(e.theta == 4 && unknown(e.s));
    assert_close(e.half, 2.94671288347524 * 0.02 * mathx_sqrt(2), 1e-9);
    assert_true(unknown(over(theta, 1, __builtin_nan(""), 1, 0.1).half));
    /* Counted instructions: no spread, no width. */
    static const double same[] = {3, 3, 3};
    e = over(same, 3, 0, 0, 0);
    assert_true(e.theta == 3 && e.s == 0 && e.half == 0);
}

static void intervals_over_rounds_by_hand(void **state)
{
    (void)state;
    const double nan = __builtin_nan("");
    static const double theta[] = {4, 6, 5, 5};
    /* Two rounds that lie apart: t(1) sqrt(2/2) of their standard deviation. */
    struct estimate_found found = {theta, 4, (const double[]){4.5, 5.5}, 2, 0, 0};
    struct estimate e = estimate_over(&found, 0);
    assert_int_equal(e.rounds, 2);
    assert_close(e.between, mathx_sqrt(0.5), 1e-15);
    assert_close(e.half, 63.6567411628716 * mathx_sqrt(0.5), 1e-9);
    /* Alike by chance: what the placements show stays. */
    found.round = (const double[]){5, 5};
    e = estimate_over(&found, 0);
    assert_close(e.half, 5.84090930973336 * mathx_sqrt(2.0 / 3) * mathx_sqrt(0.5), 1e-9);
    /* A round and a placement without a figure are none. */
    found = (struct estimate_found){
        (const double[]){4, nan, 6}, 3, (const double[]){nan, 4, 6, nan}, 4, 0, 0};
    e = estimate_over(&found, 0);
    assert_true(e.placements == 2 && e.rounds == 2 && e.theta == 5);
    assert_close(e.half, 63.6567411628716 * mathx_sqrt(2), 1e-9);
    found = (struct estimate_found){&nan, 1, &nan, 1, nan, 0};
    e = estimate_over(&found, 0.1);
    assert_true(e.placements == 0 && e.rounds == 0 && unknown(e.theta) && unknown(e.half));
    /* One placement, of whose only part nothing is known but its figure, in several rounds. */
    found = (struct estimate_found){&theta[2], 1, (const double[]){4, 6}, 2, nan, 1};
    e = estimate_over(&found, 0);
    assert_close(e.half, 63.6567411628716 * mathx_sqrt(2), 1e-9);
}

/* Three placements in two rounds; one of two parts; one part without a figure. */
static void parts_become_placements_and_rounds(void **state)
{
    (void)state;
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

static void kappa_by_hand(void **state)
{
    (void)state;
    const double nan = __builtin_nan("");
    struct estimate l[3] = {{.placements = 4, .theta = 9},
                            {.placements = 4, .theta = 10},
                            {.placements = 4, .theta = 11}};
    assert_close(estimate_kappa(l, 3), 0.1, 1e-15);
    for (int i = 0; i < 3; i++)
        l[i].s = 1.6; /* 2.56 / 4 of the variance is the placements' */
    assert_close(estimate_kappa(l, 3), 0.06, 1e-15);
    l[0].s = 3;
    assert_close(estimate_kappa(l, 3), 0, 0); /* they explain it all */
    for (int i = 0; i < 3; i++)
        l[i] = (struct estimate){.placements = 1, .theta = -10 - i, .s = nan};
    assert_close(estimate_kappa(l, 3), 1.0 / 11, 1e-15);
    assert_true(unknown(estimate_kappa(l, 1)) && unknown(estimate_kappa(l, 0)));
    for (int i = 0; i < 3; i++) /* 0.64 of the variance is the rounds' */
        l[i] = (struct estimate){4, 4, 9 + i, 99, 1.6, 0};
    assert_close(estimate_kappa(l, 3), 0.06, 1e-15);
    l[1].theta = nan;
    assert_true(unknown(estimate_kappa(l, 3)));
}

/* Launches of 8 placements that scatter by 2%, and boots that differ by kappa besides. */
static void kappa_is_found_again(void **state)
{
    (void)state;
    enum { LAUNCHES = 1000, R = 8 };
    static struct estimate launches[LAUNCHES];
    static const double kappas[] = {0, 0.01, 0.03};
    for (int j = 0; j < 3; j++) {
        struct rng rng = {23};
        for (int l = 0; l < LAUNCHES; l++) {
            double theta[R], boot = 5 * (1 + kappas[j] * gauss(&rng));
            for (int i = 0; i < R; i++)
                theta[i] = boot + 0.1 * gauss(&rng);
            launches[l] = over(theta, R, 0, 0, 0);
        }
        assert_close(estimate_kappa(launches, LAUNCHES), kappas[j], j ? 0.002 : 0.0025);
    }
}

/* Launches of `count` placements that scatter by 0.1, boots that differ by kappa besides: how many
 * of the others lie inside the first one's interval? */
static double share_inside(int count, double kappa)
{
    struct rng rng = {29};
    int inside = 0, rounds = 2000;
    for (int round = 0; round < rounds; round++) {
        double theta[16];
        struct estimate e[2];
        for (int l = 0; l < 2; l++) {
            double boot = 5 * (1 + kappa * gauss(&rng));
            for (int i = 0; i < count; i++)
                theta[i] = boot + 0.1 * gauss(&rng);
            e[l] = over(theta, (size_t)count, 0.1, 1000, kappa);
        }
        double away = e[1].theta - e[0].theta;
        inside += away <= e[0].half && -away <= e[0].half;
    }
    return (double)inside / rounds;
}

/* 99%, whatever it is that differs: placements, boots, or the blocks of the only placement. */
static void another_launch_lies_inside(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 8, 16};
    for (int j = 0; j < 4; j++) {
        assert_close(share_inside(counts[j], 0), 0.99, 0.009); /* four standard errors */
        assert_true(share_inside(counts[j], 0.02) > 0.981);    /* two parts in one: rather wide */
    }
}

/*
 * Launches of `rounds` rounds of `each` placements; placements scatter by 1, rounds by `drift`. How
 * many of the others lie inside the first one's
 * interval, and how wide is that beside the ideal one, which knows both spreads?
 */
static double share_over_rounds(unsigned rounds, unsigned each, double drift, double *width)
{
    enum { LAUNCHES = 4000, MOST = 64 };
    static double widths[LAUNCHES];
    struct rng rng = {31};
    int inside = 0;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        struct estimate e[2];
        for (int l = 0; l < 2; l++) {
            struct estimate_taken part[MOST];
            double theta[MOST], round[MOST];
            for (unsigned i = 0; i < rounds * each; i++) {
                double now = i % each ? part[i - 1].se : drift * gauss(&rng); /* of its round */
                part[i] = (struct estimate_taken){i, i / each, 8, 100 + now + gauss(&rng), now};
            }
            estimate_by_placement(part, rounds * each, theta, rounds * each);
            estimate_by_round(part, rounds * each, round, rounds);
            e[l] = estimate_over(
                &(struct estimate_found){theta, rounds * each, round, rounds, 0, 0}, 0);
        }
        double away = e[1].theta - e[0].theta;
        inside += away <= e[0].half && -away <= e[0].half;
        widths[launch] = e[0].half;
    }
    double ideal = 2.5758293 * mathx_sqrt(2 * (drift * drift + 1.0 / each) / rounds);
    *width = median(widths, LAUNCHES) / ideal;
    return (double)inside / LAUNCHES;
}

/* Whatever rounds and placements add to each other. In one go the interval would be as wide as the
 * placements show: with drifts as large as their spread it would hold half of the others. */
static void another_launch_lies_inside_over_rounds(void **state)
{
    (void)state;
    static const double drifts[] = {0, 0.1, 0.25, 0.5, 1, 2, 5, 20};
    static const struct {
        unsigned rounds, each;
        double widest; /* the t of so few rounds over the normal quantile */
    } runs[] = {{4, 4, 2.3}, {3, 5, 3.9}, {8, 2, 1.4}, {16, 1, 1.2}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
        for (size_t i = 0; i < sizeof drifts / sizeof *drifts; i++) {
            double width;
            double share = share_over_rounds(runs[r].rounds, runs[r].each, drifts[i], &width);
            assert_true(share >= 0.98);
            assert_true(width > 0.9 && width < runs[r].widest);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drift_cancels),
        cmocka_unit_test(blocks_are_reckoned_by_the_rulers_around_them),
        cmocka_unit_test(without_what_is_subtracted_doubled),
        cmocka_unit_test(a_row_that_cannot_be_doubled),
        cmocka_unit_test(without_a_ruler_ticks_remain),
        cmocka_unit_test(few_blocks),
        cmocka_unit_test(the_error_is_the_scatter),
        cmocka_unit_test(rho_is_bounded),
        cmocka_unit_test(intervals_by_hand),
        cmocka_unit_test(intervals_over_rounds_by_hand),
        cmocka_unit_test(parts_become_placements_and_rounds),
        cmocka_unit_test(kappa_by_hand),
        cmocka_unit_test(kappa_is_found_again),
        cmocka_unit_test(another_launch_lies_inside),
        cmocka_unit_test(another_launch_lies_inside_over_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
