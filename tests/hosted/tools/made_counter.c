/*
 * A counter of core cycles that every machine has, in place of hosted/platform/counter.c: the TSC,
 * scaled so that a chain of additions takes as many cycles. build/hosted/counted uses it, so that
 * tests see the fields of a CPU with a counter; its figures mean nothing.
 */
#include <stdlib.h>
#include "bench/api/tsc.h"
#include "bench/engine/cycle.h"
#include "lib/config/choices.h"
#include "lib/cpu/core_counter.h"
#include "lib/cpu/cpu.h"
#include "hosted/platform/process.h"

#define BITS 48

static struct {
    struct timer pmc, perf;
    double cycles_per_tick;
} counters[CORE_LIST_MAX], *here = counters;

static uint64_t tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static enum timer_status read_made(struct timer *t, uint64_t *count)
{
    (void)t;
    *count = (uint64_t)((double)tsc() * here->cycles_per_tick) & ((1ull << BITS) - 1);
    return TIMER_OK;
}

static const char *start_made(struct timer *t)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < COUNTER_PROOF_TRIES; i++) {
        uint64_t from = tsc();
        chain_adds(COUNTER_PROOF_ADDS);
        uint64_t took = tsc() - from;
        least = took < least ? took : least;
    }
    here->cycles_per_tick = (double)COUNTER_PROOF_ADDS / (double)least;
    t->bits = BITS;
    return NULL;
}

static void stop_made(struct timer *t)
{
    (void)t;
}

void counter_core(unsigned core, int cpu)
{
    (void)cpu;
    here = &counters[core];
}

void counter_resume(void)
{
}

void counter_after_fork(void)
{
}

struct timer *counter_source(void *context, unsigned id, const char **why)
{
    (void)context;
    *why = NULL;
    if (id == CYCLE_PMC || id == CYCLE_PERF) {
        struct timer *t = id == CYCLE_PMC ? &here->pmc : &here->perf;
        *t = (struct timer){.name = id == CYCLE_PMC ? "pmc" : "perf",
                            .start = start_made,
                            .read = read_made,
                            .stop = stop_made,
                            .bits = BITS};
        return t;
    }
    if (id != CYCLE_APERF)
        return cycle_plain(id, cpu_has_rdtscp(process_cpuid, NULL), why);
    *why = "no made counter has this name";
    return NULL;
}

/* One more instruction at each reading: every window has the same count, whatever it contains. */
static enum timer_status read_one_more(struct timer *t, uint64_t *count)
{
    static uint64_t readings;

    (void)t;
    *count = ++readings;
    return TIMER_OK;
}

static const char *start_at_once(struct timer *t)
{
    t->bits = BITS;
    return NULL;
}

/* With MADE_RETIRED in the environment: a wrong count. */
struct timer *counter_retired(void *context, const char **why)
{
    static struct timer wrong = {.name = "retired",
                                 .start = start_at_once,
                                 .read = read_one_more,
                                 .stop = stop_made,
                                 .bits = BITS};

    (void)context;
    *why = getenv("MADE_RETIRED") ? NULL : "no made counter counts instructions";
    return *why ? NULL : &wrong;
}
