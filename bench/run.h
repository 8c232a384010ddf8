/* The benchmark from the first row to the last. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/measure/context.h"
#include "bench/show/essence.h"
#include "bench/show/grouped.h"

/* What is gathered for people: the platform has it at the end of a run, however that came. */
struct shown {
    struct essence essence;
    struct grouped grouped;
};

/* Runs every selected row, in order, on the cores of cores=, and reports each. `boot`: the boot
 * core's engine, probed. The essence in `shown`, which has the machine already, gets all the
 * rest. True: a key stopped it before the last row. */
bool bench_run(const struct engine *boot, struct report *r, struct shown *shown);

#endif
