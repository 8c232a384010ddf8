/*
 * A core's own counter, whose overflow sends it an NMI (lib/cpu/overflow.h), through the local
 * APIC's entry for counters. On the running core, from when its traps are loaded. All is as it was
 * found in between.
 */
#ifndef KERNEL_CORES_COUNTER_NMI_H
#define KERNEL_CORES_COUNTER_NMI_H

#include "kernel/cpu/core.h"
#include "kernel/devices/lapic.h"

/* NULL, or why there is none. */
const char *counter_nmi_find(struct overflow_plan *p, const struct lapic *l);
/* Fires after this many ticks, or some other time: it counts while the core executes, at a rate
 * of its own, and may reach less far. NULL, or why not. */
const char *counter_nmi_start(struct core *c, const struct overflow_plan *p, const struct lapic *l,
                              uint64_t ticks);
/* In the NMI's handler: whether this counter sent it. */
bool counter_nmi_came(const struct core *c);
/* Once more, from now. */
void counter_nmi_again(struct core *c, const struct lapic *l, uint64_t ticks);
/* Nothing where it is not set. */
void counter_nmi_stop(struct core *c, const struct lapic *l);

#endif
