/* The self-tests of the bare machine; bench/probe.h has those of the measurement. */
#ifndef KERNEL_SELFTEST_H
#define KERNEL_SELFTEST_H

#include "bench/engine.h"
#include "bench/report.h"
#include "kernel/machine.h"

void selftest_machine(const struct machine *m, const struct engine *e, struct report *r);

#endif
