/*
 * x86-64 page tables built in a pool: pure writes to memory, walked by tests on the host. 4 or 5
 * levels. Integers only: may be used before SSE is enabled. Source: Intel SDM vol. 3A section 4.5.
 *
 * Entries have Accessed and Dirty set, so that the CPU never writes to a table. The tables may be
 * changed while CR3 points to them. The next call that needs a table reuses freed ones: flush the
 * TLB before that call.
 */
#ifndef LIB_CPU_PAGETABLE_H
#define LIB_CPU_PAGETABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/mtrr.h"

/* Rights of a mapping; always supervisor, always readable. PAGE_UC wins over PAGE_WC. */
enum {
    PAGE_WRITE = 1 << 0,
    PAGE_EXEC = 1 << 1, /* without it: no execution, if the CPU has NX */
    PAGE_WC = 1 << 2,   /* PAT entry 4, which the kernel programs as WC */
    PAGE_UC = 1 << 3,   /* PCD|PWT: PAT entry 3 */
};

struct pagetable {
    uint8_t *pool;           /* pointer to the tables */
    uint64_t pool_phys;      /* the physical address of pool[0] */
    unsigned pages, used;    /* of the pool */
    unsigned spare;          /* index of the first freed table; 0: none */
    unsigned levels;         /* 4 or 5 */
    bool page_1g, nx;        /* what the CPU has */
    const struct mtrr *mtrr; /* no large page spans a change of type; NULL: not checked */
};

/* `pool`: at least one page, 4 KiB-aligned; need not be zero. The value for CR3 is pool_phys. */
void pagetable_init(struct pagetable *t, void *pool, uint64_t pool_phys, unsigned pages,
                    unsigned levels, bool page_1g, bool nx, const struct mtrr *mtrr);
/*
 * Makes `t` tables with their own root in `pool` that share every table with `from` except those
 * for the 512 GiB around virt, where nothing is mapped yet. Later mappings in `from` are visible if
 * they need no new entry in its root (with 5 levels: nor in the table that covers virt). False: the
 * pool has fewer than levels - 3 pages.
 */
bool pagetable_fork(struct pagetable *t, const struct pagetable *from, void *pool,
                    uint64_t pool_phys, unsigned pages, uint64_t virt);
/*
 * Maps [virt, virt + size) to phys with the given rights, in pages as large as alignment and MTRRs
 * allow; splits larger pages. All 4 KiB-aligned; size 0 does nothing. A later call wins over an
 * earlier one. False: not aligned, beyond the reach of the levels or 52 bits of physical address
 * (then nothing was done), or the pool is used up (then the range is mapped in part).
 */
bool pagetable_map(struct pagetable *t, uint64_t virt, uint64_t phys, uint64_t size,
                   unsigned rights);
/* Unmaps a range; needs new tables if it is a part of a large page. */
bool pagetable_unmap(struct pagetable *t, uint64_t virt, uint64_t size);
/*
 * Returns enough pool pages for an identity map of [0, top) by one call and `extra` further calls
 * of map or unmap, inside it or not: for 4 or 5 levels and any MTRRs (without holes in their
 * masks). An extra range is at most 2 MiB; or at most 1 GiB with virt and phys equal modulo 2 MiB,
 * identity-mapped if it maps RAM.
 */
unsigned pagetable_need(uint64_t top, bool page_1g, unsigned extra);

/* Returns whether other tables map the page at this address to itself and writable: those of
 * firmware, whose tables are identity-mapped. cr3: their root; levels: 4 or 5. */
bool pagetable_is_identity(uint64_t cr3, unsigned levels, uint64_t at);

#endif
