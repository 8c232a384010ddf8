/* The head of the report: the machine, the settings, and how far the figures can be trusted. */
#ifndef KERNEL_REPORT_FACTS_H
#define KERNEL_REPORT_FACTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"
#include "bench/essence/essence.h"
#include "kernel/machine/machine.h"

/* Writes the head of the table, the `run` record, then every warning as an event. Stores the
 * machine's name in the essence. */
void facts_report(const struct platform *platform, const struct machine *m,
                  const struct run_facts *run, const struct probe *p, struct essence *essence,
                  struct report *r);

/* Near the report's end: reports the bytes sent on the serial line, and the time that they take. */
void facts_cost(const struct machine *m, struct report *r);

#endif
