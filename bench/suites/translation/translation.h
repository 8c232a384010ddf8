/*
 * Suite `translation`: what the translation of an address costs that no TLB has (docs/
 * translation.md). In each window of a row of a page walk the core has separate page tables, in the
 * object's room: `history` loads them before the first reading, which flushes the TLBs and the
 * paging-structure caches, and `after` restores those of the kernel after the second. An operation
 * is a load that waits for the one before, from the next of a series of pages. All these pages are
 * the same memory, each with another line of it.
 */
#ifndef BENCH_SUITES_TRANSLATION_TRANSLATION_H
#define BENCH_SUITES_TRANSLATION_TRANSLATION_H

#include "bench/suites/privileged/privileged.h"
#include "bench/suites/privileged/tables.h"

/* The room's first page. translation.inc has the same offsets. */
struct translation_room {
    struct privileged_registers registers; /* for the bodies */
    uint64_t cr3, cr3_before;
    uint64_t touch, touch_step; /* addresses that are accessed after the flush, ... */
    uint32_t touches;           /* ... and their number */
    uint32_t tables;            /* number of tables of which each operation reads another entry */
};

/*
 * The tables follow it: that of the pages, and the next higher level each time; the last one is the
 * root. Each operation has another entry of the lowest `tables` ones, TRANSLATION_APART entries
 * after that of the operation before it: on another line of the caches.
 */
#define TRANSLATION_TABLES_AT TABLES_PAGE
#define TRANSLATION_FIRST     256u /* entry of the first operation: the upper half of addresses */
#define TRANSLATION_APART     8u
#define TRANSLATION_MOST      32u /* operations of a window, at most */
/* A page with the memory that pages of 4 KiB map. */
#define TRANSLATION_FRAME_AT (TRANSLATION_TABLES_AT + 5 * TABLES_PAGE)

_Static_assert(sizeof(struct translation_room) <= TRANSLATION_TABLES_AT, "the tables follow it");

extern const struct unit unit_translation_on, unit_translation_on_memory, unit_translation_off,
    unit_translation_off_count, unit_translation_load;

#endif
