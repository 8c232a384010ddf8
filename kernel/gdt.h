/*
 * What each core has of its own: GDT, TSS, the stacks that NMI, #DF and #MC switch to, and its
 * counters. GS base points to it. Source: Intel SDM vol. 3A sections 3.5, 6.14.5 (IST), 8.7 (TSS);
 * AMD APM vol. 2 chapter 4 is the same.
 */
#ifndef KERNEL_GDT_H
#define KERNEL_GDT_H

#include <stdint.h>
#include "kernel/arena.h"

enum { SELECTOR_CODE = 0x08, SELECTOR_DATA = 0x10, SELECTOR_TSS = 0x18 };

/* Indexes into the TSS's table are one less; 0 in a gate means no switch. */
enum { IST_NMI = 1, IST_DOUBLE_FAULT = 2, IST_MACHINE_CHECK = 3, IST_COUNT = 3 };
#define IST_STACK_SIZE (16u << 10)

struct tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map;
} __attribute__((packed));

/* The last machine check that this core survived or died of. */
struct machine_check {
    uint32_t bank;
    uint64_t status, address, mcg_status;
};

struct core {
    struct core *self; /* first: what %gs:0 reads */
    uint64_t gdt[5];
    struct tss tss;
    uint64_t guard[IST_COUNT]; /* pages below the IST stacks, for the pager to leave out */
    volatile uint64_t nmis, machine_checks;
    struct machine_check last_check;
};

/* Bytes of arena that core_new() takes. */
uint64_t core_cost(void);
/* NULL when the arena is used up. */
struct core *core_new(struct arena *a);
/* Loads GDT, segments, TR and GS base of the running core. */
void core_load(struct core *c);

/* The running core's own; only after core_load(). */
static inline struct core *core_current(void)
{
    struct core *c;
    __asm__ volatile("mov %%gs:0, %0" : "=r"(c));
    return c;
}

#endif
