/* Sets control registers, EFER, x87 and SSE as the program needs them, whatever the firmware left.
 * Runs on every core, with interrupts disabled, before any code compiled for SSE. */
#ifndef KERNEL_CPU_CPU_SETUP_H
#define KERNEL_CPU_CPU_SETUP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the CPU supports no-execute pages. */
bool cpu_has_nx(void);

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

#endif
