/* Planted gaps come out as they were planted. */
#include "tests/unit/cmocka_unit.h"
#include "lib/stats/gaps.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"

#define HZ 2000000000ull /* 2 ticks a ns */
#define US 2000ull
#define S  HZ

static struct gaps g;

static void plant(uint64_t at, uint64_t ticks)
{
    gaps_add(&g, at, g.typical + ticks);
}

TEST(a_gap_is_one_us_and_eight_iterations_at_least)
{
    gaps_init(&g, 25, HZ);
    assert_int_equal(g.threshold, 25 + US);
    gaps_init(&g, 1280, HZ); /* counted instructions: ten of 128 ticks */
    assert_int_equal(g.threshold, 8 * 1280);
}

/* From 1 us to 1000 s; each bin is at most 28% longer than the one before it. */
TEST(bins_divide_each_decade_into_ten)
{
    assert_string_equal(gaps_class_names[0], "1 us");
    assert_string_equal(gaps_class_names[GAPS_CLASSES - 1], "1 s");
    assert_int_equal(gaps_bin_ns(0), 1000);
    assert_int_equal(gaps_bin_ns(1), 1250);
    assert_int_equal(gaps_bin_ns(5), 3150);
    assert_int_equal(gaps_bin_ns(60), 1000000000);
    assert_int_equal(gaps_bin_ns(GAPS_BINS - 1), 1000000000000);
    for (unsigned i = 1; i < GAPS_BINS; i++) {
        double ratio = (double)gaps_bin_ns(i) / (double)gaps_bin_ns(i - 1);
        assert_true(ratio > 1.2 && ratio <= 1.281);
    }
}

TEST(gaps_are_counted_by_length)
{
    static const struct {
        uint64_t ticks;
        unsigned bin;
    } cases[] = {{US, 0},       {US * 125 / 100 - 1, 0}, {US * 125 / 100, 1}, {10 * US - 1, 9},
                 {10 * US, 10}, {999 * US, 29},          {1000 * US, 30},     {S, 60},
                 {30 * S, 74},  {1000 * S, 90},          {100000 * S, 90}};
    uint64_t sum = 0;

    gaps_init(&g, 20, HZ);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t before = g.bin[cases[i].bin].count;
        plant(i, cases[i].ticks); /* a typical iteration is not part of the gap */
        sum += cases[i].ticks;
        assert_int_equal(g.bin[cases[i].bin].count, before + 1);
    }
    assert_int_equal(g.count, sizeof cases / sizeof cases[0]);
    assert_int_equal(g.ticks, sum);
    assert_int_equal(g.bin[0].ticks, US + US * 125 / 100 - 1);
    assert_int_equal(g.longest.ticks, 100000 * S);
    assert_int_equal(g.longest.at, 10);
    assert_int_equal(gaps_in_class(&g, 0), g.count);
    assert_int_equal(gaps_in_class(&g, 1), 7); /* 10 us or more */
    assert_int_equal(gaps_in_class(&g, 6), 4); /* 1 s or more */
}

/* The first of each class are kept, so that rare long ones are not lost among many short ones. */
TEST(the_first_gaps_of_each_class_are_kept)
{
    gaps_init(&g, 20, HZ);
    for (uint64_t i = 0; i < 3 * GAPS_KEPT; i++)
        plant(i, i == 2 * GAPS_KEPT ? 150 * US : 2 * US);
    assert_int_equal(g.first[0].n, GAPS_KEPT);
    assert_int_equal(g.first[0].gap[GAPS_KEPT - 1].at, GAPS_KEPT - 1);
    assert_int_equal(g.count, 3 * GAPS_KEPT);
    assert_int_equal(g.longest.at, 2 * GAPS_KEPT);
    for (unsigned c = 1; c <= 2; c++) {
        assert_int_equal(g.first[c].n, 1);
        assert_int_equal(g.first[c].gap[0].at, 2 * GAPS_KEPT);
        assert_int_equal(g.first[c].gap[0].ticks, 150 * US);
    }
    assert_int_equal(g.first[3].n, 0);
}

/* --- the wait --------------------------------------------------------------------------------- */

TEST(no_moment_waits_without_gaps)
{
    gaps_init(&g, 20, HZ);
    g.watched = 10 * S;
    assert_int_equal((int)gaps_wait(&g, 0.99999), 0);
    plant(5, 50 * US); /* 50 us of 10 s are fewer than one moment of 100,000 */
    assert_int_equal((int)gaps_wait(&g, 0.99999), 0);
}

/* Of 10 s, 100 us are left out: of a gap of 250 us the last 150 us are waited at most. */
TEST(a_moment_waits_for_the_rest_of_a_gap)
{
    gaps_init(&g, 20, HZ);
    g.watched = 10 * S;
    plant(5, 250 * US);
    assert_close(gaps_wait(&g, 0.99999), 150 * US, 0.5);
    plant(9, 20 * US); /* shorter than that: it changes nothing */
    assert_close(gaps_wait(&g, 0.99999), 150 * US, 0.5);
    plant(9, 250 * US); /* of two such gaps 50 us each are left out */
    assert_close(gaps_wait(&g, 0.99999), 200 * US, 0.5);
    assert_close(gaps_wait(&g, 1), 250 * US, 0.5);
}

/* Returns the wait by its definition, of `n` gaps. */
static double wait_of(const uint64_t *ticks, size_t n, double share)
{
    double low = 0, high = 1e12;

    for (unsigned i = 0; i < 100; i++) {
        double w = (low + high) / 2, sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += (double)ticks[k] > w ? (double)ticks[k] - w : 0;
        if (sum > (1 - share) * (double)g.watched)
            low = w;
        else
            high = w;
    }
    return high;
}

TEST(the_wait_is_that_of_the_definition_within_a_bin)
{
    static uint64_t ticks[400];
    struct rng rng = {7};

    for (unsigned round = 0; round < 20; round++) {
        gaps_init(&g, 20, HZ);
        g.watched = 10 * S;
        for (size_t i = 0; i < 400; i++) {
            ticks[i] = (uint64_t)(US * mathx_exp(7 * rng_unit(&rng))); /* 1 us to 1.1 ms */
            plant(i, ticks[i]);
        }
        for (double left_out = 1e-6; left_out < 2e-3; left_out *= 3) {
            double want = wait_of(ticks, 400, 1 - left_out), is = gaps_wait(&g, 1 - left_out);
            if (want >= US)
                assert_close(is, want, 0.1 * want);
        }
    }
}
