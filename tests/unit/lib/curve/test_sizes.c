#include "tests/unit/cmocka_unit.h"
#include "lib/curve/sizes.h"
#include "lib/cpu/caches.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"

/* The sizes of a curve, denser where it bends, and a plan that keeps to its time. */

#define KIB (1ull << 10)
#define MIB (1ull << 20)

/* The machine has a last-level cache for each 8 of its CPUs; a CPU may not tell. */
TEST(last_level_caches_are_counted_by_the_cores_that_share_them)
{
    struct cache cache[] = {
        {.level = 1, .type = CACHE_DATA, .size = 32 * KIB, .shared_known = true},
        {.level = 3, .type = CACHE_UNIFIED, .size = MIB, .shared_known = true, .shared_bits = 3},
    };

    assert_int_equal(caches_domains(cache, 2, 1), 1);
    assert_int_equal(caches_domains(cache, 2, 8), 1);
    assert_int_equal(caches_domains(cache, 2, 9), 2);
    assert_int_equal(caches_domains(cache, 2, 64), 8);
    cache[1].shared_known = false;
    assert_int_equal(caches_domains(cache, 2, 64), 1);
    assert_int_equal(caches_domains(cache, 0, 64), 1);
}

TEST(four_times_the_last_cache_is_wanted)
{
    static const struct cache cache[] = {
        {.level = 1, .type = CACHE_DATA, .size = 32 * KIB},
        {.level = 1, .type = CACHE_INSTRUCTION, .size = 64 * MIB}, /* not for data */
        {.level = 3, .type = CACHE_UNIFIED, .size = 16 * MIB},
        {.level = 2, .type = CACHE_UNIFIED, .size = 512 * KIB},
    };

    assert_int_equal(sizes_wanted(caches_largest(cache, 4)), 64 * MIB);
    assert_int_equal(sizes_wanted(caches_largest(cache, 0)), SIZES_BEYOND * SIZES_NO_CACHE);
}

TEST(the_grid_has_one_or_two_sizes_per_octave)
{
    uint64_t size[SIZES_MOST];

    assert_int_equal(sizes_grid(SIZES_FIRST, SIZES_FIRST - 1, true, size), 0);
    assert_int_equal(sizes_grid(SIZES_FIRST, SIZES_FIRST, true, size), 1);
    assert_int_equal(sizes_grid(SIZES_FIRST, 13 * KIB, true, size), 4);
    assert_int_equal(size[1], 6 * KIB);
    assert_int_equal(size[3], 12 * KIB);
    size_t n = sizes_grid(SIZES_FIRST, 128 * MIB, true, size);
    assert_int_equal(n, 31);
    assert_int_equal(size[n - 1], 128 * MIB);
    assert_true(sizes_grid(SIZES_FIRST, 1ull << 62, true, size) <= SIZES_MOST);
    assert_int_equal(sizes_grid(SIZES_FIRST, 33 * KIB, false, size), 4);
    assert_int_equal(size[3], 32 * KIB);
}

