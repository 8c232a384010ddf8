#include "lib/stats/clock_rate.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"

#define PM_HZ 3579545.0 /* ACPI 6.5 section 4.8.2.1 */

static struct clock_read reading(uint64_t before, uint64_t after, uint64_t count)
{
    return (struct clock_read){before, after, count};
}

TEST(two_readings_give_hz_and_its_error)
{
    struct clock_read a = reading(1000, 1000, 5), b = reading(2500001000, 2500001000, 10000005);
    double error;

    assert_int_equal(clock_hz(&a, &b, 1e7, 32, &error), 2500000000);
    assert_close(error, 250, 1e-6); /* one step of ten million */

    /* Readings of 1000 and 3000 ticks: from middle to middle, half of each as error. */
    a = reading(0, 1000, 0);
    b = reading(999500, 1002500, 1000);
    assert_int_equal(clock_hz(&a, &b, 1e6, 64, &error), 1000500000);
    assert_close(error, 1000500000 * (2000.0 / 1000500 + 1e-3), 1e-3);
}

TEST(a_counter_that_wraps_gives_the_frequency)
{
    struct clock_read a = reading(0, 0, 0xfffff0), b = reading(100000, 100000, 0x0000f0);
    double error;

    assert_int_equal(clock_hz(&a, &b, PM_HZ, 24, &error), (uint64_t)(100000 * PM_HZ / 0x100 + 0.5));
    /* Bits above the counter's are not part of the count. */
    a.count |= 0xff000000;
    b.count |= 0x12000000;
    assert_int_equal(clock_hz(&a, &b, PM_HZ, 24, &error), (uint64_t)(100000 * PM_HZ / 0x100 + 0.5));
    a.count = 0xffffff00;
    b.count = 0x100;
    assert_int_equal(clock_hz(&a, &b, PM_HZ, 32, &error), (uint64_t)(100000 * PM_HZ / 0x200 + 0.5));
    a.count = ~0ull;
    b.count = 0x1ff;
    assert_int_equal(clock_hz(&a, &b, PM_HZ, 64, &error), (uint64_t)(100000 * PM_HZ / 0x200 + 0.5));
}

TEST(unusable_counters_give_no_frequency)
{
    double error = 1;

    static const struct {
        struct clock_read a, b;
        double hz;
        unsigned bits;
    } cases[] = {
        {{0, 10, 0xffffffff}, {1000, 1010, 0xffffffff}, PM_HZ, 32}, /* no device */
        {{0, 10, 0}, {1000, 1010, 0x1000000}, PM_HZ, 24},           /* moved above its bits only */
        {{1000, 1010, 0}, {0, 10, 100}, PM_HZ, 32},                 /* the TSC went back */
        {{1000, 990, 0}, {2000, 2010, 100}, PM_HZ, 32},             /* inside a reading */
        {{1000, 1010, 0}, {2000, 1990, 100}, PM_HZ, 32},            /* likewise */
        {{7, 7, 0}, {7, 7, 100}, PM_HZ, 32},                        /* the TSC stands still */
        {{0, 10, 0}, {1000, 1010, 100}, 0, 32},                     /* no rate */
        {{0, 10, 0}, {1000, 1010, 100}, -1, 32},
        {{0, 10, 0}, {1000, 1010, 100}, PM_HZ, 0},
        {{0, 10, 0}, {1000, 1010, 100}, PM_HZ, 65},
        {{0, 10, 0}, {1ull << 60, 1ull << 60, 1}, 1e9, 32}, /* hardly moved */
        {{0, 0, 0}, {1, 1, ~0ull}, 1, 64},                  /* raced */
    };
    EACH_CASE (c, cases) {
        assert_int_equal(clock_hz(&c->a, &c->b, c->hz, c->bits, &error), 0);
        assert_true(error == 0);
    }
}

