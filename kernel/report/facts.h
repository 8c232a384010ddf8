/* What the report says first: on what, with what settings, and how far its figures can be trusted.
 */
#ifndef KERNEL_REPORT_FACTS_H
#define KERNEL_REPORT_FACTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"
#include "bench/essence/essence.h"
#include "kernel/machine/machine.h"

/* The head of the table, the `run` record, then every warning as an event. The essence gets the
 * machine's name. */
void facts_report(const struct platform *platform, const struct machine *m,
                  const struct run_facts *run, const struct probe *p, struct essence *essence,
                  struct report *r);

/* Once the timers are stopped: warns of what could not be left as it was found. */
void facts_left(const struct machine *m, struct report *r);

/* Near the report's end: what the serial line had to carry, and how long that takes it. */
void facts_cost(const struct machine *m, struct report *r);

#endif
