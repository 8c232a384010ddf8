/* What the report says of cores: which there are, and what measuring together costs. */
#ifndef BENCH_SHOW_CORES_SHOW_H
#define BENCH_SHOW_CORES_SHOW_H

#include "bench/api/report.h"
#include "bench/cores/plan.h"

/* Before the rows: a `core` record for each core of the platform; where there are several, a
 * table. Nothing where the platform knows but one core. */
void cores_show(const struct plan *plan, struct report *r);

/* A row that cores measured together, against the same row alone: a line of the table, and members
 * of its record. Nothing for a row that was alone. */
void cores_slowdown_show(struct report *r, const struct engine *e, const struct row *row);
void cores_slowdown_record(struct json *j, const struct engine *e, const struct row *row);

#endif
