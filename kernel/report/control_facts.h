/*
 * What a report says of whatever could disturb: settings found and in force, SMIs, PCI devices; and
 * at its end what to change. kernel/report/facts.c has the rest of the head.
 */
#ifndef KERNEL_REPORT_CONTROL_FACTS_H
#define KERNEL_REPORT_CONTROL_FACTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "kernel/machine/machine.h"

void control_facts_show(const struct machine *m, struct sink *out);
/* controls, smi_counter, dma. */
void control_facts_record(const struct machine *m, struct json *j);
/* What was asked for and could not be had; watchdogs. */
void control_facts_warn(const struct machine *m, struct report *r);

/* After the last row, and after core_controls_restore_all(). */
void control_facts_advise(const struct machine *m, const struct run_facts *run, struct report *r);

#endif
