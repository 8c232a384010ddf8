/*
 * Handles the 32 exceptions, and the interrupts by which cores wake each other. Source of numbers
 * and names: Intel SDM vol. 3A table 6-1, AMD APM vol. 2 table 8-1.
 *
 * These are survived: a fault at an instruction with a fixup (kernel/cpu/msr.h), which continues at
 * its resume address, and a machine check that lost nothing. NMIs are counted. Any other exception
 * ends the guarded call that it came in, or is fatal.
 */
#ifndef KERNEL_TRAP_TRAPS_H
#define KERNEL_TRAP_TRAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "kernel/cpu/core.h"
#include "kernel/cpu/instructions.h"
#include "lib/text/sink.h"

enum {
    VECTOR_DEBUG = 1,
    VECTOR_NMI = 2,
    VECTOR_INVALID_OPCODE = 6,
    VECTOR_DOUBLE_FAULT = 8,
    VECTOR_GENERAL_PROTECTION = 13,
    VECTOR_PAGE_FAULT = 14,
    VECTOR_MACHINE_CHECK = 18,
    VECTORS = 32,
    /* The highest class of interrupts, the only one that is ever enabled (kernel/cores/smp.h). */
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
    bool (*lent_nmi)(void);      /* the same after the machine was given back to the firmware */
    void (*nmi)(struct core *c); /* any other NMI, after it was counted */
    /* A fatal exception. Must not return; the core stops for good if it does. */
    void (*fatal)(struct core *c, const struct trap_frame *f);
};

/* Makes the IDT of all cores. `hooks` must stay valid. */
void traps_init(const struct trap_hooks *hooks);
/* Loads the IDT on the running core, after core_load(). */
void traps_load(void);
/* SDM vol. 3A figure 6-8. */
struct trap_gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct trap_gate) == 16, "SDM vol. 3A figure 6-8");
/* The IDT of all cores, in whole pages. */
extern struct trap_gate traps_idt[GATES];

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

/*
 * --- guarded calls ---
 * They always return, whatever their code does: a handler on the same core can end them. Each core
 * runs at most one. `guarded` of bench/api/platform.h uses this.
 */

/* Calls fn(ctx) on the running core, `c`. True: it returned. False: it was ended; *ended says
 * why. */
bool guard_call(struct core *c, void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);

/*
 * In a handler, on the interrupted core: ends its guarded call. True: `f` continues after
 * guard_call(), with callee-saved registers and the control words of x87 and SSE restored. False:
 * no guarded call runs. Memory stays as the call left it.
 */
bool guard_leave(struct core *c, struct trap_frame *f, enum guard_end by);

/*
 * Single-stepping of a guarded call: #DB by RFLAGS.TF in ring 0 (Intel SDM vol. 3B section
 * 18.3.1.4), while DEBUGCTL.BTF is clear. lib/cpu/stepping.h counts.
 */

/* Implements `step` of struct platform. */
struct step_result step_call(struct stepping *s, step_entry *entry, const void *code,
                             const uint64_t argument[STEP_ARGUMENTS]);

/* --- fault.c: describes fatal exceptions, and prints them on the console --- */

/* Writes a text such as "#UD invalid opcode (vector 6)"; for a #PF also the access, if CR2 still
 * belongs to it. */
void fault_what(const struct trap_frame *f, char *text, size_t size);

/* Writes a text such as "#UD invalid opcode (vector 6) at 1234 while running provoke/ud2". */
void fault_describe(const struct core *c, const struct trap_frame *f, char *text, size_t size);

/* Returns the symbol that contains the address; *offset gets the offset in it. NULL: no symbol. */
typedef const char *fault_namer(uint64_t at, uint64_t *offset);

/*
 * Prints vector, error code, the row that was running on core `c`, all registers and a backtrace of
 * at most 16 frames. If the faulting code has no frames, words on the stack that may be return
 * addresses come first. An address is printed with its name if `namer` knows it, or with its offset
 * in the image, for addr2line -e build/baretick.elf. `h` has the bounds of image and arena. To be
 * called on `c`.
 */
void fault_print(struct sink *out, const struct handoff *h, const struct core *c,
                 const struct trap_frame *f, fault_namer *namer);

/* --- traps.asm: sleeping --- */

/* Sleep with interrupts enabled until one comes, or an NMI, and return with interrupts disabled.
 * sleep_mwait: also until a write to what MONITOR watches; `hint` is EAX of MWAIT. */
void sleep_hlt(void) HIDDEN;
void sleep_mwait(uint32_t hint) HIDDEN;

/* --- traps.asm: from the firmware's stack to ours, and back --- */

/* Calls go(argument) on the stack that ends at `stack_top`, 16-byte aligned, with IF, DF, TF, NT
 * and AC clear in RFLAGS. `go` never returns. */
_Noreturn void entry_switch(void *argument, uint64_t stack_top, void (*go)(void *)) HIDDEN;
/* The same, but returns `status` when entry_return(*back, status) is called, at any point after
 * `go` has begun. */
int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back) HIDDEN;
_Noreturn void entry_return(uint64_t back, int status) HIDDEN;

/* Called only by kernel/trap/traps.asm. */
void trap_dispatch(struct trap_frame *f);

#endif
