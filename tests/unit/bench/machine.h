/*
 * A machine for tests of bench/: a struct platform, with an engine and a plan on it. Everything
 * above the platform is the product's own. A test plants what is here, and defines walks in place
 * of those in assembly. Include this first, and link machine.c.
 */
#ifndef TESTS_UNIT_BENCH_MACHINE_H
#define TESTS_UNIT_BENCH_MACHINE_H

#include "tests/unit/linked_tsc.h"

#include "tests/unit/cmocka_unit.h"
#include "bench/engine/plan.h"
#include "bench/engine/poll.h"

#define MACHINE_HZ    1e9
#define MACHINE_TPC   0.5 /* ticks per core cycle */
#define MACHINE_CORES 3

struct machine {
    /* Set by a test: */
    uint64_t area;           /* bytes that there are; 0: none */
    bool no_code;            /* which cannot be executed */
    unsigned stop_at;        /* the guarded call at which the user stops the run; 0: none */
    bool (*is_shared)(void); /* a neighbour uses the core now; NULL: never */
    unsigned absent;         /* a core that never comes; 0: none */
    bool starved;            /* that core had no CPU */
    bool real_time;          /* the clock is the CPU's, for cores that wait for each other */
    uint64_t tsc;            /* the clock otherwise: simulated walks add to it */

    /* What it saw: */
    unsigned areas;                 /* mapped now */
    struct platform_wish wish;      /* of the last one */
    unsigned asked[NUMA_NODES + 1]; /* areas, by wish.node */
    bool executable;                /* which can be executed now */
    bool evicts;                    /* the ruler has evicted data since a test last cleared this */
    _Atomic unsigned guarded;       /* calls; an NMI comes with each */
    unsigned ms;                    /* by which the row extended its deadline */
    uint64_t began;                 /* TSC at the beginning of the row */
    double promised;                /* most ticks of the row that a shown fraction implies */

    struct core_facts facts[MACHINE_CORES];
    struct numa numa;
    struct platform platform;
    struct options options;
    struct plan *plan;
};
extern struct machine machine;

/* Resets all of it: a core, a megabyte of memory, a CPU of AMD, an engine of this execution. */
void machine_reset(enum execution execution);

/* Adds cores to the machine, which are threads. */
void machine_add_cores(void);
/* Gives it two nodes of memory, and the last core to the second. */
void machine_add_node(void);
/* Returns the core that the thread is. */
unsigned machine_core(void);

/* Measures the row on the first core, or with all cores if its kind is conducted. */
const struct outcome *machine_measure(const struct bench *b);

/* CPUID has leaves of zeros. */
struct cpuid_regs machine_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf);

/* For is_shared: at all times; for a fifth of the time. */
bool always(void);
bool now_and_then(void);

#endif
