/*
 * Physical memory for lib/firmware/acpi.h and lib/firmware/smbios.h. An address is accepted only if
 * the firmware's map has memory for all of its bytes, or in the BIOS area below 1 MiB, which has
 * old tables that no map mentions.
 */
#ifndef KERNEL_MEMORY_ACPI_MEM_H
#define KERNEL_MEMORY_ACPI_MEM_H

#include "kernel/memory/handoff.h"
#include "lib/firmware/physmem.h"

struct acpi_mem {
    struct physmem mem;
    const struct handoff *handoff;
};

/* `a` must not move: mem.ctx points to it. */
void acpi_mem_init(struct acpi_mem *a, const struct handoff *h);

#endif
