#include "lib/firmware/acpi_srat.h"

#include "lib/text/bytes.h"

#define SRAT_ENTRIES 48 /* table 5.50: twelve reserved bytes after the header */

/* Sections 5.2.16.1, .2, .3. */
enum { ENTRY_APIC = 0, ENTRY_MEMORY = 1, ENTRY_X2APIC = 2 };
enum { ENABLED = 1 << 0, MEMORY_HOT_PLUG = 1 << 1, MEMORY_NON_VOLATILE = 1 << 2 };

static uint8_t entry_size(uint8_t type)
{
    switch (type) {
    case ENTRY_APIC:
        return 16;
    case ENTRY_MEMORY:
        return 40;
    case ENTRY_X2APIC:
        return 24;
    default:
        return 2; /* type and length */
    }
}

bool srat_open(struct srat *s, const struct acpi_table *t)
{
    *s = (struct srat){.walk = {t, "SRAT", SRAT_ENTRIES, entry_size}};
    if (!acpi_long_enough(t, "SRAT", SRAT_ENTRIES, &s->error))
        return false;
    s->revision = t->bytes[ACPI_HEADER_REVISION];
    return true;
}

/* Table 5.51: bits 7:0 of the domain are separate from 31:8, which are reserved in revision 1. */
static void read_apic(const struct srat *s, const uint8_t *at, struct srat_entry *e)
{
    e->domain = at[2];
    if (s->revision > 1)
        e->domain |= (le32(at + 8) & 0xffffff00u);
    e->id = at[3];
    e->enabled = le32(at + 4) & ENABLED;
}

/* Table 5.54. */
static void read_x2apic(const uint8_t *at, struct srat_entry *e)
{
    e->domain = le32(at + 4);
    e->id = le32(at + 8);
    e->enabled = le32(at + 12) & ENABLED;
    e->x2apic = true;
}

/* Table 5.52; in revision 1 the domain has one byte. */
static void read_memory(const struct srat *s, const uint8_t *at, struct srat_entry *e)
{
    uint32_t flags = le32(at + 28);

    e->what = SRAT_MEMORY;
    e->domain = s->revision > 1 ? le32(at + 2) : at[2];
    e->base = le64(at + 8);
    e->length = le64(at + 16);
    e->enabled = flags & ENABLED;
    e->hot_plug = flags & MEMORY_HOT_PLUG;
    e->non_volatile = flags & MEMORY_NON_VOLATILE;
}

bool srat_next(struct srat *s, struct srat_entry *e)
{
    if (s->error.text[0] != '\0')
        return false;
    for (const uint8_t *at; (at = acpi_next(&s->walk, &s->error)) != NULL;) {
        *e = (struct srat_entry){.what = SRAT_CORE};
        if (at[0] == ENTRY_APIC)
            read_apic(s, at, e);
        else if (at[0] == ENTRY_X2APIC)
            read_x2apic(at, e);
        else if (at[0] == ENTRY_MEMORY)
            read_memory(s, at, e);
        else
            continue;
        return true;
    }
    return false;
}
