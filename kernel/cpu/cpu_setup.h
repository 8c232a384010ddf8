/*
 * Control registers, EFER, x87 and SSE as the rest of the program needs them, whatever the firmware
 * left. Runs on every core, with interrupts off, before anything compiled for SSE.
 */
#ifndef KERNEL_CPU_CPU_SETUP_H
#define KERNEL_CPU_CPU_SETUP_H

#include <stdbool.h>
#include <stdint.h>

/* Whether pages can be closed to execution. */
bool cpu_has_nx(void);

/* CET and FRED off, which would change what our descriptors mean: before these are loaded. */
void cpu_setup_traps(void);

/*
 * Leaves: SSE and x87 usable and reset, AVX and AVX-512 usable where the CPU has them, caches on,
 * EFER.NXE where there is NX, breakpoints off; CET, FRED, PCIDs and supervisor protection keys off
 * (they would change what our IDT, stacks and page tables mean). LA57, SMEP, SMAP stay as found.
 */
void cpu_setup(void);

/* CR0.WP on (read-only pages hold for the kernel too) and PAT entry 4 = WC, the others as at
 * power-on. To be followed at once by a change of page tables: what the firmware's mean by entry
 * 4 ends here. */
void cpu_setup_paging(void);

#endif
