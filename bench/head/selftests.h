/* The self-tests of the measurement, told: of every platform (kernel/report/selftest.h has the bare
 * machine's own). */
#ifndef BENCH_HEAD_SELFTESTS_H
#define BENCH_HEAD_SELFTESTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"

/* "linearity" and "core_counter"; of another core "linearity_coreN" and "core_counter_coreN". */
void selftests_core(const struct run_facts *run, const struct probe_check *linearity,
                    const struct cycle_check *counter, struct report *r);

/* "instructions", of another core "instructions_coreN": after the last row, whether single-stepping
 * counted what is known, and what the rows' windows counted where instructions are counted. Nothing
 * where nothing was stepped. */
void selftests_steps(const struct run_facts *run, struct report *r);

#endif
