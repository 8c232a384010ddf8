/*
 * Wide vectors at full rate. Intel CPUs power the upper parts of their vector units down when these
 * were not used for about 675 us. The first wide instruction after that runs at about a quarter of
 * the rate for up to 20 us, and a change of the core's frequency licence takes up to 500 us more
 * (Intel Optimization Reference Manual, "Power Management", and SDM vol. 3B chapter 15). So a part
 * of a row that uses them is warmed up by time, is warmed up again after a pause, and a block that
 * a pause fell into is disturbed.
 */
#ifndef BENCH_PLACE_WIDE_H
#define BENCH_PLACE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/context.h"
#include "bench/place/place.h"

#define WIDE_WARM_US 600
#define WIDE_REST_US 600

/* Of one part. */
struct wide {
    bool used;
    uint64_t warm, rest; /* WIDE_*_US in ticks of the TSC */
    uint64_t at;         /* TSC when the last windows with wide vectors ended; 0: none is fresh */
    uint64_t from;       /* TSC when the warm-up began, */
    unsigned pauses;     /* and how often a pause made it begin anew */
};

/* Looks for them in the row's placed code; none are used where no CPU executes it. */
void wide_begin(struct wide *w, const struct engine *e, const struct bench *b,
                const struct placed *p);

/* Whether windows of the body must run first: after wide_warm_begin() one by one, while
 * wide_warm_goes_on(). That begins anew after a pause, a few times. */
bool wide_is_cold(const struct wide *w);
void wide_warm_begin(struct wide *w);
bool wide_warm_goes_on(struct wide *w);

/*
 * After a block of n windows, which began at that TSC: whether a pause fell into it. `least` is the
 * shortest window in ticks; `body`: the windows use wide vectors.
 */
bool wide_paused(struct wide *w, uint64_t began, uint64_t n, uint64_t least, bool body);

#endif
