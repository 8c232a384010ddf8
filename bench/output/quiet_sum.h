/* Sums up suite `quiet` over its cores, and judges it by gaps_max=. */
#ifndef BENCH_OUTPUT_QUIET_SUM_H
#define BENCH_OUTPUT_QUIET_SUM_H

#include "bench/result/cores.h"

/* The share of the moments whose wait is reported: docs/quiet.md "What is measured". */
#define QUIET_SHARE 0.99999

enum quiet_result {
    QUIET_NOT_ASKED,  /* no gaps_max= */
    QUIET_NOT_JUDGED, /* no gap is too long, but a core is missing, or not all of the time was
                         watched, or the TSC's frequency is not known */
    QUIET_PASS,
    QUIET_FAIL /* a gap is too long */
};

struct quiet_sum {
    unsigned cores;         /* that watched */
    unsigned longest, wait; /* places of the cores with the longest gap and wait */
    double wait_ticks;      /* of that core */
    double least_watched;   /* share of the time that was watched, on the core with the least */
    enum quiet_result result;
};

/* With cores = 0 only `result` is valid. */
struct quiet_sum quiet_sum(const struct quiet *q);

/* Returns whether this core's longest gap exceeds gaps_max=. */
bool quiet_exceeds(const struct quiet *q, unsigned k);

/* Returns the share of the time from begin to end that the core watched, 0 to 1. */
double quiet_watched(const struct watch *w);

/* Returns what can cause a gap where the program runs. */
const char *quiet_causes(const struct run_facts *run);

/* Returns a time of this core in us; UNKNOWN: the TSC's frequency is not known. */
double quiet_us(const struct quiet *q, unsigned k, double ticks);

#endif
