/*
 * The memory that boot/ left: the arena, and queries of the firmware's final memory map
 * (handoff.region; types: UEFI 2.10 table 7.6).
 */
#ifndef KERNEL_MEMORY_MEMORY_MAP_H
#define KERNEL_MEMORY_MEMORY_MAP_H

#include "kernel/memory/handoff.h"
#include "lib/firmware/acpi.h"

/*
 * --- the arena ---
 * Allocates whole, zeroed pages from the one block of memory that boot/ left (handoff.arena), from
 * its start. Nothing is freed. A stack gets an unmapped page below it, so that an overflow faults.
 */

#define ARENA_PAGE 4096ull

struct arena {
    uint64_t next, end; /* physical and, identity-mapped, virtual */
};

/* The first block of every arena is the kernel's stack, which kernel_enter() uses before anything
 * else exists. */
#define KERNEL_STACK_SIZE (64u << 10)
uint64_t arena_kernel_stack(const struct handoff *h, uint64_t *guard); /* returns the stack's top */

/* Return the bytes of arena that a block, or a stack with its guard page, takes. */
static inline uint64_t arena_cost(uint64_t bytes)
{
    return (bytes + ARENA_PAGE - 1) & ~(ARENA_PAGE - 1);
}

static inline uint64_t arena_stack_cost(uint64_t bytes)
{
    return ARENA_PAGE + arena_cost(bytes);
}

static inline void arena_init(struct arena *a, const struct handoff *h)
{
    uint64_t guard;

    a->next = arena_kernel_stack(h, &guard);
    a->end = h->arena + h->arena_size;
}

/* Returns zeroed memory. NULL: the arena is used up, so boot/memory.c was wrong. */
void *arena_take(struct arena *a, uint64_t bytes);

/* Returns the top of a stack of this many bytes, or 0 if there is no room. *guard: the page below
 * it. */
static inline uint64_t arena_stack(struct arena *a, uint64_t bytes, uint64_t *guard)
{
    char *at = arena_take(a, arena_stack_cost(bytes));

    *guard = (uint64_t)at;
    return at ? (uint64_t)at + arena_stack_cost(bytes) : 0;
}

/* --- the memory map --- */

enum {
    REGION_RESERVED = 0,
    REGION_LOADER_CODE = 1,
    REGION_BOOT_CODE = 3,
    REGION_BOOT_DATA = 4,
    REGION_RUNTIME_CODE = 5,
    REGION_RUNTIME_DATA = 6,
    REGION_FREE = 7,
    REGION_UNUSABLE = 8,
    REGION_ACPI = 9,
    REGION_ACPI_NVS = 10,
    REGION_MMIO = 11,
    REGION_MMIO_PORTS = 12,
    REGION_PERSISTENT = 14,
};
#define REGION_RUNTIME (1ull << 63) /* EFI_MEMORY_RUNTIME: ResetSystem may need it */

/* Returns whether the region is RAM used by programs, firmware or tables, or free. */
bool region_is_ram(const struct memory_region *r);

/* Returns whether any byte of [start, start + size) is in such RAM; true if the range wraps. */
bool memory_is_ram(const struct handoff *h, uint64_t start, uint64_t size);

/* Returns what the map has in a range, for address_map.region of lib/firmware/serial_place.h.
 * NULL: MMIO or a gap, where devices can be. `handoff`: a struct handoff. */
const char *memory_taken(void *handoff, uint64_t start, uint64_t size, bool named);

/* Returns whether every byte is in regions of memory: RAM as above, or reserved below 4 GiB. */
bool memory_is_readable(const struct handoff *h, uint64_t start, uint64_t size);

/* Returns physical memory for lib/firmware/acpi.h and lib/firmware/smbios.h: what is readable as
 * above, and the BIOS area below 1 MiB, which has old tables that no map mentions. */
struct physmem memory_physical(struct handoff *h);

#endif
