/*
 * Accesses that may fault and survive it: the fixup table (section `fixups`) has each such
 * instruction and the address at which to continue after a #GP or #PF. Usable once the traps are
 * loaded (kernel/trap/traps.h).
 */
#ifndef KERNEL_CPU_MSR_H
#define KERNEL_CPU_MSR_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"
#include "lib/cpu/register_bits.h"

/* False: this CPU (or its hypervisor) has no such MSR; *v is then 0. */
bool msr_read(uint32_t msr, uint64_t *v);
/* False: no such MSR, or the value is not allowed. A hypervisor may ignore a write: read it
 * back. */
bool msr_write(uint32_t msr, uint64_t v);

/* Both as functions; they act on the core that calls them. */
extern const struct msr_access msr_here;

/* Reads a counter by RDPMC (SDM vol. 2B: bit 30 of the index selects fixed ones). False: it
 * faults. */
bool pmc_read(uint32_t index, uint64_t *v);

/* Reads 8 bytes at a virtual address. False: nothing is mapped, or the address is not canonical. */
bool mem_read(uint64_t address, uint64_t *v);

/* Distances from the field itself in bytes, so that the table needs no relocation. */
struct fixup {
    int32_t instruction, resume;
};

/* Returns where to continue after a fault at `rip`. 0: no fixup; the fault is real. */
uint64_t fixup_find(uint64_t rip);

#endif
