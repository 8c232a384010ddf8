/* Runs the benchmark, from the probe to the verdict. */
#ifndef BENCH_RUN_RUN_H
#define BENCH_RUN_RUN_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/output/summary.h"
#include "bench/engine/engine.h"
#include "bench/result/probe.h"
#include "bench/output/grouped.h"
#include "lib/config/status.h"

/* The contents of the table's end, collected during the run. The platform owns it, so that it is
 * available after a fault. */
struct shown {
    struct summary summary;
    struct grouped grouped; /* rows that wait for the end of their suite */
};

/* The platform's parts of the end. Each function may be NULL. */
struct run_end {
    void *ctx;
    /* Writes what the platform still has to report, before the summary. */
    void (*first)(void *ctx);
    /* Writes a line below the summary, above the verdict. */
    void (*hint)(void *ctx);
};

/* The platform's functions that a run calls. `probed` and `rows` may be NULL. */
struct run_steps {
    void *ctx;
    /* Called when the execution is known; no timer has started. */
    void (*probed)(void *ctx, const struct run_facts *run);
    /* Writes the head of the report: the machine, and its self-tests. Names it in the summary. */
    void (*head)(void *ctx, const struct run_facts *run, const struct probe *p);
    /* Called before the first row. */
    void (*rows)(void *ctx);
    /* Restores settings after the last row, with all timers stopped. Sets the report's `faulted` if
     * a core stopped for good. */
    void (*left)(void *ctx, const struct run_facts *run);
    struct run_end end;
};

/*
 * Makes the whole run: probes the boot core, starts the timers, writes the head of the report, runs
 * every selected row, in order, on the cores of cores=, and reports each. Collects the end of the
 * table in `shown`, and writes it. Returns the exit status. STATUS_BAD_OPTIONS: the options ask for
 * a core or a timer that is not available; `refused` has a message, and nothing was measured or
 * reported. The caller owns `e`, for engine_release() after a fault.
 */
enum status bench_run(struct engine *e, const struct platform *p, const struct options *o,
                      const struct run_steps *steps, struct report *r, struct shown *shown,
                      struct sink *refused);

/* Ends the report of a run that cannot begin or continue: the rows that wait, an event of this
 * type with the reason, and the verdict. No summary: a screen shows the event instead. */
void run_end_failed(const struct run_end *end, struct report *r, struct shown *shown,
                    const char *type, const char *why);

#endif
