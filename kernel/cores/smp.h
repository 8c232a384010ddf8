/*
 * The other cores of the machine: the list, and the data that the files of this room share.
 *
 *   smp.c         the list; the steps from it to cores that can be called (boot core); sets a core
 *                 up like the boot core and reads its properties          (the core itself)
 *   start.c       cores that INIT and start-up IPIs start                 (both)
 *   lent.c        cores that the firmware lends (takeover=borrow)         (both)
 *   run.c         sleeping and waking; calls of one or several cores; faults (both)
 *   signals.c     TSC offset to the boot core, duration of signals, TLB shootdowns (both)
 *
 * Core 0 is the boot core; the others are in the MADT's order, whether they came up or not.
 */
#ifndef KERNEL_CORES_SMP_H
#define KERNEL_CORES_SMP_H

#include "bench/api/platform.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/devices/irq.h"
#include "kernel/trap/traps.h"
#include "lib/cpu/topology.h"

/* One for all cores: each struct core points to it. */
struct parking {
    const struct lapic *lapic; /* mode and address, the same on every core */
    enum park how;
    uint32_t hint;       /* EAX of MWAIT */
    bool timer_stops;    /* the APIC timer may stop in states below C1 */
    const char *refused; /* why `how` is not as park= requests; NULL: it is */
};

struct cores;

/* The operations that depend on how cores are obtained. There is one constant for cores that are
 * started (start.c) and one for cores that the firmware lends (lent.c). The boot core has no
 * origin. */
struct core_origin {
    /* On the boot core: returns NULL, or why no core can be obtained. */
    const char *(*refused)(struct cores *c);
    /* On the boot core: obtains all cores of c->made. Returns when all have arrived or no more
     * arrive. NULL, or why none could be obtained. */
    const char *(*bring)(struct cores *c);
    /* Returns why core i did not arrive. */
    const char *(*why_not)(const struct cores *c, unsigned i);
    /* On the core: puts its APIC in the boot core's mode, or checks that it is. Stores the APIC's
     * id in *id. Returns NULL, or why the core cannot be used. */
    const char *(*join_apic)(const struct lapic *boot, uint32_t *id);
    /* On the core: masks its interrupts and accepts those of other cores. */
    struct irq_masked (*mask)(const struct core *c);
    /* On the core, in the NMI handler. NULL: NMIs are only counted. */
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

/* Storage for the texts of a core's facts. */
struct core_texts {
    char mtrr[96], features[160];
};

/* The cores that run one function at the same time. There is one rendezvous at a time, in struct
 * cores. */
struct core_rendezvous {
    const unsigned *list;
    unsigned n;
    bool boot_takes_part; /* it is in the list, or stays awake (cores_try()) */
    uint32_t left;        /* cores that have not finished; the last one wakes the boot core */
    uint64_t sent;        /* TSC when the last of them was woken */
};

struct cores {
    struct cores_given given;
    const struct core_origin *origin; /* of all cores but the boot core */
    uint64_t cr4, efer;               /* the boot core's, which every other core gets */
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
    uint32_t under_way;             /* those that have begun and not arrived */
    unsigned second_init;           /* other cores that needed a second INIT */
    unsigned called;                /* other cores that answered a first call */
    uint32_t lvt_stuck, lfence_not; /* LVT entries left unmasked; cores with another LFENCE state */
    uint64_t wake_most; /* longest of a first wake-up of each core, in ticks; 0: not known */
    uint32_t faulted;
    uint32_t printing;    /* 1 + number of the core whose fault is on the console; 0: none */
    uint64_t start_ticks; /* duration of cores_bring_up() */
    struct core_features features; /* the boot core's */
    struct core_rendezvous rendezvous;
};

/* --- smp.c --- */

/* Returns the bytes of arena that cores_bring_up() takes for this number of cores. */
uint64_t cores_cost(const struct handoff *h);
/* Runs on the boot core. The caller fills c->given; all else is zero. Records in c->facts and
 * c->why_alone which cores are not available and why. NULL, or why nothing can be measured. */
const char *cores_bring_up(struct cores *c);

/* Converts to TSC ticks; the result is an upper bound where the TSC's frequency is not known. */
uint64_t cores_ticks(const struct cores *c, uint64_t microseconds);

/* The state that core_settle() changed, in addition to struct cpu_state. */
struct settled {
    struct irq_masked irq; /* irq.lapic.present: set once the core can be interrupted */
    struct mce mce;
    enum lfence_state lfence;
};

/* Sets the core `c`, on which it runs, up like the boot core: descriptors, traps, control
 * registers, page tables, APIC, interrupts and machine checks. NULL: the core has its number and
 * can be called; else why not. */
const char *core_settle(struct core *c, struct settled *was);
/* --- start.c: INIT, start-up IPIs, the trampoline below 1 MiB (SDM vol. 3A 10.4.4.1, 11.6.1) -- */

extern const struct core_origin core_started, core_lent;

/*
 * --- lent.c ---
 * Cores that the firmware lends (takeover=borrow). Each runs our procedure through MP services and
 * waits in it until the boot core has the machine and calls it. It then serves like a started core.
 * At the end it restores its state and returns to the firmware. No lent core is ever sent an INIT.
 * If the firmware lends none, and does not continue after the run, they are started instead.
 *
 *   boot/cores.c              starts the procedures; waits for begin and end  (boot core, firmware)
 *   lent_serve()              the procedure                                   (the core itself)
 *   core_lent, lent_home()    calls cores; sends all of them home             (boot core, borrowed)
 */

enum lent_state {
    LENT_NONE,   /* no core has taken this entry yet */
    LENT_WAITS,  /* waits to be called or sent home */
    LENT_CALLED, /* the boot core called it and assigned it a struct core */
    LENT_HOME    /* not needed, or not called in time */
};

struct lent_core {
    _Alignas(CORE_LINE) uint32_t state; /* the word that it polls; other cores write it once */
    uint32_t apic_id;                   /* from CPUID on the core itself */
    uint64_t stack;                     /* an address in the stack that the firmware gave it */
    struct core *core;
    const char *why_not; /* why it cannot serve although it was called */
    bool back;           /* its state is restored, and it is leaving the procedure */

