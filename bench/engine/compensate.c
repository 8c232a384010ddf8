#include "bench/engine/compensate.h"
#include "bench/api/tsc.h"

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
