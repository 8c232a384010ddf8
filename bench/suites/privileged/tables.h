/*
 * Page tables for rows: walking those in force, and copies in which some pages have other rights.
 * Physical memory is mapped at its own addresses (kernel/cpu/paging.h), so a table is at the
 * address that an entry names. Source: SDM vol. 3A section 4.5, tables 4-15 to 4-20.
 */
#ifndef BENCH_SUITES_PRIVILEGED_TABLES_H
#define BENCH_SUITES_PRIVILEGED_TABLES_H

#include <stdint.h>

#define TABLES_PAGE       4096u
#define TABLES_FRAME      0x000ffffffffff000ull /* of CR3 and of an entry */
#define TABLES_PRESENT    (1u << 0)
#define TABLES_WRITABLE   (1u << 1)
#define TABLES_USER       (1u << 2) /* ring 3 may access it; required at every level */
#define TABLES_NO_EXECUTE (1ull << 63)
#define TABLES_LARGE      (1u << 7) /* at levels 2 and 3: a page, not a table */

/* Returns the number of levels, by CR4. */
unsigned tables_levels(uint64_t cr4);

/* Returns the physical address of `at`, which is mapped. */
uint64_t tables_physical(uint64_t cr3, unsigned levels, const void *at);

/* Tables that are the same as those of a CR3, with separate entries for some addresses. */
#define TABLES_COPIES 8
struct tables_copy {
    uint64_t *pages; /* of TABLES_PAGE each, all mapped; the first is the root */
    unsigned levels, used;
    uint64_t physical[TABLES_COPIES]; /* of each page */
};

/* Begins a copy of the tables of `cr3`, in force, in `pages`: TABLES_COPIES of them. */
void tables_copy(struct tables_copy *t, uint64_t cr3, unsigned levels, void *pages);

/*
 * Returns the entry that maps `at`, which may be changed; it is that of a large page if one maps
 * `at`. Copies the tables that lead to it, and sets the bits of `rights` in their entries and in
 * this one. NULL: more than TABLES_COPIES tables would be needed.
 */
uint64_t *tables_entry(struct tables_copy *t, uint64_t at, uint64_t rights);

#endif
