/*
 * Events in the process during a row that only occur under an operating system. They are only
 * counted: the windows that they hit are disturbed (docs/window.md "Disturbed windows").
 */
#ifndef HOSTED_PLATFORM_PROCESS_EVENTS_H
#define HOSTED_PLATFORM_PROCESS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "lib/text/json.h"

enum event {
    EVENTS_VOLUNTARY, /* context switches (getrusage) */
    EVENTS_INVOLUNTARY,
    EVENTS_FAULTS,     /* page faults, minor and major (getrusage) */
    EVENTS_MIGRATIONS, /* by RDTSCP's aux, read before and after every block */
    EVENTS_AWAY_NS,    /* time without the CPU: CLOCK_MONOTONIC minus the CPU time */
    EVENTS_STEAL_MS,   /* time given to other guests, ... */
    EVENTS_NO_STEAL,   /* ... unless this is not 0: it is not known */
    EVENTS
};
struct event_counts {
    uint64_t of[EVENTS];
};

/* cpu[i]: the CPU of core i, whose line of /proc/stat has the steal time. rdtscp: the CPUs have
 * RDTSCP. False: out of memory. */
bool events_open(const int *cpu, unsigned cores, bool rdtscp);

/* This process is on that core from now on; counts go to that core, whichever process measures. */
void events_core(unsigned core);

/* Call these around a row; end adds the row's counts to the totals. */
void events_begin(void);
void events_end(void);

/* Returns the number of moves away from the core's CPU so far; 0 before events_open(). Cheap: no
 * system call if the CPU has RDTSCP. */
uint64_t events_migrations(void);

/* As row_keep of the platform: adds the counts of the last row on a core. */
void events_keep(const struct platform *p, unsigned core, uint64_t *kept);
/* Writes these as the object "process" of the row's record. */
void events_record(const uint64_t *kept, struct json *j);
/* Returns the sum over all rows on all cores. */
struct event_counts events_total(void);

#endif
