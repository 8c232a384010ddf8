/*
 * The TSC's frequency as a process can know it: against CLOCK_MONOTONIC_RAW, which no time server
 * bends, in a few windows of about 10 ms, and by CPUID leaf 15h beside it.
 */
#ifndef HOSTED_CLOCK_H
#define HOSTED_CLOCK_H

#include "bench/timer.h"
#include "lib/clock.h"
#include "lib/cpu.h"

enum hosted_source { HOSTED_MONOTONIC_RAW, HOSTED_CPUID15, HOSTED_SOURCES };
extern const char *const hosted_source_names[HOSTED_SOURCES]; /* "monotonic_raw", "cpuid15" */

struct hosted_clock {
    struct clock_result source[HOSTED_SOURCES];
    enum hosted_source used; /* the first that is known */
    uint64_t hz;             /* 0: neither is */
};

struct hosted_clock clock_measure(const struct cpu *cpu);

/* The platform's clocks: the TSC alone, once clock_measure has run. */
struct timer *clock_source(unsigned id, const char **why);

/* How far a known source is from the one used. */
double clock_ppm(const struct hosted_clock *c, enum hosted_source s);

#endif
