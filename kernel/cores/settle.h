/*
 * A core made ours: descriptors, traps, control registers, page tables, APIC, interrupts and
 * machine checks as on the boot core, and, for a core that is given back, all of that undone.
 */
#ifndef KERNEL_CORES_SETTLE_H
#define KERNEL_CORES_SETTLE_H

#include "kernel/cores/cores.h"

/* What core_settle() changed, beside what struct cpu_state has. */
struct settled {
    struct irq_masked irq; /* irq.lapic.present: it came so far that it can be interrupted */
    struct mce mce;
    enum lfence_state lfence;
};

/* Notes the boot core's registers, before the first other core settles. */
void settle_like_boot(struct cores *c);
/* On the core `c` itself, on its own stack. NULL: it has its number, and can be called; or why it
 * cannot be used. */
const char *core_settle(struct core *c, struct settled *was);
/* On that core: as it was found. */
void core_unsettle(const struct core *c, const struct settled *was);

#endif
