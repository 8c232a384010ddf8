/*
 * Fills the page in which a core starts (kernel/cores/trampoline.asm). Each core that arrives takes
 * the next place and calls the entry with it, on its stack, in 64-bit mode with paging on. It has
 * no usable GDT, IDT or SSE yet.
 */
#ifndef KERNEL_CORES_TRAMPOLINE_H
#define KERNEL_CORES_TRAMPOLINE_H

#include <stdint.h>
#include "kernel/cpu/core.h"

/* Where one core continues. */
struct trampoline_place {
    struct core *core;
    uint64_t stack_top;
};

struct trampoline {
    uint64_t root;    /* CR3 in 64-bit mode */
    uint32_t *ticket; /* number of the next core, from 0 */
    const struct trampoline_place *place;
    void (*entry)(struct core *c); /* never returns */
    uint32_t places;
    uint32_t root_low;       /* a copy of the root in a page below 4 GiB */
    uint32_t cr0, cr4, efer; /* EFER's bits are added to those already set */
};

/* Writes the code and its values to `page`, below 1 MiB, identity-mapped and writable. */
void trampoline_write(uint64_t page, const struct trampoline *t);

#endif
