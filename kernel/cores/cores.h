/*
 * The other cores of the machine: which there are, and what all that deal with them share.
 *
 *   cores.c       the list, and what the report says of each at its end   (boot core)
 *   bring_up.c    the steps from the list to cores that can be called     (boot core)
 *   start.c       cores that INIT and start-up IPIs start                 (both)
 *   lent.c        cores that the firmware lends, in their place           (both)
 *   settle.c      a core's registers, interrupts and checks as ours       (the core itself)
 *   inspect.c     what a core says of itself                              (the core itself)
 *   run.c         serving; calls, alone and together; faults              (both)
 *   time.c        how far its TSC is from the boot core's, how long signals take (both)
 *   park.c        sleeping and waking                                     (both)
 *
 * Numbers: 0 is the boot core, the others stand in the MADT's order, whether they came up or not.
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

/*
 * Where a core came from, and all that follows from it: one constant for those that were started
 * (start.c), one for those that the firmware lends (lent.c). The boot core has none.
 */
struct core_origin {
    /* On the core: its APIC in the boot core's mode, or seen to be; *id gets what it calls itself.
     * NULL, or why it cannot be used. */
    const char *(*join_apic)(const struct lapic *boot, uint32_t *id);
    /* On the core: its interrupts are masked, and those of other cores accepted. */
    struct irq_masked (*mask)(const struct core *c);
    /* On the core, in the NMI's handler. */
    void (*nmi)(struct core *c);
    /* On the core, after a fault: the last that it does for us. Never returns. */
    void (*stop)(struct core *c);
    /* On the boot core: it does not come to the end of what it was given, and is not waited for. */
    void (*give_up)(struct core *c);
};

/* Of the machine: what cores_bring_up() needs, filled by its caller. Must stay. */
struct cores_given {
    const struct handoff *handoff;
    const struct cpu *cpu;
    const struct madt *madt; /* NULL: none */
    const struct mtrr *mtrr; /* NULL: the CPU has none */
    struct arena *arena;
    struct paging *paging;
    struct irq_masked *irq;   /* the boot core's, with its LAPIC */
    enum lfence_state lfence; /* the boot core's */
    uint64_t tsc_hz;          /* 0: not known */
    bool others_stopped;      /* INIT went to all other cores */
    struct core *boot;
};

/* Registers that every core gets as the boot core has them. */
struct core_registers {
    uint64_t cr4, efer;
};

/* Where the texts of a core's facts lie. */
struct core_texts {
    char mtrr[96], features[160];
};

/* The cores that run one function at the same time. There is one such at a time: struct cores has
 * it. */
struct core_meeting {
    const unsigned *list;
    unsigned n;
    bool boot_takes_part; /* it is in the list, or, while cores are tried, it stays awake */
    uint32_t left;        /* cores that have not finished; the last one wakes the boot core */
    uint64_t sent;        /* TSC when the last of them was woken */
};

struct cores {
    struct cores_given given;
    struct core_registers registers;
    struct parking parking;
    unsigned count;
    struct core **made; /* by number, before they arrive; 0: the boot core's is not among them */
    struct core **core; /* NULL: did not come up */
    struct core_facts *facts; /* why_not tells whether a core can be called */
    struct core_texts *texts;
    struct core_place *place; /* as the platform has them */
    struct cores_list list;
    const char *from;               /* "madt", "mp_services": what listed them */
    const char *why_alone;          /* why the others, if there are any, were left out */
    const char *lost;               /* why a core that arrived could not be used, the last such */
    bool x2apic_switched;           /* by us, since ids demand it */
    uint32_t up;                    /* others that arrived */
    unsigned second_init;           /* others that needed it */
    unsigned called;                /* others that answered a first call */
    uint32_t lvt_stuck, lfence_not; /* entries that stay open, cores whose LFENCE is not as here */
    uint32_t faulted;
    uint32_t printing;    /* 1 + number of the core whose fault is on the console; 0: none */
    uint64_t start_ticks; /* what all of cores_bring_up() took */
    struct core_features features; /* the boot core's */
    struct core_meeting meeting;
};

/* Bytes of arena that cores_make_list() takes for this number of cores. */
uint64_t cores_list_cost(unsigned cores);
/* The list, by MADT or by MP services, with the boot core in it. False: the arena is too small. */
bool cores_make_list(struct cores *c);

/* Ticks of the TSC; too many rather than too few where its frequency is not known. */
uint64_t cores_ticks(const struct cores *c, uint64_t microseconds);
void cores_wait(const struct cores *c, uint64_t microseconds);

/* After the last row: an event for each core that was interrupted, or that faulted without a row.
 * True: one faulted. */
struct report;
bool cores_report_end(const struct cores *c, struct report *r);

#endif
