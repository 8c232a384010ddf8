#include "lib/firmware/acpi_hpet.h"

#include "lib/text/bytes.h"

/* Section 3.2.4, table 3. */
enum { HPET_ID = 36, HPET_BASE = 40, HPET_NUMBER = 52, HPET_MIN_TICK = 53, HPET_SIZE = 56 };

bool acpi_hpet(const struct acpi_table *t, struct hpet_table *h)
{
    *h = (struct hpet_table){0};
    if (!acpi_long_enough(t, "HPET", HPET_SIZE, &h->error))
        return false;
    struct acpi_gas base = acpi_gas(t->bytes + HPET_BASE);
    if (base.space == ACPI_MEMORY)
        h->address = base.address;
    h->id = le32(t->bytes + HPET_ID);
    h->number = t->bytes[HPET_NUMBER];
    h->min_tick = le16(t->bytes + HPET_MIN_TICK);
    return true;
}
