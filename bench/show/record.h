/* Writes the `row` record of a finished row (docs/report.md). */
#ifndef BENCH_SHOW_RECORD_H
#define BENCH_SHOW_RECORD_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

/* The names in records of enum row_status: "ok", "wrong", "unsupported". */
extern const char *const record_status[];
/* The names in records of enum form: "empty" to "cores"; other forms have no such record. */
extern const char *const record_form[];

void record_row(struct report *r, const struct run_facts *run, const struct row *row);

#endif
