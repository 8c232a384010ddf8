/* Warnings about the machine: what was refused or could not be set, and what may spoil figures. */
#ifndef KERNEL_REPORT_WARNINGS_H
#define KERNEL_REPORT_WARNINGS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "kernel/machine/machine.h"

/* Writes every warning that is known before the first row as an event. */
void warnings_report(const struct machine *m, const struct run_facts *run, struct report *r);

/* Warns of MSRs that could not be restored. The timers must be stopped before. */
void warnings_left(const struct machine *m, struct report *r);

#endif
