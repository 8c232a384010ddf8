/* The self-tests of the measurement, told: of every platform (kernel/report/selftest.h has the bare
 * machine's own). */
#ifndef BENCH_SHOW_SELFTESTS_H
#define BENCH_SHOW_SELFTESTS_H

#include "bench/api/report.h"
#include "bench/measure/context.h"
#include "bench/measure/cycle.h"
#include "bench/measure/probe.h"

/* "linearity", of another core "linearity_coreN" (bench/measure/probe.h, probe_judge). */
void selftests_linearity(const struct engine *e, const struct probe *p, struct report *r);

/* "core_counter" (bench/measure/cycle.h, cycle_judge). */
void selftests_counter(struct engine *e, struct report *r);

/* "instructions", of another core "instructions_coreN": after the last row, whether single-stepping
 * counted what is known, and what the rows' windows counted where instructions are counted. Nothing
 * where nothing was stepped. */
void selftests_steps(const struct engine *e, struct report *r);

/* Both of another core, which has judged its counter itself: "linearity_coreN",
 * "core_counter_coreN". */
void selftests_core(const struct engine *e, const struct probe *p, const struct cycle_check *c,
                    struct report *r);

#endif
