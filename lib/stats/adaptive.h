/*
 * The adaptive method: the operation is run n times in one timed stretch, n from 1 (or the least
 * that the operation's body can do, or what the caller sets n to) upwards, until the stretch lasts
 * target / sqrt(2) or longer, so that it ends within a factor of sqrt(2) of the target wherever
 * the time is proportional to n.
 * Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_ADAPTIVE_H
#define LIB_STATS_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

enum adaptive_state {
    ADAPTIVE_MORE,     /* time a stretch of n turns, and hand in its reading */
    ADAPTIVE_DONE,     /* the last reading reached the target */
    ADAPTIVE_MOST,     /* n may not grow further: the last reading stands, shorter than asked for */
    ADAPTIVE_NO_CLOCK, /* the clock failed ADAPTIVE_TRIES times in a row */
};

#define ADAPTIVE_TRIES 8

struct adaptive {
    double target;  /* seconds */
    uint64_t grain; /* n is a multiple of it, ... */
    uint64_t most;  /* ... and never above this, a multiple too */
    uint64_t n;     /* turns of the next stretch; when it is over, of the last */
    unsigned failed;
    enum adaptive_state state;
    double last; /* seconds of the last stretch that was read */
};

/* target > 0 seconds, 1 <= grain <= most: iterations come in multiples of grain, at most `most`. */
void adaptive_start(struct adaptive *a, double target, uint64_t grain, uint64_t most);
/* A stretch of n iterations took this many seconds; where they are not valid, the same n is to
 * be tried again. */
enum adaptive_state adaptive_add(struct adaptive *a, bool valid, double seconds);

#endif
