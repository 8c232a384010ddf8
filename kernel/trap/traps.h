/*
 * The 32 exceptions, and the interrupts with which cores wake each other. Source of numbers and
 * names: Intel SDM vol. 3A table 6-1, AMD APM vol. 2 table 8-1.
 *
 * Survived here: a fault at an instruction that has a fixup (kernel/cpu/msr.h), which goes on at
 * its resume point; a machine check that lost nothing. NMIs are counted. What is to be done beyond
 * that is not decided here: it comes as hooks from the top, kernel/main.c.
 */
#ifndef KERNEL_TRAP_TRAPS_H
#define KERNEL_TRAP_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/core.h"

enum {
    VECTOR_DEBUG = 1,
    VECTOR_NMI = 2,
    VECTOR_DOUBLE_FAULT = 8,
    VECTOR_GENERAL_PROTECTION = 13,
    VECTOR_PAGE_FAULT = 14,
    VECTOR_MACHINE_CHECK = 18,
    VECTORS = 32,
    /* The highest class of interrupts, the only one that is ever let through (park.h). */
    VECTOR_INTERRUPTS = 0xf0,
    VECTOR_WAKE = 0xf1,
    VECTOR_SIGNAL = 0xf2, /* to a core that runs and lets it come */
    VECTOR_WATCH = 0xf3,  /* to a core that sleeps: its timer, or another core, for a deadline */
    VECTOR_SPURIOUS = 0xff,
    GATES = 256
};

/* As kernel/trap/traps.asm and the CPU leave it on the stack. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};

/*
 * Called on the core that was interrupted, `c`, in the handler: general registers only, unless the
 * hook never returns. The first trap can come as soon as traps_load() was called, before anything
 * else is known of the machine: hooks must stand that c->cores, c->parking and c->origin are NULL,
 * that no console is open, and that SSE is off.
 */
struct trap_hooks {
    void (*interrupt)(struct core *c, unsigned vector);
    /* True: this NMI is the program's own, is not counted, and `f` may go on elsewhere. */
    bool (*own_nmi)(struct core *c, struct trap_frame *f);
    void (*nmi)(struct core *c); /* any other, after it was counted */
    /* A #DB. True: it is a single step that was asked for, and `f` may go on. */
    bool (*step)(struct core *c, struct trap_frame *f);
    /* An exception that has no fixup. True: the code that met it is left, `f` goes on elsewhere. */
    bool (*leave)(struct core *c, struct trap_frame *f);
    /* An exception that is not survived. Must not return; the core stops for good if it does. */
    void (*fatal)(struct core *c, const struct trap_frame *f);
};

/* Makes the IDT of all cores. `hooks` must stay. */
void traps_init(const struct trap_hooks *hooks);
/* Loads it on the running core, whose struct core is loaded already. */
void traps_load(void);
/* Where the IDT is: whole pages. */
uint64_t traps_idt(uint64_t *size);

/* SDM vol. 3A figure 6-8. */
struct trap_gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct trap_gate) == 16, "SDM vol. 3A figure 6-8");

struct idtr {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

/*
 * The running core's IDT while firmware is alive: a copy of the firmware's, with two gates of ours.
 * An NMI is counted, and the firmware goes on, whose own handler would stop the machine. A #GP at
 * an instruction that has a fixup is survived; any other happens again with the firmware's IDT
 * loaded, as all other exceptions and interrupts do: they stay its own.
 */
struct borrowed_traps {
    struct trap_gate gate[GATES]; /* first: IDTR points to it */
    struct trap_gate nmi;         /* the firmware's */
    struct idtr firmware;
};
/* Until the second of them `b` must stay where it is. */
void traps_borrow(struct borrowed_traps *b);
void traps_return(const struct borrowed_traps *b);
/*
 * From the first of these to the last the firmware's own IDT counts NMIs too: its gate is ours for
 * the time, unless it cannot be written (CR4.CET keeps CR0.WP). Until the second it is loaded, for
 * what hands it to other cores; until the last they have it.
 */
void traps_lend(const struct borrowed_traps *b);
void traps_lend_sent(const struct borrowed_traps *b);
void traps_lend_end(const struct borrowed_traps *b);
/* NMIs that came with a borrowed IDT, on any core. */
uint64_t traps_borrowed_nmis(void);

/* From kernel/trap/traps.asm only. */
void trap_dispatch(struct trap_frame *f);

#endif
