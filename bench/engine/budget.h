/* The time that a curve may take, which is limited even if the TSC's frequency is not known. */
#ifndef BENCH_ENGINE_BUDGET_H
#define BENCH_ENGINE_BUDGET_H

#include <stddef.h>
#include <stdint.h>
#include "bench/api/tsc.h"
#include "bench/result/facts.h"
#include "bench/engine/context.h"

/* Seconds of a curve where no CPU executes the code: one visit of a few points. */
#define BUDGET_PROOF 0.1

struct budget {
    double hz, seconds;
    uint64_t began; /* TSC */
};

/* Begins a budget of `ms` milliseconds. */
static inline struct budget budget_begin(const struct run_facts *run, unsigned ms)
{
    return (struct budget){run_limit_hz(run), ms / 1e3, tsc_now()};
}

/* Returns the seconds since a value of the TSC. */
static inline double budget_since(const struct budget *b, uint64_t tsc)
{
    return (double)(tsc_now() - tsc) / b->hz;
}

/* Returns the seconds that are left; below 0: it is used up. */
static inline double budget_left(const struct budget *b)
{
    return b->seconds - budget_since(b, b->began);
}

/* Restarts the budget with the remaining time, but with at least this fraction of the whole. */
static inline void budget_go_on(struct budget *b, double least)
{
    double left = budget_left(b);

    b->seconds = left > least * b->seconds ? left : least * b->seconds;
    b->began = tsc_now();
}

/* Returns the fraction that is used. */
static inline double budget_used(const struct budget *b)
{
    return budget_since(b, b->began) / b->seconds;
}

/* Returns the most ticks that a curve of `ms` milliseconds takes. */
static inline double budget_guess(const struct run_facts *run, unsigned ms)
{
    return (run->execution == EXEC_SILICON ? ms / 1e3 : BUDGET_PROOF) * run_limit_hz(run);
}

#endif
