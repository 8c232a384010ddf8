/*
 * The TSC's frequency from what the machine has: ACPI PM timer, HPET, PIT, and CPUID leaf 15h
 * beside them. Each is read in a few windows of about 10 ms; no wait depends on the counter moving.
 * Sources: ACPI 6.5 section 4.8.3.3, IA-PC HPET specification 1.0a section 2.3, Intel 8254 data
 * sheet.
 */
#ifndef KERNEL_CLOCKS_H
#define KERNEL_CLOCKS_H

#include "kernel/paging.h"
#include "lib/acpi.h"
#include "lib/clock.h"
#include "lib/cpu.h"

/* `f`, `h`: NULL where the machine has no such table. */
struct tsc_clock clocks_measure(const struct cpu *cpu, struct paging *p, const struct fadt *f,
                                const struct hpet_table *h);

#endif
