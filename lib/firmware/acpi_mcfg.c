#include "lib/firmware/acpi_mcfg.h"

#include "lib/text/bytes.h"

/* Tables 4-2 and 4-3. */
enum {
    MCFG_ENTRIES = 44,
    ENTRY_SIZE = 16,
    ENTRY_SEGMENT = 8,
    ENTRY_FIRST = 10,
    ENTRY_LAST = 11,
};

bool acpi_mcfg(const struct acpi_table *t, struct mcfg *m)
{
    *m = (struct mcfg){0};
    if (!acpi_long_enough(t, "MCFG", MCFG_ENTRIES, &m->error))
        return false;
    for (uint32_t at = MCFG_ENTRIES; t->length - at >= ENTRY_SIZE; at += ENTRY_SIZE) {
        const uint8_t *e = t->bytes + at;
        if (le64(e) == 0 || e[ENTRY_FIRST] > e[ENTRY_LAST])
            continue;
        if (m->n == MCFG_MAX) {
            m->left_out++;
            continue;
        }
        m->entry[m->n].address = le64(e);
        m->entry[m->n].segment = le16(e + ENTRY_SEGMENT);
        m->entry[m->n].first = e[ENTRY_FIRST];
        m->entry[m->n++].last = e[ENTRY_LAST];
    }
    return true;
}
