/* The state of a run, for bench/run.c and the units next to it. */
#ifndef BENCH_RUN_STATE_H
#define BENCH_RUN_STATE_H

#include "bench/cores/plan.h"
#include "bench/progress.h"
#include "bench/essence/essence_take.h"
#include "bench/show/grouped.h"

/* One run: its plan, its rows, and its progress. */
struct run {
    struct plan *plan;
    struct report *report;
    struct essence *essence;
    struct grouped *grouped;
    const struct engine *first; /* of the plan's first core; represents all cores in the report */
    const struct bench *const *rows;
    size_t n;                 /* rows of the registry */
    size_t selected;          /* rows that are run */
    size_t at;                /* index of the current row, ... */
    uint64_t row_began, told; /* ... the TSC at its begin, the ticks used for showing it, ... */
    unsigned cores_done;      /* ... and the cores on which it is done, if one by one */
    size_t passed;            /* rows that are done in this round */
    size_t measured;          /* rows that have figures, or a fault or a failed check */
    char not_measured[200];   /* the first row that was not measured, and why; "": all were */
    const char *suite;        /* the suite that is shown; ... */
    bool headed;              /* ... its heading is written */
    struct progress progress;
};

/* Returns whether this is the last round, in which rows end and are shown. */
static inline bool run_is_last_round(const struct run *run)
{
    return run->plan->round + 1 == run->plan->rounds;
}

#endif
