#include "lib/stats/linearity.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/cmocka_unit.h"
#include "lib/stats/mathx.h"
#include "tests/unit/rng.h"

/* Measured: xfence;rdtsc..rdtscp;xfence on a Zen 5, a window that hides up to 42 core cycles, at
 * 0.633 ticks a cycle. */
TEST(hidden_cycles_are_shown_as_measured)
{
    static const double shown[LINEARITY_POINTS] = {1, 0, 1, 4, 9, 18, 42, 43, 42};
    double ticks[LINEARITY_POINTS];
    struct linearity_point points[LINEARITY_POINTS];

    for (int i = 0; i < LINEARITY_POINTS; i++)
        ticks[i] = 70 + 0.633 * (linearity_adds[i] - shown[i]);
    linearity(ticks, 0.633, 512, 26, points);
    for (int i = 0; i < LINEARITY_POINTS; i++) {
        assert_int_equal(points[i].adds, linearity_adds[i]);
        assert_close(points[i].ticks, ticks[i], 0);
        assert_close(points[i].cycles, -shown[i], 1e-9);
        assert_close(points[i].half, 2.576 * 26 / (32 * 0.633), 1e-9);
        assert_int_equal(points[i].judged, i >= 2);
    }
}

TEST(a_perfect_window_is_zero_everywhere)
{
    double ticks[LINEARITY_POINTS];
    struct linearity_point points[LINEARITY_POINTS];

    for (int i = 0; i < LINEARITY_POINTS; i++)
        ticks[i] = 128.0 * (8 + linearity_adds[i]);
    linearity(ticks, 128, 16, 1, points);
    for (int i = 0; i < LINEARITY_POINTS; i++)
        assert_close(points[i].cycles, 0, 0);
}

TEST(unknown_is_not_a_number)
{
    const double ticks[LINEARITY_POINTS] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct linearity_point points[LINEARITY_POINTS];

    linearity(ticks, 0, 512, 26, points);
    for (int i = 0; i < LINEARITY_POINTS; i++)
        assert_true(points[i].cycles != points[i].cycles && points[i].half != points[i].half);
    linearity(ticks, 1, 0, 26, points);
    assert_true(points[3].cycles == -2 && points[3].half != points[3].half);
}

TEST(the_planned_windows_prove_the_limit)
{
    static const struct {
        double half, c, step;
    } cases[] = {{0.5, 0.633, 26}, {1, 1, 1}, {0.01, 0.5, 40}, {3, 2, 0}};
    EACH_CASE (one, cases) {
        const double ticks[LINEARITY_POINTS] = {0};
        struct linearity_point points[LINEARITY_POINTS];
        size_t n = linearity_windows(one->half, one->c, one->step);
        assert_true(n >= 1);
        linearity(ticks, one->c, n, one->step, points);
        assert_true(points[3].half <= one->half);
        if (n > 1) {
            linearity(ticks, one->c, n - 1, one->step, points);
            assert_true(points[3].half >= one->half);
        }
    }
    assert_int_equal(linearity_windows(0.5, 0, 26), 0);
    assert_int_equal(linearity_windows(0, 1, 26), 0);
    assert_true(linearity_windows(1e-300, 1, 26) >= 1ull << 60);
}

static struct linearity_group a_group(const double shown[LINEARITY_POINTS], double noise, double c,
                                      struct rng *rng)
{
    struct linearity_group group = {.c = c};

    for (int i = 0; i < LINEARITY_POINTS; i++)
        group.location[i] = c * (70 + linearity_adds[i] - shown[i] + noise * gauss(rng));
    return group;
}

/* Sixteen groups, each with its own noise; what is planted is found within its half-width. */
static size_t groups_of(const double shown[LINEARITY_POINTS], double noise, unsigned lost,
                        struct linearity_point points[LINEARITY_POINTS],
                        struct linearity_line *line)
{
    struct linearity_group group[16];
    struct rng rng = {5};

    for (unsigned g = 0; g < 16; g++) {
        if (g < lost)
            group[g] = (struct linearity_group){.c = 0}; /* not whole */
        else
            group[g] = a_group(shown, noise, 0.6 + 0.02 * g, &rng); /* the clock moves */
    }
    return linearity_over(group, 16, 512, 2, points, line);
}

