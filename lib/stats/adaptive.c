#include "lib/stats/adaptive.h"

#define SQRT_HALF 0.707106781186547524
/* A stretch near the clock's resolution reads anything down to 0: no step trusts it further. */
#define GROWTH_MOST 16

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

    if (a->last * GROWTH_MOST > a->target)
        aim = n * (a->target / a->last);
    /* 2^64 rounds: what is not below it would not fit. */
    if (aim >= (double)a->most || aim >= 0x1p63)
        return a->most;
    uint64_t next = (uint64_t)aim;
    next -= next % a->grain;
    if (next > a->n)
        return next;
    return a->most - a->n > a->grain ? a->n + a->grain : a->most;
}

enum adaptive_state adaptive_add(struct adaptive *a, bool valid, double seconds)
{
    if (!valid) {
        if (++a->failed >= ADAPTIVE_TRIES)
            a->state = ADAPTIVE_NO_CLOCK;
        return a->state;
    }
    a->failed = 0;
    a->last = seconds;
    if (seconds >= a->target * SQRT_HALF)
        a->state = ADAPTIVE_DONE;
    else if (a->n >= a->most)
        a->state = ADAPTIVE_MOST;
    else
        a->n = grown(a);
    return a->state;
}
