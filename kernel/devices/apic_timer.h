/* The timer of the running core's local APIC in one-shot mode: SDM vol. 3A section 11.5.4. It
 * delivers an interrupt, never an NMI. */
#ifndef KERNEL_DEVICES_APIC_TIMER_H
#define KERNEL_DEVICES_APIC_TIMER_H

#include "kernel/devices/lapic.h"

/* Returns the timer's frequency in Hz, or less: with too low a value the timer fires early, never
 * late. Measures the running core's timer and leaves it off; all cores' timers are alike. */
uint64_t apic_timer_measure(const struct lapic *l, uint64_t tsc_hz);
/* Starts the timer for this many microseconds, or for its longest interval, at least some seconds.
 * hz: as measured. */
void apic_timer_start(const struct lapic *l, unsigned vector, uint64_t hz, uint64_t us);
void apic_timer_stop(const struct lapic *l, unsigned vector);

#endif
