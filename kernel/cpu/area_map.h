/*
 * The mappings of the area for curves over sizes, in addition to the identity map, which has pages
 * of any size: in pages of 4 KiB, of 2 MiB and of 1 GiB; regions in which every page is the same
 * memory, so that the reach of a TLB needs no memory; and executable ones, which cannot be written.
 * All are in parts of the address space that the cores share. No device is mapped in them: a page
 * is large only where the MTRRs give all of it one type.
 */
#ifndef KERNEL_CPU_AREA_MAP_H
#define KERNEL_CPU_AREA_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/pagetable.h"

/* A mapping; bytes is 0 if nothing is mapped. */
struct area_view {
    uint64_t at, bytes;
    uint64_t page; /* size of its pages */
    uint64_t code; /* where its content can be executed; 0: nowhere */
    uint64_t code_bytes;
};

struct area_map {
    struct area_view small, large, huge;    /* of the area: 4 KiB, 2 MiB, 1 GiB */
    struct area_view same_large, same_huge; /* pages that are all the same memory */
};

/* Returns the tables that area_map_init() takes for an area of `size` bytes. */
unsigned area_map_tables(uint64_t size);

/* Maps the area, physical [phys, phys + size), 2 MiB-aligned; no page beyond phys_limit. False: the
 * tables are used up. */
bool area_map_init(struct area_map *m, struct pagetable *t, uint64_t phys, uint64_t size,
                   uint64_t phys_limit);

#endif
