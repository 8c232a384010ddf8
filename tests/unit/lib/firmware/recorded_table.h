/* Tables of real machines, from tests/replay/acpi. */
#ifndef TESTS_UNIT_LIB_FIRMWARE_RECORDED_TABLE_H
#define TESTS_UNIT_LIB_FIRMWARE_RECORDED_TABLE_H

#include "lib/firmware/acpi.h"
#include "tests/unit/read_file.h"

static inline struct acpi_table load(const char *name)
{
    char path[100];
    size_t n;

    snprintf(path, sizeof path, "tests/replay/acpi/%s.bin", name);
    uint8_t *bytes = read_file(path, &n);
    return (struct acpi_table){bytes, (uint32_t)n};
}

static inline void drop(struct acpi_table *t)
{
    free((void *)(uintptr_t)t->bytes);
    t->bytes = NULL;
}

#endif
