/*
 * Cores that the firmware lends (takeover=borrow): each runs a procedure of ours by MP services,
 * waits in it until the boot core has the machine and calls it, serves like a core that an INIT
 * started (kernel/cores/cores.h), and at the end puts back what was its own and returns to the firmware.
 * None is ever sent an INIT.
 *
 *   boot/lend.c          the dispatch, and waiting for its end           (boot core, firmware alive)
 *   lent_serve()         the procedure, from its first line to its last  (the core itself)
 *   lent_call(), ..home  who is called, and who is sent home             (boot core, borrowed)
 */
#ifndef KERNEL_CORES_LENT_H
#define KERNEL_CORES_LENT_H

#include "kernel/cores/trampoline.h"
#include "kernel/cpu/core.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/lfence.h"
#include "kernel/cpu/mce.h"
#include "kernel/devices/irq.h"

enum lent_state {
    LENT_NONE,   /* no procedure has taken this place yet */
    LENT_WAITS,  /* to be called or sent home */
    LENT_CALLED, /* the boot core wants it, and made it a struct core */
    LENT_HOME    /* not wanted, or not called in time */
};

struct lent_core {
    _Alignas(CORE_LINE) uint32_t state; /* the one word that it waits on; others write it once */
    uint32_t apic_id;                   /* by CPUID on the core itself */
    uint64_t stack;                     /* somewhere in the stack that firmware gave it */
    struct core *core;
    const char *why_not; /* it was called, looked about, and cannot serve */
    bool back;           /* all is put back, and it is on its way out of the procedure */

    /* What is put back, beside what irq holds of its LAPIC. */
    struct cpu_state firmware;
    struct irq_masked irq;
    struct mce mce;
    enum lfence_state lfence;
    uint64_t xcr0;
    uint64_t way_back; /* the firmware's stack (kernel/cpu/entry.asm) */
};

struct lent {
    uint32_t tickets, room; /* how many procedures began; places */
    struct lent_core core[];
};

struct machine;
struct lapic;

/* Bytes of memory, zeroed and aligned to a page, that a struct lent for so many cores takes. */
uint64_t lent_size(unsigned room);

/* The procedure. */
void lent_serve(struct lent *l);

/* Calls those that wait, in the order of their coming, each after the one before has arrived; the
 * rest is sent home. `place`: for the core of each index but 0. */
void lent_call(struct machine *m, const struct trampoline_place *place);
/* Why the core of that index did not arrive. */
const char *lent_why_not(const struct machine *m, unsigned index);
/* On the way out of kernel/cores/arrive.c's arrival: what the core has of its own. */
_Noreturn void lent_leave(struct core *c);
/* It does nothing any more until it is sent home: where a fault has stopped it. */
_Noreturn void lent_stop(struct core *c);
/* The running core got an NMI: where it is to go home and did not hear it otherwise, it goes. */
void lent_nmi(struct core *c);
/* Out of whatever it is in, by an NMI. False: it does not go. */
bool lent_recall(struct machine *m, struct core *c);
/* Whoever has not been called returns at once, or as soon as he comes. */
void lent_dismiss(struct lent *l);
/* Sends all home, whatever they are at, the last that came first; bounded. */
void lent_home(struct machine *m);

/* Whether the core of that place was called and is not back. */
bool lent_lost(const struct lent_core *l);

#endif
