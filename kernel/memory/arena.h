/*
 * The one block of memory that boot/ left (handoff.arena), handed out from its start in whole
 * pages, zeroed, never given back. A stack gets a page below it that the pager does not map, so
 * that an overflow faults.
 */
#ifndef KERNEL_MEMORY_ARENA_H
#define KERNEL_MEMORY_ARENA_H

#include <stdint.h>
#include "kernel/memory/handoff.h"

#define ARENA_PAGE 4096ull

struct arena {
    uint64_t next, end; /* physical and, identity-mapped, virtual */
};

/* The first block of every arena is the kernel's own stack: kernel_enter() is on it before
 * anything else is there. */
#define KERNEL_STACK_SIZE (64u << 10)
uint64_t arena_kernel_stack(const struct handoff *h, uint64_t *guard); /* its top */

void arena_init(struct arena *a, const struct handoff *h);

/* NULL when the arena is used up: kernel_arena_need() was wrong then. */
void *arena_take(struct arena *a, uint64_t bytes);

/* Returns the top of a stack of that size, 0 when there is no room; *guard gets the page below
 * it. */
uint64_t arena_stack(struct arena *a, uint64_t bytes, uint64_t *guard);

/* What a block, and a stack with its guard, cost. */
uint64_t arena_cost(uint64_t bytes);
uint64_t arena_stack_cost(uint64_t bytes);

#endif
