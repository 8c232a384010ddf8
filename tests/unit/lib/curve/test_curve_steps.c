/* Steps of simulated curves: as limits make them, and curves without steps. */
#include "tests/unit/cmocka_unit.h"
#include "lib/curve/curve_steps.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"

#define WINDOW 1.25 /* steps of a count of fillers are this narrow */
#define OCTAVE 2
#define TRIALS 4000

static struct step_point point[CURVE_POINTS_MOST];
static struct curve_step step[CURVE_STEPS_MOST];
static struct rng random;

/* Sets n counts, one every `apart`. */
static size_t count(uint32_t first, uint32_t apart, size_t n)
{
    for (size_t i = 0; i < n; i++)
        point[i] = (struct step_point){first + (uint32_t)i * apart, 0, UNKNOWN, UNKNOWN};
    return n;
}

/* Sets two counts per octave. */
static size_t count_octaves(uint32_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        point[i] = (struct step_point){(first << i / 2) * (2 + i % 2) / 2, 0, UNKNOWN, UNKNOWN};
    return n;
}

/* Returns a value that is off by at most this share. */
static double off(double y, double noise)
{
    return y * (1 + noise * (2 * rng_unit(&random) - 1));
}

static void set(size_t n, double (*y)(double x), double noise)
{
    for (size_t i = 0; i < n; i++) {
        double v = y(point[i].x);
        point[i].y = off(v, noise);
        point[i].lo = v * (1 - noise);
        point[i].hi = v * (1 + noise);
    }
}

static size_t find(size_t n, double within)
{
    return curve_steps_find(point, n, &(struct curve_rule){within, CURVE_STEPS_RISE, 0}, step);
}

static size_t leave(size_t n, double above)
{
    return curve_steps_find(point, n, &(struct curve_rule){.leaves = above}, step);
}

/* --- curves ----------------------------------------------------------------------------------- */

static double flat(double x)
{
    return 430;
}

static double ramp(double x)
{
    return 400 + x;
}

static double through_zero(double x)
{
    return x;
}

static double knee(double x)
{
    return x < 300 ? 400 : 400 + 2 * (x - 300);
}

/* Two loads that overlap up to 312 fillers; each filler takes a little. */
static double window(double x)
{
    return (x <= 312 ? 430 : 850) + x / 6;
}

/* The same, but the step takes 20 counts. */
static double sloping(double x)
{
    return (x <= 300 ? 430 : x >= 320 ? 850 : 430 + (x - 300) * 21) + x / 6;
}

static double two_levels(double x)
{
    return x <= 1024 ? 1 : x <= 6000 ? 2.1 : 9;
}

static double falling(double x)
{
    return x < 200 ? 800 : 400;
}

/* --- steps ------------------------------------------------------------------------------------ */

static void expect_step(const struct curve_step *s, uint32_t at, uint32_t from, uint32_t to)
{
    assert_int_equal(s->at, at);
    assert_int_equal(s->from, from);
    assert_int_equal(s->to, to);
}

TEST(a_step_between_two_loads_is_found)
{
    size_t n = count(296, 1, 40);

    set(n, window, 0.01);
    assert_int_equal(find(n, WINDOW), 1);
    expect_step(&step[0], 312, 312, 313);
    assert_close(step[0].before, 482, 8);
    assert_close(step[0].after, 902, 12);
}

TEST(on_a_coarse_grid_the_step_is_in_a_gap)
{
    size_t n = count(16, 16, 48);

    set(n, window, 0.03);
    assert_int_equal(find(n, WINDOW), 1);
    expect_step(&step[0], 304, 304, 320);
}

TEST(a_sloping_step_has_an_interval)
{
    size_t n = count(280, 1, 64);

    set(n, sloping, 0.01);
    assert_int_equal(find(n, WINDOW), 1);
    assert_in_range(step[0].from, 300, 306);
    assert_in_range(step[0].at, 308, 312);
    assert_in_range(step[0].to, 314, 320);
}

