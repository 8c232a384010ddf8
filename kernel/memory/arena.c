#include "kernel/memory/arena.h"
#include "lib/text/mem.h"

uint64_t arena_cost(uint64_t bytes)
{
    return (bytes + ARENA_PAGE - 1) & ~(ARENA_PAGE - 1);
}

uint64_t arena_stack_cost(uint64_t bytes)
{
    return ARENA_PAGE + arena_cost(bytes);
}

uint64_t arena_kernel_stack(const struct handoff *h, uint64_t *guard)
{
    *guard = h->arena;
    return h->arena + arena_stack_cost(KERNEL_STACK_SIZE);
}

void arena_init(struct arena *a, const struct handoff *h)
{
    uint64_t guard;

    a->next = arena_kernel_stack(h, &guard);
    a->end = h->arena + h->arena_size;
}

void *arena_take(struct arena *a, uint64_t bytes)
{
    uint64_t at = a->next;

    /* The first comparison prevents an overflow when a huge size is rounded up. */
    if (bytes > a->end - at || arena_cost(bytes) > a->end - at)
        return NULL;
    a->next += arena_cost(bytes);
    memset((void *)at, 0, bytes);
    return (void *)at;
}

uint64_t arena_stack(struct arena *a, uint64_t bytes, uint64_t *guard)
{
    char *at = arena_take(a, arena_stack_cost(bytes));

    *guard = (uint64_t)at;
    return at ? (uint64_t)at + arena_stack_cost(bytes) : 0;
}
