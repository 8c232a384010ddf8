#include "lib/stats/adaptive.h"

#define SQRT_HALF 0.707106781186547524
/* Near the clock's resolution a stretch may read 0, so n grows by at most this factor. */
#define GROWTH_MOST 16

void adaptive_start(struct adaptive *a, double target, uint64_t grain, uint64_t most)
{
    *a = (struct adaptive){.target = target,
                           .grain = grain,
                           .most = most - most % grain,
                           .n = grain,
                           .state = ADAPTIVE_MORE};
}

/* Returns the n that should last for the target. The last reading was below target / sqrt(2), so
 * the result is at least sqrt(2) times the last n. In floating point, so that nothing overflows. */
static uint64_t grown(const struct adaptive *a)
{
    double n = (double)a->n, aim = n * GROWTH_MOST;

    if (a->last * GROWTH_MOST > a->target)
        aim = n * (a->target / a->last);
    /* A double below 2^63 fits into 64 bits; `most` may round up to 2^64. */
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
