/* Reports the source of core cycles in the report's head. */
#ifndef BENCH_HEAD_CYCLE_SHOW_H
#define BENCH_HEAD_CYCLE_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

/* Writes the source of core cycles, the counter next to it, and why others are not used. */
void cycle_show(const struct run_facts *run, struct sink *out);
/* Writes cycle, cycle_refused; for the counter next to the ruler cycle_counter,
 * cycle_counter_refused. */
void cycle_record(const struct run_facts *run, struct json *j);
/* Warns if no source starts. */
void cycle_warn(const struct run_facts *run, struct report *r);

#endif
