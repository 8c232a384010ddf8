/*
 * The other cores: started by INIT and start-up IPIs, set up as the boot core is, parked, called.
 *
 *   kernel/cores/cores.c       who there is, and the start                     (boot core)
 *   kernel/cores/arrive.c  what a core does when it arrives, and its facts (the core itself)
 *   kernel/cores/lent.c        those that the firmware lends, in place of the start (both)
 *   kernel/cores/run.c    calls, alone and together; faults               (both)
 *   kernel/cores/time.c   how far its TSC is from the boot core's, how long signals take (both)
 *   kernel/cores/park.c        sleeping and waking
 *
 * Numbers: 0 is the boot core, the others stand in the MADT's order, whether they came up or not.
 */
#ifndef KERNEL_CORES_CORES_H
#define KERNEL_CORES_CORES_H

#include "bench/api/platform.h"
#include "kernel/cpu/core.h"
#include "kernel/trap/traps.h"
#include "lib/cpu/cores.h"

/* Where the texts of a core's facts lie. */
struct core_texts {
    char mtrr[96], features[160], why_not[96];
};

/* Those who run one function at the same time. One at a time, so it stands in struct cores. */
struct core_meeting {
    const unsigned *list;
    unsigned n;
    bool boot_takes_part; /* it is in the list, or, while cores are tried, it stays awake */
    uint32_t left;        /* who have not finished; the last one wakes the boot core */
    uint64_t sent;        /* TSC when the last of them was woken */
};

struct cores {
    unsigned count;
    struct core **core;       /* NULL: did not come up */
    struct core_facts *facts; /* why_not tells whether a core can be called */
    struct core_texts *texts;
    struct core_place *place; /* as the platform has them */
    struct cores_list list;
    const char *from;               /* "madt", "mp_services": who listed them */
    const char *why_alone;          /* why the others, if there are any, were left out */
    const char *park_refused;       /* why park= is not as asked; NULL: it is */
    const char *lost;               /* why a core that arrived could not be used, the last such */
    bool x2apic_switched;           /* by us, since ids demand it */
    uint32_t up;                    /* others that arrived */
    unsigned second_init;           /* others that needed it */
    unsigned called;                /* others that answered a first call */
    uint32_t lvt_stuck, lfence_not; /* entries that stay open, cores whose LFENCE is not as here */
    uint32_t faulted;
    uint64_t start_ticks;          /* what all of machine_cores() took */
    struct core_features features; /* the boot core's */
    struct core_meeting meeting;
    struct platform_cores platform;
};

struct machine;

/* Bytes of arena that machine_cores() takes for so many cores. */
uint64_t cores_cost(const struct options *o, unsigned cores);

/* So many ticks of the TSC at least, where its frequency is not known. */
uint64_t cores_ticks(const struct machine *m, uint64_t microseconds);

/* NULL where there is nobody else. */
const struct platform_cores *cores_platform(struct machine *m);

/* After the last row: an event for each core that was interrupted, or that faulted without a row.
 * True: one faulted. */
struct report;
bool cores_report_end(const struct machine *m, struct report *r);

/* kernel/cores/arrive.c: once, before the first core arrives. */
void core_setup_init(struct machine *m);
/* The entry of a core that arrives (kernel/cores/trampoline.h). */
void core_arrive(struct core *c);
/* The same for one that the firmware lends (kernel/cores/lent.h), ... */
_Noreturn void core_arrive_lent(struct core *c);
/* ... and, on that core, all that its arrival changed but what struct cpu_state has. */
void core_unsettle(struct core *c);
/* Fills m->cores.facts[c->index] for the running core. */
void core_read_facts(struct machine *m, const struct core *c);

/* kernel/cores/run.c. */
void core_run_init(struct machine *m);
/* Runs what the running core was woken for. */
void core_work(struct core *c);
/*
 * fn on core i while the boot core does its own part, `here`, NULL for none. Everything bounded, for
 * cores that are not known to answer. False: it did not within `ticks`, and was stopped for good.
 */
bool core_try(unsigned i, void (*fn)(void *ctx, unsigned core), void *ctx, void (*here)(void *ctx),
              uint64_t ticks);
const char *core_run(unsigned i, void (*fn)(void *ctx, unsigned core), void *ctx);
const char *core_together(const unsigned *list, unsigned n, void (*fn)(void *ctx, unsigned core),
                          void *ctx);
/* From kernel/trap/traps.c: prints, keeps the text for run(), stops for good. */
_Noreturn void cores_faulted(struct machine *m, struct core *c, const struct trap_frame *f);

/* kernel/cores/time.c: core i against the boot core, into its facts. False: it did not answer. */
bool core_compare_tsc(struct machine *m, unsigned i);
/* struct platform_cores says what these are. */
bool core_time_wake(unsigned i, int64_t *ticks);
bool core_time_ipi(unsigned i, int64_t *ticks);

#endif
