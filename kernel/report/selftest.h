/* The self-tests of the bare machine; bench/measure/probe.h has those of the measurement. */
#ifndef KERNEL_REPORT_SELFTEST_H
#define KERNEL_REPORT_SELFTEST_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "kernel/machine/machine.h"

void selftest_machine(const struct platform *platform, const struct machine *m,
                      const struct run_facts *run, struct report *r);

#endif