TEST(sizes_are_added_where_the_curve_bends)
{
    uint64_t size[SIZES_MOST] = {4 * KIB, 6 * KIB, 8 * KIB, 12 * KIB, 16 * KIB};
    static const double value[] = {4, 4, 14, 14.5, 40};
    static const uint64_t want[] = {4 * KIB,  6 * KIB,  7 * KIB, 8 * KIB,
                                    12 * KIB, 14 * KIB, 16 * KIB};

    assert_int_equal(sizes_refine(size, value, 5, 1), 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(size[i], want[i]);
}

TEST(a_falling_value_adds_sizes_and_an_unknown_one_does_not)
{
    uint64_t size[SIZES_MOST] = {4 * KIB, 6 * KIB, 8 * KIB};
    const double falls[] = {14, 4, 4}, unknown[] = {4, UNKNOWN, 14}, flat[] = {4, 4, 4};

    assert_int_equal(sizes_refine(size, unknown, 3, 1), 3);
    assert_int_equal(sizes_refine(size, flat, 3, 1), 3);
    assert_int_equal(sizes_refine(size, falls, 3, 1), 4);
    assert_int_equal(size[1], 5 * KIB);
    const double again[] = {14, 4, 4, 4};
    assert_int_equal(sizes_refine(size, again, 4, KIB), 4); /* 4.5 KiB is not a multiple */
    assert_int_equal(sizes_refine(size, again, 4, KIB / 2), 5);
}

/* Every gap bends: there is room for some only, and the sharpest get it. */
TEST(the_sharpest_bends_get_the_room)
{
    uint64_t size[SIZES_MOST];
    double value[SIZES_MOST];
    size_t n = 0;

    for (; n < SIZES_MOST - 2; n++) {
        size[n] = (n + 1) * 4 * KIB;
        value[n] = n % 2 ? 2 : 1;
    }
    value[20] = 0.1;
    assert_int_equal(sizes_refine(size, value, n, 1), SIZES_MOST);
    assert_int_equal(size[20], (20 * 4 + 2) * KIB); /* before and after the sharpest */
    assert_int_equal(size[22], (21 * 4 + 2) * KIB);
    for (size_t i = 1; i < SIZES_MOST; i++)
        assert_true(size[i - 1] < size[i]);
}

#define LEAST  3
#define ENOUGH 5
#define MOST   16
static const struct sizes_visits often = {LEAST, LEAST, MOST};

TEST(with_enough_time_every_visit_is_planned)
{
    const struct sizes_cost cost[] = {{0.1, 1, SIZES_GRID}, {0.1, 0, SIZES_ADDED}};
    struct sizes_plan p = sizes_plan(cost, 2, often, 100);

    assert_int_equal(p.visits[0], MOST);
    assert_int_equal(p.visits[1], MOST);
    assert_false(p.shorter);
    assert_close(p.seconds, 0.1 * (MOST - 1) + 0.1 * MOST, 1e-9);
}

/* Each size gets about the same time, a representative one more; none gets fewer measurements than
 * least. */
TEST(the_expensive_sizes_give_way_first)
{
    const struct sizes_cost cost[] = {{0.001, 0, SIZES_GRID},
                                      {0.02, 0, SIZES_GRID},
                                      {0.04, 0, SIZES_GRID},
                                      {0.04, 0, SIZES_REPRESENTATIVE},
                                      {0.4, 1, SIZES_GRID}};
    struct sizes_plan p = sizes_plan(cost, 5, often, 1.6);

    assert_int_equal(p.visits[0], MOST);
    assert_in_range(p.visits[1], 2 * p.visits[2] - 1, 2 * p.visits[2] + 1);
    assert_in_range(p.visits[2], LEAST, MOST / 2);
    assert_in_range(p.visits[3], 2 * p.visits[2], MOST);
    assert_int_equal(p.visits[4], LEAST); /* one of which is done */
    assert_false(p.shorter);
    assert_true(p.seconds <= 1.6 && p.seconds > 1.4);
}

TEST(added_sizes_are_left_out_before_the_largest)
{
    const struct sizes_cost cost[] = {{0.01, 1, SIZES_GRID},       {0.01, 0, SIZES_ADDED},
                                      {0.01, 1, SIZES_GRID},       {0.5, 0, SIZES_ADDED},
                                      {0.6, 0, SIZES_ADDED},       {0.5, 1, SIZES_GRID},
                                      {1, 1, SIZES_REPRESENTATIVE}};
    struct sizes_plan p = sizes_plan(cost, 7, often, 4.7);

    assert_int_equal(p.visits[4], 0);
    assert_int_equal(p.visits[3], LEAST);
    assert_int_equal(p.visits[6], LEAST);
    assert_false(p.shorter);
    p = sizes_plan(cost, 7, often, 1.2);
    assert_int_equal(p.visits[6], 0);
    assert_int_equal(p.visits[5], LEAST);
    assert_true(p.visits[3] == 0 && p.visits[4] == 0 && p.shorter);
    p = sizes_plan(cost, 7, (struct sizes_visits){1, 1, 1}, 0.1);
    assert_int_equal(p.visits[6], 1); /* it is done */
    assert_false(p.shorter);
}

/* An interval is narrow with enough measurements of fewer sizes, not with few of more. */
TEST(added_sizes_are_left_out_before_others_have_too_few_visits)
{
    static const struct sizes_visits enough = {LEAST, ENOUGH, MOST};
    const struct sizes_cost cost[] = {
        {0.1, 0, SIZES_GRID}, {0.1, 0, SIZES_ADDED}, {0.1, 0, SIZES_GRID}};
    struct sizes_plan p = sizes_plan(cost, 3, enough, 1.2);

    assert_int_equal(p.visits[1], 0);
    assert_in_range(p.visits[0], ENOUGH, ENOUGH + 1);
    assert_in_range(p.visits[2], ENOUGH, ENOUGH + 1);
    p = sizes_plan(cost, 3, enough, 0.75); /* not enough for two */
    assert_int_equal(p.visits[0] + p.visits[2], 2 * LEAST + 1);
    assert_false(p.shorter);
}

/* Nothing fits: two sizes remain, and the plan says what they take. */
TEST(without_time_two_sizes_remain)
{
    const struct sizes_cost cost[] = {{1, 0, SIZES_GRID}, {1, 0, SIZES_GRID}, {1, 0, SIZES_GRID}};
    struct sizes_plan p = sizes_plan(cost, 3, often, 0);

    assert_int_equal(p.visits[1], LEAST);
    assert_int_equal(p.visits[2], 0);
    assert_true(p.shorter);
    assert_close(p.seconds, 2 * LEAST, 1e-9);
    p = sizes_plan(cost, 0, often, 0);
    assert_false(p.shorter);
}

/* Half way between two caches, of the first half its size. */
TEST(a_cache_has_its_figure_half_way_between_two)
{
    static const struct cache cache[] = {
        {.level = 1, .type = CACHE_INSTRUCTION, .size = 64 * KIB},
        {.level = 1, .type = CACHE_DATA, .size = 32 * KIB},
        {.level = 2, .type = CACHE_UNIFIED, .size = 512 * KIB},
    };

    assert_int_equal(sizes_of_cache(cache, 3, 1), 16 * KIB);
    assert_int_equal(sizes_of_cache(cache, 3, 2), 128 * KIB);
    assert_int_equal(sizes_of_cache(cache, 3, 3), 0);
}

/* An order visits every element once, whatever their number, and no prefetcher can guess it. */

#define SEEDS 8

static void visit_all(uint32_t n, uint64_t seed)
{
    uint8_t *seen = calloc(n, 1);
    struct order o;

    assert_non_null(seen);
    order_init(&o, n, seed);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t x = order_at(&o, t);
        assert_true(x < n);
        assert_int_equal(seen[x], 0);
        seen[x] = 1;
    }
    assert_int_equal(order_at(&o, n), order_at(&o, 0));
    free(seen);
}

