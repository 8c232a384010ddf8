#include "lib/stats/witness_rule.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/cmocka_unit.h"

/* --- a core with a sibling thread ------------------------------------------------------------- */

enum { WINDOW = 60 }; /* core cycles of a window alone */

struct core {
    struct rng rng;
    double width, step, ticks_per_cycle; /* NOPs a cycle; the TSC's step */
    double drift;                        /* of the clock, relative, up and down in a second */
    double share, span;                  /* of time that the sibling runs; its mean span, us */
    double freaks;                       /* share of readings in which a window is interrupted */
    double now, until;                   /* us */
    bool busy;
    double slow; /* what the sibling makes of the NOPs, in this span */
};

/* The state at core->now. */
static void run_sibling(struct core *c)
{
    while (c->share > 0 && c->now >= c->until) {
        double ratio = (1 - c->share) / c->share;
        c->busy = !c->busy;
        c->until += -mathx_log(1 - rng_unit(&c->rng)) * c->span * (c->busy ? 1 : ratio);
        c->slow = 1.35 + 0.9 * rng_unit(&c->rng);
    }
}

static double clock_of(const struct core *c)
{
    return c->ticks_per_cycle * (1 + c->drift * mathx_cos_turns(c->now / 1e6));
}

/* A stretch of this many core cycles, read by a clock that steps. */
static double read_ticks(struct core *c, double cycles)
{
    double from = rng_unit(&c->rng) * c->step, jitter = gauss(&c->rng);
    double to = from + (cycles + jitter) * clock_of(c);

    return c->step * mathx_floor(to / c->step);
}

static double nops_cycles(struct core *c, const struct witness_plan *plan)
{
    double slow = c->busy ? c->slow * (1 + 0.1 * (rng_unit(&c->rng) - 0.5)) : 1;

    return WINDOW + plan->nops / c->width * slow;
}

struct reading {
    double level;
    bool steady;
    bool alone, sibling; /* the sibling ran in none of it, in all of it */
};

static struct reading take(struct core *c, const struct witness_plan *plan)
{
    struct moments nops = {0}, ruler = {0};
    bool freak = rng_unit(&c->rng) < c->freaks, low = rng_unit(&c->rng) < 0.5;
    bool alone = true, sibling = true;
    double lost = freak ? (WINDOW + plan->adds) * rng_unit(&c->rng) * 3 : 0;

    for (unsigned i = 0; i < plan->windows; i++) {
        run_sibling(c);
        alone = alone && !c->busy;
        sibling = sibling && c->busy;
        moments_add(&nops, read_ticks(c, nops_cycles(c, plan) + (low ? 0 : lost)));
        moments_add(&ruler, read_ticks(c, WINDOW + plan->adds + (low ? lost : 0)));
        c->now += 0.2;
    }
    double ticks = nops.mean - WINDOW * clock_of(c);
    return (struct reading){witness_level(plan, nops.mean, ruler.mean),
                            witness_steady(moments_sd(&nops), c->step, ticks), alone, sibling};
}

/* --- blocks between readings ------------------------------------------------------------------ */

enum { BLOCKS = 10000 };
enum { BLOCK_US = 8 };

static struct {
    double before, after;
    bool exclusive, busy; /* all of it was */
} block[BLOCKS];

struct counts {
    unsigned exclusive, alarms, busy, seen;
    struct witness witness;
};

static struct counts run(struct core *c, const struct witness_plan *plan)
{
    struct counts n = {0};
    struct reading before = take(c, plan);

    for (unsigned i = 0; i < BLOCKS; i++) {
        bool alone = before.alone, sibling = before.sibling;
        for (unsigned k = 0; k < 8; k++) {
            c->now += BLOCK_US / 8.0;
            run_sibling(c);
            alone = alone && !c->busy;
            sibling = sibling && c->busy;
        }
        struct reading after = take(c, plan);
        block[i].before = before.level;
        block[i].after = after.level;
        block[i].exclusive = alone && after.alone;
        block[i].busy = sibling && after.sibling;
        witness_add(&n.witness, after.level, plan->noise, after.steady);
        before = after;
    }
    /* Blocks that were judged with an older best are judged again with the last one. */
    for (unsigned i = 0; i < BLOCKS; i++) {
        bool exclusive = witness_is_exclusive(&n.witness, block[i].before, plan->noise) &&
                         witness_is_exclusive(&n.witness, block[i].after, plan->noise);
        n.exclusive += block[i].exclusive;
        n.alarms += block[i].exclusive && !exclusive;
        n.busy += block[i].busy;
        n.seen += block[i].busy && !exclusive;
    }
    return n;
}

static const double widths[] = {3, 4, 5, 5.5, 6, 8}, steps[] = {1, 2, 26, 64};

static struct core a_core(unsigned seed, double width, double step)
{
    return (struct core){.rng = {seed},
                         .width = width,
                         .step = step,
                         .ticks_per_cycle = step > 2 ? 0.63 : 0.95,
                         .drift = 0.1};
}

static struct witness_plan plan_of(const struct core *c)
{
    return witness_plan(c->step / c->ticks_per_cycle, 1 / c->width, WINDOW);
}

TEST(an_exclusive_core_is_found_exclusive)
{
    for (unsigned w = 0; w < COUNT_OF(widths); w++)
        for (unsigned s = 0; s < COUNT_OF(steps); s++) {
            struct core c = a_core(1 + w, widths[w], steps[s]);
            struct witness_plan plan = plan_of(&c);
            struct counts n = run(&c, &plan);
            assert_close(n.witness.best, 1 / widths[w], 0.02 / widths[w]);
            assert_int_equal(n.exclusive, BLOCKS);
            assert_true(n.alarms <= BLOCKS / 1000);
        }
}

