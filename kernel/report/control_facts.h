/* Reports possible disturbances: settings found and in force, SMIs, PCI devices; and at the
 * report's end what to change. kernel/report/facts.c has the rest of the head. */
#ifndef KERNEL_REPORT_CONTROL_FACTS_H
#define KERNEL_REPORT_CONTROL_FACTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "kernel/machine/machine.h"

void control_facts_show(const struct machine *m, struct sink *out);
/* Writes the fields controls, smi_counter and dma. */
void control_facts_record(const struct machine *m, struct json *j);
/* Warns of settings that are not as requested, and of watchdogs. */
void control_facts_warn(const struct machine *m, struct report *r);

/* Gives advice; to be called after the last row and after core_controls_restore_all(). */
void control_facts_advise(const struct machine *m, const struct run_facts *run, struct report *r);

#endif
