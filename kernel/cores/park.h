/*
 * How a core executes nothing until another wants it: HLT, which only the wake-up interrupt ends,
 * or MWAIT on a line of its own. Interrupts are off everywhere else, and held back by CR8 too. Each
 * park_sleep() is ended by exactly one park_wake(), whichever of the two comes first.
 */
#ifndef KERNEL_CORES_PARK_H
#define KERNEL_CORES_PARK_H

#include "kernel/cpu/core.h"
#include "kernel/devices/lapic.h"
#include "lib/cpu/cpu.h"

/* `lapic`: mode and address, the same on every core. Asked for MWAIT, it is HLT all the same where
 * the CPU has none: why, else NULL. */
const char *park_init(const struct cpu *cpu, const struct lapic *lapic, bool mwait);
/* "hlt" or "mwait". */
const char *park_name(void);

/* Lets the running core receive interrupts at all; all sources but other cores stay masked. */
void park_accept(void);

/* On the core `c` itself: until somebody wakes it. */
void park_sleep(struct core *c);
/* On any core. False: the interrupt could not be sent. */
bool park_wake(struct core *c);

/* Lets wake-ups come that nobody waits for any more: before others have the interrupts again. */
void park_drain(void);

/*
 * Waits until `c` executes nothing: it says so two instructions before it is true, so that a little
 * is waited after that. False: not within `ticks`.
 */
bool park_wait_asleep(const struct core *c, uint64_t ticks, uint64_t settle);

/* Whether a wake-up interrupt that the running core sends to itself arrives, within `ticks`. */
bool park_test_own(struct core *c, uint64_t ticks);

/* Sends a signal to `c`, which waits for it in park_await_signal(), running all the time. */
bool park_signal(const struct core *c);
void park_await_signal(struct core *c);

/* From kernel/trap/traps.c: an interrupt of the highest class, the only one that is let through. */
void park_interrupt(unsigned vector);

#endif
