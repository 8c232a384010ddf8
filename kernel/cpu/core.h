/*
 * What each core has of its own: GDT, TSS, the stacks that NMI, #DF and #MC switch to, its
 * counters, and what other cores ask of it. GS base points to it. Source: Intel SDM vol. 3A sections 3.5, 6.14.5 (IST), 8.7 (TSS);
 * AMD APM vol. 2 chapter 4 is the same.
 */
#ifndef KERNEL_CPU_CORE_H
#define KERNEL_CPU_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/thermal.h"
#include "kernel/memory/arena.h"

enum { SELECTOR_CODE = 0x08, SELECTOR_DATA = 0x10, SELECTOR_TSS = 0x18 };
#define GDT_ENTRIES 16 /* room for the TSS, of two entries, at other selectors than that */

/* Indexes into the TSS's table are one less; 0 in a gate means no switch. */
enum { IST_NMI = 1, IST_DOUBLE_FAULT = 2, IST_MACHINE_CHECK = 3, IST_COUNT = 3 };
#define IST_STACK_SIZE (8u << 10)
/* Of a core that runs what it is given; the boot core has the kernel's (kernel/memory/arena.h). */
#define CORE_STACK_SIZE (32u << 10)

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

/*
 * Bytes that no other core's data shares: what one core waits on, others write to. CPUs fetch lines
 * of 64 bytes in pairs; leaf 5 says how many MONITOR watches (kernel/cores/park.c asks).
 */
#define CORE_LINE 256

/* What a core was woken for. */
struct core_job {
    void (*fn)(void *ctx, unsigned core); /* NULL: nothing */
    void *ctx;
    struct core_meeting *meeting; /* with whom (kernel/cores/run.c) */
};

struct core {
    struct core *self; /* first: what %gs:0 reads */
    uint64_t gdt[GDT_ENTRIES];
    uint16_t tss_selector;
    struct tss tss;
    uint64_t guard[IST_COUNT + 1]; /* pages below its stacks, for the pager to leave out; 0: none */
    uint64_t stack_top;            /* 0: the boot core's is not among these */
    volatile uint64_t nmis, machine_checks;
    struct machine_check last_check;

    unsigned index; /* 0: the boot core */
    uint32_t apic_id;
    const char *row_suite, *row_name; /* what runs on it, for a fault's report */
    struct thermal_row thermal;       /* of the row that it runs, or ran last */
    char fault[160];                  /* what befell it */
    struct pagetable *tables;         /* its own page tables, NULL: all cores' */
    uint64_t code;                    /* physical address of its own code buffer, if so */
    struct lent_core *lent;           /* the firmware's, to be given back; NULL: ours for good */
    volatile bool go_home, leaving;   /* it is to go back; it is about to */

    /* Each in a line of its own: written by other cores while this one waits. */
    _Alignas(CORE_LINE) volatile uint32_t wakes; /* how often it was woken ... */
    uint32_t slept;                              /* ... and how often it has slept until then */
    _Alignas(CORE_LINE) volatile bool asleep;    /* it executes nothing, or is about to */
    volatile bool faulted;                       /* stopped for good */
    struct core_job job;
    volatile uint64_t woke; /* TSC when the last wake-up, or the last signal while it ran, came */
    volatile bool signalled;
    _Alignas(CORE_LINE) volatile uint64_t ping; /* rounds of kernel/cores/time.c */
    volatile uint64_t pong;
};

/* Bytes of arena that core_new() takes. */
uint64_t core_cost(uint64_t stack);
/* With a stack of that size, 0: without. NULL when the arena is used up. */
struct core *core_new(struct arena *a, uint64_t stack);
/* Its TSS, from the next core_load() on, at another selector; from SELECTOR_TSS to SELECTOR_LAST. */
#define SELECTOR_LAST (8 * (GDT_ENTRIES - 2))
void core_move_tss(struct core *c, uint16_t selector);
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
