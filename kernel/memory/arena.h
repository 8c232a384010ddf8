/*
 * Allocates whole, zeroed pages from the one block of memory that boot/ left (handoff.arena), from
 * its start. Nothing is freed. A stack gets an unmapped page below it, so that an overflow faults.
 */
#ifndef KERNEL_MEMORY_ARENA_H
#define KERNEL_MEMORY_ARENA_H

#include <stdint.h>
#include "kernel/memory/handoff.h"

#define ARENA_PAGE 4096ull

struct arena {
    uint64_t next, end; /* physical and, identity-mapped, virtual */
};

/* The first block of every arena is the kernel's stack, which kernel_enter() uses before anything
 * else exists. */
#define KERNEL_STACK_SIZE (64u << 10)
uint64_t arena_kernel_stack(const struct handoff *h, uint64_t *guard); /* returns the stack's top */

void arena_init(struct arena *a, const struct handoff *h);

/* Returns zeroed memory. NULL: the arena is used up, so kernel_arena_need() was wrong. */
void *arena_take(struct arena *a, uint64_t bytes);

/* Returns the top of a stack of this many bytes, or 0 if there is no room. *guard: the page below
 * it. */
uint64_t arena_stack(struct arena *a, uint64_t bytes, uint64_t *guard);

/* Return the bytes of arena that a block, or a stack with its guard page, takes. */
uint64_t arena_cost(uint64_t bytes);
uint64_t arena_stack_cost(uint64_t bytes);

#endif
