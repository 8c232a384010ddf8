/* Calls: a serving core sleeps until the boot core gives it something to run. Also faults and NMIs
 * on other cores. */
#ifndef KERNEL_CORES_RUN_H
#define KERNEL_CORES_RUN_H

#include "kernel/cores/cores.h"
#include "kernel/trap/traps.h"

typedef void core_fn(void *ctx, unsigned core);

/* On a core that has settled: runs the jobs that it is woken for, until it is sent back to the
 * firmware. */
void core_serve(struct core *c);

/* On the boot core: run fn(ctx, i) on core i, or on all n cores of the list at once, as run() and
 * together() of struct platform_cores. Return NULL, or why it could not run or what stopped it. */
const char *cores_run(struct cores *all, unsigned i, core_fn *fn, void *ctx);
const char *cores_together(struct cores *all, const unsigned *list, unsigned n, core_fn *fn,
                           void *ctx);
/* Runs fn on core i while the boot core runs `here` (NULL: nothing). Everything is bounded, for
 * cores that are not known to answer. False: it did not finish within `ticks` and was given up. */
bool cores_try(struct cores *all, unsigned i, core_fn *fn, void *ctx, void (*here)(void *ctx),
               uint64_t ticks);

/* The NMI hook of kernel/trap/traps.h, for every core. */
void core_nmi(struct core *c);

/*
 * A fatal exception on a core other than the boot core, in three steps on that core. The first
 * keeps the description for cores_run() and waits, bounded, until no other core prints. False: the
 * core faulted again while it printed, so it must print nothing more.
 */
bool core_fault_begin(struct core *c, const struct trap_frame *f);
/* Marks the fault as printed. */
void core_fault_end(struct core *c);
/* Leaves the core's meeting and stops the core for good. */
_Noreturn void core_fault_stop(struct core *c);

#endif
