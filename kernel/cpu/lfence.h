/* Whether LFENCE holds later instructions back until earlier ones are done, on the running core. */
#ifndef KERNEL_CPU_LFENCE_H
#define KERNEL_CPU_LFENCE_H

#include "lib/cpu/cpu.h"

enum lfence_state {
    LFENCE_ALWAYS,    /* Intel; AMD families 0Fh and 11h, or CPUID 8000_0021 EAX[2] */
    LFENCE_WAS_SET,   /* AMD's DE_CFG bit 1, by the firmware */
    LFENCE_SET_NOW,   /* the same, by us; read back */
    LFENCE_COULD_NOT, /* no such MSR, or a hypervisor swallowed the write */
    LFENCE_UNKNOWN,   /* a vendor whose manual does not say */
    LFENCE_STATES
};
/* "always", "was_set", "set_now", ... */
extern const char *const lfence_state_names[LFENCE_STATES];

/* Sets the bit where it is clear. */
enum lfence_state lfence_make_serializing(const struct cpu *cpu);
/* Clears the bit again where the above has set it. */
void lfence_restore(enum lfence_state state);

#endif
