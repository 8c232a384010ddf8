/*
 * Handles the 32 exceptions, and the interrupts by which cores wake each other. Source of numbers
 * and names: Intel SDM vol. 3A table 6-1, AMD APM vol. 2 table 8-1.
 *
 * These are survived: a fault at an instruction with a fixup (kernel/cpu/msr.h), which continues at
 * its resume address, and a machine check that lost nothing. NMIs are counted. Hooks of
 * kernel/main.c decide everything else.
 */
#ifndef KERNEL_TRAP_TRAPS_H
#define KERNEL_TRAP_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "kernel/cpu/core.h"
#include "kernel/cpu/instructions.h"

enum {
    VECTOR_DEBUG = 1,
    VECTOR_NMI = 2,
    VECTOR_INVALID_OPCODE = 6,
    VECTOR_DOUBLE_FAULT = 8,
    VECTOR_GENERAL_PROTECTION = 13,
    VECTOR_PAGE_FAULT = 14,
    VECTOR_MACHINE_CHECK = 18,
    VECTORS = 32,
    /* The highest class of interrupts, the only one that is ever enabled (park.h). */
    VECTOR_INTERRUPTS = 0xf0,
    VECTOR_WAKE = 0xf1,
    VECTOR_SIGNAL = 0xf2, /* to a core that waits for it while running */
    VECTOR_WATCH = 0xf3,  /* to a sleeping core, for a deadline: from its timer or another core */
    VECTOR_ROW = PLATFORM_ROW_VECTOR, /* of rows that load an IDT */
    VECTOR_SPURIOUS = 0xff,
    GATES = 256
};

/* The stack as kernel/trap/traps.asm and the CPU leave it. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};

/*
 * Called in the handler, on the interrupted core `c`. A hook may use only general registers, unless
 * it never returns. The first trap can come right after traps_load(), before anything else is known
 * of the machine. So c->cores, c->parking and c->origin may be NULL, no console may be open, and
 * SSE may be off.
 */
struct trap_hooks {
    void (*interrupt)(struct core *c, unsigned vector);
    /* True: baretick sent this NMI; it is not counted, and `f` may continue elsewhere. */
    bool (*own_nmi)(struct core *c, struct trap_frame *f);
    void (*nmi)(struct core *c); /* any other NMI, after it was counted */
    /* A #DB. True: it is a requested single step, and `f` may continue. */
    bool (*step)(struct core *c, struct trap_frame *f);
    /* An exception without a fixup. True: the code that caused it is ended; `f` continues
     * elsewhere. */
    bool (*leave)(struct core *c, struct trap_frame *f);
    /* A fatal exception. Must not return; the core stops for good if it does. */
    void (*fatal)(struct core *c, const struct trap_frame *f);
};

/* Makes the IDT of all cores. `hooks` must stay valid. */
void traps_init(const struct trap_hooks *hooks);
/* Loads the IDT on the running core, after core_load(). */
void traps_load(void);
/* Returns the IDT's address; it has whole pages. */
uint64_t traps_idt(uint64_t *size);

/* SDM vol. 3A figure 6-8. */
struct trap_gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct trap_gate) == 16, "SDM vol. 3A figure 6-8");

/*
 * The running core's IDT while the firmware is alive: a copy of the firmware's, with two of our
 * gates. An NMI is counted and the firmware continues; its own handler would stop the machine. A
 * #GP at an instruction with a fixup is survived. Any other #GP is repeated with the firmware's IDT
 * loaded. All other exceptions and interrupts go to the firmware's handlers.
 */
struct borrowed_traps {
    struct trap_gate gate[GATES]; /* first: IDTR points to it */
    struct trap_gate nmi;         /* the firmware's gate */
    struct table_register firmware;
};
/* Load this IDT, and the firmware's again. `b` must not move in between. */
void traps_borrow(struct borrowed_traps *b);
void traps_return(const struct borrowed_traps *b);
/*
 * Between traps_lend() and traps_lend_end() the firmware's IDT counts NMIs too, since its NMI gate
 * is ours, unless it cannot be written (CR4.CET keeps CR0.WP). The firmware's IDT is loaded until
 * traps_lend_sent(), so that the firmware passes it to other cores, which use it until the end.
 */
void traps_lend(const struct borrowed_traps *b);
void traps_lend_sent(const struct borrowed_traps *b);
void traps_lend_end(const struct borrowed_traps *b);
/* Returns the NMIs that came with a borrowed IDT, on any core. */
uint64_t traps_borrowed_nmis(void);

/* Called only by kernel/trap/traps.asm. */
void trap_dispatch(struct trap_frame *f);

#endif
