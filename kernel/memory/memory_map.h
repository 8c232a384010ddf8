/* Questions to the firmware's final memory map (handoff.region). Types: UEFI 2.10 table 7.6. */
#ifndef KERNEL_MEMORY_MEMORY_MAP_H
#define KERNEL_MEMORY_MEMORY_MAP_H

#include "kernel/memory/handoff.h"

enum {
    REGION_RESERVED = 0,
    REGION_LOADER_CODE = 1,
    REGION_LOADER_DATA = 2,
    REGION_BOOT_CODE = 3,
    REGION_BOOT_DATA = 4,
    REGION_RUNTIME_CODE = 5,
    REGION_RUNTIME_DATA = 6,
    REGION_FREE = 7,
    REGION_UNUSABLE = 8,
    REGION_ACPI = 9,
    REGION_ACPI_NVS = 10,
    REGION_MMIO = 11,
    REGION_MMIO_PORTS = 12,
    REGION_PERSISTENT = 14,
    REGION_UNACCEPTED = 15,
};
#define REGION_RUNTIME (1ull << 63) /* EFI_MEMORY_RUNTIME: ResetSystem may need it */

/* RAM that programs, firmware or tables live in. */
bool region_is_ram(const struct memory_region *r);

/* Whether any byte of [start, start + size) lies in such RAM. A range that wraps does. */
bool memory_is_ram(const struct handoff *h, uint64_t start, uint64_t size);

/* What the map has there, as address_map.region of lib/firmware/address.h wants it; `handoff` is a
 * struct handoff. MMIO and gaps are where devices are: NULL. */
const char *memory_taken(void *handoff, uint64_t start, uint64_t size);

/* Whether every byte lies in regions whose type says memory (RAM as above, or, below 4 GiB,
 * reserved). */
bool memory_is_readable(const struct handoff *h, uint64_t start, uint64_t size);

#endif
