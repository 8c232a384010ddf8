/*
 * Our own page tables, on the boot core's CR3 from paging_init() on; every other core has the same,
 * or a copy of the root with buffers of its own.
 *
 *   [0, 4 GiB)            identity, read and write, never executed; page 0 not mapped
 *   RAM above             the same; also whatever the map marks for runtime services
 *   image                 .text read and execute, .data read and write, all else read only
 *   runtime code          read, write, execute: ResetSystem is called there
 *   framebuffer           identity, write-combining
 *   pages below stacks    not mapped
 *   PLATFORM_CODE_VA      4 KiB pages of arena, either writable or executable, mapped nowhere else
 *   PLATFORM_DATA_VA      4 KiB pages of arena, read and write
 *   MMIO                  identity, uncached, on demand
 *   cores' start page     below 1 MiB, executable while cores start
 *
 * Pages are as large as alignment and MTRRs allow. LA57 stays as found.
 */
#ifndef KERNEL_CPU_PAGING_H
#define KERNEL_CPU_PAGING_H

#include "kernel/cpu/core.h"
#include "kernel/memory/arena.h"
#include "kernel/memory/handoff.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/pagetable.h"

struct paging {
    struct pagetable tables;
    const struct handoff *handoff;
    uint64_t code, data;       /* physical addresses of the two buffers */
    uint64_t phys_limit;       /* addresses from here on are none */
    unsigned regions_left_out; /* of RAM, beyond what the tables can hold */
    bool framebuffer;          /* mapped; write-combining, or uncached without PAT */
};

/* Bytes of arena that paging_init() takes, by a memory map that is not final yet. */
uint64_t paging_cost(const struct handoff *h);

/* Builds the tables and loads them. NULL, or why it could not be done (the old tables are in
 * force then). */
const char *paging_init(struct paging *p, const struct handoff *h, struct arena *a,
                        const struct cpu *cpu, const struct mtrr *mtrr, const struct core *core);

/*
 * NULL when the address cannot be a device's (below 1 MiB, beyond the CPU's width, inside RAM), or
 * no table is left.
 */
volatile void *paging_map_mmio(struct paging *p, uint64_t address, uint64_t size);

/* A core's stacks: the pages below them are left out; its descriptors and the stack of double
 * faults are as paging_open() makes them. */
bool paging_core(struct paging *p, const struct core *core);

/*
 * Pages of ours that are not closed to execution: what the CPU needs on its way into the handler of
 * a double fault, and that handler until it has set EFER.NXE again (kernel/cpu/row_state.h). While
 * NXE is clear the bit that closes a page is a reserved one.
 */
bool paging_open(struct paging *p, uint64_t at, uint64_t size, bool write);

/* Whether a core can begin to execute at a page below 1 MiB; else it is memory like any other. */
bool paging_low_page(struct paging *p, uint64_t page, bool execute);

/*
 * Tables for one core: all as in the shared ones, which they go on sharing, but for a code and a
 * data buffer of its own. False: no room. To be made after the last paging_map_mmio() that it
 * needs.
 */
bool paging_own(struct paging *p, struct arena *a, struct core *core);
uint64_t paging_own_cost(const struct handoff *h);

/* The running core's shared or own tables, with nothing remembered of what was there before. */
void paging_use(const struct paging *p, const struct core *core, bool own);

/* The running core's code buffer is writable and not executable, or the reverse; never both. */
void paging_code_write(struct paging *p);
void paging_code_exec(struct paging *p);

#endif
