/*
 * The machine's part of a report:
 *
 *   machine_facts.c  the head: the machine, and how far the figures can be trusted
 *   control_facts.c  possible disturbances: settings found and in force, SMIs, PCI devices; at the
 *                    report's end what to change
 *   checks.c         what was refused or could not be set, and what may spoil figures; self-tests
 *                    of the bare machine (bench/engine/probe_run.h has those of measuring)
 */
#ifndef KERNEL_REPORT_MACHINE_FACTS_H
#define KERNEL_REPORT_MACHINE_FACTS_H

#include "bench/api/report.h"
#include "bench/output/summary.h"
#include "bench/result/facts.h"
#include "bench/result/probe.h"
#include "kernel/machine/machine.h"

/* Writes the head of the table, the `run` record, then every warning as an event. Stores the
 * machine's name in the summary. */
void facts_report(const struct platform *platform, const struct machine *m,
                  const struct run_facts *run, const struct probe *p, struct summary *summary,
                  struct report *r);

/* Near the report's end: reports the bytes sent on the serial line, and the time that they take. */
void facts_cost(const struct machine *m, struct report *r);

void control_facts_show(const struct machine *m, struct sink *out);
/* Writes the fields controls, smi_counter and dma. */
void control_facts_record(const struct machine *m, struct json *j);
/* Warns if cores do not run at the clock that freq= asked for. */
void control_facts_warn(const struct machine *m, const struct run_facts *run, struct report *r);
/* Gives advice; to be called after the last row and after core_controls_restore_all(). */
void control_facts_advise(const struct machine *m, const struct run_facts *run, struct report *r);

/* Writes every warning that is known before the first row as an event. */
void warnings_report(const struct machine *m, const struct run_facts *run, struct report *r);
/* Warns of MSRs that could not be restored. The timers must be stopped before. */
void warnings_left(const struct machine *m, struct report *r);

void selftest_machine(const struct platform *platform, const struct machine *m,
                      const struct run_facts *run, struct report *r);

#endif