TEST(every_element_is_visited_once)
{
    static const uint32_t sizes[] = {1, 2, 3, 5, 64, 96, 97, 1000, 4096, 98304, 100003};

    EACH_CASE (c, sizes)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            visit_all(*c, seed);
}

TEST(a_stride_visits_every_element_in_laps)
{
    static const uint32_t want[] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 0};
    struct order o;

    order_init_stride(&o, 12, 3);
    for (uint32_t t = 0; t <= 12; t++)
        assert_int_equal(order_at(&o, t), want[t]);
    order_init_stride(&o, 7, 1);
    for (uint32_t t = 0; t < 7; t++)
        assert_int_equal(order_at(&o, t), t);
}

TEST(the_most_elements_are_in_range)
{
    struct order o;

    order_init(&o, ORDER_MOST, 1);
    for (uint32_t t = 0; t < 1000; t++)
        assert_true(order_at(&o, ORDER_MOST - 1 - t) < ORDER_MOST);
}

TEST(seeds_differ)
{
    struct order a, b;
    unsigned same = 0;

    order_init(&a, 4096, 1);
    order_init(&b, 4096, 2);
    for (uint32_t t = 0; t < 4096; t++)
        same += order_at(&a, t) == order_at(&b, t);
    assert_true(same < 40); /* a random order: 1 on average */
}

/* Returns the most frequent distance of two steps, as a number of times. */
static unsigned most_frequent_distance(const struct order *o, uint32_t *count)
{
    unsigned most = 0;

    memset(count, 0, 2 * o->n * sizeof *count);
    for (uint32_t t = 0; t < o->n; t++) {
        unsigned times = ++count[order_at(o, t + 1) + o->n - order_at(o, t)];
        most = times > most ? times : most;
    }
    return most;
}

/* The strides that a prefetcher could learn, and steps within a page of 64 lines. */
TEST(no_stride_is_frequent)
{
    const uint32_t n = 98304;
    uint32_t *count = calloc(2 * n, sizeof *count);

    assert_non_null(count);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct order o;
        uint32_t near = 0;
        order_init(&o, n, seed);
        assert_true(most_frequent_distance(&o, count) < n / 100);
        for (uint32_t t = 0; t < n; t++)
            near += order_at(&o, t) / 64 == order_at(&o, t + 1) / 64;
        assert_true(near < n / 100); /* a random order: 64 / 98304 of them */
    }
    free(count);
}
