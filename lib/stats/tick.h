/*
 * The cost of a timer interrupt and its compensation (Bryant and O'Hallaron, "Computer Systems: A
 * Programmer's Perspective", 2003, section 9.4, and the timing package that goes with it). A loop
 * reads the TSC and looks for gaps. If the count of timer interrupts rose during a gap, the gap was
 * that interrupt. The shortest such gap is the cost of one interrupt; a window with n of them is
 * too long by n times the cost.
 */
#ifndef LIB_STATS_TICK_H
#define LIB_STATS_TICK_H

#include <stdbool.h>
#include <stdint.h>

#define TICK_GAP          1000 /* ticks, as in that package: a shorter gap is not an interrupt */
#define TICK_EVENTS       100  /* interrupts to look for, the value of that package */
#define TICK_EVENTS_LEAST 10   /* with fewer, the cost is not known */

struct tick_finder {
    uint64_t tsc, count; /* of the last iteration; at the last event */
    uint64_t first_tsc, first_count;
    unsigned events;
    double least;
};

struct tick_cost {
    bool known;
    unsigned events;
    double cost;     /* TSC ticks per interrupt */
    double interval; /* from one interrupt to the next, ticks */
};

void tick_start(struct tick_finder *f, uint64_t tsc, uint64_t count);

/* True if this iteration of the loop was a gap: the count is to be read. Call it in each. */
bool tick_is_gap(struct tick_finder *f, uint64_t tsc);
/* Adds a gap of this many ticks that ended at `tsc`. Returns false once enough have been seen. */
bool tick_add(struct tick_finder *f, uint64_t gap, uint64_t tsc, uint64_t count);

struct tick_cost tick_judge(const struct tick_finder *f);

/*
 * Returns a window's ticks without n interrupts of that cost. The count is the system's: another
 * CPU may have taken them. So nothing is subtracted (*taken: 0, else n) if the rest would be 0 or
 * below `least`, the shortest window so far without an interrupt (UINT64_MAX: none yet); nor,
 * before the first, from a window shorter than the time between two interrupts.
 */
uint64_t tick_compensate(const struct tick_cost *c, uint64_t least, uint64_t ticks, uint64_t n,
                         uint64_t *taken);

#endif
