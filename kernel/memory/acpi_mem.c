#include "kernel/memory/acpi_mem.h"
#include "kernel/memory/memory_map.h"

/* ACPI 6.5 section 5.2.5.1: the BIOS read-only memory space. */
#define BIOS_START 0xe0000ull
#define BIOS_END   0x100000ull

#define PAGE 4096ull /* page 0 is not mapped */

static const void *at(void *ctx, uint64_t address, size_t n)
{
    const struct acpi_mem *a = ctx;
    bool bios = address >= BIOS_START && address < BIOS_END && n <= BIOS_END - address;

    if (address >= PAGE && (bios || memory_is_readable(a->handoff, address, n)))
        return (const void *)address;
    return NULL;
}

void acpi_mem_init(struct acpi_mem *a, const struct handoff *h)
{
    *a = (struct acpi_mem){.mem = {.at = at, .ctx = a}, .handoff = h};
}
