#include "lib/acpi_table.h"

#include "lib/fmt.h"

bool acpi_wrong(struct acpi_error *e, const char *table, uint32_t offset, const char *what,
                uint64_t found, uint64_t least, uint64_t most)
{
    fmt_buf(e->text, sizeof e->text, "%s offset %u: %s %llu, allowed %llu to %llu", table, offset,
            what, (unsigned long long)found, (unsigned long long)least, (unsigned long long)most);
    return false;
}
