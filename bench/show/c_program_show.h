/* Reports the small C program of method=plain (bench/method/c_program.h). */
#ifndef BENCH_SHOW_C_PROGRAM_SHOW_H
#define BENCH_SHOW_C_PROGRAM_SHOW_H

#include "bench/api/report.h"
#include "bench/model/ahead.h"
#include "bench/model/facts.h"

/* Writes its table, and a record per step, before all rows. A step that did not do its work is a
 * failure of the run. */
void c_program_show(struct report *r, const struct run_facts *run, const struct c_program *c);

#endif
