/* Sets a core up like the boot core: descriptors, traps, control registers, page tables, APIC,
 * interrupts and machine checks. Undoes all of that for a core that is given back. */
#ifndef KERNEL_CORES_SETTLE_H
#define KERNEL_CORES_SETTLE_H

#include "kernel/cores/cores.h"

/* What core_settle() changed, in addition to struct cpu_state. */
struct settled {
    struct irq_masked irq; /* irq.lapic.present: set once the core can be interrupted */
    struct mce mce;
    enum lfence_state lfence;
};

/* Saves the boot core's registers, before the first other core settles. */
void settle_like_boot(struct cores *c);
/* Runs on the core `c` itself, on its own stack. NULL: the core has its number and can be called;
 * else why not. */
const char *core_settle(struct core *c, struct settled *was);
/* On that core: restores what core_settle() changed. */
void core_unsettle(const struct core *c, const struct settled *was);

#endif
