/*
 * The adaptive method: runs the operation n times in one timed stretch. n starts at 1 or more
 * that the operation's body can do, or at what the caller sets, and grows until the stretch lasts
 * at least target / sqrt(2). Where the time is proportional to n, the stretch ends within a factor
 * of sqrt(2) of the target. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_ADAPTIVE_H
#define LIB_STATS_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

enum adaptive_state {
    ADAPTIVE_MORE,     /* time a stretch of n iterations, and pass its time to adaptive_add() */
    ADAPTIVE_DONE,     /* the last reading reached the target */
    ADAPTIVE_MOST,     /* n is at its limit: the last reading is the result, but too short */
    ADAPTIVE_NO_CLOCK, /* the clock failed ADAPTIVE_TRIES times in a row */
};

#define ADAPTIVE_TRIES 8

struct adaptive {
    double target;  /* seconds */
    uint64_t grain; /* n is a multiple of it */
    uint64_t most;  /* n is never above this, which is a multiple too */
    uint64_t n;     /* iterations of the next stretch; once it is over, of the last one */
    unsigned failed;
    enum adaptive_state state;
    double last; /* seconds of the last stretch that was read */
};

/* target > 0 seconds, 1 <= grain <= most. n is always a multiple of grain and at most `most`. */
void adaptive_start(struct adaptive *a, double target, uint64_t grain, uint64_t most);
/* Adds the time of a stretch of n iterations. With valid false, the same n is to be tried again. */
enum adaptive_state adaptive_add(struct adaptive *a, bool valid, double seconds);

#endif
