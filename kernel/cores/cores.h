/*
 * The other cores of the machine: the list, and the data that the files of this room share.
 *
 *   cores.c       the list; each core's events for the end of the report  (boot core)
 *   bring_up.c    the steps from the list to cores that can be called     (boot core)
 *   start.c       cores that INIT and start-up IPIs start                 (both)
 *   lent.c        cores that the firmware lends (takeover=borrow)         (both)
 *   settle.c      sets a core up like the boot core; reads its properties (the core itself)
 *   run.c         calls of one or several cores; faults                   (both)
 *   time.c        TSC offset to the boot core, duration of signals        (both)
 *   park.c        sleeping and waking                                     (both)
 *
 * Core 0 is the boot core; the others are in the MADT's order, whether they came up or not.
 */
#ifndef KERNEL_CORES_CORES_H
#define KERNEL_CORES_CORES_H

#include "bench/api/platform.h"
#include "kernel/cores/park.h"
#include "kernel/cpu/core.h"
#include "kernel/cpu/lfence.h"
#include "kernel/cpu/paging.h"
#include "kernel/devices/irq.h"
#include "kernel/memory/arena.h"
#include "kernel/memory/handoff.h"
#include "lib/cpu/machine_cores.h"

/* The operations that depend on how a core was obtained. There is one constant for cores that were
 * started (start.c) and one for cores that the firmware lends (lent.c). The boot core has no
 * origin. */
struct core_origin {
    /* On the core: puts its APIC in the boot core's mode, or checks that it is. Stores the APIC's
     * id in *id. Returns NULL, or why the core cannot be used. */
    const char *(*join_apic)(const struct lapic *boot, uint32_t *id);
    /* On the core: masks its interrupts and accepts those of other cores. */
    struct irq_masked (*mask)(const struct core *c);
    /* On the core, in the NMI handler. */
    void (*nmi)(struct core *c);
    /* On the core, after a fault: stops it for good. Never returns. */
    void (*stop)(struct core *c);
    /* On the boot core: abandons a core that does not finish its job. */
    void (*give_up)(struct core *c);
};

/* Input of cores_bring_up(), filled by its caller. Must stay valid. */
struct cores_given {
    const struct handoff *handoff;
    const struct cpu *cpu;
    const struct madt *madt; /* NULL: no MADT */
    const struct mtrr *mtrr; /* NULL: the CPU has no MTRRs */
    struct arena *arena;
    struct paging *paging;
    struct irq_masked *irq;   /* the boot core's, with its LAPIC */
    enum lfence_state lfence; /* the boot core's */
    uint64_t tsc_hz;          /* 0: not known */
    bool others_stopped;      /* INIT was sent to all other cores */
    struct core *boot;
};

/* The boot core's values, which every other core gets. */
struct core_registers {
    uint64_t cr4, efer;
};

/* Storage for the texts of a core's facts. */
struct core_texts {
    char mtrr[96], features[160];
};

/* The cores that run one function at the same time. There is one meeting at a time, in struct
 * cores. */
struct core_meeting {
    const unsigned *list;
    unsigned n;
    bool boot_takes_part; /* it is in the list, or stays awake (cores_try()) */
    uint32_t left;        /* cores that have not finished; the last one wakes the boot core */
    uint64_t sent;        /* TSC when the last of them was woken */
};

struct cores {
    struct cores_given given;
    struct core_registers registers;
    struct parking parking;
    unsigned count;
    struct core **made;       /* by number, before they arrive; [0] is unused */
    struct core **core;       /* NULL: did not come up */
    struct core_facts *facts; /* a core can be called if its why_not is NULL */
    struct core_texts *texts;
    struct core_place *place; /* as struct platform_cores has them */
    struct cores_list list;
    const char *from;               /* "madt", "mp_services": the source of the list */
    const char *why_alone;          /* why the other cores, if there are any, are not used */
    const char *lost;               /* why a core that arrived could not be used; the last reason */
    bool x2apic_switched;           /* by baretick, since the ids need it */
    uint32_t up;                    /* other cores that arrived */
    unsigned second_init;           /* other cores that needed a second INIT */
    unsigned called;                /* other cores that answered a first call */
    uint32_t lvt_stuck, lfence_not; /* LVT entries left unmasked; cores with another LFENCE state */
    uint32_t faulted;
    uint32_t printing;    /* 1 + number of the core whose fault is on the console; 0: none */
    uint64_t start_ticks; /* duration of cores_bring_up() */
    struct core_features features; /* the boot core's */
    struct core_meeting meeting;
};

/* --- cores.c --- */

/* Returns the bytes of arena that cores_make_list() takes for this number of cores. */
uint64_t cores_list_cost(unsigned cores);
/* Makes the list from the MADT or from MP services; it includes the boot core. False: the arena is
 * too small. */
bool cores_make_list(struct cores *c);

/* Converts to TSC ticks; the result is an upper bound where the TSC's frequency is not known. */
uint64_t cores_ticks(const struct cores *c, uint64_t microseconds);
void cores_wait(const struct cores *c, uint64_t microseconds);

/* After the last row: reports an event for each core that was interrupted by NMIs or machine
 * checks, or that faulted outside a row. Sets r->faulted if a core faulted. */
struct report;
void cores_report_end(const struct cores *c, struct report *r);

/* --- bring_up.c --- */

/* Returns the bytes of arena that cores_bring_up() takes for this number of cores. */
uint64_t cores_cost(const struct handoff *h);
/* Runs on the boot core. The caller fills c->given; all else is zero. Records in c->facts and
 * c->why_alone which cores are not available and why. NULL, or why nothing can be measured. */
const char *cores_bring_up(struct cores *c);

/* --- start.c: INIT, start-up IPIs, the trampoline below 1 MiB (SDM vol. 3A 10.4.4.1, 11.6.1) -- */

extern const struct core_origin core_started;

/* Returns the bytes of arena that cores_start() takes. */
uint64_t start_cost(unsigned cores);
/* Returns NULL, or why no core can be started. Switches the LAPIC to x2APIC if the ids need it. */
const char *start_refused(struct cores *c);
/* Starts all cores of c->made. Returns when all have arrived or no more arrive. NULL, or why none
 * could be started. */
const char *cores_start(struct cores *c);
/* Returns why core i did not arrive. */
const char *start_why_not(const struct cores *c, unsigned i);

/* --- settle.c --- */

/* The state that core_settle() changed, in addition to struct cpu_state. */
struct settled {
    struct irq_masked irq; /* irq.lapic.present: set once the core can be interrupted */
    struct mce mce;
    enum lfence_state lfence;
};

/* Saves the boot core's registers, before the first other core settles. */
void settle_like_boot(struct cores *c);
/* Sets the core `c`, on which it runs, up like the boot core: descriptors, traps, control
 * registers, page tables, APIC, interrupts and machine checks. NULL: the core has its number and
 * can be called; else why not. */
const char *core_settle(struct core *c, struct settled *was);
/* On that core: restores what core_settle() changed. */
void core_unsettle(const struct core *c, const struct settled *was);
/* Fills the entries of place, facts and texts of the core `c`, on which it runs, once its number is
 * known; on the boot core first. */
void core_inspect(const struct core *c);

/* --- time.c, on the boot core --- */

/* Compares core i's TSC with the boot core's and stores the offset in its facts. False: it did not
 * answer. */
bool time_compare_tsc(struct cores *all, unsigned i);
/* Implement wake() and ipi() of struct platform_cores. */
bool time_wake(struct cores *all, unsigned i, int64_t *ticks);
bool time_ipi(struct cores *all, unsigned i, int64_t *ticks);

#endif
