/*
 * What each core has of its own: descriptors and stacks, its counters, what it runs, and what other
 * cores ask of it. GS base points to it.
 */
#ifndef KERNEL_CPU_CORE_H
#define KERNEL_CPU_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/core_cycles.h"
#include "kernel/cpu/gdt.h"
#include "kernel/cpu/mce.h"
#include "kernel/cpu/row_state.h"
#include "kernel/cpu/thermal.h"
#include "kernel/memory/arena.h"
#include "lib/cpu/branch_trap.h"
#include "lib/cpu/overflow.h"

#define IST_STACK_SIZE (8u << 10)
/* Of a core that runs what it is given; the boot core has the kernel's (kernel/memory/arena.h). */
#define CORE_STACK_SIZE (32u << 10)
#define CORE_GUARDS     (IST_COUNT + 1)

/*
 * Bytes that no other core's data shares: what one core waits on, others write to. CPUs fetch lines
 * of 64 bytes in pairs; CPUID leaf 5 says how many MONITOR watches (kernel/cores/park.c asks).
 */
#define CORE_LINE 256

struct guard_ended; /* bench/api/platform.h */

/* What a core was woken for. */
struct core_job {
    void (*fn)(void *ctx, unsigned core); /* NULL: nothing */
    void *ctx;
    struct core_meeting *meeting; /* with whom (kernel/cores/run.c) */
};

struct core {
    struct core *self; /* first: what %gs:0 reads */
    struct core *next; /* made before this one */
    struct gdt gdt;
    uint64_t guard[CORE_GUARDS]; /* pages below its stacks, for the pager to leave out; 0: none */
    uint64_t stack_top;          /* 0: the boot core's is not among these */
    volatile uint64_t nmis, machine_checks;
    struct machine_check last_check; /* survived, or died of */

    unsigned index; /* 0: the boot core, and one on its way in that has not found its number yet */
    uint32_t apic_id;
    struct cores *cores;              /* all of them (kernel/cores/cores.h); NULL: not known yet */
    const struct core_origin *origin; /* the same header; NULL: the boot core */
    const struct parking *parking;    /* how it sleeps and is woken (kernel/cores/park.h) */
    struct lent_core *lent;           /* what is given back (kernel/cores/lent.h); NULL: nothing */
    const char *row_suite, *row_name; /* what runs on it, for a fault's report; NULL: no row */
    struct row_state state;           /* what its row may change and must not keep */
    volatile uint64_t guard_stack; /* of the call that can be left (kernel/trap/guard.h); 0: none */
    struct guard_ended *guard_ended; /* where is said how it ended */
    struct steps *volatile steps;    /* of the call that is stepped (kernel/trap/step.h) */
    struct branch_trap branch_trap;  /* cleared while it is */
    volatile uint64_t deadline;      /* TSC at which its row is ended (kernel/cores/deadline.h) */
    volatile bool watches;           /* its APIC's timer is set for a deadline, while it sleeps */
    volatile bool overdue;           /* an NMI that ends its row is on its way */
    struct overflow overflow;        /* its counter, where that sends the NMI ... */
    uint32_t lvt_counters_was;       /* ... by this entry (kernel/cores/counter_nmi.h) */
    volatile uint64_t own_nmis;      /* that came for some core's deadline; not among `nmis` */
    struct thermal_row thermal;      /* of the row that it runs, or ran last */
    struct core_cycles cycles;       /* its own counters of core cycles */
    char fault[160];                 /* the exception that stopped it, in words */
    struct pagetable *tables;        /* its own page tables, NULL: all cores' */
    uint64_t code;                   /* physical address of its own code buffer, if so */
    volatile bool go_home;           /* it is to go back to whom it came from */
    volatile bool leaving;           /* it is on its way back: nothing may stop it any more */

    /* Each in a line of its own: written by other cores while this one waits. */
    _Alignas(CORE_LINE) volatile uint32_t wakes; /* how often it was woken ... */
    uint32_t slept;                              /* ... and how often it has slept until then */
    volatile uint64_t early;                     /* MWAITs that ended without a wake-up */
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
/* Loads GDT, segments, TR and GS base of the running core. */
void core_load(struct core *c);
/* Whether an address lies in a page below one of its stacks. */
bool core_is_guard(const struct core *c, uint64_t at);

/* The running core's own, whatever a row has loaded into GS: for handlers. By GDTR, or else by the
 * APIC id. NULL: none was loaded. */
struct core *core_find(void);

/* The running core's own; only after core_load(). */
static inline struct core *core_current(void)
{
    struct core *c;

    __asm__ volatile("mov %%gs:0, %0" : "=r"(c));
    return c;
}

#endif
