#include "kernel/cpu/gdt.h"
#include "kernel/cpu/instructions.h"

_Static_assert(sizeof(struct tss) == 104, "SDM vol. 3A figure 8-11");

/* Flat 64-bit code and data, present, accessed (SDM vol. 3A section 3.4.5). */
#define DESCRIPTOR_CODE 0x00af9b000000ffffull
#define DESCRIPTOR_DATA 0x00cf93000000ffffull
#define TSS_BUSY        0x0000020000000000ull /* LTR accepts no busy TSS */
#define TSS_AVAILABLE   0x0000890000000000ull /* present, type 9 */

static void write_tss(struct gdt *g)
{
    uint64_t *at = &g->entry[g->tss_selector / 8], base = (uint64_t)&g->tss;

    at[0] =
        TSS_AVAILABLE | (sizeof(g->tss) - 1) | (base & 0xffffff) << 16 | (base & 0xff000000) << 32;
    at[1] = base >> 32;
}

void gdt_init(struct gdt *g)
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

static void admit(struct gdt *g, uint16_t selector, uint64_t descriptor)
{
    unsigned i = selector / 8;

    if (i > 0 && i < GDT_ENTRIES && !(selector & 7) && g->entry[i] == 0 &&
        i != g->tss_selector / 8 + 1u)
        g->entry[i] = descriptor;
}

void gdt_admit(struct gdt *g)
{
    admit(g, read_cs(), DESCRIPTOR_CODE);
    admit(g, read_ss(), DESCRIPTOR_DATA);
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

void gdt_load_tss(uint16_t selector)
{
    ((uint64_t *)read_gdtr().base)[selector / 8] &= ~TSS_BUSY;
    __asm__ volatile("ltr %0" : : "r"(selector) : "memory");
}
