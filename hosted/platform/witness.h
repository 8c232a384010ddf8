/*
 * What happened to the process while a row was measured: what a machine without an operating system
 * has none of. Counted, not cured: windows that it hit are disturbed ones (docs/method.md
 * "Samples").
 */
#ifndef HOSTED_PLATFORM_WITNESS_H
#define HOSTED_PLATFORM_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/text/json.h"

struct witness_counts {
    uint64_t voluntary, involuntary; /* context switches (getrusage) */
    uint64_t faults;                 /* page faults, minor and major (getrusage) */
    uint64_t migrations;             /* by RDTSCP's aux, looked at before and after every block */
    uint64_t away_ns;                /* without the CPU: CLOCK_MONOTONIC less the CPU time */
    double steal_ms;                 /* time that the hypervisor gave to others; NaN: not known */
};

/* cpu[i]: the CPU of core i, whose line of /proc/stat tells the steal time. rdtscp: the CPUs have
 * it. False: no memory for them. */
bool witness_open(const int *cpu, unsigned cores, bool rdtscp);

/* From now on this process is on that core; what it sees is counted there, whichever process. */
void witness_core(unsigned core);

/* Around a row; end adds what it counted to the totals. */
void witness_begin(void);
void witness_end(void);

/* Moves away from the core's CPU so far; 0 before witness_open(). Cheap: no system call where the
 * CPU has RDTSCP. */
uint64_t witness_migrations(void);

/* Adds the counts of the row that ended last on a core to kept[PLATFORM_KEPT]. */
void witness_keep(unsigned core, uint64_t *kept);
/* Writes these as the object "process" of the row's record. */
void witness_record(const uint64_t *kept, struct json *j);
/* Of all rows on all cores. */
struct witness_counts witness_total(void);

#endif
