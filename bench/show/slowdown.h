/* Compares a row that cores measured together with the same row on one core alone. */
#ifndef BENCH_SHOW_SLOWDOWN_H
#define BENCH_SHOW_SLOWDOWN_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "lib/text/json.h"

/* Write a line of the table, and members of the row's record; nothing for a row measured alone. */
void slowdown_show(struct report *r, const struct run_facts *run, const struct row *row);
void slowdown_record(struct json *j, const struct run_facts *run, const struct row *row);

#endif