TEST(wide_intervals_widen_that_of_the_step)
{
    size_t n = count(280, 1, 64);
    struct curve_step narrow;

    set(n, sloping, 0);
    assert_int_equal(find(n, WINDOW), 1);
    narrow = step[0];
    for (size_t i = 0; i < n; i++) {
        point[i].lo = point[i].y * 0.8;
        point[i].hi = point[i].y * 1.25;
    }
    assert_int_equal(find(n, WINDOW), 1);
    assert_true(step[0].from < narrow.from && step[0].to > narrow.to);
    assert_int_equal(step[0].at, narrow.at);
}

/* Counts were added at the step, so that the four after it span less than the step does. */
TEST(a_step_among_close_counts_is_found)
{
    static const double middle[] = {760, 900, 905, 905};
    size_t n = count(33, 1, 16);

    for (uint32_t x = 64; x <= 256; x += 16)
        point[n++] = (struct step_point){x, 0, UNKNOWN, UNKNOWN};
    for (size_t i = 0; i < n; i++)
        point[i].y = point[i].x < 40 ? 600 : point[i].x < 44 ? middle[point[i].x - 40] : 1160;
    assert_int_equal(find(n, WINDOW), 1);
    expect_step(&step[0], 40, 39, 44);
    assert_close(step[0].after, 1160, 1);
}

TEST(two_steps_are_found)
{
    size_t n = count_octaves(4, 25);

    set(n, two_levels, 0.05);
    assert_int_equal(find(n, OCTAVE), 2);
    assert_int_equal(step[0].at, 1024);
    assert_int_equal(step[0].to, 1536);
    assert_int_equal(step[1].at, 4096);
    assert_int_equal(step[1].to, 6144);
}

/* --- none ------------------------------------------------------------------------------------- */

/* However the noise falls, these curves have no step, on any grid. */
TEST(no_step_is_found_in_curves_without_one)
{
    static double (*const curve[])(double) = {flat, ramp, through_zero, knee};

    for (unsigned i = 0; i < TRIALS; i++) {
        double (*y)(double) = curve[i % 4];
        size_t n = i % 3 == 0   ? count(16, 16, 48)
                   : i % 3 == 1 ? count(250, 2, 64)
                                : count_octaves(4, 25);
        double within = i % 3 == 2 ? OCTAVE : WINDOW;
        set(n, y, 0.05);
        if (find(n, within))
            fail_msg("curve %u, trial %u: a step at %u", i % 4, i, step[0].at);
    }
}

TEST(a_step_is_found_whatever_the_noise)
{
    for (unsigned i = 0; i < TRIALS; i++) {
        size_t n = count(16, 16, 48);
        set(n, window, 0.08);
        assert_int_equal(find(n, WINDOW), 1);
        assert_int_equal(step[0].at, 304);
    }
}

TEST(one_outlier_is_not_a_step_and_hides_none)
{
    for (size_t at = 0; at < 48; at++) {
        size_t n = count(16, 16, 48);
        set(n, flat, 0.01);
        point[at].y *= 3;
        assert_int_equal(find(n, WINDOW), 0);
        set(n, window, 0.01);
        point[at].y *= at % 2 ? 3 : 0.2;
        assert_int_equal(find(n, WINDOW), 1);
        assert_in_range(step[0].at, 288, 320);
    }
}

TEST(the_last_points_alone_are_not_a_level)
{
    size_t n = count(16, 16, 21);

    set(n, window, 0.01);
    assert_int_equal(point[n - 2].x, 320);
    assert_int_equal(find(n, WINDOW), 0);
}

TEST(a_bump_in_a_curve_is_not_reported_as_a_step)
{
    size_t n = count(16, 16, 48);

    set(n, flat, 0.01);
    for (size_t i = 20; i < 30; i++)
        point[i].y *= 2;
    assert_int_equal(find(n, WINDOW), 0);
}

TEST(few_or_unknown_points_have_no_step)
{
    size_t n = count(16, 16, 48);

    set(n, window, 0.01);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(find(i, WINDOW), 0);
    for (size_t i = 0; i < n; i += 2)
        point[i].y = UNKNOWN;
    assert_int_equal(find(n, WINDOW), 1);
    assert_int_equal(step[0].from, 288);
    assert_int_equal(step[0].to, 320);
    for (size_t i = 0; i < n; i++)
        point[i].y = UNKNOWN;
    assert_int_equal(find(n, WINDOW), 0);
    assert_int_equal(leave(n, 1.1), 0);
}

