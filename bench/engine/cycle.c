#include "bench/engine/cycle.h"
#include "bench/api/tsc.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define SECONDS_MOST 2 /* twice the time for 100 interrupts at 100 Hz */

static struct tick_cost find(const struct engine *e)
{
    struct tick_finder f;
    uint64_t began = tsc_now(), most = (uint64_t)(SECONDS_MOST * e->facts.tsc_hz), tsc;

    tick_start(&f, began, e->p->events.timer_interrupts());
    do {
        uint64_t last = f.tsc;
        tsc = tsc_now();
        if (tick_is_gap(&f, tsc) &&
            !tick_add(&f, tsc - last, tsc_now(), e->p->events.timer_interrupts()))
            break;
    } while (tsc - began < most);
    return tick_judge(&f);
}

void compensate_open(struct engine *e)
{
    e->facts.compensate = (struct compensate){0};
    if (e->facts.o->compensate == COMPENSATE_OFF || e->facts.o->method != METHOD_KBEST)
        return;
    if (!e->p->events.timer_interrupts)
        e->facts.compensate.why_not =
            "every interrupt is masked here, so no timer interrupt occurs in a "
            "window";
    else if (e->facts.execution != EXEC_SILICON || !run_has_hz(&e->facts))
        e->facts.compensate.why_not =
            "an emulator's time is noise, or the TSC's frequency is not known";
    else
        e->facts.compensate.cost = find(e);
    if (!e->facts.compensate.why_not && !e->facts.compensate.cost.known)
        e->facts.compensate.why_not = "too few timer interrupts were seen in two seconds";
}

uint64_t compensate_window(const struct engine *e, uint64_t before, uint64_t ticks,
                           uint64_t *shortest, uint64_t *interrupts)
{
    uint64_t taken;

    if (!e->facts.compensate.cost.known)
        return ticks;
    uint64_t n = e->p->events.timer_interrupts() - before;
    if (n == 0 && ticks < *shortest)
        *shortest = ticks;
    ticks = tick_compensate(&e->facts.compensate.cost, *shortest, ticks, n, &taken);
    *interrupts += taken;
    return ticks;
}

#define CHECK_ADDS 102400 /* tens of us; a reading takes a thousandth of that, about 100 cycles */
#define CHECK_RUNS 15     /* the median is used: an SMI may disturb some */

static bool is_counter(unsigned id)
{
    return id == CYCLE_PMC || id == CYCLE_PERF || id == CYCLE_APERF;
}

/* Returns the counters of the order, from its i-th timer on. */
static struct timer_order counters_from(const struct timer_order *order, unsigned i)
{
    const struct timer_list *l = &order->list;
    struct timer_order counters = {.goes_on = order->goes_on};

    for (; i < l->n; i++)
        if (is_counter(l->id[i]))
            counters.list.id[counters.list.n++] = l->id[i];
    return counters;
}

/* Measures an empty interval. Uses medians, because interrupts may disturb some. */
static void measure_empty(struct engine *e)
{
    double cycles[CHECK_RUNS], ticks[CHECK_RUNS];
    size_t n = 0;

    e->facts.cycle.empty = e->facts.cycle.empty_ticks = 0;
    for (unsigned i = 0; e->facts.cycle.counter.used && i < CHECK_RUNS; i++) {
        struct cycle_mark from = cycle_begin(e), to = cycle_end(e);
        double counted = cycle_between(e, &from, &to);
        if (!is_known(counted))
            continue;
        cycles[n] = counted;
        ticks[n++] = (double)(to.tsc - from.tsc);
    }
    if (n <= CHECK_RUNS / 2)
        return;
    e->facts.cycle.empty = median(cycles, n);
    e->facts.cycle.empty_ticks = median(ticks, n);
}

static void choose(struct engine *e)
{
    struct cycle *c = &e->facts.cycle;
    struct timer_order order = timer_list_order(&e->facts.o->cycle, &timer_cycles);

    timer_choose(&c->source, &order, &timer_cycles, e->p->timers.cycle, e->p->context);
    c->counter = (struct timer_choice){0};
    c->by = CYCLES_UNKNOWN;
    if (cycle_is(&e->facts.cycle, CYCLE_RULER)) {
        struct timer_order second = counters_from(&order, c->source.refusals + 1);
        c->by = CYCLES_RULER;
        timer_choose(&c->counter, &second, &timer_cycles, e->p->timers.cycle, e->p->context);
    } else if (c->source.used && c->source.used->read && !cycle_is(&e->facts.cycle, CYCLE_RDTSCP)) {
        c->by = CYCLES_COUNTER;
        c->counter.used = c->source.used;
    }
}

