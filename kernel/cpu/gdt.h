/*
 * A core's descriptors: flat segments, and the TSS with the stacks of NMI, #DB, #DF and #MC, and of
 * events in ring 3 (rows of suite `events`).
 * Source: Intel SDM vol. 3A sections 3.5 (GDT), 6.14.5 (IST), 8.7 (TSS); AMD APM vol. 2 chapter 4
 * is the same.
 */
#ifndef KERNEL_CPU_GDT_H
#define KERNEL_CPU_GDT_H

#include <stdint.h>

enum { SELECTOR_CODE = 0x08, SELECTOR_DATA = 0x10, SELECTOR_TSS = 0x18 };
#define GDT_ENTRIES   16 /* the TSS takes two entries and can be moved up to SELECTOR_LAST */
#define SELECTOR_LAST (8 * (GDT_ENTRIES - 2))

/* The IST field of an IDT gate, one more than the index in tss.ist. 0: no stack switch. */
enum { IST_NMI = 1, IST_DOUBLE_FAULT = 2, IST_MACHINE_CHECK = 3, IST_DEBUG = 4, IST_COUNT = 4 };

/* SDM vol. 3A figure 8-11. */
struct tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map;
} __attribute__((packed));

struct gdt {
    uint64_t entry[GDT_ENTRIES];
    uint16_t tss_selector;
    struct tss tss;
};

/* Fills all but the stacks, tss.ist and tss.rsp[0]. `g` must not move: a descriptor points to its
 * TSS. */
void gdt_init(struct gdt *g);
/* Moves the TSS to another selector, SELECTOR_TSS to SELECTOR_LAST. Takes effect at gdt_load(). */
void gdt_move_tss(struct gdt *g, uint16_t selector);
/* Adds entries for the running core's CS and SS where `g` lacks them. The selectors stay valid
 * under this GDT, so an NMI may come between LGDT and the LIDT that follows. */
void gdt_admit(struct gdt *g);
/* Loads TR with the TSS at `selector` of the running core's GDT, busy or not. */
void gdt_load_tss(uint16_t selector);
/* Loads GDT, segment registers and TR of the running core. FS and GS bases are 0 afterwards. */
void gdt_load(const struct gdt *g);

#endif
