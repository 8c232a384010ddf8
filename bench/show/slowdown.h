/* Compares a row with share=together with the same row on one core alone. */
#ifndef BENCH_SHOW_SLOWDOWN_H
#define BENCH_SHOW_SLOWDOWN_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "lib/text/json.h"

struct slowdown {
    bool relative; /* a quotient; false: a difference, because the row's cost is close to zero */
    double ticks;  /* by the TSC: includes a lower core clock when all cores run */
    double cycles, low, high; /* by the ruler: only the effect of shared resources is left */
};

/* Returns the slowdown of a row that has figures of both. */
struct slowdown slowdown_of(const struct row *row);

/* Write a line of the table, and members of the row's record; nothing for a row measured alone. */
void slowdown_show(struct report *r, const struct run_facts *run, const struct row *row);
void slowdown_record(struct json *j, const struct run_facts *run, const struct row *row);

#endif
