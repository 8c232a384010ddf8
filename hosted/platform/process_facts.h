/* The start of a hosted report: the part of bench/output/head.h, the process, and the TSC as
 * measured in a process. */
#ifndef HOSTED_PLATFORM_PROCESS_FACTS_H
#define HOSTED_PLATFORM_PROCESS_FACTS_H

#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/result/probe.h"
#include "bench/output/summary.h"
#include "hosted/platform/clock.h"
#include "hosted/platform/process.h"

/* Writes the head of the table, the `run` record, and a warning for each thing that the process was
 * refused. The summary gets the machine's name. */
void facts_report(const struct platform *platform, const struct run_facts *run,
                  const struct probe *p, const struct process *process,
                  const struct hosted_clock *clock, bool has_words, struct summary *summary,
                  struct report *r);

/* Writes an event that sums up what happened to the process in all rows, also to the summary. */
void facts_events(struct summary *summary, struct report *r);

#endif
