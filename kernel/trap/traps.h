/*
 * The 32 exceptions, and the interrupts with which cores wake each other. NMIs are counted and resumed; machine checks too, where they can be; faults at
 * an instruction with a fixup (kernel/cpu/msr.h) go on at their resume point. Everything else is fatal:
 * registers, the row that was running and a backtrace are printed (kernel/trap/fault.h), then
 * kernel_faulted() has the word, on other cores than the boot core cores_faulted(). Source of numbers and names: Intel SDM vol. 3A table 6-1, AMD APM
 * vol. 2 table 8-1.
 */
#ifndef KERNEL_TRAP_TRAPS_H
#define KERNEL_TRAP_TRAPS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    VECTOR_NMI = 2,
    VECTOR_DOUBLE_FAULT = 8,
    VECTOR_GENERAL_PROTECTION = 13,
    VECTOR_PAGE_FAULT = 14,
    VECTOR_MACHINE_CHECK = 18,
    VECTORS = 32,
    /* The highest class of interrupts, the only one that is ever let through (kernel/cores/park.h). */
    VECTOR_INTERRUPTS = 0xf0,
    VECTOR_WAKE = 0xf1,
    VECTOR_SIGNAL = 0xf2, /* to a core that runs and lets it come */
    VECTOR_SPURIOUS = 0xff,
    GATES = 256
};

/* As kernel/trap/traps.asm and the CPU leave it on the stack. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};

struct machine;

/* Bytes of arena that traps_init() takes. */
uint64_t traps_cost(void);
/* Makes the IDT of all cores. False: the arena is used up. */
bool traps_init(struct machine *m);
/* Loads it on the running core, whose struct core is loaded already. */
void traps_load(void);

/*
 * While firmware is alive and interrupts are off: its own exceptions stay its own, but for a #GP,
 * so that kernel/cpu/msr.h's accessors survive what they touch. Short, and given back.
 */
struct idtr {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));
struct idtr traps_borrow(void);
void traps_return(struct idtr firmware);

/* From kernel/trap/traps.asm only. */
void trap_dispatch(struct trap_frame *f);

#endif
