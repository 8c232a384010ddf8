/* The data of one core: descriptors and stacks, counters, the row it runs, and requests of other
 * cores. The core's GS base points to it. */
#ifndef KERNEL_CPU_CORE_H
#define KERNEL_CPU_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "bench/api/timer.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/row_state.h"
#include "kernel/memory/memory_map.h"
#include "lib/cpu/core_counter.h"
#include "lib/cpu/overflow.h"
#include "lib/cpu/stepping.h"
#include "lib/cpu/speeds.h"
#include "lib/text/json.h"

/*
 * --- descriptors ---
 * Flat segments, and the TSS with the stacks of NMI, #DB, #DF and #MC, and of events in ring 3
 * (rows of suite `events`). Source: Intel SDM vol. 3A sections 3.5 (GDT), 6.14.5 (IST), 8.7 (TSS);
 * AMD APM vol. 2 chapter 4 is the same.
 */

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

/*
 * --- core_cycles.c ---
 * The running core's counters of core cycles as timers (bench/api/timer.h): `pmc` and `aperf` of
 * cycle=. lib/cpu/core_counter.h contains the logic; this file adds the
 * instructions. Usable once the traps are loaded, since an MSR may fault although CPUID promises
 * it.
 */

struct core_cycles;

/* A counter of one event as a timer. */
struct counter_timer {
    struct core_cycles *of;
    enum core_counter_event event;
    struct core_counter counter;
    struct timer timer;
};

struct core_cycles {
    struct core_counters has;
    struct counter_access access;
    struct counter_timer pmc, retired;
    struct aperf ratio;
    struct timer aperf;
    bool stuck; /* an MSR could not be restored when a counter was stopped */
};

struct counter_access counter_access_here(void); /* the running core */

/* Implements a timer_source for the running core; bench/engine/cycle.h has the rest of cycle=. `c`
 * must be zero at first and must not move. */
struct timer *core_cycles_timer(struct core_cycles *c, unsigned id, const char **why);

/* Implements retired() of struct platform. */
struct timer *core_cycles_retired(void *context, const char **why);

/*
 * --- throttling.c ---
 * Detects whether a core was throttled while it measured a row (lib/cpu/speeds.h). Log bits stay
 * set until cleared, so those that matter and are set before a row are cleared, and nothing else of
 * the register. They cannot be restored. On a machine that is never throttled nothing is written.
 */

/* The state of one row on one core, by scope. */
struct thermal_row {
    bool begun[THERMAL_SCOPES]; /* the register could be read before the row, ... */
    bool known[THERMAL_SCOPES]; /* ... and after it: `causes` is valid */
    uint64_t first[THERMAL_SCOPES];
    uint32_t causes[THERMAL_SCOPES];
};

struct thermal_state {
    struct thermal cpu;
    bool was[THERMAL_SCOPES]; /* the boot core's log had a cause at the start */
};

void thermal_init(struct thermal_state *s, const struct cpu *c, cpuid_fn cpuid);

/* To be called before and after a row, on the core that measures it. */
void thermal_begin(const struct thermal_state *s, struct thermal_row *row);
void thermal_end(const struct thermal_state *s, struct thermal_row *row);

/* Adds a round's causes to kept[THERMAL_SCOPES], which is all zero before the first round. If one
 * round is not known, the row is not known. */
void thermal_keep(const struct thermal_row *row, uint64_t *kept);

/* The line in the table: "  ^ throttled by core_prochot package_power_limit"; the fields:
 * `throttled`, and `throttled_by` if it was. */
extern const struct platform_kept thermal_kept;

/* Writes the line "thermal" of the report's head. */
void thermal_show(const struct thermal_state *s, struct sink *out);

/* --- the core --- */

#define IST_STACK_SIZE (8u << 10)
/* Bytes of stack of every core but the boot core, which has the kernel's
 * (kernel/memory/memory_map.h). */
#define CORE_STACK_SIZE (32u << 10)
/* Its own stack and that of tss.rsp[0] follow those of the IST. */
enum { CORE_GUARD_OWN = IST_COUNT, CORE_GUARD_RING0, CORE_GUARDS };

/*
 * Alignment in bytes of words that one core polls and others write, so that no other data shares
 * them. CPUs fetch lines of 64 bytes in pairs; CPUID leaf 5 has the size that MONITOR watches
 * (kernel/cores/smp.c checks it).
 */
#define CORE_LINE 256

/* A core's part in TLB shootdowns (kernel/cores/signals.c). Times are of its TSC. */
struct core_shot {
    uint64_t arrived, invalidated; /* of the last one: in its handler, and after INVLPG */
    uint32_t took, reading;        /* ticks of INVLPG with a reading of the TSC; of the reading */
    volatile uint64_t answers;     /* number of shootdowns that it has acknowledged */
    volatile uint64_t seen;        /* what it last read from the page */
};

/* The job that a core was woken for. */
struct core_job {
    void (*fn)(void *ctx, unsigned core); /* NULL: nothing */
    void *ctx;
    struct core_rendezvous *rendezvous; /* the cores that run it together (kernel/cores/run.c) */
};