TEST(groups_show_their_spread)
{
    static const double shown[LINEARITY_POINTS] = {3, 0, 0.4, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
    struct linearity_point points[LINEARITY_POINTS];
    struct linearity_line l;

    assert_int_equal(groups_of(shown, 0.3, 0, points, &l), 16);
    for (int i = 2; i < LINEARITY_POINTS; i++) {
        assert_true(points[i].half > 0.1 && points[i].half < 0.6);
        assert_close(points[i].cycles, -shown[i], points[i].half);
    }
    assert_true(l.straight && l.bend < 0.5);
    assert_close(l.shadow, 0.8, l.shadow_half);
    assert_close(l.slope, 0, l.slope_half);
    assert_int_equal(groups_of(shown, 0.3, 13, points, &l), 3);
    assert_true(points[5].half > 0.2);
    assert_int_equal(groups_of(shown, 0.3, 16, points, &l), 0);
    assert_true(points[5].cycles != points[5].cycles && !l.straight);
}

TEST(a_curve_with_a_bend_is_not_straight)
{
    static const double plain[LINEARITY_POINTS] = {1, 0, 1, 4, 9, 19, 49, 92, 98};
    static const double one_off[LINEARITY_POINTS] = {0, 0, 0, 0, 0, 0, 0, -1.7, 0};
    static const double steep[LINEARITY_POINTS] = {0, 0, 0, 0.01, 0.02, 0.05, 0.1, 0.3, 3};
    struct linearity_point points[LINEARITY_POINTS];
    struct linearity_line l;

    groups_of(plain, 0.3, 0, points, &l);
    assert_false(l.straight);
    groups_of(one_off, 0.1, 0, points, &l);
    assert_true(l.straight);
    groups_of(steep, 0.1, 0, points, &l);
    assert_false(l.straight);
    assert_close(l.slope, -0.003, 0.0002);
}

#define MOST_GROUPS 48

static double bend_p(const double shown[LINEARITY_POINTS], double noise, size_t groups, int seed)
{
    struct linearity_group group[MOST_GROUPS];
    struct rng rng = {(uint64_t)seed};

    for (size_t g = 0; g < groups; g++)
        group[g] = a_group(shown, noise, 0.6, &rng);
    return linearity_bend(group, groups, NULL).least;
}

/* A straight recipe on a disturbed core: each point moves by itself, slowly: AR(1) with this
 * correlation of neighbouring groups, a standard deviation of `size` cycles. Then some of the time
 * passes, and as many groups are taken again. */
static bool fails_again(double phi, double size, struct rng *rng, bool *first)
{
    static const double straight[LINEARITY_POINTS] = {0};
    struct linearity_group group[2][32];
    double state[LINEARITY_POINTS];

    for (int i = 0; i < LINEARITY_POINTS; i++)
        state[i] = gauss(rng);
    for (int g = 0; g < 128; g++) {
        double shown[LINEARITY_POINTS];
        for (int i = 0; i < LINEARITY_POINTS; i++) {
            state[i] = phi * state[i] + mathx_sqrt(1 - phi * phi) * gauss(rng);
            shown[i] = straight[i] + size * state[i];
        }
        if (g < 32 || g >= 96)
            group[g >= 96][g % 32] = a_group(shown, 0.1, 0.6, rng);
    }
    struct linearity_bend a = linearity_bend(group[0], 32, NULL);
    *first = a.least <= LINEARITY_FALSE;
    return linearity_bend(group[1], 32, &a).least <= LINEARITY_FALSE;
}

/* Also where neighbouring groups are nearly the same. A sign test alone calls up to all of these
 * bent. */
TEST(slow_disturbances_prove_no_bend)
{
    static const double phi[] = {0.5, 0.9, 0.95, 0.99}, size[] = {1, 10, 50};

    for (unsigned i = 0; i < COUNT_OF(phi); i++)
        EACH_CASE (c, size) {
            struct rng rng = {17 + i};
            unsigned once = 0, twice = 0;
            for (int n = 0; n < 400; n++) {
                bool first;
                twice += fails_again(phi[i], *c, &rng, &first);
                once += first;
            }
            assert_true(once <= 40); /* of 400; a second probe leaves none */
            assert_int_equal(twice, 0);
        }
}

/* A neighbour who comes for some of the groups and moves one point by 20 cycles. */
TEST(a_neighbour_for_part_of_the_time_proves_no_bend)
{
    static const double moved[LINEARITY_POINTS] = {0, 0, 0, 0, 0, 0, 0, 20, 0}, not_moved[9] = {0};

    for (unsigned from = 0; from < 96; from++)
        for (unsigned length = 8; length <= 32; length += 8) {
            struct linearity_group group[2][32];
            struct rng rng = {5 + from};
            for (unsigned g = 0; g < 96; g++) {
                bool there = g >= from && g < from + length;
                if (g < 32 || g >= 64)
                    group[g >= 64][g % 32] = a_group(there ? moved : not_moved, 0.3, 0.6, &rng);
            }
            struct linearity_bend a = linearity_bend(group[0], 32, NULL);
            assert_true(linearity_bend(group[1], 32, &a).least > LINEARITY_FALSE);
        }
}

TEST(a_bend_is_proven_by_groups_that_agree)
{
    static const double plain[LINEARITY_POINTS] = {1, 0, 1, 4, 9, 19, 49, 92, 98};
    static const double one_off[LINEARITY_POINTS] = {0, 0, 0, 0, 0, 0, 0, -4, 0};
    static const double steep[LINEARITY_POINTS] = {0, 0, 0, 0.01, 0.02, 0.05, 0.1, 0.3, 3};
    static const double within[LINEARITY_POINTS] = {3, 0, 0.8, 0.8, 0.8, 0.8, 0.8, 2.5, 0.8};

    for (int seed = 1; seed <= 20; seed++) {
        assert_true(bend_p(plain, 0.3, LINEARITY_PROVES, seed) <= LINEARITY_FALSE);
        assert_true(bend_p(one_off, 0.3, MOST_GROUPS, seed) <= LINEARITY_FALSE);
        assert_true(bend_p(steep, 0.3, MOST_GROUPS, seed) <= LINEARITY_FALSE);
        assert_true(bend_p(one_off, 0.6, MOST_GROUPS, seed) <= LINEARITY_FALSE);
        /* One group fewer cannot prove anything. */
        assert_true(bend_p(plain, 0.3, LINEARITY_PROVES - 1, seed) > LINEARITY_FALSE);
        assert_true(bend_p(within, 0.3, MOST_GROUPS, seed) > 0.5);
    }
}

/* At the bar itself, with noise far above it, and with some groups far off: the rate is kept. */
TEST(noise_proves_no_bend)
{
    static const double at_the_bar[LINEARITY_POINTS] = {0, 0, 0, 0, 0, 0, 0, -2.4, 0};
    unsigned hundredth = 0;

    for (int seed = 1; seed <= 4000; seed++) {
        double p = bend_p(at_the_bar, 50, MOST_GROUPS, seed);
        assert_true(p > LINEARITY_FALSE);
        hundredth += p <= 0.01;
    }
    assert_true(hundredth <= 60); /* at most 40 */
}

TEST(incomplete_groups_prove_no_bend)
{
    static const double plain[LINEARITY_POINTS] = {1, 0, 1, 4, 9, 19, 49, 92, 98};
    struct linearity_group group[MOST_GROUPS];
    struct rng rng = {3};

    for (unsigned g = 0; g < MOST_GROUPS; g++) {
        group[g] = a_group(plain, 0.3, 0.6, &rng);
        if (g % 2)
            group[g].c = 0;
        else if (g == 0)
            group[g].location[4] = __builtin_nan("");
    }
    assert_true(linearity_bend(group, 0, NULL).least == 1);
    assert_true(linearity_bend(group, MOST_GROUPS, NULL).least >
                LINEARITY_FALSE); /* 23 are whole */
}

/* Windows of `base` + ticks[kind] * links, on a lattice of `step`; every seventh disturbed. */
static struct behave plant(const double *ticks, double base, double step, uint64_t seed)
{
    struct behave b;
    struct rng rng = {seed};

    for (int kind = 0; kind < BEHAVE_KINDS; kind++)
        for (int l = 0; l < BEHAVE_LENGTHS; l++)
            for (int i = 0; i < BEHAVE_REPEATS; i++) {
                double begin = step * (double)rng_below(&rng, 1000) + step * rng_unit(&rng);
                double end = begin + base + ticks[kind] * behave_lengths[l];
                double delta = step * (mathx_floor(end / step) - mathx_floor(begin / step));
                b.delta[kind][l][i] = (uint64_t)delta + (i % 7 == 6 ? rng_below(&rng, 5000) : 0);
            }
    return b;
}

static enum execution judge(const double *ticks, double base, double step)
{
    enum execution first = EXEC_SILICON;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct behave b = plant(ticks, base, step, seed);
        struct behave_verdict v = behave_judge(&b);
        assert_non_null(v.why);
        if (seed == 1)
            first = v.execution;
        assert_int_equal(v.execution, first);
        assert_true(v.ticks_per_instruction == 0);
        for (int kind = 0; kind < BEHAVE_KINDS; kind++)
            assert_close(v.ticks_per_op[kind], ticks[kind], 2 * step / 192 + 0.01);
    }
    return first;
}

