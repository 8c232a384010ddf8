/*
 * Resets the machine, or switches it off, without its firmware. Sources: ACPI 6.5 section 4.8.3.6
 * (the FADT's reset register); data sheets of Intel's PCHs, "Reset Control Register" (port CF9h);
 * IBM PS/2 Hardware Interface Technical Reference, "Keyboard and Auxiliary Device Controller" (port
 * 64h); Intel SDM vol. 3A section 6.15 (a triple fault shuts the CPU down, and the chipset then
 * resets it).
 */
#ifndef KERNEL_DEVICES_RESET_H
#define KERNEL_DEVICES_RESET_H

#include <stdint.h>
#include "lib/firmware/acpi_tables.h"

/* The FADT's register, port CF9h, port 64h, a triple fault. */
#define RESET_WAYS 4

struct reset {
    const struct fadt *fadt; /* NULL: there is no such table */
    /* Maps a device's registers. NULL: not possible. */
    volatile void *(*map)(void *ctx, uint64_t address, uint64_t size);
    void *map_ctx;
    /* Shows what is tried next; must be finished when it returns. */
    void (*tell)(void *ctx, const char *way);
    void *tell_ctx;
};

/* Tries one way, 0 to RESET_WAYS - 1; does nothing if the machine does not have it. Returns after
 * a bounded time if the machine was not reset. */
void reset_try(const struct reset *r, unsigned way);

/* Enters S5 by PM1a_CNT and PM1b_CNT (ACPI 6.5 sections 4.8.3.1.1 and 4.8.3.2.1). Returns after a
 * bounded time if the machine is not switched off, or at once if it has no such register. */
void power_off(const struct fadt *f, struct acpi_s5 s5);

#endif
