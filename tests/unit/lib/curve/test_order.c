/* An order visits every element once, whatever their number, and no prefetcher can guess it. */
#include "tests/unit/cmocka_unit.h"
#include "lib/curve/sizes.h"

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