TEST(times_of_real_cpus_are_judged_as_silicon)
{
    static const struct {
        double ticks[BEHAVE_KINDS], step; /* nop, add, imul, div, addsd */
    } cases[] = {
        {{0.08, 0.68, 2.10, 9.88, 2.10}, 26},  /* Zen 5 in a virtual machine */
        {{0.25, 1.00, 3.00, 26.0, 4.00}, 2},   /* Intel, Skylake, at its nominal clock */
        {{0.06, 0.25, 0.75, 3.00, 1.00}, 1},   /* turbo four times the TSC */
        {{1.00, 4.00, 12.0, 70.0, 12.0}, 1},   /* at a quarter of it */
        {{0.50, 1.00, 5.00, 60.0, 5.00}, 1},   /* Bonnell */
        {{0.33, 1.00, 10.0, 60.0, 5.00}, 1},   /* Prescott */
        {{0.33, 1.00, 3.00, 40.0, 4.00}, 1},   /* K8 */
        {{4.00, 16.0, 48.0, 400.0, 64.0}, 16}, /* throttled to an eighth, a slow core */
    };
    EACH_CASE (c, cases)
        assert_int_equal(judge(c->ticks, 40, c->step), EXEC_SILICON);
}

TEST(emulators_are_found)
{
    static const struct {
        double ticks[BEHAVE_KINDS], step;
    } cases[] = {
        {{0, 0, 2.10, 13.0, 19.2}, 26},    /* TCG, adds folded */
        {{0, 0.65, 2.10, 12.0, 13.0}, 26}, /* TCG, adds kept */
        {{0, 0, 2.10, 12.0, 2.10}, 1},     /* folded adds alone are a sign, */
        {{0, 0.65, 2.10, 12.0, 13.0}, 1},  /* slow floating point alone too */
        {{133, 140, 144, 141, 150}, 26},   /* TCG -singlestep */
        {{10, 11, 12, 30, 30}, 1},         /* an interpreter: all alike */
        {{2, 25, 75, 300, 100}, 1},        /* an add that slow */
        {{0, 0, 0, 12, 12}, 1},            /* all of it dropped */
    };
    EACH_CASE (c, cases)
        assert_int_equal(judge(c->ticks, 40, c->step), EXEC_EMULATED);
}

