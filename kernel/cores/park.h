/*
 * Parks a core until another core wakes it: in HLT, which only the wake-up interrupt ends, or in
 * MWAIT on a dedicated line. Everywhere else interrupts are disabled, and CR8 blocks them too. Each
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
    const char *refused; /* why park= is not as requested; NULL: it is */
};

/* Chooses HLT where MWAIT is requested but not available; `refused` says why. */
struct parking park_choose(const struct cpu *cpu, const struct lapic *lapic, bool mwait);
/* Returns the effective method: "hlt" or "mwait". */
const char *park_name(const struct parking *p);

/* On the boot core: returns whether MWAIT holds `c`, which is parked, for this many ticks. An
 * emulator's MWAIT returns at once, so the core would run its loop all the time. */
bool park_test_mwait(const struct core *c, uint64_t ticks);
/* Switches all n cores to HLT, parked ones too, and sets `refused`. */
void park_give_up_mwait(struct parking *p, struct core *const *cores, unsigned n);

/* Enables the running core's APIC; all interrupt sources but other cores stay masked. */
void park_accept(const struct parking *p);

/* Sleeps, on the core `c` itself, until another core wakes it. */
void park_sleep(struct core *c);
/* Wakes `c`, from any core. False: the interrupt could not be sent. */
bool park_wake(struct core *c);

/* On the running core: takes the wake-ups that are still pending, before the firmware gets the
 * interrupts back. */
void park_drain(void);

/* Waits until `c` executes nothing. The core sets `asleep` two instructions before it sleeps, so
 * this waits another `settle` ticks. False: it was not asleep within `ticks`. */
bool park_wait_asleep(const struct core *c, uint64_t ticks, uint64_t settle);

/* Returns whether a wake-up interrupt of the running core to itself arrives within `ticks`. */
bool park_test_own(struct core *c, uint64_t ticks);

/* Sends a signal to `c`, which polls for it in park_await_signal(), or has set c->on_signal, which
 * runs in the interrupt's handler. */
bool park_signal(const struct core *c);
void park_await_signal(struct core *c);
/* On the running core: let the signals of other cores through, and block them again. */
void park_listen(void);
void park_deafen(void);

/* The interrupt hook of kernel/trap/traps.h, for vectors of the highest class; no others are let
 * through. Does nothing on a core that has no struct parking yet. */
void park_interrupt(struct core *c, unsigned vector);

#endif
