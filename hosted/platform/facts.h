/* What a hosted report says first: bench/head/head.h's part, the process, and the TSC as a process
 * can know it. */
#ifndef HOSTED_PLATFORM_FACTS_H
#define HOSTED_PLATFORM_FACTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"
#include "bench/essence/essence.h"
#include "hosted/platform/clock.h"
#include "hosted/platform/process.h"

/* The head of the table, the `run` record, then what the process could not get as warnings. The
 * essence gets the machine's name. */
void facts_report(const struct platform *platform, const struct run_facts *run,
                  const struct probe *p, const struct process *process,
                  const struct hosted_clock *clock, bool has_words, struct essence *essence,
                  struct report *r);

/* An event that sums up what happened to the process during all rows; the essence has it, too. */
void facts_witnessed(struct essence *essence, struct report *r);

#endif
