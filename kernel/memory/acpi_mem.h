/*
 * Physical memory for lib/firmware/acpi.h and lib/firmware/smbios.h: an address is believed only
 * where the firmware's own map has memory for all of the bytes, or in the BIOS area below 1 MiB,
 * where old tables lie that no map mentions.
 */
#ifndef KERNEL_MEMORY_ACPI_MEM_H
#define KERNEL_MEMORY_ACPI_MEM_H

#include "kernel/memory/handoff.h"
#include "lib/firmware/physmem.h"

struct acpi_mem {
    struct physmem mem;
    const struct handoff *handoff;
};

/* `a` must stay where it is: mem.ctx points to it. */
void acpi_mem_init(struct acpi_mem *a, const struct handoff *h);

#endif
