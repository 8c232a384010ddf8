/*
 * Core cycles by APERF and MPERF (SDM vol. 3B ch. 15.5): only the ratio of their growths means
 * something, core cycles for each tick of the clock that the TSC has too. So a stretch's core
 * cycles are its ticks times that ratio. Both are only read, never set.
 */
#ifndef LIB_CPU_APERF_H
#define LIB_CPU_APERF_H

#include "lib/cpu/core_counter.h"

enum aperf_status {
    APERF_OK,
    APERF_AGAIN,  /* the readings were torn apart, or MPERF has not moved on yet */
    APERF_FAILED, /* an MSR faults */
};

struct aperf {
    /* Readings further apart than this many ticks are torn; follows the core's clock. */
    uint64_t apart;
    uint64_t tsc, aperf, mperf; /* at the last reading that was whole */
    uint64_t cycles;            /* since the start */
};

/* Proves that it counts core cycles, as core_counter_start() does. NULL, or why it cannot be
 * used. */
const char *aperf_start(struct aperf *p, const struct core_counters *has,
                        const struct counter_access *a);

/* Core cycles since the start. */
enum aperf_status aperf_read(struct aperf *p, const struct counter_access *a, uint64_t *cycles);

#endif
