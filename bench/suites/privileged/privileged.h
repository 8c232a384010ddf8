/*
 * Suite `privileged`: what instructions cost that only ring 0 may execute, and some next to them
 * that a hypervisor may intercept (docs/privileged.md). Each row is one instruction or two that
 * undo each other, in straight copies. Its state is the same afterwards: kernel/cpu/row_state.h
 * verifies that. The work of a row is judged by its instructions, of which each operation has
 * exactly `least_instructions`.
 */
#ifndef BENCH_SUITES_PRIVILEGED_H
#define BENCH_SUITES_PRIVILEGED_H

#include "bench/api/bench.h"

/* A window of instructions of 30 to 300 cycles is long compared with the step of any TSC, and short
 * enough if each exits to a hypervisor. */
#define PRIVILEGED_OPS 10

/* Values that setup stores in the room for `history` (unit_privileged_load): of the registers that
 * the bodies use. */
struct privileged_registers {
    uint64_t r8, r9, r10, r11, rdi;
};
/* Offset in the room of memory operands; a multiple of 64, as XSAVE needs it. */
#define PRIVILEGED_MEMORY 64

#define PRIVILEGED_ANY_RING(name_, instructions_, what_, ...)                                      \
    BENCH(privileged, name_, .what = what_, .window.form = FORM_STRAIGHT, .on_request = true,      \
          .needs.may_be_refused = true, .proof.least_instructions = instructions_, __VA_ARGS__)
#define PRIVILEGED_ROW(name_, instructions_, what_, ...)                                           \
    PRIVILEGED_ANY_RING(name_, instructions_, what_, .needs.platform = NEED_RING0, __VA_ARGS__)

extern const struct unit unit_privileged_load; /* history: loads struct privileged_registers */

static inline struct privileged_registers *privileged_registers(struct object *o)
{
    return o->room;
}

static inline void *privileged_memory(struct object *o)
{
    return (uint8_t *)o->room + PRIVILEGED_MEMORY;
}

/* Return the address of the local APIC's registers in xAPIC mode, and what a core whose APIC is not
 * in xAPIC or x2APIC mode lacks (msr.c). */
uint64_t privileged_apic(void);
const char *privileged_lacks_xapic(const struct cpu *cpu);
const char *privileged_lacks_x2apic(const struct cpu *cpu);

/* RDMSR and the like for setups: a fault ends the row, not the run. */
static inline uint64_t privileged_rdmsr(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

#define PRIVILEGED_READ(name_)                                                                     \
    static inline uint64_t privileged_##name_(void)                                                \
    {                                                                                              \
        uint64_t v;                                                                                \
        __asm__ volatile("mov %%" #name_ ", %0" : "=r"(v));                                        \
        return v;                                                                                  \
    }
PRIVILEGED_READ(cr0)
PRIVILEGED_READ(cr2)
PRIVILEGED_READ(cr3)
PRIVILEGED_READ(cr4)
PRIVILEGED_READ(cr8)
PRIVILEGED_READ(dr0)
PRIVILEGED_READ(dr6)
PRIVILEGED_READ(dr7)
PRIVILEGED_READ(cs)
PRIVILEGED_READ(ds)
PRIVILEGED_READ(es)
PRIVILEGED_READ(ss)
PRIVILEGED_READ(fs)
PRIVILEGED_READ(gs)
#undef PRIVILEGED_READ

#endif
