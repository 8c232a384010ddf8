/* Periods of made trains of gaps: with jitter, with missing gaps, two at once, and none. */
#include "tests/unit/cmocka_unit.h"
#include "lib/stats/gaps.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"

#define HZ 2000000000ull /* 2 ticks a ns */
#define US 2000ull
#define MS (1000 * US)

static struct gaps g;
static struct gap made[4096];
static size_t made_n;
static struct rng rng;

static void begin(uint32_t first)
{
    rng.state = first;
    made_n = 0;
}

/* Adds n gaps, one each `period`, each early or late by up to `jitter`; `missing` of them are not
 * there. */
static void train(double first, double period, size_t n, uint64_t ticks, double jitter,
                  double missing)
{
    for (size_t i = 0; i < n; i++) {
        double at = 10 * MS + first + period * (double)i + jitter * (2 * rng_unit(&rng) - 1);
        if (rng_unit(&rng) >= missing)
            made[made_n++] = (struct gap){(uint64_t)at, ticks};
    }
}

static void at_random(double mean, size_t n, uint64_t ticks)
{
    double at = 10 * MS;

    for (size_t i = 0; i < n; i++) {
        at += -mathx_log(1 - rng_unit(&rng)) * mean;
        made[made_n++] = (struct gap){(uint64_t)at, ticks};
    }
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct gap *)a)->at, y = ((const struct gap *)b)->at;

    return (x > y) - (x < y);
}

static struct gap_periods found(void)
{
    gaps_init(&g, 20, HZ);
    qsort(made, made_n, sizeof *made, by_time);
    for (size_t i = 0; i < made_n; i++)
        gaps_add(&g, made[i].at, g.typical + made[i].ticks);
    return gap_periods(&g);
}

TEST(an_even_train_has_its_period)
{
    begin(1);
    train(5 * MS, MS, 100, 50 * US, 0, 0);
    struct gap_periods p = found();
    assert_int_equal(p.n, 1);
    assert_close(p.found[0].ticks, MS, 1);
    assert_int_equal(p.found[0].gaps, 100);
    assert_int_equal(p.found[0].of, 100);
    assert_int_equal(p.found[0].class, 1); /* 10 us or more */
    assert_close(p.found[0].jitter, 0, 1);
}

TEST(fewer_than_eight_gaps_have_no_period)
{
    for (size_t n = 0; n <= 10; n++) {
        begin(1);
        train(0, MS, n, 50 * US, 0, 0);
        assert_int_equal(found().n, n >= 8);
    }
}

TEST(jitter_does_not_hide_a_period)
{
    for (uint32_t first = 1; first <= 50; first++) {
        begin(first);
        train(0, MS, 200, 5 * US, 0.02 * MS, 0);
        struct gap_periods p = found();
        assert_int_equal(p.n, 1);
        assert_close(p.found[0].ticks, MS, 0.001 * MS);
        assert_true(p.found[0].gaps >= 190);
        assert_true(p.found[0].jitter > 0.01 * MS && p.found[0].jitter <= 0.1 * MS);
    }
}

/* A timer that is set again after each gap: its delays add up. */
TEST(a_timer_that_is_set_again_has_a_period)
{
    begin(3);
    double at = 0;
    for (size_t i = 0; i < 200; i++, at += MS + 0.05 * MS * rng_unit(&rng))
        made[made_n++] = (struct gap){(uint64_t)at, 5 * US};
    struct gap_periods p = found();
    assert_int_equal(p.n, 1);
    assert_close(p.found[0].ticks, 1.025 * MS, 0.01 * MS);
}

TEST(missing_gaps_do_not_hide_a_period)
{
    for (uint32_t first = 1; first <= 50; first++) {
        begin(first);
        train(0, MS, 200, 5 * US, 0.001 * MS, 0.15);
        struct gap_periods p = found();
        assert_true(p.n >= 1);
        assert_close(p.found[0].ticks, MS, 0.001 * MS);
    }
}

TEST(two_periods_of_one_length_are_found)
{
    begin(1);
    train(0, MS, 140, 5 * US, 100, 0);
    train(123456, 1.37 * MS, 100, 5 * US, 100, 0);
    struct gap_periods p = found();
    assert_int_equal(p.n, 2);
    assert_close(p.found[0].ticks, MS, 0.001 * MS);
    assert_close(p.found[1].ticks, 1.37 * MS, 0.001 * MS);
}

/* An SMI each second among the ticks of a kernel, of which only the first 256 are kept. */
TEST(the_period_of_rare_long_gaps_is_found_among_short_ones)
{
    begin(1);
    train(0, 4 * MS, 3000, 3 * US, 100, 0);
    train(123456, 1000 * MS, 12, 180 * US, 0.01 * MS, 0);
    struct gap_periods p = found();
    assert_int_equal(p.n, 2);
    assert_int_equal(p.found[0].class, 2); /* 100 us or more */
    assert_close(p.found[0].ticks, 1000 * MS, 0.1 * MS);
    assert_int_equal(p.found[0].gaps, 12);
    assert_int_equal(p.found[1].class, 0);
    assert_close(p.found[1].ticks, 4 * MS, 0.01 * MS);
}

TEST(a_period_is_found_among_gaps_at_random_times)
{
    for (uint32_t first = 1; first <= 50; first++) {
        begin(first);
        train(0, MS, 100, 5 * US, 0.001 * MS, 0);
        at_random(2 * MS, 50, 5 * US);
        struct gap_periods p = found();
        assert_true(p.n >= 1);
        assert_close(p.found[0].ticks, MS, 0.002 * MS);
    }
}

/* The rule promises fewer than one false period in 1000 searches; each of these has two or more. */
TEST(gaps_at_random_times_have_no_period)
{
    unsigned wrong = 0;

    for (uint32_t first = 1; first <= 400; first++) {
        begin(first * 77777);
        at_random(MS, first % 2 ? 250 : 20, 5 * US);
        wrong += found().n > 0;
    }
    assert_true(wrong <= 2);
}

/* Ten gaps at even distances, among others over a hundred times as long. */
TEST(a_burst_is_not_a_period)
{
    begin(5);
    train(50 * MS, 0.1 * MS, 12, 5 * US, 0, 0);
    at_random(20 * MS, 12, 5 * US);
    assert_int_equal(found().n, 0);
}

/* Every other gap of a timer is longer than 10 us. */
TEST(a_multiple_of_a_period_is_not_reported)
{
    begin(5);
    train(0, 2 * MS, 100, 5 * US, 100, 0);
    train(MS, 2 * MS, 100, 50 * US, 100, 0);
    struct gap_periods p = found();
    assert_int_equal(p.n, 2);
    assert_close(p.found[0].ticks, 2 * MS, 0.001 * MS);
    assert_close(p.found[1].ticks, MS, 0.001 * MS);
    begin(5);
    train(0, MS, 200, 50 * US, 100, 0);
    train(MS / 2, 3 * MS, 60, 5 * US, 100, 0);
    assert_int_equal(found().n, 1);
}

TEST(gaps_at_one_time_have_no_period)
{
    begin(1);
    train(5, 0, 20, 5 * US, 0, 0);
    assert_int_equal(found().n, 0);
}
