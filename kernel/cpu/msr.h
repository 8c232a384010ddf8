/*
 * Accesses that may fault and are survived: a fixup table (section `fixups`) names each such
 * instruction and where to go on after a #GP or #PF at it. Usable once the traps are loaded
 * (kernel/trap/traps.h).
 */
#ifndef KERNEL_CPU_MSR_H
#define KERNEL_CPU_MSR_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/msr_plan.h"

/* False: this CPU (or its hypervisor) has no such MSR; *v is then 0. */
bool msr_read(uint32_t msr, uint64_t *v);
/* False: no such MSR, or not with this value. A hypervisor may also swallow a write: read it
 * back. */
bool msr_write(uint32_t msr, uint64_t v);

/* Both, of the core that calls them, for code that takes accesses as functions. */
struct msr_access msr_here(void);

/* RDPMC of a counter (SDM vol. 2B: bit 30 of the index selects the fixed ones). False: it
 * faults. */
bool pmc_read(uint32_t index, uint64_t *v);

/* Eight bytes at a virtual address; false where nothing is mapped or the address is not
 * canonical. */
bool mem_read(uint64_t address, uint64_t *v);

/* Distances from the field itself, so that the table needs no relocation. */
struct fixup {
    int32_t instruction, resume;
};

/* Where to go on after a fault at `rip`, 0: nowhere, the fault is a real one. */
uint64_t fixup_find(uint64_t rip);

#endif
