/* Planted gaps come out as they were planted. */
#include "tests/unit/unit.h"
#include <string.h>
#include "lib/stats/gaps.h"
#include "tests/unit/close.h"

#define HZ 2000000000ull /* 2 ticks a ns */
#define US 2000ull

static struct gaps g;
static uint64_t scratch[GAPS_KEPT];

static void a_gap_is_at_least_eight_iterations(void **state)
{
    (void)state;
    gaps_init(&g, 25, HZ);
    assert_int_equal(g.threshold, GAPS_TICKS);
    gaps_init(&g, 1280, HZ); /* counted instructions: ten of 128 ticks */
    assert_int_equal(g.threshold, 8 * 1280);
}

static void gaps_are_counted_by_decade(void **state)
{
    (void)state;
    static const uint64_t ticks[] = {1000,        US - 1,        US,           10 * US,
                                     100 * US,    1000 * US - 1, 1000 * US,    10000 * US,
                                     100000 * US, 999999 * US,   1000000 * US, 30000000 * US};
    static const uint64_t counts[GAPS_DECADES] = {2, 1, 1, 2, 1, 1, 2, 2};
    uint64_t sum = 0;
    gaps_init(&g, 20, HZ);
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++, sum += ticks[i - 1])
        gaps_add(&g, i, ticks[i] + 20); /* a typical iteration is no part of the gap */
    assert_memory_equal(g.decade, counts, sizeof counts);
    assert_int_equal(g.count, sizeof ticks / sizeof ticks[0]);
    assert_int_equal(g.ticks, sum);
    assert_int_equal(g.longest.ticks, 30000000 * US);
    assert_int_equal(g.longest.at, 11);
    assert_string_equal(gaps_decade_end(0), "1 us");
    assert_string_equal(gaps_decade_end(GAPS_DECADES - 2), "1 s");
}

/* One each ms, as a firmware's timer gives, a little late now and then. */
static void a_rhythm_is_found(void **state)
{
    (void)state;
    gaps_init(&g, 20, HZ);
    for (unsigned i = 0; i < 100; i++)
        gaps_add(&g, 1000 * US * i + 7 * (i % 5), 50 * US);
    struct gaps_rhythm r = gaps_rhythm(&g, scratch);
    assert_int_equal(r.intervals, 99);
    assert_close(r.median, 1000 * US, 50);
    assert_true(r.even);
}

static void random_gaps_have_no_rhythm(void **state)
{
    (void)state;
    uint64_t at = 0;
    gaps_init(&g, 20, HZ);
    for (uint32_t i = 0, x = 1; i < 100; i++) {
        x = x * 1664525 + 1013904223;
        gaps_add(&g, at += x >> 8, 5 * US);
    }
    assert_false(gaps_rhythm(&g, scratch).even);

    gaps_init(&g, 20, HZ); /* even, but too few to be called even */
    for (unsigned i = 0; i < GAPS_RHYTHM; i++)
        gaps_add(&g, 1000 * i, 5 * US);
    assert_int_equal(gaps_rhythm(&g, scratch).intervals, GAPS_RHYTHM - 1);
    assert_false(gaps_rhythm(&g, scratch).even);
    gaps_add(&g, 1000 * GAPS_RHYTHM, 5 * US);
    assert_true(gaps_rhythm(&g, scratch).even);

    gaps_init(&g, 20, HZ);
    assert_int_equal(gaps_rhythm(&g, scratch).intervals, 0);
    gaps_add(&g, 5, 5 * US);
    assert_int_equal(gaps_rhythm(&g, scratch).intervals, 0);
}

static void gaps_beyond_those_kept_are_counted(void **state)
{
    (void)state;
    gaps_init(&g, 20, HZ);
    for (uint64_t i = 0; i < 3 * GAPS_KEPT; i++)
        gaps_add(&g, i, i == 2 * GAPS_KEPT ? 9000 : 1020);
    assert_int_equal(g.kept, GAPS_KEPT);
    assert_int_equal(g.count, 3 * GAPS_KEPT);
    assert_int_equal(g.longest.at, 2 * GAPS_KEPT);
    assert_int_equal(g.first[GAPS_KEPT - 1].at, GAPS_KEPT - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_is_at_least_eight_iterations),
        cmocka_unit_test(gaps_are_counted_by_decade),
        cmocka_unit_test(a_rhythm_is_found),
        cmocka_unit_test(random_gaps_have_no_rhythm),
        cmocka_unit_test(gaps_beyond_those_kept_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
