#include "kernel/cpu/core.h"
#include "kernel/cpu/cpu.h"

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

static void write_tss(struct core *c)
{
    uint64_t *at = &c->gdt[c->tss_selector / 8], base = (uint64_t)&c->tss;

    at[0] =
        TSS_AVAILABLE | (sizeof(c->tss) - 1) | (base & 0xffffff) << 16 | (base & 0xff000000) << 32;
    at[1] = base >> 32;
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
    c->gdt[SELECTOR_CODE / 8] = DESCRIPTOR_CODE;
    c->gdt[SELECTOR_DATA / 8] = DESCRIPTOR_DATA;
    c->tss_selector = SELECTOR_TSS;
    write_tss(c);
    return c;
}

void core_move_tss(struct core *c, uint16_t selector)
{
    c->gdt[c->tss_selector / 8] = 0;
    c->gdt[c->tss_selector / 8 + 1] = 0;
    c->tss_selector = selector;
    write_tss(c);
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
                     "ltr %3"
                     :
                     : "m"(gdtr), "i"(SELECTOR_CODE), "i"(SELECTOR_DATA), "m"(c->tss_selector)
                     : "rax", "memory");
    wrmsr(MSR_GS_BASE, (uint64_t)c);
}
