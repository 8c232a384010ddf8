/*
 * The orders of bench/suites/calls/many.c: each window calls all targets equally often, so a figure
 * is the same for each window and for both orders.
 */
#include "bench/api/bench.h"
#include "bench/suites/calls/many.h"
#include "tests/unit/cmocka_unit.h"

#define OPS (CALLS_TAIL / 2) /* of a window */

/* The bodies are not called here. */
#define BODY(name_)                                                                                \
    int name_(uint64_t n, struct object *o)                                                        \
    {                                                                                              \
        (void)n;                                                                                   \
        (void)o;                                                                                   \
        return 0;                                                                                  \
    }
BODY(calls_many)
BODY(calls_many_alike)
BODY(calls_many_empty)
BODY(calls_switch_jump)
BODY(calls_switch_jump_empty)
BODY(calls_switch)
BODY(calls_switch_empty)

extern const struct bench *__start_baretick_rows[], *__stop_baretick_rows[];

static struct calls_order order;

static const struct calls_order *order_of(const struct bench *b)
{
    struct object o = {.room = &order};

    memset(&order, 0xff, sizeof order);
    b->setup(&o);
    return &order;
}

/* Returns the number of targets; each must be equally often among the n from `at` on. */
static uint32_t targets_among(const struct calls_order *c, uint32_t at, uint32_t n)
{
    uint32_t times[CALLS_TARGETS] = {0}, targets = 0;

    for (uint32_t i = 0; i < n; i++) {
        assert_in_range(c->target[at + i], 0, CALLS_TARGETS - 1);
        times[c->target[at + i]]++;
    }
    while (targets < CALLS_TARGETS && times[targets])
        targets++;
    for (uint32_t t = 0; t < targets; t++)
        assert_int_equal(times[t], n / targets);
    assert_true(targets > 0 && n % targets == 0);
    return targets;
}

static uint32_t targets_of_window(const struct calls_order *c, uint32_t at)
{
    return targets_among(c, at, OPS);
}

TEST(each_window_has_each_target_equally_often)
{
    unsigned rows = 0;

    for (const struct bench **r = __start_baretick_rows; r < __stop_baretick_rows; r++, rows++) {
        const struct calls_order *c = order_of(*r);
        uint32_t targets = targets_of_window(c, 0);
        for (uint32_t at = 0; at < CALLS_ORDER + CALLS_TAIL; at += OPS)
            assert_int_equal(targets_of_window(c, at), targets);
        assert_memory_equal(c->target, c->target + CALLS_ORDER, CALLS_TAIL);
    }
    assert_int_equal(rows, 15);
}

/* The few operations that are single-stepped, and twice as many. */
TEST(each_stepped_window_has_each_target_equally_often)
{
    for (const struct bench **r = __start_baretick_rows; r < __stop_baretick_rows; r++) {
        const struct calls_order *c = order_of(*r);
        uint32_t n = (*r)->window.step_ops, targets = targets_of_window(c, 0);
        assert_int_equal(n, targets);
        assert_int_equal(targets_among(c, 0, n), targets);
        assert_int_equal(targets_among(c, n, n), targets);
        assert_true(!strstr((*r)->name, "random") || n < 4 || memcmp(c->target, c->target + n, n));
    }
}

/* Two windows of a random order differ, and most targets follow each target. */
TEST(a_random_order_has_no_pattern)
{
    unsigned rows = 0;

    for (const struct bench **r = __start_baretick_rows; r < __stop_baretick_rows; r++) {
        bool follows[CALLS_TARGETS][CALLS_TARGETS] = {{false}};
        const struct calls_order *c = order_of(*r);
        uint32_t targets = targets_of_window(c, 0), pairs = 0;
        for (uint32_t i = 1; i < OPS; i++)
            follows[c->target[i - 1]][c->target[i]] = true;
        for (uint32_t i = 0; i < targets * targets; i++)
            pairs += follows[i / targets][i % targets];
        bool random = strstr((*r)->name, "random") && targets > 1;
        if (random)
            assert_in_range(pairs, targets * targets * 3 / 4, targets * targets);
        else
            assert_int_equal(pairs, targets);
        assert_int_equal(memcmp(c->target, c->target + OPS, OPS) != 0, random);
        rows += random;
    }
    assert_int_equal(rows, 6);
}

TEST(the_sum_of_the_called_targets_is_checked)
{
    for (const struct bench **r = __start_baretick_rows; r < __stop_baretick_rows; r++) {
        uint32_t targets = targets_of_window(order_of(*r), 0);
        struct object o = {.room = &order, .counter = 33 * OPS / targets};
        o.counter *= targets * (targets + 1) / 2;
        assert_null((*r)->check(&o, 33 * OPS));
        o.counter++;
        assert_non_null((*r)->check(&o, 33 * OPS));
    }
}
