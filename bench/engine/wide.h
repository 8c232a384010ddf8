/*
 * Keeps wide vectors at full rate. Intel CPUs power down the upper parts of their vector units
 * after about 675 us without use. The first wide instruction after that runs at about a quarter of
 * the rate for up to 20 us, and a change of the core's frequency licence takes up to 500 us more
 * (Intel Optimization Reference Manual, "Power Management", and SDM vol. 3B chapter 15). So a part
 * of a row that uses them is warmed up for a fixed time, and again after a pause. A block with a
 * pause in it is disturbed.
 */
#ifndef BENCH_ENGINE_WIDE_H
#define BENCH_ENGINE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/engine/place.h"

#define WIDE_WARM_US 600
#define WIDE_REST_US 600

/* The state of one part. */
struct wide {
    bool used;
    uint64_t warm, rest; /* WIDE_*_US in ticks of the TSC */
    uint64_t at;         /* TSC when the last windows with wide vectors ended; 0: warm-up needed */
    uint64_t from;       /* TSC when the warm-up began, ... */
    unsigned pauses;     /* ... and the number of pauses that restarted it */
};

/* Looks for wide vectors in the row's placed code. Ignores them if the execution is not silicon. */
void wide_begin(struct wide *w, const struct engine *e, const struct bench *b,
                const struct placed *p);

/* Returns whether windows of the body must run first. Then call wide_warm_begin(), and run a window
 * while wide_warm_goes_on(). A pause restarts the warm-up, a few times. */
bool wide_is_cold(const struct wide *w);
void wide_warm_begin(struct wide *w);
bool wide_warm_goes_on(struct wide *w);

/*
 * Returns whether a pause occurred in a block of n windows, called after it. `began`: its TSC at
 * the start; `least`: the shortest window in ticks; `body`: the windows use wide vectors.
 */
bool wide_paused(struct wide *w, uint64_t began, uint64_t n, uint64_t least, bool body);

#endif
