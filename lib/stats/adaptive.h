/*
 * The adaptive method: the operation is run n times in one timed stretch, n from 1 (or the least
 * that the operation's body can do) upwards, until
 * the stretch lasts target / sqrt(2) or longer, so that it ends within a factor of sqrt(2) of the
 * target wherever the time is proportional to n. What the loop itself costs is calibrated apart,
 * with the same stretches over an empty operation, and subtracted. Uses SSE: not for boot/ or trap
 * handlers.
 */
#ifndef LIB_STATS_ADAPTIVE_H
#define LIB_STATS_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

/* One stretch of n turns. Either clock may have failed; the other one's figure stands. */
struct adaptive_reading {
    bool seconds_valid, cycles_valid;
    double seconds, cycles;
};

/*
 * What n turns of an empty loop take: fixed + per_turn n, by least squares over the readings that
 * are given (n different at least twice, else not known). One line for direct and one for indirect
 * bodies, each in seconds and in cycles. Starts zeroed.
 */
struct adaptive_line {
    uint64_t points;
    double mean_n, mean_y, squares, products;
};
void adaptive_line_add(struct adaptive_line *l, uint64_t n, double y);
bool adaptive_line_known(const struct adaptive_line *l);
double adaptive_line_at(const struct adaptive_line *l, uint64_t n);

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
    struct adaptive_reading last; /* gross */
};

/* target > 0 seconds, 1 <= grain <= most: turns come in multiples of grain, at most so many. */
void adaptive_start(struct adaptive *a, double target, uint64_t grain, uint64_t most);
/* A reading without valid seconds is tried again with the same n. */
enum adaptive_state adaptive_add(struct adaptive *a, const struct adaptive_reading *reading);

struct adaptive_result {
    double units;                     /* n times base: what was done ... */
    double seconds, cycles;           /* ... in so much time, the loop's own subtracted */
    bool seconds_valid, cycles_valid; /* false: no reading, no overhead, or nothing left of it */
};

/* base: units a turn. seconds, cycles: the loop's own, NULL: nothing is subtracted. */
struct adaptive_result adaptive_result(const struct adaptive *a, double base,
                                       const struct adaptive_line *seconds,
                                       const struct adaptive_line *cycles);

#endif