TEST(a_sibling_is_seen)
{
    static const double shares[] = {0.1, 0.5, 0.9, 0.95}, spans[] = {60, 500, 4000};

    for (unsigned w = 0; w < COUNT_OF(widths); w++)
        for (unsigned s = 0; s < COUNT_OF(steps); s++)
            for (unsigned i = 0; i < COUNT_OF(shares); i++)
                for (unsigned k = 0; k < COUNT_OF(spans); k++) {
                    struct core c = a_core(1 + w, widths[w], steps[s]);
                    c.share = shares[i];
                    c.span = spans[k];
                    struct witness_plan plan = plan_of(&c);
                    struct counts n = run(&c, &plan);
                    if (n.exclusive < 200) /* no more than a moment of this core was its own */
                        continue;
                    assert_close(n.witness.best, 1 / widths[w], 0.03 / widths[w]);
                    assert_true(n.seen >= 0.95 * n.busy);
                    assert_true(n.alarms <= n.exclusive / 1000);
                }
}

TEST(single_unusual_readings_do_not_change_the_best)
{
    for (unsigned w = 0; w < COUNT_OF(widths); w++)
        for (unsigned s = 0; s < COUNT_OF(steps); s++) {
            struct core c = a_core(11 + w, widths[w], steps[s]);
            c.freaks = 0.1;
            struct witness_plan plan = plan_of(&c);
            struct counts n = run(&c, &plan);
            assert_close(n.witness.best, 1 / widths[w], 0.02 / widths[w]);
            /* An outlier is distinguished from an exclusive reading, and nothing else is taken for
             * one. */
            assert_true(n.alarms <= 0.22 * n.exclusive);
            c.share = 0.7;
            c.span = 1000;
            n = run(&c, &plan);
            assert_close(n.witness.best, 1 / widths[w], 0.03 / widths[w]);
            assert_true(n.seen >= 0.95 * n.busy);
        }
}

/* It is learnt in a busy moment, and falls once the core is exclusive. */
TEST(a_late_best_judges_again)
{
    struct witness w = {0};

    for (int i = 0; i < 400; i++)
        witness_add(&w, 1 / 3.0, 0.01, true);
    assert_close(w.best, 1 / 3.0, 1e-9);
    assert_true(witness_is_exclusive(&w, 0.34, 0.01));
    for (int i = 0; i < 6; i++) /* a level that few have shown */
        witness_add(&w, i % 2 ? 1 / 6.0 : 1 / 5.0, 0.01, true);
    assert_close(w.best, 1 / 3.0, 1e-9);
    for (int i = 0; i < 12; i++)
        witness_add(&w, 0.1675, 0.01, true);
    assert_close(w.best, 1 / 6.0, 1e-9);
    assert_true(!witness_is_exclusive(&w, 0.34, 0.01) && witness_is_exclusive(&w, 0.17, 0.01));
    assert_true(!witness_is_exclusive(&w, 1.081 / 6, 0.01) &&
                witness_is_exclusive(&w, 1.079 / 6, 0.01));
    assert_true(!witness_is_exclusive(&w, UNKNOWN, 0.01) && !witness_is_exclusive(&w, 0.1, 0.01));
}

/* 2.8 NOPs per cycle is neither a whole nor a half number, so it is not a width, unless four fifths
 * are there. */
TEST(a_best_reading_must_be_a_possible_width)
{
    struct witness w = {0};

    for (int i = 0; i < 1000; i++)
        witness_add(&w, i % 10 < 6 ? 1 / 2.8 : 0.03 * (i % 10 + 6), 0.01, true);
    assert_true(w.best == 0 && !witness_is_exclusive(&w, 1 / 2.8, 0.01));
    w = (struct witness){0};
    for (int i = 0; i < 1000; i++)
        witness_add(&w, 1 / 2.8, 0.01, true);
    assert_close(w.best, 1 / 2.8, 0.004);
    w = (struct witness){0};
    for (int i = 0; i < 1000; i++)
        witness_add(&w, 1 / 6.0, 0.01, false); /* none steady */
    assert_true(w.best == 0);
    w = (struct witness){0};
    for (int i = 0; i < 1000; i++)
        witness_add(&w, i % 3 ? 1 / 6.0 : i % 2 ? UNKNOWN : 1e9, 0.01, true);
    assert_true(w.best == 0 && w.counted == 0);
}

TEST(a_witness_plan_is_short_and_has_little_noise)
{
    for (unsigned w = 0; w < COUNT_OF(widths); w++)
        for (unsigned s = 0; s < COUNT_OF(steps); s++) {
            struct core c = a_core(1, widths[w], steps[s]);
            struct witness_plan plan = plan_of(&c);
            assert_true(plan.noise <= 0.016 && plan.nops % WITNESS_UNIT == 0);
            assert_true(plan.windows >= 2 && plan.adds >= 64);
            double cycles = 2 * plan.windows * (plan.nops / widths[w] + WINDOW);
            assert_true(cycles < (steps[s] > 2 ? 20000 : 1500));
        }
    /* A clock that is too coarse still has a plan, which states its error. */
    struct witness_plan plan = witness_plan(10000, 0.25, WINDOW);
    assert_true(plan.noise > 0.016 && plan.windows <= 8 && plan.nops <= 10000);
}
