/*
 * Surveys the timers for `list`: which of them start, their frequency, their resolution and the
 * cost of a reading. Uses general registers only, because boot/ calls it too.
 */
#ifndef BENCH_API_SURVEY_H
#define BENCH_API_SURVEY_H

#include "bench/api/timer.h"

struct report;

struct timer_found {
    const char *why;  /* why it does not start; NULL: it starts, and the rest is measured */
    const char *none; /* it starts, but counts nothing: a message; else NULL */
    uint64_t hz;      /* rounded; for a cycle counter the present rate; 0: not known */
    /* Resolution: the largest count that divides every difference between two readings. 0: it did
     * not move, or could not be read. */
    uint64_t resolution;
    uint64_t read; /* counts that a reading takes, the mean, rounded; of a clock */
    uint64_t resolution_ps, read_ps; /* the same in picoseconds; 0: not known */
};

/* Starts, reads and stops each timer of a kind; the results are in found[id]. */
void timer_survey(struct timer_found found[], unsigned ids, timer_source *source, void *context);

/* The functions that the survey of cycle counters uses. */
struct cycle_survey {
    timer_source *source;
    void *context;
    uint64_t tsc_hz; /* 0: not known; no frequency and no time is then known */
    uint64_t (*tsc)(void);
    void (*adds)(uint32_t n); /* a chain of n dependent additions of one core cycle each */
};

/*
 * The same for the sources of core cycles, found[CYCLE_IDS]. A counter's frequency is its count
 * during a chain of additions, without the count of its readings. The TSC times the readings: a
 * counter that a hypervisor emulates does not count during them. The ruler is such a chain between
 * two readings of the TSC: its frequency is that of the additions, its resolution that of the TSC,
 * and a reading takes one chain.
 */
void timer_survey_cycles(struct timer_found found[], const struct cycle_survey *s);

/* Write one line per timer under the kind ("clock", "cycle"), and one `timer` record per timer. */
void timer_survey_show(const char *kind, const char *words, const struct timer_found found[],
                       unsigned ids, struct sink *out);
void timer_survey_record(const char *kind, const char *words, const struct timer_found found[],
                         unsigned ids, struct report *r);

#endif
