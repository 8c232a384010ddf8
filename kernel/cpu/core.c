#include "kernel/cpu/core.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/registers.h"

_Static_assert(sizeof(struct core) <= 4096, "one page a core");

uint64_t core_cost(uint64_t stack)
{
    return arena_cost(sizeof(struct core)) + IST_COUNT * arena_stack_cost(IST_STACK_SIZE) +
           (stack ? arena_stack_cost(stack) : 0);
}

struct core *core_new(struct arena *a, uint64_t stack)
{
    struct core *c = arena_take(a, sizeof(*c));

    if (!c)
        return NULL;
    for (unsigned i = 0; i < IST_COUNT; i++) {
        c->gdt.tss.ist[i] = arena_stack(a, IST_STACK_SIZE, &c->guard[i]);
        if (!c->gdt.tss.ist[i])
            return NULL;
    }
    if (stack)
        c->stack_top = arena_stack(a, stack, &c->guard[IST_COUNT]);
    if (stack && !c->stack_top)
        return NULL;
    c->self = c;
    gdt_init(&c->gdt);
    return c;
}

void core_load(struct core *c)
{
    gdt_admit(&c->gdt);
    gdt_load(&c->gdt);
    wrmsr(MSR_GS_BASE, (uint64_t)c);
}

bool core_is_guard(const struct core *c, uint64_t at)
{
    for (unsigned i = 0; i < CORE_GUARDS; i++)
        if (c->guard[i] && at - c->guard[i] < ARENA_PAGE)
            return true;
    return false;
}
