/* Where core cycles come from, in the report's head. */
#ifndef BENCH_HEAD_CYCLE_SHOW_H
#define BENCH_HEAD_CYCLE_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

/* What cycles are by, beside what, and why not by others. */
void cycle_show(const struct run_facts *run, struct sink *out);
/* cycle, cycle_refused; cycle_counter, cycle_counter_refused: the counter beside the ruler. */
void cycle_record(const struct run_facts *run, struct json *j);
/* A warning where no source starts. */
void cycle_warn(const struct run_facts *run, struct report *r);

#endif
