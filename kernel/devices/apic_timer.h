/*
 * The timer of the running core's local APIC, one shot at a time: SDM vol. 3A section 11.5.4. It
 * delivers an interrupt, never an NMI.
 */
#ifndef KERNEL_DEVICES_APIC_TIMER_H
#define KERNEL_DEVICES_APIC_TIMER_H

#include "kernel/devices/lapic.h"

/* How fast it counts, or slower: a timer that is thought too slow only fires too early. By the
 * running core's, which is off then; all cores' are alike. tsc_hz: of the TSC. */
uint64_t apic_timer_measure(const struct lapic *l, uint64_t tsc_hz);
/* Fires after this many microseconds, or as far as it reaches: some seconds at least. hz: as
 * measured. */
void apic_timer_start(const struct lapic *l, unsigned vector, uint64_t hz, uint64_t us);
void apic_timer_stop(const struct lapic *l, unsigned vector);

#endif
