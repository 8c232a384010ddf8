/* What the decoders of single ACPI tables share: the words for a table that lies. */
#ifndef LIB_ACPI_TABLE_H
#define LIB_ACPI_TABLE_H

#include "lib/acpi.h"

/* One field that cannot be: "MADT offset 45: entry length 0, allowed 8 to 255". Returns false. */
bool acpi_wrong(struct acpi_error *e, const char *table, uint32_t offset, const char *what,
                uint64_t found, uint64_t least, uint64_t most);

#endif
