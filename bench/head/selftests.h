/* Reports every platform's self-tests; kernel/report/selftest.h has those of the bare machine. */
#ifndef BENCH_HEAD_SELFTESTS_H
#define BENCH_HEAD_SELFTESTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"

/* Reports "linearity" and "core_counter", on another core with the ending "_coreN". */
void selftests_core(const struct run_facts *run, const struct probe_check *linearity,
                    const struct cycle_check *counter, struct report *r);

/* Reports "instructions", on another core "instructions_coreN", after the last row. It passes if
 * single-stepping counts known instructions, and agrees with counted instructions if there are any.
 * Reports nothing if no row was stepped. */
void selftests_steps(const struct run_facts *run, struct report *r);

#endif
