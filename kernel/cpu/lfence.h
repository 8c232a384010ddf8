/* Makes LFENCE wait for earlier instructions before later ones start, on the running core. */
#ifndef KERNEL_CPU_LFENCE_H
#define KERNEL_CPU_LFENCE_H

#include "lib/cpu/cpu.h"

enum lfence_state {
    LFENCE_ALWAYS,    /* Intel; AMD families 0Fh and 11h, or CPUID 8000_0021 EAX[2] */
    LFENCE_WAS_SET,   /* AMD's DE_CFG bit 1, set by the firmware */
    LFENCE_SET_NOW,   /* the same bit, set by baretick and read back */
    LFENCE_COULD_NOT, /* no such MSR, or a hypervisor ignored the write */
    LFENCE_UNKNOWN,   /* a vendor whose manual does not say */
    LFENCE_STATES
};
/* "always", "was_set", "set_now", ... */
extern const char *const lfence_state_names[LFENCE_STATES];

/* Sets the bit if it is clear. */
enum lfence_state lfence_make_serializing(const struct cpu *cpu);
/* Clears the bit if lfence_make_serializing() set it. */
void lfence_restore(enum lfence_state state);

#endif
