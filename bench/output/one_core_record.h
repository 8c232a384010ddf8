/* The members that the records of curves, limits, maps and watches have in common
 * (bench/engine/one_core.h). */
#ifndef BENCH_OUTPUT_ONE_CORE_RECORD_H
#define BENCH_OUTPUT_ONE_CORE_RECORD_H

#include "bench/api/report.h"
#include "bench/result/facts.h"

/* Begins the record with the row's suite, name and core. False: this format omits records. */
bool one_core_record_begin(struct report *r, struct json *j, const char *type,
                           const struct outcome *out);
/* Writes `status` and `why`. Returns whether there are figures. */
bool one_core_record_status(struct json *j, const struct outcome *out);
/* Writes the points that a neighbour disturbed, if there are any. */
void one_core_record_shared(struct json *j, const int64_t *point, size_t n);
/* Writes the core's events and ends the record. */
void one_core_record_end(struct json *j, const struct run_facts *run, const struct outcome *out);

#endif