/* The rest of the buffer is writable: a page costs time when its rights change. */
struct code_buffer {
    uint64_t phys;       /* its address */
    uint64_t executable; /* its first bytes, a multiple of the page size */
};

struct core {
    struct core *self; /* first: %gs:0 reads it */
    struct core *next; /* the core made before this one */
    struct gdt gdt;
    uint64_t guard[CORE_GUARDS]; /* unmapped pages below its stacks; 0: none */
    uint64_t stack_top;          /* 0: the boot core, which has the kernel's stack */
    volatile uint64_t nmis, machine_checks;
    struct machine_check last_check; /* survived or fatal */

    unsigned index; /* 0: the boot core, or a core that has not found its number yet */
    uint32_t apic_id;
    struct cores *cores;              /* all cores (kernel/cores/smp.h); NULL: not known yet */
    const struct core_origin *origin; /* the same header; NULL: the boot core */
    const struct parking *parking;    /* how it parks (kernel/cores/smp.h) */
    struct lent_core *lent; /* the firmware's state (kernel/cores/smp.h); NULL: not lent */
    const char *row_suite, *row_name; /* the row on it, for a fault's report; NULL: none */
    struct row_state state;           /* registers to restore after its row */
    volatile uint64_t guard_stack;    /* of the guarded call (kernel/trap/traps.h); 0: none */
    struct guard_ended *guard_ended;  /* where the guarded call's end is described */
    struct stepping *volatile steps;  /* of the single-stepped call (the same header) */
    struct branch_trap branch_trap;   /* cleared while single-stepping */
    volatile uint64_t deadline; /* TSC at which its row ends (kernel/cores/deadline.h); 0: none */
    volatile bool watches;      /* its APIC timer is set for a deadline, while it sleeps */
    bool beats;                 /* the same, to wake it now and then */
    volatile uint32_t notified; /* another core sent it an NMI, since its row is overdue */
    volatile uint64_t notified_begun,
        notified_sent;          /* such NMIs: begun to be sent, and sent, ... */
    uint64_t notified_done;     /* ... and no longer expected */
    struct overflow overflow;   /* its counter, if that sends the NMI ... */
    uint32_t lvt_counters_was;  /* ... through this LVT entry (kernel/cores/own_timers.c) */
    volatile uint64_t own_nmis; /* NMIs for a deadline; not included in `nmis` */
    struct thermal_row thermal; /* of its current or last row */
    struct core_counter smis;   /* counts SMIs if it has steps: AMD's event */
    struct core_cycles cycles;  /* its own counters of core cycles */
    char fault[160];            /* the exception that stopped it, in words */
    struct pagetable *tables;   /* its own page tables; NULL: the shared ones */
    struct code_buffer code;    /* its own one, if `tables` */
    bool begun;                 /* it executes our code; its apic_id is known */
    volatile bool go_home;      /* it must return to the firmware */
    volatile bool leaving;      /* it is returning: nothing may stop it */

    /* Each group on a separate line: other cores write it while this one polls. */
    _Alignas(CORE_LINE) volatile uint32_t wakes; /* number of wake-ups ... */
    uint32_t slept;                              /* ... and of sleeps that ended */
    volatile uint64_t early;                     /* MWAITs that ended without a wake-up */
    _Alignas(CORE_LINE) volatile bool asleep;    /* it executes nothing, or is about to */
    volatile bool faulted;                       /* stopped by a fault */
    struct core_job job;
    volatile uint64_t woke; /* TSC of the last wake-up, or of the last signal while it ran */
    volatile bool signalled;
    void (*volatile on_signal)(struct core *c);
    _Alignas(CORE_LINE) volatile uint64_t ping; /* used by kernel/cores/signals.c */
    volatile uint64_t pong;
    _Alignas(CORE_LINE) struct core_shot shot;
};

/* Returns the bytes of arena that core_new() takes. */
uint64_t core_cost(uint64_t stack);
/* Makes a core with a stack of this many bytes; 0: without one. NULL: the arena is used up. */
struct core *core_new(struct arena *a, uint64_t stack);
/* Loads GDT, segments, TR and GS base of the running core. */
void core_load(struct core *c);
/* Moves the TSS to another selector, SELECTOR_TSS to SELECTOR_LAST. Takes effect at core_load(). */
void gdt_move_tss(struct gdt *g, uint16_t selector);
/* Loads GDT, segment registers and TR of the running core. FS and GS bases are 0 afterwards. Not
 * inlined: tests stop at each of its instructions. */
void __attribute__((noinline)) gdt_load(const struct gdt *g);

/* Returns the running core's APIC id, by CPUID. */
uint32_t core_apic_id(void);

/* Returns the running core, whatever a row has loaded into GS: for handlers. Finds it by GDTR, or
 * else by APIC id. NULL: no core found. */
struct core *core_find(void);

/* Returns the running core. Valid only after core_load(). */
static inline struct core *core_current(void)
{
    struct core *c;

    __asm__ volatile("mov %%gs:0, %0" : "=r"(c));
    return c;
}

#endif
