/*
 * What a core has of the firmware's while it is ours for a time (takeover=borrow): saved before
 * kernel/cpu/cpu_setup.h's first change, put back in the reverse order after the last. Works on the
 * running core, with interrupts off; usable on any core. Sources: Intel SDM vol. 3A chapters 2 and
 * 5.11.5 (CR3, CR4.PCIDE), vol. 1 section 10.5 (FXSAVE); AMD APM vol. 2 chapter 3 is the same.
 *
 * Not here, since nothing of ours changes it: LDTR, CR2, DR0 to DR3, IA32_S_CET, the TSC. The upper
 * halves of vector registers are clear afterwards.
 */
#ifndef KERNEL_CPU_CPU_STATE_H
#define KERNEL_CPU_CPU_STATE_H

#include <stdint.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/registers.h"

struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

struct cpu_state {
    uint64_t cr0, cr3, cr4, dr7;
    uint64_t efer, pat, fs_base, gs_base; /* pat: 0 where the CPU has none */
    struct table_register gdtr, idtr;
    uint16_t cs, ss, ds, es, fs, gs, tr;
    uint64_t xcr0;                /* 0: there is none */
    _Alignas(16) uint8_t fx[512]; /* x87, SSE and MXCSR: FXSAVE64 */
};

/* Leaves SSE usable (CR4.OSFXSR set, CR0.EM and CR0.TS clear); all else is as it was. */
void cpu_state_save(struct cpu_state *s);
/*
 * Our page tables and descriptors are no longer used when it returns. TR cannot be emptied: where
 * it held no TSS of the saved GDT, it keeps ours, which 64-bit code without privilege changes and
 * without ISTs, as firmware's is, never looks at; but see cpu_state_tss_selector().
 */
void cpu_state_restore(const struct cpu_state *s);
/*
 * The selector that our TSS should have on this core, `last` at the most, since TR may keep it: EDK
 * II, before each procedure of MP services, loads a core's TR as the last one left it if the entry
 * of its own GDT is present, and faults where that is no TSS. So one that is not, unless TR can be
 * put back. 0: there is none.
 */
uint16_t cpu_state_tss_selector(const struct cpu_state *s, uint16_t first, uint16_t last);

/*
 * The shadow stack must be switched off and on by one function at one depth, or a return in between
 * finds another address there than it left: so these are the caller's to use, right after the first
 * and right after the second of the above.
 */
static inline __attribute__((always_inline)) void cpu_state_cet_off(const struct cpu_state *s)
{
    if (s->cr4 & CR4_CET)
        write_cr4(read_cr4() & ~CR4_CET);
}
static inline __attribute__((always_inline)) void cpu_state_cet_on(const struct cpu_state *s)
{
    if (s->cr4 & CR4_CET)
        write_cr4(s->cr4);
}

#endif