void cycle_open(struct engine *e)
{
    choose(e);
    measure_empty(e);
}

bool cycle_check_words(const struct engine *e, struct sink *err)
{
    return timer_check(&e->facts.cycle.source, &e->facts.o->cycle, &timer_cycles, err) &&
           timer_check(&e->facts.cycle.counter, &e->facts.o->cycle, &timer_cycles, err);
}

void cycle_close(struct engine *e)
{
    timer_release(&e->facts.cycle.counter);
    e->facts.cycle.source.used = NULL;
}

struct cycle_mark cycle_begin(struct engine *e)
{
    struct cycle_mark m = {0};

    if (!e->facts.cycle.counter.used)
        return m;
    m.known = timer_read(&e->facts.cycle.counter, &m.count);
    m.tsc = tsc_now();
    return m;
}

struct cycle_mark cycle_end(struct engine *e)
{
    struct cycle_mark m = {0};

    if (!e->facts.cycle.counter.used)
        return m;
    m.tsc = tsc_now();
    m.known = timer_read(&e->facts.cycle.counter, &m.count);
    return m;
}

/* Returns the difference of two readings of a counter with this number of bits. */
static double counted(uint64_t from, uint64_t to, unsigned bits)
{
    uint64_t mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;

    return (double)((to - from) & mask);
}

double cycle_between(const struct engine *e, const struct cycle_mark *from,
                     const struct cycle_mark *to)
{
    if (!from->known || !to->known)
        return UNKNOWN;
    return counted(from->count, to->count, e->facts.cycle.counter.used->bits);
}

double cycle_ratio(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to)
{
    double cycles = cycle_between(e, from, to) - e->facts.cycle.empty;
    double ticks = (double)(to->tsc - from->tsc) - e->facts.cycle.empty_ticks;

    return ticks > 0 ? cycles / ticks : UNKNOWN;
}

/* Returns the core cycles per addition by a counter, without those of the readings and the loop's
 * ends; UNKNOWN if too many readings fail. */
static double per_add(struct timer_choice *c)
{
    double run[CHECK_RUNS];
    size_t n = 0;

    for (unsigned i = 0; i < CHECK_RUNS; i++) {
        uint64_t from, middle, to;
        bool known = timer_read(c, &from);
        chain_adds(CHECK_ADDS);
        known = timer_read(c, &middle) && known;
        chain_adds(2 * CHECK_ADDS);
        known = timer_read(c, &to) && known;
        unsigned bits = c->used->bits;
        if (known)
            run[n++] = (counted(middle, to, bits) - counted(from, middle, bits)) / CHECK_ADDS;
    }
    return n > CHECK_RUNS / 2 ? median(run, n) : UNKNOWN;
}

static void check_counter(struct timer_choice *c, struct cycle_check *out)
{
    double v = per_add(c);

    out->counter[out->n].name = c->used->name;
    out->counter[out->n++].cycles_per_add = v;
    if (!is_known(v) && out->result == SELFTEST_PASS) {
        out->result = SELFTEST_NOT_JUDGED;
        out->why_not = "most of a counter's readings fail";
    } else if (is_known(v) && (v < 1 - CYCLE_WITHIN || v > 1 + CYCLE_WITHIN)) {
        out->result = SELFTEST_FAIL;
        out->why_not = NULL;
    }
}

/* Checks the counters of cycle= that are not in use: starts each and stops it again. */
static void check_other_counters(struct engine *e, struct cycle_check *out)
{
    struct timer_order order = timer_list_order(&e->facts.o->cycle, &timer_cycles);
    struct timer_order all = counters_from(&order, 0);
    struct timer_choice other;

    for (unsigned i = 0; i < all.list.n; i++) {
        struct timer_order one = {.list = {.n = 1, .id = {all.list.id[i]}}};
        const char *why;
        struct timer *t = e->p->timers.cycle(e->p->context, all.list.id[i], &why);
        if (!t || t == e->facts.cycle.counter.used)
            continue;
        timer_choose(&other, &one, &timer_cycles, e->p->timers.cycle, e->p->context);
        if (other.used)
            check_counter(&other, out);
        timer_release(&other);
    }
}

struct cycle_check cycle_judge(struct engine *e)
{
    struct cycle_check c = {.result = SELFTEST_NOT_JUDGED};

    if (e->facts.execution != EXEC_SILICON)
        c.why_not = "no real CPU executes this";
    else if (!e->facts.cycle.counter.used)
        c.why_not = "cycle= names no counter that starts";
    if (c.why_not)
        return c;
    c.result = SELFTEST_PASS;
    check_counter(&e->facts.cycle.counter, &c);
    check_other_counters(e, &c);
    return c;
}
