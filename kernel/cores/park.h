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

/* One for all cores: each struct core points to it. */
struct parking {
    const struct lapic *lapic; /* mode and address, the same on every core */
    bool mwait;
    const char *refused; /* why park= is not as asked; NULL: it is */
};

/* Where MWAIT is asked for and cannot be had, it is HLT, and `refused` says why. */
struct parking park_choose(const struct cpu *cpu, const struct lapic *lapic, bool mwait);
/* "hlt" or "mwait": effective. */
const char *park_name(const struct parking *p);

/* On the boot core: whether MWAIT holds `c`, which is parked, for this many ticks. An emulator's
 * returns at once, and the core would execute its loop all the time. */
bool park_test_mwait(const struct core *c, uint64_t ticks);
/* From now on it is HLT, on all n cores, those that are parked too; `refused` says so. */
void park_give_up_mwait(struct parking *p, struct core *const *cores, unsigned n);

/* Lets the running core receive interrupts at all; all sources but other cores stay masked. */
void park_accept(const struct parking *p);

/* On the core `c` itself: until another core wakes it. */
void park_sleep(struct core *c);
/* On any core. False: the interrupt could not be sent. */
bool park_wake(struct core *c);

/* On the running core: lets wake-ups in that were sent and are not waited for any more, before the
 * firmware has the interrupts again. */
void park_drain(void);

/*
 * Waits until `c` executes nothing: it reports this two instructions before it is true, so another
 * `settle` ticks are waited after that. False: not within `ticks`.
 */
bool park_wait_asleep(const struct core *c, uint64_t ticks, uint64_t settle);

/* Whether a wake-up interrupt that the running core sends to itself arrives, within `ticks`. */
bool park_test_own(struct core *c, uint64_t ticks);

/* Sends a signal to `c`, which waits for it in park_await_signal(), running all the time. */
bool park_signal(const struct core *c);
void park_await_signal(struct core *c);

/* The interrupt hook of kernel/trap/traps.h: a vector of the highest class, which is the only one
 * that is let through. Nothing happens on a core that has no struct parking yet. */
void park_interrupt(struct core *c, unsigned vector);

#endif
