#include "lib/stats/tick.h"
#include "lib/stats/known.h"

void tick_start(struct tick_finder *f, uint64_t tsc, uint64_t count)
{
    *f = (struct tick_finder){.tsc = tsc, .count = count};
}

bool tick_is_gap(struct tick_finder *f, uint64_t tsc)
{
    bool gap = tsc - f->tsc >= TICK_GAP;

    if (!gap)
        f->tsc = tsc;
    return gap;
}

bool tick_add(struct tick_finder *f, uint64_t gap, uint64_t tsc, uint64_t count)
{
    uint64_t n = count - f->count;

    f->tsc = tsc;
    if (n == 0) /* something else delayed the loop */
        return true;
    double cost = (double)gap / (double)n;
    if (f->events == 0) {
        f->first_tsc = tsc;
        f->first_count = count;
    }
    /* The first gap may include the time before the loop began. */
    if (f->events > 0 && (f->events == 1 || cost < f->least))
        f->least = cost;
    f->events++;
    f->count = count;
    return f->events < TICK_EVENTS;
}

struct tick_cost tick_judge(const struct tick_finder *f)
{
    struct tick_cost c = {.events = f->events, .cost = UNKNOWN, .interval = UNKNOWN};

    if (f->events < TICK_EVENTS_LEAST || f->count == f->first_count)
        return c;
    c.known = true;
    c.cost = f->least;
    c.interval = (double)(f->tsc - f->first_tsc) / (double)(f->count - f->first_count);
    return c;
}

uint64_t tick_compensate(const struct tick_cost *c, uint64_t least, uint64_t ticks, uint64_t n,
                         uint64_t *taken)
{
    double left = (double)ticks - (double)n * c->cost;
    bool known = least != UINT64_MAX;

    *taken = 0;
    if (n == 0 || !(left > 0) || (known && left < (double)least) ||
        (!known && (double)ticks < c->interval))
        return ticks;
    *taken = n;
    return (uint64_t)(left + 0.5);
}
