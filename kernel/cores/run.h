/*
 * Calls: a core that serves sleeps until the boot core gives it something to run. Faults and NMIs
 * on other cores.
 */
#ifndef KERNEL_CORES_RUN_H
#define KERNEL_CORES_RUN_H

#include "kernel/cores/cores.h"
#include "kernel/trap/traps.h"

typedef void core_fn(void *ctx, unsigned core);

/* On a core that has settled: runs what it is woken for, until it is told to go home. */
void core_serve(struct core *c);

/*
 * On the boot core: fn(ctx, i) on core i, or on all n of the list at once, as struct platform_cores
 * has it for run() and together(). NULL, or why it could not be, or what stopped it.
 */
const char *cores_run(struct cores *all, unsigned i, core_fn *fn, void *ctx);
const char *cores_together(struct cores *all, const unsigned *list, unsigned n, core_fn *fn,
                           void *ctx);
/*
 * fn on core i while the boot core does its own part, `here`, NULL for none. Everything bounded,
 * for cores that are not known to answer. False: it did not within `ticks`, and was given up.
 */
bool cores_try(struct cores *all, unsigned i, core_fn *fn, void *ctx, void (*here)(void *ctx),
               uint64_t ticks);

/* The NMI hook of kernel/trap/traps.h, for every core. */
void core_nmi(struct core *c);

/*
 * A fatal exception on another core than the boot core, in three steps on that core. The first
 * keeps its words for cores_run(), and waits, bounded, until no other core prints; false: it
 * faulted while it printed an earlier one, so nothing more is to be said.
 */
bool core_fault_begin(struct core *c, const struct trap_frame *f);
/* It has been printed. */
void core_fault_end(struct core *c);
/* It leaves its meeting and stops for good. */
_Noreturn void core_fault_stop(struct core *c);

#endif
