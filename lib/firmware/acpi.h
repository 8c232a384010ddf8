/*
 * ACPI tables found without believing them: every address is asked for through `struct physmem`,
 * every length and checksum is checked. Source: ACPI 6.5 sections 5.2.5 to 5.2.8. What a single
 * table says: acpi_fadt.h, acpi_madt.h and so on.
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
    bool present;     /* an RSDP with a good checksum and an RSDT or XSDT that holds */
    uint8_t revision; /* of the RSDP */
    char oem_id[7];   /* of the RSDP, printable, blanks trimmed */
    bool xsdt;
    struct acpi_table root;
    unsigned bad; /* tables passed over: unreachable, too short, or wrong checksum */
};

/* `rsdp` is a physical address, 0 for none. An XSDT that does not hold falls back to the RSDT. */
void acpi_open(struct acpi *a, const struct physmem *mem, uint64_t rsdp);
/* The first table with that signature that holds; .bytes NULL where there is none. */
struct acpi_table acpi_find(const struct acpi *a, const char signature[4]);
/* Whether the root table or the FADT says QEMU: OEM id "BOCHS ", OEM table id "BXPC....". Both are
 * asked, since firmwares that rebuild the root table keep QEMU's FADT. */
bool acpi_says_qemu(const struct acpi *a);

#endif
