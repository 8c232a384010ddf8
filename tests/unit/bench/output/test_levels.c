/*
 * The intervals by which rows, cores and launches are compared have the level that docs/ states, in
 * simulations, even if the rounds of a launch differ.
 */
#include "bench/output/show.h"
#include "lib/stats/mathx.h"
#include "lib/stats/shift.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/cmocka_unit.h"

#define N     CORE_FIGURE_PLACEMENTS
#define DRAWS 500u

/* Placements: a bell curve; two levels, one placement in five at the other; some far away. */
enum shape { BELL, TWO_LEVELS, FAR_OFF, SHAPES };

static double draw(enum shape shape, struct rng *rng)
{
    double v = gauss(rng);

    if (shape == TWO_LEVELS)
        return 0.1 * v + (rng_unit(rng) < 0.2 ? 2 : 0);
    return shape == FAR_OFF ? v / mathx_sqrt(1 - rng_unit(rng)) : v;
}

struct machine {
    enum shape shape;
    unsigned rounds;
    double differ; /* standard deviation of the error that a round's placements have in common */
};

/* The result of a launch of N placements: 30 cycles and `more`, with a scatter of about 1. */
static struct core_figure launch(const struct machine *m, double more, struct rng *rng)
{
    unsigned rounds = m->rounds;
    struct core_figure f = {.placements = N, .rounds = rounds};
    struct estimate_taken part[N];
    double common = 0, mean[N], round[N], scratch[N];

    for (unsigned i = 0; i < N; i++) {
        unsigned r = i * rounds / N;
        if (i == 0 || r != part[i - 1].round)
            common = m->differ * gauss(rng);
        f.theta[i] = 30 + more + common + draw(m->shape, rng);
        part[i] = (struct estimate_taken){i, r, 8, f.theta[i], 0.05};
    }
    struct estimate_found found = {.theta = mean,
                                   .placements = N,
                                   .round = round,
                                   .rounds = rounds,
                                   .finest = 0.05,
                                   .rounds_differ = estimate_rounds_differ(part, N)};
    estimate_by_placement(part, N, mean, N);
    estimate_by_round(part, N, round, rounds);
    found.se = estimate_placement_se(part, N, &found.m);
    struct estimate e = estimate_over(&found, scratch);
    f.cycles = e.theta;
    f.lo = e.lo;
    f.hi = e.hi;
    return f;
}

/* Returns how many of DRAWS comparisons of two launches find a difference. */
struct found {
    unsigned ranks, shift, slowdown, cores;
};

static bool excludes(double lo, double hi, double truth)
{
    return lo > truth || hi < truth;
}

static bool slower(const struct core_figure *now, const struct core_figure *before)
{
    struct row row = {.beside.together = 2, .loop = {.cycles = 1}, .beside.alone = *before};

    row.figure.cycles = (struct estimate){.theta = now->cycles, .lo = now->lo, .hi = now->hi};
    struct slowdown s = slowdown_of(&row);
    return excludes(s.low, s.high, s.relative ? 1 : 0);
}

static struct found compare(const struct machine *m, double more)
{
    struct found n = {0};
    struct rng rng = {11 + m->rounds};

    for (unsigned i = 0; i < DRAWS; i++) {
        struct core_figure a = launch(m, more, &rng), b = launch(m, 0, &rng);
        struct shift_set mine = {a.theta, N, m->rounds}, theirs = {b.theta, N, m->rounds};
        struct shift ranks = shift_of(a.theta, N, b.theta, N, 0.99);
        struct shift shift = shift_over_rounds(&mine, &theirs, 0.99);
        n.ranks += excludes(ranks.lo, ranks.hi, 0);
        n.shift += excludes(shift.lo, shift.hi, 0);
        n.slowdown += slower(&a, &b);
        n.cores += core_figures_apart(&a, &b);
    }
    return n;
}

/* Returns a share of DRAWS, and three standard errors. */
static unsigned at_most(double share)
{
    return (unsigned)(DRAWS * share + 3 * mathx_sqrt(DRAWS * share * (1 - share)));
}

/* 4 rounds are the default. */
TEST(false_alarms_are_as_rare_as_stated)
{
    static const unsigned rounds[] = {4, 16};
    static const double differ[] = {0, 0.25, 0.5, 1, 4};

    EACH_CASE (c, rounds)
        for (enum shape shape = 0; shape < SHAPES; shape++)
            EACH_CASE (one, differ) {
                struct found n = compare(&(struct machine){shape, *c, *one}, 0);
                assert_true(n.shift <= at_most(*one > 0 ? 0.018 : 0.01));
                assert_true(n.slowdown <= at_most(0.005));
                assert_true(n.cores <= at_most(0.001));
            }
}

/* How much two or three rounds differ is not known; one round cannot differ from others. */
TEST(few_rounds_have_no_interval_by_ranks)
{
    double value[N];

    for (unsigned i = 0; i < N; i++)
        value[i] = i;
    for (unsigned rounds = 1; rounds <= 4; rounds++) {
        struct shift_set set = {value, N, rounds};
        struct shift s = shift_over_rounds(&set, &set, 0.99);
        assert_true(s.by == 0 && is_known(s.lo) == (rounds == 1 || rounds == 4));
        assert_true(s.by_rounds == (rounds == 4)); /* ascending values: its rounds differ */
    }
}

/* The result of ranks alone if rounds differ, and the price of longer intervals if they do not. */
TEST(ranks_alone_are_not_proof_and_little_is_lost)
{
    static const double more[SHAPES] = {1.5, 0.25, 3};

    assert_true(compare(&(struct machine){BELL, 4, 2}, 0).ranks > 0.15 * DRAWS);
    for (enum shape shape = 0; shape < SHAPES; shape++) {
        struct found n = compare(&(struct machine){shape, 4, 0}, more[shape]);
        assert_true(n.ranks > 0.6 * DRAWS);
        assert_true(n.shift > 0.7 * n.ranks);
    }
    /* These are intervals for another launch, and wider. */
    struct found n = compare(&(struct machine){BELL, 4, 0}, 4);
    assert_true(n.slowdown > 0.8 * DRAWS && n.cores > 0.4 * DRAWS);
}
