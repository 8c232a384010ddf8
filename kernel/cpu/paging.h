/*
 * Our page tables. The boot core uses them from paging_init() on. Every other core uses the same
 * tables, or a copy of the root with separate buffers.
 *
 *   [0, 4 GiB)            identity, read and write, never executed; page 0 not mapped
 *   RAM above             the same; also regions that the map marks for runtime services
 *   image                 .text read and execute, .data read and write, all else read only
 *   framebuffer           identity, write-combining
 *   pages below stacks    not mapped
 *   PLATFORM_CODE_VA      4 KiB pages of arena, either writable or executable, mapped nowhere else
 *   PLATFORM_DATA_VA      4 KiB pages of arena, read and write
 *   PAGING_SWAP_VA        a page of arena, one of two (paging_swap)
 *   above these           the area for curves over sizes, in pages of each size, and executable
 *                         (area_map.c); also identity-mapped
 *   MMIO                  identity, uncached, on demand
 *   cores' start page     below 1 MiB, executable while cores start
 *
 * Pages are as large as alignment and MTRRs allow. LA57 stays as found.
 */
#ifndef KERNEL_CPU_PAGING_H
#define KERNEL_CPU_PAGING_H

#include "kernel/cpu/core.h"
#include "kernel/cpu/instructions.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/pagetable.h"

/* Our windows of virtual memory, each for one mapping. Nothing else is mapped from the first to the
 * end of the last, so physical addresses there cannot be identity-mapped. */
#define PAGING_WINDOW(n) (PLATFORM_CODE_VA + ((uint64_t)(n) << 42))
#define PAGING_WINDOWS   10

/*
 * --- area_map.c ---
 * The mappings of the areas for curves over sizes, in addition to the identity map, which has pages
 * of any size: in pages of 4 KiB, of 2 MiB and of 1 GiB. Of the first area also regions in which
 * every page is the same memory, so that the reach of a TLB needs no memory; and executable ones,
 * which cannot be written. All are in parts of the address space that the cores share. No device is
 * mapped in them: a page is large only where the MTRRs give all of it one type.
 */

/* A mapping; bytes is 0 if nothing is mapped. */
struct area_view {
    uint64_t at, bytes;
    uint64_t page; /* size of its pages */
    uint64_t code; /* where its content can be executed; 0: nowhere */
    uint64_t code_bytes;
};

struct area_map {
    unsigned index;
    struct area_view small, large, huge;    /* of the area: 4 KiB, 2 MiB, 1 GiB */
    struct area_view same_large, same_huge; /* pages that are all the same memory: of index 0 */
};

/* Returns the tables that area_map_init() takes for an area of `size` bytes. */
unsigned area_map_tables(uint64_t size);

/* Maps the area, physical [phys, phys + size), 2 MiB-aligned; no page beyond phys_limit. False: the
 * tables are used up. */
bool area_map_init(struct area_map *m, unsigned index, struct pagetable *t, uint64_t phys,
                   uint64_t size, uint64_t phys_limit);

/* --- paging.c --- */

struct paging {
    struct pagetable tables;
    const struct handoff *handoff;
    struct code_buffer code; /* the shared one ... */
    uint64_t data;           /* ... and the physical address of the shared data buffer */
    uint64_t phys_limit;     /* paging_limit() */
    struct area_map area[HANDOFF_AREAS]; /* for curves over sizes */
    uint64_t swap;                       /* the physical address of the pages for paging_swap() */
    unsigned regions_left_out; /* regions of the memory map that cannot be identity-mapped */
    bool loaded;               /* else the firmware's tables are in force */
    bool framebuffer;          /* mapped; write-combining, or uncached without PAT */
};

#define PAGING_PHYS_BITS 52 /* at most: SDM vol. 3A section 4.1.4 */

/* Returns the first physical address that the tables of the running core cannot identity-map: that
 * of the CPU's width, or of the lower half of virtual addresses, which has 47 bits with 4 levels
 * and 56 with 5. */
static inline uint64_t paging_limit(const struct cpu *cpu)
{
    unsigned bits = read_cr4() & CR4_LA57 ? PAGING_PHYS_BITS : 47;

    return 1ull << (cpu->phys_bits < bits ? cpu->phys_bits : bits);
}
/* Returns whether a range is below this limit and outside our windows. */
bool paging_reaches(uint64_t limit, uint64_t start, uint64_t size);

/* Returns the bytes of arena that paging_init() takes. The memory map need not be final. */
uint64_t paging_cost(const struct handoff *h);

/* Builds the tables and loads them. Returns NULL, or why not; the old tables stay in force then. */
const char *paging_init(struct paging *p, const struct handoff *h, struct arena *a,
                        const struct cpu *cpu, const struct mtrr *mtrr, const struct core *core);

/* Maps device registers. NULL: the address cannot be a device's (below 1 MiB, beyond the CPU's
 * width, inside RAM), or no table is left. `paging`: a struct paging, as for a serial_map and a
 * counters_map. */
volatile void *paging_map_mmio(void *paging, uint64_t address, uint64_t size);

/*
 * Unmaps the pages below a core's stacks. Makes its descriptors and its stack for double faults
 * executable, as the IDT is: the CPU uses them to enter the handler of a double fault, and that
 * handler does until it has set EFER.NXE again (kernel/cpu/row_state.h). While NXE is clear, the
 * no-execute bit is a reserved bit.
 */
bool paging_core(struct paging *p, const struct core *core);

/* Changes the rights of identity-mapped pages (PAGE_WRITE and so on of lib/cpu/pagetable.h). */
bool paging_rights(struct paging *p, uint64_t at, uint64_t size, unsigned rights);

/* Makes the firmware's code and data executable, for a call of ResetSystem. Ranges for which no
 * table is left stay as they are. */
void paging_firmware(struct paging *p);

/* Maps one of two pages at PAGING_SWAP_VA for all cores, one for even numbers and one for odd ones,
 * with this number as its content. Invalidates the running core's TLB entry. A core whose TLB has
 * the other page reads the number before. */
#define PAGING_SWAP_VA PAGING_WINDOW(9)
void paging_swap(struct paging *p, uint64_t number);

/* Makes tables for one core, which share everything with the common ones except a separate code and
 * data buffer. False: no room. Call it after the last paging_map_mmio() that the core needs. */
bool paging_own(struct paging *p, struct arena *a, struct core *core);
uint64_t paging_own_cost(const struct handoff *h);

/* Switches the running core to the shared tables or its own, and flushes its TLB. */
void paging_use(const struct paging *p, const struct core *core, bool own);

/* Makes the first `executable` bytes of the running core's code buffer executable, in whole pages,
 * and the rest writable. */
void paging_code(struct paging *p, uint64_t executable);

#endif
