#include "kernel/cpu/core.h"
#include <stddef.h>
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/registers.h"

_Static_assert(sizeof(struct core) <= 4096, "one page per core");

static struct core *newest; /* head of the list of all cores */

/* The data that the FS base points to. Functions compiled with a stack protector, such as Debian's
 * musl, read its word at offset 0x28 (GCC manual, x86 options, -mstack-protector-guard). */
static const uint64_t stack_protector[] = {[0x28 / 8] = 0x0d0a00ff5bd1e995};

uint64_t core_cost(uint64_t stack)
{
    return arena_cost(sizeof(struct core)) + (IST_COUNT + 1) * arena_stack_cost(IST_STACK_SIZE) +
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
    c->gdt.tss.rsp[0] = arena_stack(a, IST_STACK_SIZE, &c->guard[CORE_GUARD_RING0]);
    if (!c->gdt.tss.rsp[0])
        return NULL;
    if (stack)
        c->stack_top = arena_stack(a, stack, &c->guard[CORE_GUARD_OWN]);
    if (stack && !c->stack_top)
        return NULL;
    c->self = c;
    gdt_init(&c->gdt);
    c->next = newest;
    newest = c;
    return c;
}

void core_load(struct core *c)
{
    gdt_admit(&c->gdt);
    gdt_load(&c->gdt);
    wrmsr(MSR_FS_BASE, (uint64_t)stack_protector);
    wrmsr(MSR_GS_BASE, (uint64_t)c);
}

static struct core *by_gdt(uint64_t base)
{
    struct core *c = newest;

    while (c && (uint64_t)c->gdt.entry != base)
        c = c->next;
    return c;
}

/* SDM vol. 2A CPUID: leaf 0Bh has all 32 bits, and is valid if EBX is not 0; leaf 1 has eight. */
uint32_t core_apic_id(void)
{
    if (cpuid(0, 0).eax >= 0xb && cpuid(0xb, 0).ebx & 0xffff)
        return cpuid(0xb, 0).edx;
    return cpuid(1, 0).ebx >> 24;
}

static struct core *by_apic_id(uint32_t id)
{
    struct core *c = newest;

    while (c && c->apic_id != id)
        c = c->next;
    return c;
}

struct core *core_find(void)
{
    uint64_t base = read_gdtr().base;
    struct core *c = (struct core *)(base - offsetof(struct core, gdt.entry));

    if ((uint64_t)c == rdmsr(MSR_GS_BASE))
        return c;
    c = by_gdt(base);
    return c ? c : by_apic_id(core_apic_id());
}

bool core_is_guard(const struct core *c, uint64_t at)
{
    for (unsigned i = 0; i < CORE_GUARDS; i++)
        if (c->guard[i] && at - c->guard[i] < ARENA_PAGE)
            return true;
    return false;
}