/* The truth lies within the stated error, whenever inside the readings the counter was read. */
TEST(error_covers_the_truth)
{
    struct rng rng = {1};

    for (int round = 0; round < 10000; round++) {
        double tsc_hz = 1e8 + 4e9 * rng_unit(&rng), hz = 1e6 + 2e7 * rng_unit(&rng);
        struct clock_read read[2];
        double at = rng_unit(&rng);
        for (int i = 0; i < 2; i++) {
            double length = 5e-6 * rng_unit(&rng), inside = length * rng_unit(&rng);
            read[i] = reading((uint64_t)(at * tsc_hz), (uint64_t)((at + length) * tsc_hz),
                              (uint64_t)((at + inside) * hz));
            at += 1e-3 + 1e-2 * rng_unit(&rng);
        }
        double error;
        uint64_t got = clock_hz(&read[0], &read[1], hz, 32, &error);
        assert_close((double)got, tsc_hz, error * 1.01 + 2);
        assert_true(error < 0.02 * tsc_hz);
    }
}

TEST(steps_over_whole_turns_are_counted)
{
    struct rng rng = {11};
    double steps;
    const unsigned widths[] = {16, 24, 32, 64};

    for (unsigned i = 0; i < 4000; i++) {
        unsigned bits = widths[i % 4];
        uint64_t mask = ~0ull >> (64 - bits), from = rng_next(&rng) & mask;
        /* Up to 16 wraps, except for the counter that never wraps. */
        uint64_t made = bits == 64 ? rng_next(&rng) >> 20 : rng_next(&rng) % (16 * (mask + 1));
        double off = 0.24 * (double)mask * (2 * rng_unit(&rng) - 1);
        assert_true(clock_steps(from, (from + made) & mask, bits, (double)made + off, &steps));
        assert_true(steps == (double)made);
    }
}

TEST(steps_beyond_a_quarter_turn_are_not_known)
{
    double steps;

    assert_true(clock_steps(100, 50, 16, 65486 + 16384, &steps));
    assert_false(clock_steps(100, 50, 16, 65486 + 16385, &steps)); /* a quarter of a turn off */
    assert_true(clock_steps(100, 50, 16, 65486 - 16384, &steps));
    assert_false(clock_steps(100, 50, 16, 65486 - 16385, &steps));
    assert_false(clock_steps(100, 99, 16, 0, &steps)); /* it went back */
    assert_false(clock_steps(100, 99, 64, 0, &steps));
    assert_false(clock_steps(100, 99, 64, 1e6, &steps));
    assert_true(clock_steps(99, 100, 64, 0, &steps));
    assert_false(clock_steps(99, 100, 16, -20000, &steps));
    assert_false(clock_steps(99, 100, 16, __builtin_nan(""), &steps));
    assert_false(clock_steps(99, 100, 16, __builtin_inf(), &steps));
    assert_false(clock_steps(99, 100, 16, 1e300, &steps));
}

TEST(the_median_excludes_values_that_are_not_known)
{
    uint64_t odd[] = {9, 1, 5}, even[] = {40, 10, 20, 30}, holes[] = {0, 7, 0, 3, 0, 5},
             none[] = {0, 0};

    assert_int_equal(clock_median(odd, 3), 5);
    assert_int_equal(odd[0], 1);
    assert_int_equal(clock_median(even, 4), 25);
    assert_int_equal(clock_median(holes, 6), 5);
    assert_int_equal(clock_median(none, 2), 0);
    assert_int_equal(clock_median(NULL, 0), 0);
}

/* Sources in the order of the enum, 0: not known. */
static struct tsc_clock choose(uint64_t cpuid15, uint64_t pmtimer, uint64_t hpet, uint64_t pit)
{
    const uint64_t hz[CLOCK_SOURCES] = {cpuid15, pmtimer, hpet, pit};
    struct tsc_clock c;

    memset(&c, 0xa5, sizeof c);
    for (int i = 0; i < CLOCK_SOURCES; i++)
        c.source[i] = (struct clock_result){hz[i] != 0, hz[i], 1000, NULL};
    clock_choose(&c);
    return c;
}

TEST(the_preferred_source_is_used_if_all_agree)
{
    struct tsc_clock c = choose(2500000000, 2500010000, 2499990000, 2501000000);

    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_int_equal(c.hz, 2500010000);
    assert_true(c.agree);
    assert_close(c.worst_ppm, 990000 / 2500.01, 1e-6);
}

