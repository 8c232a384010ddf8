/*
 * One core on which curves, limits and maps are measured (bench/engine/plan.h): a platform, an
 * engine, a plan, and simulations of what such rows call in bench/. A test simulates the walks and
 * the TSC. Include this first, and link made_core.c.
 */
#ifndef TESTS_UNIT_BENCH_MADE_CORE_H
#define TESTS_UNIT_BENCH_MADE_CORE_H

#include "tests/unit/linked_tsc.h"

#include "tests/unit/cmocka_unit.h"
#include "bench/engine/plan.h"

#define MADE_HZ  1e9
#define MADE_TPC 0.5 /* ticks per core cycle */

struct made_core {
    uint64_t area;             /* bytes that there are; 0: none */
    unsigned areas;            /* mapped now */
    struct platform_wish wish; /* of the last one, ... */
    bool no_code, executable;  /* ... which cannot be executed; which can be executed now */
    unsigned stop_at;          /* the poll at which the user stops the run; 0: none */
    bool evicts;               /* the ruler has evicted data since a test last cleared this */
    unsigned polls;            /* an NMI comes with each */
    unsigned ms;               /* by which the row extended its deadline */
    uint64_t began;            /* TSC at the beginning of the row */
    double promised;           /* most ticks of the row that a shown fraction implies */

    struct platform platform;
    struct options options;
    struct poll poll;
    struct plan_core core;
    struct plan plan;
};
extern struct made_core core;

/* Resets all of it: a megabyte of memory, a CPU of AMD, an engine of this execution. */
void made_core_reset(enum execution execution);

/* CPUID has leaves of zeros. */
struct cpuid_regs made_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf);

/* Returns true: for fake_witness.is_shared. */
bool always(void);
/* Returns true once in five times. */
bool now_and_then(void);

#endif