/* --- leaving a level -------------------------------------------------------------------------- */

TEST(a_knee_ends_the_level_at_its_last_count)
{
    size_t n = count(20, 20, 40);

    set(n, knee, 0.005);
    assert_int_equal(leave(n, 1.03), 1);
    expect_step(&step[0], 300, 300, 320);
    assert_close(step[0].before, 400, 3);
    assert_close(step[0].after, 440, 3);
}

TEST(a_value_that_stays_or_returns_leaves_no_level)
{
    size_t n = count(20, 20, 40);

    for (unsigned i = 0; i < TRIALS; i++) {
        set(n, flat, 0.05);
        assert_int_equal(leave(n, 1.15), 0);
    }
    for (size_t i = 10; i < 20; i++)
        point[i].y *= 2;
    assert_int_equal(leave(n, 1.15), 0);
}

TEST(a_rise_below_twice_the_tolerance_does_not_leave)
{
    size_t n = count(20, 20, 40);

    for (size_t i = 0; i < n; i++)
        point[i].y = i < 20 ? 100 : 120;
    assert_int_equal(leave(n, 1.15), 0);
    assert_int_equal(leave(n, 1.09), 1);
    assert_int_equal(step[0].from, 400);
}

TEST(an_uncertain_point_is_in_the_interval)
{
    size_t n = count(20, 20, 40);

    set(n, knee, 0.001);
    point[5].hi = 2 * point[5].y; /* elsewhere */
    point[13].hi = point[14].hi = 2 * point[14].y;
    point[15].lo = point[15].y / 2;
    assert_int_equal(leave(n, 1.03), 1);
    expect_step(&step[0], 300, point[12].x, 340);
}

/* --- falling, refining ------------------------------------------------------------------------ */

TEST(a_falling_curve_is_recognised)
{
    size_t n = count(16, 16, 48);
    uint32_t at = 0;

    set(n, falling, 0.05);
    assert_true(curve_steps_fall(point, n, &at));
    assert_int_equal(at, 208);
    set(n, window, 0.05);
    assert_false(curve_steps_fall(point, n, &at));
    point[40].y /= 4;
    assert_false(curve_steps_fall(point, n, &at));
}

TEST(counts_are_added_where_the_curve_rises)
{
    size_t n = count(16, 16, 48);
    uint32_t x[32];

    set(n, window, 0);
    size_t more = curve_steps_refine(point, n, 512, x, 32);
    assert_int_equal(more, 15);
    for (size_t i = 0; i < more; i++)
        assert_int_equal(x[i], 305 + i);
    more = curve_steps_refine(point, n, 64, x, 32);
    assert_int_equal(more, 3); /* gaps of 4 are less than a 64th */
    for (size_t i = 0; i < more; i++)
        assert_int_equal(x[i], 308 + 4 * i);
    assert_int_equal(curve_steps_refine(point, n, 256, x, 2), 2);
    assert_int_equal(x[0] == 312 || x[1] == 312, 1);
    set(n, flat, 0.01);
    assert_int_equal(curve_steps_refine(point, n, 256, x, 32), 0);
    n = count(300, 1, 30);
    set(n, window, 0);
    assert_int_equal(curve_steps_refine(point, n, 256, x, 32), 0); /* there is nothing between */
}

static double fifth(double x)
{
    return x <= 6144 ? 100 : 120;
}

/* Decoders are a fifth slower than a micro-op cache. */
TEST(a_small_step_needs_a_rule_for_small_steps)
{
    static const struct curve_rule small = {2, 1.15, 0};
    size_t n = count_octaves(64, 20);

    set(n, fifth, 0.01);
    assert_int_equal(find(n, 2), 0);
    assert_int_equal(curve_steps_find(point, n, &small, step), 1);
    assert_int_equal(step[0].at, 6144);
    set(n, flat, 0.01);
    assert_int_equal(curve_steps_find(point, n, &small, step), 0);
}
