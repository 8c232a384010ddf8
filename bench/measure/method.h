/*
 * The literature's methods, each as its author gave it (docs/method.md, last section), shown under its own
 * name beside ours. One placement, aligned; the body's windows and those of what is subtracted go
 * through the same method; a row's figure is the difference. Streamed: no
 * sample is kept.
 */
#ifndef BENCH_MEASURE_METHOD_H
#define BENCH_MEASURE_METHOD_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/options.h"
#include "lib/stats/adaptive.h"
#include "lib/stats/ensemble.h"
#include "lib/stats/kbest.h"
#include "lib/stats/moments.h"

struct engine;
struct placed;
struct row;
struct report;
struct json;

/* What a method made of one kind of window. */
struct method_side {
    struct moments all; /* plain: mean and standard deviation (n-1) */
    uint64_t least, greatest;
    struct kbest kbest;
    struct ensemble_result ensemble;
};

struct method_result {
    enum method method;
    double ticks;   /* one operation, what is subtracted taken off */
    double lattice; /* kbest: +- so many ticks an operation, the TSC's step */
    struct method_side body, empty;

    uint64_t turns; /* adaptive: of the last stretch */
    enum adaptive_state state;
    struct adaptive_result adaptive;
    uint64_t clock_again, clock_failed; /* its readings that were repeated, and given up */
};

/* Runs the row's only placement by the method that method= selects; fills row->method, status, why
 * and errors. */
void method_row(struct engine *e, const struct placed *p, struct row *row);

/* The rest of a row's table line, and the members of its record. */
void method_show(struct report *r, const struct engine *e, const struct row *row);
void method_record(struct json *j, const struct engine *e, const struct row *row);

#endif
