/* A loop that is held up by the timer, at a known cost, and by other causes. */
#include "lib/stats/clock_rate.h"
#include "tests/unit/close.h"
#include "tests/unit/cmocka_unit.h"

#define INTERVAL 1000000
#define COST     5000

/* Iterations of 40 ticks; every INTERVAL an interrupt of COST and up to `more`; between them, with
 * `others`, gaps that the timer does not cause. */
static struct tick_finder run(uint64_t events, uint64_t more, bool others)
{
    struct tick_finder f;
    uint64_t tsc = 12345, count = 700;
    bool go_on = true;

    tick_start(&f, tsc, count);
    for (uint64_t i = 1; i <= events && go_on; i++) {
        uint64_t due = 12345 + i * INTERVAL, last = tsc;
        for (; tsc < due; tsc += 40) {
            assert_false(tick_is_gap(&f, tsc));
            last = tsc;
        }
        if (others && i % 3 == 0) {
            tsc = last + 1500;
            assert_true(tick_is_gap(&f, tsc));
            assert_true(tick_add(&f, 1500, tsc, count));
            last = tsc;
        }
        count++;
        tsc = last + COST + i * 7 % (more + 1);
        assert_true(tick_is_gap(&f, tsc));
        go_on = tick_add(&f, tsc - last, tsc, count);
    }
    return f;
}

TEST(the_least_gap_is_the_cost)
{
    struct tick_finder f = run(1000, 900, true);
    struct tick_cost c = tick_judge(&f);

    assert_true(c.known);
    assert_int_equal(c.events, TICK_EVENTS); /* it ends there */
    assert_in_range((uint64_t)c.cost, COST, COST + 20);
    assert_close(c.interval, INTERVAL, 2000);
}

TEST(too_few_ticks_are_not_judged)
{
    struct tick_finder f = run(TICK_EVENTS_LEAST - 1, 0, false);

    assert_false(tick_judge(&f).known);
    f = run(TICK_EVENTS_LEAST, 0, false);
    assert_true(tick_judge(&f).known && tick_judge(&f).cost == COST);
    tick_start(&f, 0, 0);
    assert_false(tick_judge(&f).known);
}

TEST(several_ticks_in_one_gap_share_its_length)
{
    struct tick_finder f;

    tick_start(&f, 0, 0);
    for (uint64_t i = 1; i <= 20; i++)
        tick_add(&f, 3 * COST, i * INTERVAL, 3 * i);
    assert_close(tick_judge(&f).cost, COST, 1e-9);
    assert_close(tick_judge(&f).interval, INTERVAL / 3.0, 1e-6);
}

TEST(ticks_that_cannot_be_in_a_window_are_not_subtracted)
{
    const struct tick_cost c = {.known = true, .cost = COST, .interval = 10000};
    const uint64_t none = UINT64_MAX;
    uint64_t taken;

    assert_int_equal(tick_compensate(&c, none, 20000, 0, &taken), 20000);
    assert_int_equal(taken, 0);
    assert_int_equal(tick_compensate(&c, none, 20000, 3, &taken), 5000);
    assert_int_equal(taken, 3);
    /* It occurred between the count and the window: nothing is below zero. */
    assert_int_equal(tick_compensate(&c, 50, 5000, 1, &taken), 5000);
    assert_int_equal(taken, 0);
    assert_int_equal(tick_compensate(&c, 50, 100, 1, &taken), 100);
    assert_int_equal(taken, 0);
}

/* The count is the system's: interrupts of another CPU must not shorten a window without one. */
TEST(no_window_becomes_shorter_than_one_without)
{
    const struct tick_cost c = {.known = true, .cost = COST, .interval = 10000};
    uint64_t taken;

    assert_int_equal(tick_compensate(&c, 6000, 6010, 1, &taken), 6010);
    assert_int_equal(taken, 0);
    assert_int_equal(tick_compensate(&c, 6000, 11010, 1, &taken), 6010);
    assert_int_equal(taken, 1);
    /* Not known yet: a window shorter than the time between two interrupts may contain no
     * interrupt. */
    assert_int_equal(tick_compensate(&c, UINT64_MAX, 9000, 1, &taken), 9000);
    assert_int_equal(taken, 0);
    assert_int_equal(tick_compensate(&c, UINT64_MAX, 20000, 2, &taken), 10000);
    assert_int_equal(taken, 2);
}