TEST(the_majority_wins)
{
    struct tsc_clock c = choose(3500000000, 2500010000, 2499990000, 2500000000);

    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_false(c.agree);
    assert_close(c.worst_ppm, 399994, 1);

    c = choose(2500000000, 1, 2499990000, 2500000000); /* a PM timer at a bogus port */
    assert_int_equal(c.used, CLOCK_HPET);
    c = choose(2500000000, 7, 12345678, 2500000000);
    assert_int_equal(c.used, CLOCK_CPUID15);
    c = choose(0, 7, 2500000000, 2500100000);
    assert_int_equal(c.used, CLOCK_HPET);
}

TEST(ties_go_by_preference)
{
    assert_int_equal(choose(3500000000, 2500000000, 0, 0).used, CLOCK_PMTIMER);
    assert_int_equal(choose(3500000000, 0, 2500000000, 0).used, CLOCK_HPET);
    assert_int_equal(choose(3500000000, 0, 0, 2500000000).used, CLOCK_CPUID15);
    assert_int_equal(choose(3500000000, 3000000000, 2500000000, 2000000000).used, CLOCK_PMTIMER);
    /* Two pairs of two. */
    assert_int_equal(choose(2000000000, 2500000000, 2500000000, 2000000000).used, CLOCK_PMTIMER);
    assert_int_equal(choose(2500000000, 2000000000, 2500000000, 2000000000).used, CLOCK_PMTIMER);
}

TEST(one_source_gives_the_frequency_and_no_source_gives_0_hz)
{
    struct tsc_clock c = choose(0, 0, 0, 1193182000);

    assert_int_equal(c.used, CLOCK_PIT);
    assert_int_equal(c.hz, 1193182000);
    assert_true(c.agree && c.worst_ppm == 0);
    c = choose(0, 0, 0, 0);
    assert_true(c.hz == 0 && !c.agree && c.worst_ppm == 0);
    c.source[CLOCK_HPET].known = true; /* at 0 Hz */
    clock_choose(&c);
    assert_true(c.hz == 0 && !c.agree);
}

/* What the CPU states has no vote; where nothing is measured it is all there is. */
TEST(a_stated_frequency_has_no_vote)
{
    struct tsc_clock c = choose(0, 2500000000, 0, 0);

    c.source[CLOCK_STATED] = clock_stated((struct tsc_rate){3500000000, TSC_RATE_CRYSTAL});
    assert_true(c.source[CLOCK_STATED].known);
    clock_choose(&c);
    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_true(c.agree && c.worst_ppm == 0);
    c.source[CLOCK_PMTIMER].known = false;
    clock_choose(&c);
    assert_int_equal(c.used, CLOCK_STATED);
    assert_int_equal(c.hz, 3500000000);
    assert_true(c.agree && c.worst_ppm == 0);

    struct clock_result r = clock_stated((struct tsc_rate){2500000000, TSC_RATE_CPUID});
    assert_true(!r.known && strstr(r.why_not, "cpuid15"));
    r = clock_stated((struct tsc_rate){0, TSC_RATE_NONE});
    assert_true(!r.known && r.why_not);
}

/* A source so rough that it agrees with two that contradict each other must not decide. */
TEST(rough_sources_do_not_vote)
{
    struct tsc_clock c = choose(2600000000, 2500000000, 0, 2550000000);

    c.source[CLOCK_PIT].error_hz = 1e8;
    clock_choose(&c);
    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_false(c.agree);
    c.source[CLOCK_CPUID15].known = false; /* within the PIT's error: no contradiction */
    clock_choose(&c);
    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_true(c.agree);
    c.source[CLOCK_PMTIMER].known = false;
    clock_choose(&c);
    assert_int_equal(c.used, CLOCK_PIT);
}

