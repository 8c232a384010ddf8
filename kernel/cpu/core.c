#include "kernel/cpu/core.h"
#include "kernel/cpu/instructions.h"

_Static_assert(sizeof(struct core) <= 4096, "one page per core");
_Static_assert(sizeof(struct tss) == 104, "SDM vol. 3A figure 8-11");

/* Flat 64-bit code and data, present, accessed (SDM vol. 3A section 3.4.5). */
#define DESCRIPTOR_CODE 0x00af9b000000ffffull
#define DESCRIPTOR_DATA 0x00cf93000000ffffull
#define TSS_AVAILABLE   0x0000890000000000ull /* present, type 9 */

static struct core *newest; /* head of the list of all cores */

/* The data that the FS base points to. Functions compiled with a stack protector, such as Debian's
 * musl, read its word at offset 0x28 (GCC manual, x86 options, -mstack-protector-guard). */
static const uint64_t stack_protector[] = {[0x28 / 8] = 0x0d0a00ff5bd1e995};

/* --- descriptors ------------------------------------------------------------------------------ */

static void write_tss(struct gdt *g)
{
    uint64_t *at = &g->entry[g->tss_selector / 8], base = (uint64_t)&g->tss;

    at[0] =
        TSS_AVAILABLE | (sizeof(g->tss) - 1) | (base & 0xffffff) << 16 | (base & 0xff000000) << 32;
    at[1] = base >> 32;
}

/* Fills all but the stacks, tss.ist and tss.rsp[0]. `g` must not move: a descriptor points to its
 * TSS. */
static void gdt_init(struct gdt *g)
{
    g->tss.io_map = sizeof(g->tss); /* no I/O bitmap: ring 0 may use all ports */
    g->entry[SELECTOR_CODE / 8] = DESCRIPTOR_CODE;
    g->entry[SELECTOR_DATA / 8] = DESCRIPTOR_DATA;
    g->tss_selector = SELECTOR_TSS;
    write_tss(g);
}

void gdt_move_tss(struct gdt *g, uint16_t selector)
{
    g->entry[g->tss_selector / 8] = 0;
    g->entry[g->tss_selector / 8 + 1] = 0;
    g->tss_selector = selector;
    write_tss(g);
}

static void admit_selector(struct gdt *g, uint16_t selector, uint64_t descriptor)
{
    unsigned i = selector / 8;

    if (i > 0 && i < GDT_ENTRIES && !(selector & 7) && g->entry[i] == 0 &&
        i != g->tss_selector / 8 + 1u)
        g->entry[i] = descriptor;
}

/* Adds entries for the running core's CS and SS where `g` lacks them. The selectors stay valid
 * under this GDT, so an NMI may come between LGDT and the LIDT that follows. */
static void gdt_admit(struct gdt *g)
{
    admit_selector(g, read_cs(), DESCRIPTOR_CODE);
    admit_selector(g, read_ss(), DESCRIPTOR_DATA);
}

void gdt_load(const struct gdt *g)
{
    struct table_register gdtr = {sizeof(g->entry) - 1, (uint64_t)g->entry};

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
                     : "m"(gdtr), "i"(SELECTOR_CODE), "i"(SELECTOR_DATA), "m"(g->tss_selector)
                     : "rax", "memory");
}

/* --- cores ------------------------------------------------------------------------------------ */

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
