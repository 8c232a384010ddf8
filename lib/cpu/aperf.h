/*
 * Core cycles from APERF and MPERF (SDM vol. 3B ch. 15.5). Only the ratio of their growths is
 * defined: core cycles per tick of the TSC's clock. So the core cycles of an interval are its ticks
 * times that ratio. Both MSRs are only read, never written.
 */
#ifndef LIB_CPU_APERF_H
#define LIB_CPU_APERF_H

#include "lib/cpu/core_counter.h"

enum aperf_status {
    APERF_OK,
    APERF_AGAIN,  /* the readings were interrupted, or MPERF has not advanced yet */
    APERF_FAILED, /* an MSR faults */
};

struct aperf {
    /* Readings further apart than this many ticks are discarded; follows the core's clock. */
    uint64_t apart;
    uint64_t tsc, aperf, mperf; /* at the last valid reading */
    uint64_t cycles;            /* since the start */
};

/* Proves that it counts core cycles, as core_counter_start() does. Returns NULL, or why it cannot
 * be used. */
const char *aperf_start(struct aperf *p, const struct core_counters *has,
                        const struct counter_access *a);

/* Stores the core cycles since the start. */
enum aperf_status aperf_read(struct aperf *p, const struct counter_access *a, uint64_t *cycles);

#endif
