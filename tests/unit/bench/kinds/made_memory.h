/*
 * The memory of machine.h, for curves over sizes: two caches and two TLBs with known latencies
 * and sizes, which its CPUID reports. The chase is laid out and followed in real memory; the time
 * of a walk is computed from the length of the cycle that it is in. The other loads only take
 * time. Include this first, and link machine.c and made_memory.c.
 */
#ifndef TESTS_UNIT_BENCH_KINDS_MADE_MEMORY_H
#define TESTS_UNIT_BENCH_KINDS_MADE_MEMORY_H

#include "tests/unit/bench/machine.h"

#include "bench/api/bench.h"
#include "bench/kinds/stream.h"
#include "bench/result/series.h"

#define KIB       1024ull
#define MADE_PAGE 4096

struct made_memory {
    double slow;               /* factor of every time */
    double evicted;            /* core cycles that the first walk after the ruler takes longer */
    double lap;                /* core cycles of the beginning of a lap of a chase */
    unsigned wrong_walk;       /* the walk that ends a line too far, counted from 1; 0: none */
    bool no_cpuid;             /* CPUID reports no caches */
    bool pages;                /* the elements are in separate pages */
    enum line_state bad_state; /* whose lines are lost */
    uint32_t lost_page;        /* a chain of this number of jumps leaves one out */
    unsigned walks;
};
extern struct made_memory made_memory;

/* Resets both, for this execution. */
void made_memory_reset(enum execution execution);

/* Measures the row. Checks that its memory is unmapped afterwards and that it may take `ms`. */
const struct series *made_curve(const struct bench *b);

/* Return the core cycles of a load in a set of this size: of lines, and of an element per page. */
double made_latency(uint64_t bytes);
double made_page_latency(uint64_t pages);

#endif
