#include "kernel/gdt.h"
#include "kernel/cpu.h"

_Static_assert(sizeof(struct core) <= 4096, "one page a core");
_Static_assert(sizeof(struct tss) == 104, "SDM vol. 3A figure 8-11");

/* Flat 64-bit code and data, present, accessed (SDM vol. 3A section 3.4.5). */
#define DESCRIPTOR_CODE 0x00af9b000000ffffull
#define DESCRIPTOR_DATA 0x00cf93000000ffffull
#define TSS_AVAILABLE   0x0000890000000000ull /* present, type 9 */

#define MSR_GS_BASE 0xc0000101

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
        c->tss.ist[i] = arena_stack(a, IST_STACK_SIZE, &c->guard[i]);
        if (!c->tss.ist[i])
            return NULL;
    }
    if (stack)
        c->stack_top = arena_stack(a, stack, &c->guard[IST_COUNT]);
    if (stack && !c->stack_top)
        return NULL;
    c->self = c;
    c->tss.io_map = sizeof(c->tss);

    uint64_t base = (uint64_t)&c->tss, limit = sizeof(c->tss) - 1;
    c->gdt[SELECTOR_CODE / 8] = DESCRIPTOR_CODE;
    c->gdt[SELECTOR_DATA / 8] = DESCRIPTOR_DATA;
    c->gdt[SELECTOR_TSS / 8] =
        TSS_AVAILABLE | limit | (base & 0xffffff) << 16 | (base & 0xff000000) << 32;
    c->gdt[SELECTOR_TSS / 8 + 1] = base >> 32;
    return c;
}

void core_load(struct core *c)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) gdtr = {sizeof(c->gdt) - 1, (uint64_t)c->gdt};

    __asm__ volatile("lgdt %0\n\t"
                     "pushq %1\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\tmovl %2, %%eax\n\t"
                     "mov %%eax, %%ds\n\t"
                     "mov %%eax, %%es\n\t"
                     "mov %%eax, %%ss\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "mov %%eax, %%fs\n\t"
                     "mov %%eax, %%gs\n\t"
                     "movw %3, %%ax\n\t"
                     "ltr %%ax"
                     :
                     : "m"(gdtr), "i"(SELECTOR_CODE), "i"(SELECTOR_DATA), "i"(SELECTOR_TSS)
                     : "rax", "memory");
    wrmsr(MSR_GS_BASE, (uint64_t)c);
}
