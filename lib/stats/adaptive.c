#include "lib/stats/adaptive.h"

#define SQRT_HALF 0.707106781186547524
/* A stretch near the clock's resolution reads anything down to 0: no step trusts it further. */
#define GROWTH_MOST 16

/* Means and sums about them, updated (Welford): n reaches 2^60, where sums of squares would not
 * hold. */
void adaptive_line_add(struct adaptive_line *l, uint64_t n, double y)
{
    double away = (double)n - l->mean_n;
    l->points++;
    l->mean_n += away / (double)l->points;
    l->mean_y += (y - l->mean_y) / (double)l->points;
    l->squares += away * ((double)n - l->mean_n);
    l->products += away * (y - l->mean_y);
}

bool adaptive_line_known(const struct adaptive_line *l)
{
    return l->squares > 0;
}

double adaptive_line_at(const struct adaptive_line *l, uint64_t n)
{
    return l->mean_y + ((double)n - l->mean_n) * (l->products / l->squares);
}

void adaptive_start(struct adaptive *a, double target, uint64_t grain, uint64_t most)
{
    *a = (struct adaptive){.target = target,
                           .grain = grain,
                           .most = most - most % grain,
                           .n = grain,
                           .state = ADAPTIVE_MORE};
}

/*
 * The n that the last reading promises to last for the target: since it fell short of target /
 * sqrt(2), at least sqrt(2) times the last. In floating point, so that nothing overflows.
 */
static uint64_t grown(const struct adaptive *a)
{
    double n = (double)a->n, aim = n * GROWTH_MOST;
    if (a->last.seconds * GROWTH_MOST > a->target)
        aim = n * (a->target / a->last.seconds);
    /* 2^64 rounds: what is not below it would not fit. */
    if (aim >= (double)a->most || aim >= 0x1p63)
        return a->most;
    uint64_t next = (uint64_t)aim;
    next -= next % a->grain;
    if (next > a->n)
        return next;
    return a->most - a->n > a->grain ? a->n + a->grain : a->most;
}

enum adaptive_state adaptive_add(struct adaptive *a, const struct adaptive_reading *reading)
{
    a->last = *reading;
    if (!reading->seconds_valid) {
        if (++a->failed >= ADAPTIVE_TRIES)
            a->state = ADAPTIVE_NO_CLOCK;
        return a->state;
    }
    a->failed = 0;
    if (reading->seconds >= a->target * SQRT_HALF)
        a->state = ADAPTIVE_DONE;
    else if (a->n >= a->most)
        a->state = ADAPTIVE_MOST;
    else
        a->n = grown(a);
    return a->state;
}

/* Gross minus the loop's own. False where nothing sensible is left. */
static bool subtract(const struct adaptive_line *own, uint64_t n, double *value)
{
    if (!own)
        return true;
    if (!adaptive_line_known(own))
        return false;
    *value -= adaptive_line_at(own, n);
    return *value > 0;
}

struct adaptive_result adaptive_result(const struct adaptive *a, double base,
                                       const struct adaptive_line *seconds,
                                       const struct adaptive_line *cycles)
{
    struct adaptive_result r = {
        .units = (double)a->n * base,
        .seconds = a->last.seconds,
        .cycles = a->last.cycles,
    };
    r.seconds_valid = a->last.seconds_valid && subtract(seconds, a->n, &r.seconds);
    r.cycles_valid = a->last.cycles_valid && subtract(cycles, a->n, &r.cycles);
    return r;
}
