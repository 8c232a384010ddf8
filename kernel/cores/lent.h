/*
 * Cores that the firmware lends (takeover=borrow). Each runs our procedure through MP services and
 * waits in it until the boot core has the machine and calls it. It then serves like a started core
 * (kernel/cores/start.c). At the end it restores its state and returns to the firmware. No lent
 * core is ever sent an INIT.
 *
 *   boot/cores.c              starts the procedures; waits for begin and end  (boot core, firmware)
 *   lent_serve()              the procedure                                   (the core itself)
 *   core_lent, lent_home()    calls cores; sends all of them home             (boot core, borrowed)
 */
#ifndef KERNEL_CORES_LENT_H
#define KERNEL_CORES_LENT_H

#include "kernel/cores/smp.h"
#include "kernel/cpu/core.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/trap/traps.h"

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

struct lent {
    uint32_t tickets, room; /* procedures that began; number of entries */
    struct lent_core core[];
};

/* --- boot/, firmware alive --- */

/* Returns the size in bytes of a struct lent for this number of cores. Its memory must be zeroed
 * and page-aligned. */
uint64_t lent_size(unsigned room);
/* The procedure. */
void lent_serve(struct lent *l);
/* Returns how many cores have begun it and loaded our IDT. Call before lent_dismiss(). */
uint32_t lent_begun(const struct lent *l);
/* Makes every core that has not been called return at once, or as soon as it arrives. */
void lent_dismiss(struct lent *l);
/* Returns whether this core was called and has not returned. */
bool lent_lost(const struct lent_core *l);

/* --- the boot core, borrowed; the lent cores are in the handoff --- */

/* Returns every lent core to the firmware, whatever it runs, newest first. Bounded. `l` NULL: no
 * core is lent. */
void lent_home(const struct cores *c, struct lent *l);

#endif
