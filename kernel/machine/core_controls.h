/*
 * Applies turbo=, prefetch= and freq= to the cores (lib/cpu/controls.h does it for one core), and
 * counts SMIs. core_controls_restore_all() restores everything; every way out calls it.
 */
#ifndef KERNEL_MACHINE_CORE_CONTROLS_H
#define KERNEL_MACHINE_CORE_CONTROLS_H

#include "kernel/cores/smp.h"
#include "lib/cpu/controls.h"

struct core_controls {
    const struct options *options;
    const struct cpu *cpu;
    struct cores *all;
    struct controls *core;        /* by core number; NULL: nothing was changed */
    unsigned cores;               /* cores to which the settings were applied */
    unsigned failed[CONTROL_IDS]; /* cores of these where the setting is not as requested */
    bool stuck;                   /* some MSR could not be restored */
    bool smi_counter;             /* SMIs are counted: by an MSR, or ... */
    bool smi_event;               /* ... by a performance counter of each core */
    const char *smi_why_not;      /* a core's counter cannot be used; NULL: no such core */
    bool c1e, has_c1e;
};

/* Returns the bytes of arena that core_controls_apply_all() takes. */
uint64_t core_controls_cost(unsigned cores);

/* To be called once the cores are up; the pointers must stay valid. Returns NULL, or why nothing
 * can be measured. */
const char *core_controls_apply_all(struct core_controls *q, const struct options *o,
                                    const struct cpu *cpu, struct arena *a, struct cores *all);
/* Restores the settings as found; may be called again. `others`: the other cores can be called,
 * which is false after a fault. */
void core_controls_restore_all(struct core_controls *q, bool others);

/*
 * Disables the prefetchers of the running core, which has this number, or restores them as found.
 * Returns their state then: "on", "off", "partly off". NULL: it is not known, or they cannot be
 * disabled; *why says why. core_controls_restore_all() restores them too.
 */
const char *core_controls_prefetch(struct core_controls *q, unsigned core, bool off,
                                   const char **why);

/* Returns the SMIs of the running core so far; meaningless without smi_counter. */
uint64_t core_controls_smis(void);

#endif
