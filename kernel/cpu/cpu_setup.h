/* Sets control registers, EFER, x87 and SSE as the program needs them, whatever the firmware left.
 * Runs on every core, with interrupts disabled, before any code compiled for SSE. */
#ifndef KERNEL_CPU_CPU_SETUP_H
#define KERNEL_CPU_CPU_SETUP_H

#include <stdbool.h>
#include <stdint.h>

/* Return whether the CPU supports no-execute pages, and a page attribute table. */
bool cpu_has_nx(void);
bool cpu_has_pat(void);

/* Disables CET and FRED, which would change the meaning of our descriptors. Call before loading
 * them. */
void cpu_setup_traps(void);

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

/*
 * XCR0: which vector registers instructions may use. Firmware enables none beyond SSE; user objects
 * may use AVX and AVX-512. Sources: Intel SDM vol. 1 section 13.3 (bits of XCR0 and their valid
 * combinations), vol. 2A CPUID leaf 0Dh; AMD APM vol. 2 section 11.5.2 is the same.
 */

/* Returns whether this CPU has XCR0. */
bool xcr0_exists(void);
/* Both need CR4.OSXSAVE. */
uint64_t xcr0_read(void);
void xcr0_write(uint64_t v);
/* Zeroes the upper halves of vector registers if AVX is enabled: while they are in use, SSE
 * instructions depend on each other or run slowly (Intel Optimization manual section 15.3). */
void xstate_zero_uppers(void);

#endif
