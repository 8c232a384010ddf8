/*
 * Finds ACPI tables in untrusted memory: every address goes through `struct physmem`, and every
 * length and checksum is checked. Source: ACPI 6.5 sections 5.2.5 to 5.2.8. The contents of single
 * tables: acpi_fixed.h, acpi_madt.h and so on.
 */
#ifndef LIB_FIRMWARE_ACPI_H
#define LIB_FIRMWARE_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/firmware/acpi_table.h"
#include "lib/firmware/physmem.h"

struct acpi {
    const struct physmem *mem;
    bool present;     /* an RSDP with a valid checksum and a valid RSDT or XSDT */
    uint8_t revision; /* of the RSDP */
    char oem_id[7];   /* of the RSDP, printable, blanks trimmed */
    bool xsdt;
    struct acpi_table root;
    unsigned bad; /* tables skipped: unreachable, too short, or wrong checksum */
};

/* `rsdp` is a physical address, 0 for none. If the XSDT is invalid, the RSDT is used. */
void acpi_open(struct acpi *a, const struct physmem *mem, uint64_t rsdp);
/* Returns the first valid table with that signature; .bytes is NULL if no table has it. */
struct acpi_table acpi_find(const struct acpi *a, const char signature[4]);
/* Returns whether the root table or the FADT is QEMU's: OEM id "BOCHS ", OEM table id "BXPC....".
 * Checks both, since firmware that rebuilds the root table keeps QEMU's FADT. */
bool acpi_says_qemu(const struct acpi *a);

#endif
