/* Runs the benchmark, from the probe to the last row. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/measure/engine.h"
#include "bench/model/probe.h"
#include "bench/essence/essence.h"
#include "bench/show/grouped.h"
#include "lib/config/status.h"

/* What is collected for the table's end. The platform has it even after a fault. */
struct shown {
    struct essence essence;
    struct grouped grouped;
};

/* The platform's functions that a run calls. `probed` and `rows` may be NULL. */
struct run_steps {
    void *ctx;
    /* Called when the execution is known; no timer has started. */
    void (*probed)(void *ctx, const struct run_facts *run);
    /* Writes the head of the report: the machine, and its self-tests. Names it in the essence. */
    void (*head)(void *ctx, const struct run_facts *run, const struct probe *p);
    /* Called before the first row. */
    void (*rows)(void *ctx);
    /* Restores settings after the last row, with all timers stopped. */
    void (*left)(void *ctx, const struct run_facts *run);
};

enum run_end { RUN_DONE, RUN_STOPPED, RUN_REFUSED };

/*
 * Makes the whole run: probes the boot core, starts the timers, writes the head of the report, runs
 * every selected row, in order, on the cores of cores=, and reports each. Collects the end of the
 * table in `shown`. RUN_STOPPED: by a key, before the last row. RUN_REFUSED: the options ask for a
 * core or a timer that is not available; `refused` has a message, and nothing was measured or
 * reported. The caller owns `e`, for engine_release() after a fault.
 */
enum run_end bench_run(struct engine *e, const struct platform *p, const struct options *o,
                       const struct run_steps *steps, struct report *r, struct shown *shown,
                       struct sink *refused);

/* The exit status of a run that measured. `core_faulted`: a core stopped for good. */
enum status run_status(const struct report *r, enum run_end end, bool core_faulted);

#endif
