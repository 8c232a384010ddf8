/*
 * turbo=, prefetch=, freq= on the cores of this machine (lib/cpu/quiet.h decides and does, core by core),
 * and the SMI counter. All is put back by machine_unquiet(), which every way out goes through.
 */
#ifndef KERNEL_MACHINE_QUIET_H
#define KERNEL_MACHINE_QUIET_H

#include "lib/cpu/quiet.h"

struct machine;

struct quieted {
    struct quiet *core;         /* by the cores' numbers; entry 0 alone where nothing is asked */
    unsigned cores;             /* that were asked */
    unsigned failed[QUIET_IDS]; /* of them, where a setting is not as asked */
    bool stuck;                 /* some MSR does not read back as it was found */
    bool smi_counter;
    bool c1e, c1e_known;
};

/* Bytes of arena that machine_quiet() takes. */
uint64_t quiet_cost(unsigned cores);

/* Once the cores are there. NULL, or why nothing can be measured. */
const char *machine_quiet(struct machine *m);
/* As found; may be called again. `others`: they can be called, the way out is no fault's. */
void machine_unquiet(struct machine *m, bool others);

/* SMIs of the running core so far; meaningless without smi_counter. */
uint64_t quiet_smis(void);

#endif
