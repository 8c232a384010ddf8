/*
 * What a timer interrupt costs, and its compensation (Bryant and O'Hallaron, "Computer Systems: A
 * Programmer's Perspective", 2003, section 9.4, and the timing package that goes with it): a loop
 * reads the TSC and looks for gaps; where the count of timer interrupts went on in one, the gap was
 * that interrupt. The least such gap is what one takes, and a window that n of them came into took
 * n times as much too long. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_TICK_H
#define LIB_STATS_TICK_H

#include <stdbool.h>
#include <stdint.h>

#define TICK_GAP          1000 /* ticks; theirs too: less is no interrupt */
#define TICK_EVENTS       100  /* interrupts that are looked for, as they do */
#define TICK_EVENTS_LEAST 10   /* with fewer nothing is known */

struct tick_finder {
    uint64_t tsc, count; /* of the last turn; at the last event */
    uint64_t first_tsc, first_count;
    unsigned events;
    double least;
};

struct tick_cost {
    bool known;
    unsigned events;
    double cost;     /* ticks of the TSC that an interrupt takes */
    double interval; /* from one to the next, ticks */
};

void tick_start(struct tick_finder *f, uint64_t tsc, uint64_t count);

/* Whether this turn of the loop was a gap, so that the count is to be read; call it each turn. */
bool tick_is_gap(struct tick_finder *f, uint64_t tsc);
/* After a gap of this many ticks that ended at `tsc`. False: enough have been seen. */
bool tick_add(struct tick_finder *f, uint64_t gap, uint64_t tsc, uint64_t count);

struct tick_cost tick_judge(const struct tick_finder *f);

/*
 * A window's ticks without n interrupts of that cost. The count is the system's: another CPU may
 * have taken them. So none are taken off (*taken: 0, else n) where less would be left than `least`,
 * the shortest window so far into which none came (UINT64_MAX: none yet), or nothing; nor, before
 * there was such a window, of one that is shorter than the time between two interrupts.
 */
uint64_t tick_compensate(const struct tick_cost *c, uint64_t least, uint64_t ticks, uint64_t n,
                         uint64_t *taken);

#endif
