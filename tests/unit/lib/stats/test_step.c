/* stats_step on machines whose step is planted. */
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"

#define DELTAS 4096
static uint64_t deltas[DELTAS];

/* Two kinds of window, in blocks of 16, begun at any phase of a TSC that moves `step` ticks at a
 * time and shows whole ticks; two strays get some ticks more, where they are wanted: 0.05%. */
static void plant(uint64_t seed, double step, double empty, double ruler, bool strays)
{
    struct rng rng = {seed};

    for (size_t i = 0; i < DELTAS; i++) {
        double begin = rng_unit(&rng) * 1e6, length = i / 16 % 2 ? ruler : empty;
        uint64_t from = (uint64_t)(mathx_floor(begin / step) * step);
        uint64_t to = (uint64_t)(mathx_floor((begin + length) / step) * step);
        deltas[i] = to - from;
    }
    for (size_t i = 0; strays && i < 2; i++) {
        deltas[rng_below(&rng, DELTAS)] += 1000 + rng_below(&rng, 100000);
    }
}

TEST(the_step_is_found_despite_stray_differences)
{
    for (uint64_t seed = 1; seed < 30; seed++) {
        plant(seed, 26, 70, 700, true);
        assert_close(stats_step(deltas, DELTAS), 26, 0);
    }
}

TEST(integer_steps_are_found)
{
    for (unsigned step = 2; step <= 512; step++) {
        plant(step, step, 3.3 * step + 11, 9.7 * step + 11, false);
        assert_close(stats_step(deltas, DELTAS), step, 0);
    }
}

TEST(differences_without_a_common_divisor_have_a_step_of_one)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct rng rng = {seed};
        uint64_t empty = 20 + rng_below(&rng, 200), ruler = empty + 300 + rng_below(&rng, 1500);
        uint64_t widths[2] = {2 + rng_below(&rng, 12), 2 + rng_below(&rng, 12)};
        uint64_t second_mode = rng_below(&rng, 2) * rng_below(&rng, 80);
        for (size_t i = 0; i < DELTAS; i++) {
            deltas[i] = (i % 2 ? empty : ruler) + rng_below(&rng, widths[i % 2]);
            deltas[i] += rng_below(&rng, 5) == 0 ? second_mode : 0;
        }
        assert_close(stats_step(deltas, DELTAS), 1, 0);
    }
}

/* A hypervisor's scaled TSC: steps that are not a whole number, read as whole ticks. */
TEST(scaled_steps_are_found)
{
    plant(1, 21.37, 70, 700, true);
    assert_close(stats_step(deltas, DELTAS), 21.37, 0.01);
    struct rng rng = {5};
    for (int round = 0; round < 40; round++) {
        double step = 7 + 150 * rng_unit(&rng) * rng_unit(&rng);
        plant(100 + (uint64_t)round, step, 3.4 * step + 5, 700 + 11.5 * step, true);
        assert_close(stats_step(deltas, DELTAS), step, 2e-3 * step);
    }
    plant(2, 333.3, 700, 2500, false);
    assert_close(stats_step(deltas, DELTAS), 333.3, 0.1);
}

TEST(equal_deltas_have_a_step_of_one)
{
    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] = 260;
    assert_close(stats_step(deltas, DELTAS), 1, 0);
    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] = i % 2 ? 260 : 2600;
    assert_close(stats_step(deltas, DELTAS), 1, 0);
    deltas[100] = 777; /* a stray makes no third value */
    assert_close(stats_step(deltas, DELTAS), 1, 0);
    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] = 260 * (1 + i % 3);
    assert_close(stats_step(deltas, DELTAS), 260, 0);
}

TEST(zeros_are_not_counted)
{
    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] = 0;
    assert_close(stats_step(deltas, DELTAS), 1, 0);
    assert_close(stats_step(deltas, 0), 1, 0);
    plant(1, 40, 17, 430, false); /* most empty windows read 0 */
    assert_close(stats_step(deltas, DELTAS), 40, 0);
    /* Nine tenths zeros: strays are counted among the others only. */
    struct rng rng = {2};
    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] = i % 10 ? 0 : 40 * (1 + rng_below(&rng, 9)) + 7 * (i % 400 == 0);
    assert_true(stats_step(deltas, DELTAS) < 40);
}

TEST(few_deltas_have_a_step_of_one)
{
    plant(3, 26, 70, 700, false);
    assert_close(stats_step(deltas, 31), 1, 0);
    assert_close(stats_step(deltas, 64), 26, 0);
}

/* More deltas than the sample, one kind after the other: those used must be spread over all. */
TEST(long_runs_have_their_step_in_any_order)
{
    static uint64_t many[300000];
    struct rng rng = {9};

    for (size_t i = 0; i < 300000; i++)
        many[i] = 26 * (i < 200000 ? 2 + rng_below(&rng, 2) : 50 + rng_below(&rng, 3));
    assert_close(stats_step(many, 300000), 26, 0);
    stats_sort(many, 300000);
    assert_close(stats_step(many, 300000), 26, 0);
}

TEST(long_windows_have_only_whole_steps)
{
    plant(4, 21.37, 50000, 90000, false); /* beyond what the search for scaled steps looks at */
    assert_close(stats_step(deltas, DELTAS), 1, 0);
    plant(4, 26, 50000, 90000, false);
    assert_close(stats_step(deltas, DELTAS), 26, 0);
    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] |= 1ull << 63;
    assert_true(stats_step(deltas, DELTAS) >= 1);
}

/* All at one place, near the longest delta that is searched: the most peaks to look at. */
TEST(narrow_deltas_have_no_step)
{
    struct rng rng = {6};

    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] = 4090 + rng_below(&rng, 5);
    assert_close(stats_step(deltas, DELTAS), 1, 0);
    for (size_t i = 0; i < DELTAS; i++)
        deltas[i] = 1 + rng_below(&rng, 3);
    assert_close(stats_step(deltas, DELTAS), 1, 0);
}
