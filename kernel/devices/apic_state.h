/*
 * Proves that a row leaves the running core's local APIC as it found it: the entry, the divisor and
 * the initial count of the timer are read before the row and compared after each part of it, and no
 * interrupt is in service then. A difference is recorded and restored. Source: SDM vol. 3A sections
 * 11.5.1, 11.5.4 (timer) and 11.8.4 (in service).
 */
#ifndef KERNEL_DEVICES_APIC_STATE_H
#define KERNEL_DEVICES_APIC_STATE_H

#include <stdbool.h>
#include "kernel/cpu/row_state.h"
#include "kernel/devices/lapic.h"
#include "lib/text/sink.h"

/* Begins a row, saving the registers. Does nothing on a core without a local APIC. */
void apic_state_keep(struct row_apic *s, const struct lapic *l);
/* Ends it. */
void apic_state_drop(struct row_apic *s);

/* Restores and records what changed. Writing the initial count restarts the timer. */
void apic_state_put_back(struct row_apic *s, const struct lapic *l);

/* Writes what was changed to `out`, after `before` if that is any, and clears the record. False:
 * nothing was. */
bool apic_state_tell(struct row_apic *s, bool before, struct sink *out);

#endif
