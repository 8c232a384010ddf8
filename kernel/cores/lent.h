/*
 * Cores that the firmware lends (takeover=borrow): each runs a procedure of ours by MP services,
 * waits in it until the boot core has the machine and calls it, serves like a core that an INIT
 * started (kernel/cores/start.h), and at the end puts back what was its own and returns to the
 * firmware. None is ever sent an INIT.
 *
 *   boot/lend.c               the dispatch; waits for begin and end      (boot core, firmware)
 *   lent_serve()              the procedure, from first line to last     (the core itself)
 *   lent_call(), lent_home()  which cores are called, and all sent home  (boot core, borrowed)
 */
#ifndef KERNEL_CORES_LENT_H
#define KERNEL_CORES_LENT_H

#include "kernel/cores/settle.h"
#include "kernel/cpu/core.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/trap/traps.h"

extern const struct core_origin core_lent;

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
    const char *why_not; /* it was called, and found that it cannot serve */
    bool back;           /* all is put back, and it is on its way out of the procedure */

    /* What is put back. */
    struct cpu_state firmware;
    struct settled settled;
    uint64_t way_back; /* the firmware's stack (kernel/cpu/entry.h) */
    struct borrowed_traps traps;
};

struct lent {
    uint32_t tickets, room; /* how many procedures began; places */
    struct lent_core core[];
};

/* --- boot/, firmware alive --- */

/* Bytes of memory, zeroed and aligned to a page, that a struct lent for this number of cores
 * takes. */
uint64_t lent_size(unsigned room);
/* The procedure. */
void lent_serve(struct lent *l);
/* How many cores have begun it and loaded our table of interrupts; before lent_dismiss(). */
uint32_t lent_begun(const struct lent *l);
/* A core that has not been called returns at once, or as soon as it comes. */
void lent_dismiss(struct lent *l);
/* Whether the core of that place was called and is not back. */
bool lent_lost(const struct lent_core *l);

/* --- the boot core, borrowed; the lent are those of the handoff --- */

/* NULL, or why no core is lent here. */
const char *lent_refused(const struct cores *c);
/* Calls those that wait, in the order of their coming, each after the one before has arrived, and
 * makes it the core of its number in c->made; the rest is sent home. */
void lent_call(struct cores *c);
/* Why core i did not arrive. */
const char *lent_why_not(const struct cores *c, unsigned i);
/* Sends all home, whatever they run, the last that came first; bounded. `l` NULL: none are lent. */
void lent_home(const struct cores *c, struct lent *l);

#endif