static struct behave counted(uint64_t ticks)
{
    struct behave b;

    for (int kind = 0; kind < BEHAVE_KINDS; kind++)
        for (int l = 0; l < BEHAVE_LENGTHS; l++)
            for (int i = 0; i < BEHAVE_REPEATS; i++)
                b.delta[kind][l][i] = ticks * (behave_lengths[l] + 7);
    return b;
}

TEST(counted_instructions_are_counted)
{
    for (uint64_t ticks = 1; ticks <= 1024; ticks *= 2) {
        struct behave b = counted(ticks);
        struct behave_verdict v = behave_judge(&b);
        assert_int_equal(v.execution, EXEC_INSTRUCTIONS);
        assert_int_equal(v.ticks_per_instruction, ticks);
        for (int kind = 0; kind < BEHAVE_KINDS; kind++)
            assert_close(v.ticks_per_op[kind], (double)ticks, 0);
    }
}

/* One thing that is not exact, and it is not a count. */
TEST(nearly_counted_is_emulated)
{
    static const uint64_t no_shift[] = {0, 3, 100, 2048};

    EACH_CASE (c, no_shift) {
        struct behave b = counted(*c);
        assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
    }
    for (int kind = 0; kind < BEHAVE_KINDS; kind++)
        for (int l = 0; l < BEHAVE_LENGTHS; l++) {
            struct behave b = counted(128);
            b.delta[kind][l][3]++;
            assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
            b = counted(128);
            for (int i = 0; i < BEHAVE_REPEATS; i++)
                b.delta[kind][l][i] += 128;
            assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
        }
    struct behave b = counted(128), twice = counted(256);
    memcpy(b.delta[BEHAVE_DIV], twice.delta[BEHAVE_DIV], sizeof b.delta[BEHAVE_DIV]);
    assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
}

TEST(every_instruction_has_a_name)
{
    assert_string_equal(behave_names[BEHAVE_NOP], "nop");
    assert_string_equal(behave_names[BEHAVE_ADD], "add");
    assert_string_equal(behave_names[BEHAVE_IMUL], "imul");
    assert_string_equal(behave_names[BEHAVE_DIV], "div");
    assert_string_equal(behave_names[BEHAVE_ADDSD], "addsd");
    assert_string_equal(execution_names[EXEC_SILICON], "silicon");
    assert_string_equal(execution_names[EXEC_INSTRUCTIONS], "instructions");
    assert_string_equal(execution_names[EXEC_EMULATED], "emulated");
}
