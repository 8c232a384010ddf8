/*
 * turbo=, prefetch=, freq= on the cores of this machine (lib/cpu/controls.h decides and does, core
 * by core), and the SMI counter. All is put back by core_controls_restore_all(), which every way
 * out goes through.
 */
#ifndef KERNEL_MACHINE_CORE_CONTROLS_H
#define KERNEL_MACHINE_CORE_CONTROLS_H

#include "kernel/cores/cores.h"
#include "lib/cpu/controls.h"

struct core_controls {
    const struct options *options;
    const struct cpu *cpu;
    struct cores *all;
    struct controls *core;        /* by the cores' numbers; NULL: nothing was changed */
    unsigned cores;               /* that were asked */
    unsigned failed[CONTROL_IDS]; /* of them, where a setting is not as asked */
    bool stuck;                   /* some MSR does not read back as it was found */
    bool smi_counter;
    bool c1e, has_c1e;
};

/* Bytes of arena that core_controls_apply_all() takes. */
uint64_t core_controls_cost(unsigned cores);

/* Once the cores are there; the pointers must stay. NULL, or why nothing can be measured. */
const char *core_controls_apply_all(struct core_controls *q, const struct options *o,
                                    const struct cpu *cpu, struct arena *a, struct cores *all);
/* As found; may be called again. `others`: the other cores can be called, since this is no fault's
 * way out. */
void core_controls_restore_all(struct core_controls *q, bool others);

/* SMIs of the running core so far; meaningless without smi_counter. */
uint64_t core_controls_smis(void);

#endif
