/*
 * Finds ACPI tables in untrusted memory: every address goes through `struct physmem`, and every
 * length and checksum is checked. Source: ACPI 6.5 sections 5.2.5 to 5.2.8. The contents of single
 * tables: acpi_tables.h, serial_place.h.
 */
#ifndef LIB_FIRMWARE_ACPI_H
#define LIB_FIRMWARE_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `at` returns a pointer to n readable bytes at a physical address, or NULL if they are not
 * readable. */
struct physmem {
    const void *(*at)(void *ctx, uint64_t address, size_t n);
    void *ctx;
};

/* Shared by the decoders of single tables. */
struct acpi_table {
    const uint8_t *bytes; /* the whole table, header included; NULL: not found */
    uint32_t length;      /* checked against memory and the checksum */
};

/* An error in a table: its name, the offset, the value there and the allowed values. */
struct acpi_error {
    char text[112]; /* empty: no error */
};

/* ACPI 6.5 section 5.2.3.2, generic address structure. */
enum { ACPI_MEMORY = 0, ACPI_IO = 1, ACPI_PCI_CONFIG = 2 }; /* address spaces */
struct acpi_gas {
    uint8_t space;
    uint8_t bits;   /* register bit width */
    uint8_t access; /* 0: not known; 1 to 4: 1, 2, 4, 8 bytes */
    uint64_t address;
};

/* ACPI 6.5 section 5.2.6, the header of every table. */
enum {
    ACPI_HEADER_LENGTH = 4,
    ACPI_HEADER_REVISION = 8,
    ACPI_HEADER_CHECKSUM = 9,
    ACPI_HEADER_SIZE = 36,
    ACPI_LENGTH_MAX = 16 << 20, /* the largest known DSDTs are near 1 MiB */
};

/* Writes "MADT offset 45: entry length 0, allowed 8 to 255", or "allowed 8". Returns false. */
bool acpi_wrong(struct acpi_error *e, const char *table, uint32_t offset, const char *what,
                uint64_t found, uint64_t least, uint64_t most);

/* Returns false, with the error, if a fixed part of `least` bytes does not fit the table. */
bool acpi_long_enough(const struct acpi_table *t, const char *name, uint32_t least,
                      struct acpi_error *e);

/* Checks signature, length and checksum of bytes that begin with a table; errors use `name`. Bytes
 * after the table's own length are not part of it. */
bool acpi_table_take(struct acpi_table *t, const uint8_t *bytes, size_t n, const char signature[4],
                     const char *name, struct acpi_error *e);

#define ACPI_GAS_SIZE 12
struct acpi_gas acpi_gas(const uint8_t *at);

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
/* The root table's entries: their number, and the physical address of one, valid or not. */
uint32_t acpi_entries(const struct acpi *a);
uint64_t acpi_entry(const struct acpi *a, uint32_t i);
/* Returns the first valid table with that signature; .bytes is NULL if no table has it. */
struct acpi_table acpi_find(const struct acpi *a, const char signature[4]);
/* The valid DSDT, which only the FADT names: ACPI 6.5 table 5.9. .bytes NULL: not found. */
struct acpi_table acpi_dsdt(const struct acpi *a);
/* Returns whether the root table or the FADT is QEMU's: OEM id "BOCHS ", OEM table id "BXPC....".
 * Checks both, since firmware that rebuilds the root table keeps QEMU's FADT. */
bool acpi_says_qemu(const struct acpi *a);

#endif
