/* The benchmark from the first row to the last. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/measure/engine.h"
#include "bench/model/probe.h"
#include "bench/essence/essence.h"
#include "bench/show/grouped.h"

/* What is gathered for people: the platform has it at the end of a run, however that came. */
struct shown {
    struct essence essence;
    struct grouped grouped;
};

/* What a platform does at its place in a run; NULL: nothing. */
struct run_steps {
    void *ctx;
    /* It is known what executes this code; no timer has started. */
    void (*probed)(void *ctx, const struct run_facts *run);
    /* The head of the report: the machine, and its self-tests. The essence gets its name. */
    void (*head)(void *ctx, const struct run_facts *run, const struct probe *p);
    /* The first row comes next. */
    void (*rows)(void *ctx);
    /* After the last row, with all timers stopped: settings are put back. */
    void (*left)(void *ctx, const struct run_facts *run);
};

enum run_end { RUN_DONE, RUN_STOPPED, RUN_REFUSED };

/*
 * The whole run: probes the boot core, starts the timers, writes the head of the report, and runs
 * every selected row, in order, on the cores of cores=, and reports each. What people are shown at
 * the end is gathered in `shown`. RUN_STOPPED: by a key, before the last row. RUN_REFUSED: the
 * options ask for a core or a timer that is not there; a message for people, and nothing was
 * measured or reported. `e` is the caller's, for engine_release() after a fault.
 */
enum run_end bench_run(struct engine *e, const struct platform *p, const struct options *o,
                       const struct run_steps *steps, struct report *r, struct shown *shown,
                       struct sink *refused);

#endif