    /* What is restored. */
    struct cpu_state firmware;
    struct settled settled;
    uint64_t way_back; /* the firmware's stack (kernel/trap/traps.asm) */
    struct borrowed_traps traps;
};

/* Zero at first, and page-aligned. */
struct lent {
    uint32_t tickets, room; /* procedures that began; number of entries */
    struct lent_core core[];
};

static inline uint32_t lent_state_of(const struct lent_core *l)
{
    return __atomic_load_n(&l->state, __ATOMIC_SEQ_CST);
}

static inline bool lent_is_back(const struct lent_core *l)
{
    return __atomic_load_n(&l->back, __ATOMIC_SEQ_CST);
}

/* For boot/, with the firmware alive. */

/* The procedure. */
void lent_serve(struct lent *l);
/* Makes every core that has not been called return at once, or as soon as it arrives. */
static inline void lent_dismiss(struct lent *l)
{
    for (uint32_t i = 0; i < l->room; i++)
        if (!change(&l->core[i].state, LENT_NONE, LENT_HOME))
            (void)change(&l->core[i].state, LENT_WAITS, LENT_HOME);
}
/* Returns whether this core was called and has not returned. */
static inline bool lent_lost(const struct lent_core *l)
{
    return lent_state_of(l) == LENT_CALLED && !lent_is_back(l);
}

/* Returns every lent core to the firmware, whatever it runs, newest first. Bounded. `l` NULL: no
 * core is lent. Then started ones that sleep stay in our loop until the machine is reset, in which
 * they still take part in SMIs; others are given up, so that none interrupts the boot core. */
void lent_home(const struct cores *c, struct lent *l);

/*
 * --- run.c ---
 * A serving core sleeps until the boot core gives it something to run. Parks a core until another
 * core wakes it: in HLT or in a deep MWAIT, which only the wake-up interrupt ends, or in a shallow
 * MWAIT on a dedicated line. (On some CPUs a store does not end a deep MWAIT: Linux'
 * X86_BUG_MONITOR. An interrupt always does.) Everywhere else interrupts are disabled, and CR8
 * blocks them too. Each park_sleep() is ended by exactly one park_wake(), whichever of the two
 * comes first.
 */

/* Enables the running core's APIC, with our spurious vector; all interrupt sources but other cores
 * stay masked. */
void park_accept(const struct parking *p);
/* Sleeps, on the core `c` itself, until another core wakes it. */
void park_sleep(struct core *c);
/* Takes a wake-up of the running core, `c`, for which it waits awake. False: none came within
 * `ticks`. */
bool park_await(struct core *c, uint64_t ticks);
/* Wakes `c`, from any core. False: the interrupt could not be sent. */
bool park_wake(struct core *c);
/* The interrupt hook of kernel/trap/traps.h, for vectors of the highest class; no others are let
 * through. Does nothing on a core that has no struct parking yet. */
void park_interrupt(struct core *c, unsigned vector);

typedef void core_fn(void *ctx, unsigned core);

/* On a core that has settled: runs the jobs that it is woken for, until it is sent back to the
 * firmware. */
void core_serve(struct core *c);

/* On the boot core: run fn(ctx, i) on core i, or on all n cores of the list at once, as run() and
 * together() of struct platform_cores. Return NULL, or why it could not run or what stopped it. */
const char *cores_run(struct cores *all, unsigned i, core_fn *fn, void *ctx);
const char *cores_together(struct cores *all, const unsigned *list, unsigned n, core_fn *fn,
                           void *ctx);
/* Runs fn on all n cores of the list, without the boot core, while it runs `here` (NULL: nothing).
 * Everything is bounded, for cores that are not known to answer. False: a core did not finish
 * within `ticks` after `here` and was given up. */
bool cores_try(struct cores *all, const unsigned *list, unsigned n, core_fn *fn, void *ctx,
               void (*here)(void *ctx), uint64_t ticks);

/* The NMI hook of kernel/trap/traps.h, for every core. */
static inline void core_nmi(struct core *c)
{
    if (c->origin && c->origin->nmi)
        c->origin->nmi(c);
}

/*
 * Ends a core other than the boot core, on that core, after a fatal exception: keeps the
 * description for cores_run(), waits, bounded, until no other core prints, prints, leaves the
 * core's rendezvous and stops the core for good. If the core faults again while it prints, nothing
 * more is printed.
 */
_Noreturn void core_faulted(struct core *c, const struct trap_frame *f,
                            void (*print)(const struct core *c, const struct trap_frame *f));

/* --- signals.c, on the boot core --- */

/* Compares core i's TSC with the boot core's and stores the offset in its facts. False: it did not
 * answer. */
bool time_compare_tsc(struct cores *all, unsigned i);
/* Stores the ticks from a wake-up of core i until it executes, within the error of the offset.
 * False: it did not answer. */
bool time_wake(struct cores *all, unsigned i, int64_t *ticks);
/* Sets wake(), ipi() and shootdown(). */
void signals_open(struct platform_cores *p);

#endif