/* As in a guest whose exits are slow: three clocks of 0.4% contradict leaf 15h by 6%. */
TEST(rough_sources_that_agree_outvote_a_precise_one)
{
    struct tsc_clock c = choose(3187200000, 2999990339, 3000000000, 2999972666);

    for (int i = CLOCK_PMTIMER; i <= CLOCK_PIT; i++)
        c.source[i].error_hz = 13e6;
    clock_choose(&c);
    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_false(c.agree);
    c.source[CLOCK_HPET].known = c.source[CLOCK_PIT].known = false; /* one against one */
    clock_choose(&c);
    assert_int_equal(c.used, CLOCK_CPUID15);
    assert_false(c.agree);
}

TEST(sources_agree_within_1000_ppm_and_their_errors)
{
    assert_true(choose(0, 1000000000, 1001000000 + 2000, 0).agree);
    assert_false(choose(0, 1000000000, 1001000000 + 2001, 0).agree);
    assert_true(choose(0, 1001000000 + 2000, 1000000000, 0).agree);
    assert_false(choose(0, 1001000000 + 2001, 1000000000, 0).agree);
}

/* --- clocks that run only while the process does --- */

#define TSC_HZ 2600000000ull

static const struct clock_result not_known = {.why_not = "no clock"},
                                 by_tsc = {.known = true, .hz = TSC_HZ, .error_hz = 1000};

TEST(a_window_is_undisturbed_without_switches_and_absence)
{
    struct clock_window w = {TSC_HZ, 0, 0.001, 0};

    assert_true(clock_window_undisturbed(&w));
    w.switches = 1;
    assert_false(clock_window_undisturbed(&w));
    w = (struct clock_window){TSC_HZ, 0, 0.0011, 0};
    assert_false(clock_window_undisturbed(&w));
    w = (struct clock_window){0, 0, 0, 0};
    assert_false(clock_window_undisturbed(&w));
}

TEST(undisturbed_windows_give_their_median)
{
    const struct clock_window w[] = {{TSC_HZ + 400, 5000, 0, 0},
                                     {TSC_HZ * 11 / 10, 5000, 0.09, 3},
                                     {TSC_HZ + 300, 2000, 1e-5, 0},
                                     {TSC_HZ - 200, 4000, 0, 0}};
    struct clock_result r = clock_of_windows(w, 4, &by_tsc);

    assert_true(r.known);
    assert_int_equal(r.hz, TSC_HZ + 300);
    assert_close(r.error_hz, 2000 + 1e-5 * (TSC_HZ + 300), 1); /* the largest, of the third */
}

/* As was seen: one window of times(2), 9 to 12% high after a context switch. */
TEST(disturbed_windows_give_way_to_the_tsc)
{
    const struct clock_window w[] = {{TSC_HZ * 112 / 100, TSC_HZ / 50, 0.107, 4},
                                     {TSC_HZ * 109 / 100, TSC_HZ / 50, 0.083, 1}};
    struct clock_result r = clock_of_windows(w, 2, &by_tsc);

    assert_true(r.known && r.hz == TSC_HZ);
    assert_close(r.error_hz, 1000, 1e-9);

    /* Without it the one that was away least, and its error covers the truth. */
    r = clock_of_windows(w, 2, &not_known);
    assert_true(r.known && r.hz == TSC_HZ * 109 / 100);
    assert_true(r.hz - r.error_hz < TSC_HZ && r.error_hz < 0.2 * TSC_HZ);
}

TEST(an_absence_without_a_switch_is_the_clocks_error)
{
    const struct clock_window w = {TSC_HZ / 10 * 11, TSC_HZ / 50, 0, 0};
    struct clock_result r = clock_of_windows(&w, 1, &by_tsc);

    assert_true(r.known && r.hz == TSC_HZ);
    assert_close(r.error_hz, TSC_HZ / 10, 1e-9);
    assert_int_equal(clock_of_windows(&w, 1, &not_known).hz, w.hz);
}

TEST(a_stopped_clock_is_not_known)
{
    const struct clock_window w[2] = {{0}};
    struct clock_result r = clock_of_windows(w, 2, &by_tsc);

    assert_true(!r.known && r.hz == 0 && r.why_not);
}

/* A loop that is held up by the timer, at a known cost, and by other causes. */

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
