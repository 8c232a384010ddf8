/* Sets control registers, EFER, x87 and SSE as the program needs them, whatever the firmware left.
 * Runs on every core, with interrupts disabled, before any code compiled for SSE. */
#ifndef KERNEL_CPU_CPU_SETUP_H
#define KERNEL_CPU_CPU_SETUP_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/instructions.h"

/* Returns whether the CPU supports no-execute pages. */
static inline bool cpu_has_nx(void)
{
    return cpuid(0x80000000, 0).eax >= 0x80000001 && cpuid(0x80000001, 0).edx & 1u << 20;
}

/*
 * Resets and enables x87 and SSE. Enables AVX and AVX-512 where the CPU has them, the caches, and
 * EFER.NXE where the CPU has NX. Disables breakpoints, and CET, FRED, PCIDs and supervisor
 * protection keys, which would change the meaning of our IDT, stacks and page tables. LA57, SMEP
 * and SMAP stay as found.
 */
void cpu_setup(void);

/* Sets CR0.WP, so that read-only pages hold for the kernel too, and makes PAT entry 4 WC, the
 * others as at power-on. The page tables must be changed right after: entry 4 no longer has the
 * firmware's meaning. */
void cpu_setup_paging(void);

/* Zeroes the upper halves of vector registers if AVX is enabled: while they are in use, SSE
 * instructions depend on each other or run slowly (Intel Optimization manual section 15.3). */
#define XCR0_AVX (1ull << 2)
static inline void xstate_zero_uppers(void)
{
    if (read_cr4() & CR4_OSXSAVE && xcr0_read() & XCR0_AVX)
        __asm__ volatile("vzeroupper");
}

/*
 * --- the firmware's state of a borrowed core (takeover=borrow) ---
 * It is saved before the first change of the functions above and restored in reverse order after
 * the last. Works on the running core, with interrupts disabled; usable on any core. Sources: Intel
 * SDM vol. 3A chapters 2 and 5.11.5 (CR3, CR4.PCIDE), vol. 1 section 10.5 (FXSAVE); AMD APM vol. 2
 * chapter 3 is the same.
 *
 * Not saved, since baretick does not change it: LDTR, CR2, DR0 to DR3, IA32_S_CET, the TSC. The
 * upper halves of vector registers are zero afterwards.
 */

struct cpu_state {
    uint64_t cr0, cr3, cr4, dr6, dr7;
    uint64_t efer, pat, fs_base, gs_base; /* pat: 0 if the CPU has no PAT */
    struct table_register gdtr, idtr;
    uint16_t cs, ss, ds, es, fs, gs, tr;
    uint64_t xcr0;                /* 0: the CPU has no XCR0 */
    _Alignas(16) uint8_t fx[512]; /* x87, SSE and MXCSR: FXSAVE64 */
};

/* Saves the state. Leaves SSE usable (CR4.OSFXSR set, CR0.EM and CR0.TS clear); all else
 * unchanged. */
void cpu_state_save(struct cpu_state *s);
/*
 * Restores the state. Our page tables and descriptors are no longer used when it returns. TR cannot
 * be cleared: if it held no TSS of the saved GDT, it keeps our TSS. 64-bit code without privilege
 * changes and ISTs, such as the firmware's, never uses it; but see cpu_state_tss_selector().
 */
void cpu_state_restore(const struct cpu_state *s);
/*
 * Returns the selector for our TSS on this core, at most `last`, since TR may keep it. Before each
 * MP services procedure, EDK II loads TR with the last value if that entry of its own GDT is
 * present, and faults if the entry is not a TSS. So this is an entry that is not present, unless TR
 * can be restored. 0: no such entry.
 */
uint16_t cpu_state_tss_selector(const struct cpu_state *s, uint16_t first, uint16_t last);

/*
 * The shadow stack must be disabled and enabled by one function at the same call depth. Otherwise a
 * return in between finds another address than expected on it. So the caller calls these: _off
 * right after cpu_state_save(), _on right after cpu_state_restore().
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
