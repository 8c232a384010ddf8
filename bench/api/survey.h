/*
 * What timers there are, for `list`: which of them start, how fast they count, what they can tell
 * apart, and what a reading costs. General registers only: boot/ asks too.
 */
#ifndef BENCH_API_SURVEY_H
#define BENCH_API_SURVEY_H

#include "bench/api/timer.h"

struct timer_found {
    const char *why;  /* it does not start; NULL: it does, and what follows is measured */
    const char *none; /* it starts, but counts nothing: in words; else NULL */
    uint64_t hz;      /* rounded; of a counter of cycles as it counts just now; 0: not known */
    /* The counts that divide every difference between two readings: what it can tell apart. 0: it
     * did not move, or could not be read. */
    uint64_t resolution;
    uint64_t read; /* counts that a reading takes, the mean, rounded; of a clock */
    uint64_t resolution_ps, read_ps; /* the same in picoseconds; 0: not known */
};

/* Each timer of a kind is started, read some times and stopped again; found[id]. */
void timer_survey(struct timer_found found[], unsigned ids, timer_source *source, void *context);

/* What counters of cycles are tried with. */
struct cycle_survey {
    timer_source *source;
    void *context;
    uint64_t tsc_hz; /* 0: not known, and then no frequency and no time is */
    uint64_t (*tsc)(void);
    void (*adds)(uint32_t n); /* a chain of n dependent additions, a core cycle each */
};

/*
 * The same of the sources of core cycles, found[CYCLE_IDS]. A counter's frequency is what it counts
 * while a chain of additions runs, less what its readings count; these are timed by the TSC: one
 * that a hypervisor answers stands still meanwhile. The ruler is such a chain between two readings
 * of the TSC: its frequency is the additions', its resolution the TSC's, and a reading takes a
 * chain.
 */
void timer_survey_cycles(struct timer_found found[], const struct cycle_survey *s);

/* A line each under the kind ("clock", "cycle"); and a `timer` record each. */
void timer_survey_show(const char *kind, const char *words, const struct timer_found found[],
                       unsigned ids, struct sink *out);
void timer_survey_record(const char *kind, const char *words, const struct timer_found found[],
                         unsigned ids, struct report *r);

#endif
