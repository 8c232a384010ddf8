/*
 * Makes the overflow of the running core's performance counter send it an NMI (lib/cpu/overflow.h),
 * through the local APIC's LVT entry for counters. Usable once the core's traps are loaded.
 * counter_nmi_stop() restores everything that counter_nmi_start() changed.
 */
#ifndef KERNEL_CORES_COUNTER_NMI_H
#define KERNEL_CORES_COUNTER_NMI_H

#include "kernel/cpu/core.h"
#include "kernel/devices/lapic.h"

/* Finds the counter. Returns NULL, or why it cannot be used. */
const char *counter_nmi_find(struct overflow_plan *p, const struct lapic *l);
/* Sends the NMI after about this many ticks. It may come earlier or later: the counter counts only
 * while the core executes, at a different rate, and may have a shorter range. Returns NULL, or why
 * it could not be started. */
const char *counter_nmi_start(struct core *c, const struct overflow_plan *p, const struct lapic *l,
                              uint64_t ticks);
/* In the NMI handler: returns whether this counter sent the NMI. */
bool counter_nmi_came(const struct core *c);
/* Starts the interval again from now. */
void counter_nmi_again(struct core *c, const struct lapic *l, uint64_t ticks);
/* Does nothing if the counter is not set. */
void counter_nmi_stop(struct core *c, const struct lapic *l);

#endif
