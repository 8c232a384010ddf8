/*
 * What timers there are, for `list`: which of them start, how fast they count, what they can tell
 * apart, and what a reading costs. General registers only: boot/ asks too.
 */
#ifndef BENCH_API_SURVEY_H
#define BENCH_API_SURVEY_H

#include "bench/api/timer.h"

struct timer_found {
    const char *why; /* it does not start; NULL: it does, and what follows is measured */
    uint64_t hz;     /* of a clock, rounded; 0: it is none, or its frequency is not known */
    /* The counts that divide every difference between two readings: what it can tell apart. 0: it
     * did not move, or could not be read. */
    uint64_t resolution;
    uint64_t read;                   /* counts that a reading takes, the mean, rounded */
    uint64_t resolution_ps, read_ps; /* the same in picoseconds; 0: not known */
};

/* Each timer of a kind is started, read some times and stopped again; found[id]. */
void timer_survey(struct timer_found found[], unsigned ids, timer_source *source, void *context);

/* A line each under the kind ("clock", "cycle"); and a `timer` record each. */
void timer_survey_show(const char *kind, const char *words, const struct timer_found found[],
                       unsigned ids, struct sink *out);
void timer_survey_record(const char *kind, const char *words, const struct timer_found found[],
                         unsigned ids, struct report *r);

#endif
