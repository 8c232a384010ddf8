#include "bench/suites/events/events.h"
#include "bench/api/platform.h"
#include <string.h>

/* Offsets in the room. */
#define GDT_AT    1024
#define IDT_AT    TABLES_PAGE
#define TABLES_AT (2 * TABLES_PAGE)
#define PAGE_AT   (TABLES_AT + TABLES_COPIES * TABLES_PAGE)
#define FRED_AT   (PAGE_AT + TABLES_PAGE)
_Static_assert(sizeof(struct events_room) <= GDT_AT, "the GDT follows it");

/* FRED: Intel 346446. The entry for events of ring 3 is at the begin of the page. */
#define CR4_FRED         (1ull << 32)
#define FRED_RING0_ENTRY 256
#define FRED_STACK_ALIGN 64
#define TSS_RSP0         4 /* SDM vol. 3A figure 8-11 */
#define SELECTOR_ENTRY   (~7ull)

/* The object and its room are in this part of the data buffer (bench/engine/place.c). */
#define DATA_BYTES PLATFORM_DATA_SIZE

/* SDM vol. 3A section 2.5. */
#define CR4_TSD  (1ull << 2)  /* no RDTSC in ring 3 */
#define CR4_SMEP (1ull << 20) /* ring 0 may not execute pages of ring 3, ... */
#define CR4_SMAP (1ull << 21) /* ... or access them */

/*
 * Descriptors (SDM vol. 3A section 3.4.5) after the 16 of the kernel's GDT, in the order that
 * SYSRET, SYSENTER and SYSEXIT require of their selectors: vol. 2B, each instruction.
 */
#define GDT_KERNEL 16
static const uint64_t descriptors[] = {
    0x00af9b000000ffffull, /* 80h: code of ring 0 */
    0x00cf93000000ffffull, /* 88h: its stack */
    0,                     /* 90h */
    0x00cff3000000ffffull, /* 98h: data of ring 3, for SYSRET */
    0x00affb000000ffffull, /* a0h: code of ring 3 */
    0x00cff3000000ffffull, /* a8h: data of ring 3, for SYSEXIT */
};
#define GDT_ENTRIES (GDT_KERNEL + sizeof descriptors / sizeof descriptors[0])

static void *at(struct object *o, size_t offset)
{
    return (uint8_t *)o->room + offset;
}

void *events_page(struct object *o)
{
    return at(o, PAGE_AT);
}

static void make_gdt(struct object *o, struct events_room *r)
{
    uint64_t *gdt = at(o, GDT_AT);

    __asm__ volatile("sgdt %0" : "=m"(r->gdt_before));
    descriptors_copy(gdt, &r->gdt_before, GDT_KERNEL);
    for (size_t i = GDT_KERNEL; i < GDT_ENTRIES; i++)
        gdt[i] = descriptors[i - GDT_KERNEL];
    r->gdt = (struct descriptor_table){GDT_ENTRIES * sizeof *gdt - 1, (uint64_t)(uintptr_t)gdt};
}

static uint64_t offset_of(const struct idt_gate *g)
{
    return (uint64_t)g->offset_high << 32 | (uint32_t)g->offset_middle << 16 | g->offset_low;
}

/* The vectors of INT n have no gate in the kernel's IDT. `history` sets their offsets. */
static void make_idt(struct object *o, struct events_room *r)
{
    struct idt_gate *idt = at(o, IDT_AT);

    idt_copy(idt, &r->idt_before, &r->idt);
    idt[VECTOR_INT] = idt[VECTOR_LEAVE] =
        (struct idt_gate){.selector = idt[VECTOR_BP].selector, .type = IDT_GATE_USER};
    r->gate = (uint64_t)(uintptr_t)&idt[o->arg];
    r->nmi = offset_of(&idt[VECTOR_NMI]);
}

static struct events_value same(uint64_t v)
{
    return (struct events_value){v, v};
}

void events_ring0(struct object *o)
{
    struct events_room *r = events_room(o);
    uint64_t cr3 = privileged_cr3(), cr4 = privileged_cr4();

    *r = (struct events_room){
        .cr3 = same(cr3),
        .cr4 = {cr4 & ~(CR4_TSD | CR4_SMEP | CR4_SMAP), cr4},
        .dr0 = same(privileged_dr0()),
        .dr7 = same(privileged_dr7()),
        .dr6 = privileged_dr6(),
        .ds = (uint32_t)privileged_ds(),
        .es = (uint32_t)privileged_es(),
        .ss = (uint32_t)privileged_ss(),
        .cs = privileged_cs(),
    };
    make_gdt(o, r);
    make_idt(o, r);
    tables_copy(&r->tables, cr3, tables_levels(cr4), at(o, TABLES_AT));
    r->cr3.during = r->tables.physical[0] | (cr3 & ~TABLES_FRAME);
}

static void open_pages(struct tables_copy *t, uint64_t from, uint64_t bytes)
{
    for (uint64_t page = from; page < from + bytes; page += TABLES_PAGE)
        (void)tables_entry(t, page, TABLES_USER);
}

void events_ring3(struct object *o)
{
    struct tables_copy *t = &events_room(o)->tables;

    events_ring0(o);
    open_pages(t, PLATFORM_CODE_VA, PLATFORM_CODE_SIZE);
    open_pages(t, PLATFORM_DATA_VA, DATA_BYTES);
}

void events_msr(struct object *o, uint32_t msr, uint64_t during)
{
    struct events_msr *m = events_room(o)->msr;

    while (m->number)
        m++;
    *m = (struct events_msr){msr, {during, privileged_rdmsr(msr)}};
}

static uint64_t tss_rsp0(const struct descriptor_table *gdt)
{
    uint64_t selector, low, high, rsp0;

    __asm__ volatile("str %0" : "=r"(selector));
    const uint8_t *entry = (const uint8_t *)(uintptr_t)gdt->base + (selector & SELECTOR_ENTRY);
    memcpy(&low, entry, sizeof low);
    memcpy(&high, entry + sizeof low, sizeof high);
    /* SDM vol. 3A figure 8-4. */
    uint64_t base = (low >> 16 & 0xffffff) | (low >> 32 & 0xff000000) | high << 32;
    memcpy(&rsp0, (const uint8_t *)(uintptr_t)base + TSS_RSP0, sizeof rsp0);
    return rsp0;
}

void events_fred(struct object *o, const struct unit *handler)
{
    struct events_room *r = events_room(o);
    uint8_t *page = at(o, FRED_AT);
    uint64_t *entry = tables_entry(&r->tables, (uint64_t)(uintptr_t)page, 0);

    if (entry)
        *entry &= ~TABLES_NO_EXECUTE;
    memcpy(page, handler->code, handler->size);
    memcpy(page + FRED_RING0_ENTRY, handler->code, handler->size);
    events_msr(o, MSR_FRED_CONFIG, (uint64_t)(uintptr_t)page);
    events_msr(o, MSR_FRED_STKLVLS, 0);
    events_msr(o, MSR_FRED_RSP0, tss_rsp0(&r->gdt_before) & ~(FRED_STACK_ALIGN - 1ull));
    r->cr4.during |= CR4_FRED;
}
