#include "bench/measure/compensate.h"
#include "bench/measure/tsc.h"

#define SECONDS_MOST 2 /* a hundred interrupts at 100 a second, and as long again */

static struct tick_cost find(const struct engine *e)
{
    struct tick_finder f;
    uint64_t began = tsc_now(), most = (uint64_t)(SECONDS_MOST * e->tsc_hz), tsc;

    tick_start(&f, began, e->p->timer_interrupts());
    do {
        uint64_t last = f.tsc;
        tsc = tsc_now();
        if (tick_is_gap(&f, tsc) && !tick_add(&f, tsc - last, tsc_now(), e->p->timer_interrupts()))
            break;
    } while (tsc - began < most);
    return tick_judge(&f);
}

void compensate_open(struct engine *e)
{
    e->compensate = (struct compensate){0};
    if (e->o->compensate == COMPENSATE_OFF || e->o->method != METHOD_KBEST)
        return;
    if (!e->p->timer_interrupts)
        e->compensate.why_not =
            "every interrupt is masked here, so no timer interrupt comes into a "
            "window";
    else if (e->execution != EXEC_SILICON || !engine_has_hz(e))
        e->compensate.why_not = "an emulator's time is noise, or the TSC's frequency is not known";
    else
        e->compensate.cost = find(e);
    if (!e->compensate.why_not && !e->compensate.cost.known)
        e->compensate.why_not = "too few timer interrupts were seen in two seconds";
}

uint64_t compensate_window(const struct engine *e, uint64_t before, uint64_t ticks, uint64_t *alone,
                           uint64_t *interrupts)
{
    uint64_t taken;

    if (!e->compensate.cost.known)
        return ticks;
    uint64_t n = e->p->timer_interrupts() - before;
    if (n == 0 && ticks < *alone)
        *alone = ticks;
    ticks = tick_compensate(&e->compensate.cost, *alone, ticks, n, &taken);
    *interrupts += taken;
    return ticks;
}
