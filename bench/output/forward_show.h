/* Shows a map of store forwarding (bench/result/forward.h): ranges of offsets in the table, all
 * cells in records `forward`, one per size of the store. */
#ifndef BENCH_OUTPUT_FORWARD_SHOW_H
#define BENCH_OUTPUT_FORWARD_SHOW_H

#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/result/forward.h"

void forward_heading(struct report *r, const struct run_facts *run, const char *suite);
void forward_show(const struct run_facts *run, const struct forward_map *m, struct report *r);

#endif
