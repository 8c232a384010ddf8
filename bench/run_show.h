/* Shows and counts rows that have ended. */
#ifndef BENCH_RUN_SHOW_H
#define BENCH_RUN_SHOW_H

#include "bench/model/curve.h"
#include "bench/model/forward.h"
#include "bench/model/insn.h"
#include "bench/model/limit.h"
#include "bench/run_state.h"

/* Writes the heading above the first row of a suite that is shown. */
void run_show_suite(struct run *run, const struct bench *b);
/* Shows the watches of all cores. The run has failed if a core was aborted or did not answer, and
 * if gaps_max= is exceeded. */
void run_show_quiet(struct run *run, const struct quiet *q);
/* Show a curve or a map of the plan's k-th core. It is no row of the report, but its checks can
 * fail. */
void run_show_curve(struct run *run, const struct curve *c, unsigned k);
void run_show_forward(struct run *run, const struct forward_map *m, unsigned k);
/* Returns about how many bytes the records of the selected curves and maps take, on all cores. */
uint64_t run_curve_bytes(const struct run *run);
/* Shows and counts the forms of instructions of the plan's k-th core. */
void run_show_forms(struct run *run, const struct insn_table *t, unsigned k);
void run_show_limit(struct run *run, const struct limit *l, unsigned k);
/* Counts a row that was reported; facts: of its core. */
void run_count(struct run *run, const struct row *row, const struct run_facts *facts);
/* Shows the row that ended on the plan's k-th core, if one did, with its events. */
void run_show_row(struct run *run, unsigned k);

#endif
