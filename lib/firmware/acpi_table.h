/*
 * Shared by the decoders of single ACPI tables: takes a table from unchecked bytes, walks its
 * entries, decodes generic addresses, and formats the error message.
 */
#ifndef LIB_FIRMWARE_ACPI_TABLE_H
#define LIB_FIRMWARE_ACPI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Entries with a type byte, a length byte and a body, up to the table's end (MADT, SRAT). */
struct acpi_walk {
    const struct acpi_table *t;
    const char *name;
    uint32_t at;                      /* offset of the next entry */
    uint8_t (*size_of)(uint8_t type); /* the minimum length of a type, 2 for unknown ones */
};
/* Returns the next entry, which is inside the table; NULL at the end, or with an error. */
const uint8_t *acpi_next(struct acpi_walk *w, struct acpi_error *e);

#define ACPI_GAS_SIZE 12
struct acpi_gas acpi_gas(const uint8_t *at);

#endif
