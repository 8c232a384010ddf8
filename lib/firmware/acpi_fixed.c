#include "lib/firmware/acpi_fixed.h"

#include "lib/text/bytes.h"
#include "lib/text/fmt.h"

/* --- FADT ------------------------------------------------------------------------------------- */

/* Table 5.9. */
enum {
    FADT_PM1A_CNT = 64,
    FADT_PM_TIMER = 76,
    FADT_PM_TIMER_LENGTH = 91,
    FADT_FLAGS = 112,
    FADT_V1_SIZE = 116, /* size in ACPI 1.0 */
    FADT_RESET = 116,
    FADT_RESET_VALUE = 128,
    FADT_X_PM1A_CNT = 172,
    FADT_X_PM_TIMER = 208,
};

/* Table 5.10. */
enum {
    FADT_TMR_VAL_EXT = 1 << 8,
    FADT_RESET_REG_SUP = 1 << 10,
    FADT_HW_REDUCED = 1 << 20, /* none of these registers, section 4.1 */
};

/* The I/O port of a 4-byte register: from the extended field if that has one, else the old one. */
static uint16_t fadt_port(const struct acpi_table *t, uint32_t extended, uint32_t old)
{
    const uint64_t highest = 0x10000 - 4;

    if (t->length >= extended + ACPI_GAS_SIZE) {
        struct acpi_gas x = acpi_gas(t->bytes + extended);
        if (x.space == ACPI_IO && x.address != 0 && x.address <= highest)
            return (uint16_t)x.address;
    }
    uint32_t port = le32(t->bytes + old);
    return port <= highest ? (uint16_t)port : 0;
}

/* Section 4.8.3.6: a byte in memory, I/O or PCI configuration space. */
static void fadt_reset(const struct acpi_table *t, struct fadt *f)
{
    if (t->length <= FADT_RESET_VALUE || !(le32(t->bytes + FADT_FLAGS) & FADT_RESET_REG_SUP))
        return;
    f->reset = acpi_gas(t->bytes + FADT_RESET);
    f->reset_value = t->bytes[FADT_RESET_VALUE];
    f->has_reset = f->reset.address != 0 && f->reset.space <= ACPI_PCI_CONFIG &&
                   !(f->reset.space == ACPI_IO && f->reset.address > UINT16_MAX);
}

bool acpi_fadt(const struct acpi_table *t, struct fadt *f)
{
    *f = (struct fadt){.pm_timer_bits = 24};
    if (!acpi_long_enough(t, "FADT", FADT_V1_SIZE, &f->error))
        return false;
    uint32_t flags = le32(t->bytes + FADT_FLAGS);
    fadt_reset(t, f);
    f->hw_reduced = flags & FADT_HW_REDUCED;
    if (f->hw_reduced)
        return true;
    f->pm1a_cnt = fadt_port(t, FADT_X_PM1A_CNT, FADT_PM1A_CNT);
    if (t->bytes[FADT_PM_TIMER_LENGTH] == 4) /* 0: not supported */
        f->pm_timer_port = fadt_port(t, FADT_X_PM_TIMER, FADT_PM_TIMER);
    if (flags & FADT_TMR_VAL_EXT)
        f->pm_timer_bits = 32;
    return true;
}

/* --- HPET ------------------------------------------------------------------------------------- */

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

/* --- MCFG ------------------------------------------------------------------------------------- */

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

/* --- watchdogs -------------------------------------------------------------------------------- */

/* Hardware Watchdog Timers Design Specification, section "Watchdog Action Table". */
enum {
    WDAT_PERIOD = 48, /* ms of one count */
    WDAT_MAX_COUNT = 52,
    WDAT_FLAGS = 60,
    WDAT_ENABLED = 1 << 0,
    WDAT_SIZE = 68, /* the fixed part, including the number of entries */
};

/* Intel's table, according to ACPICA's actbl3.h. */
enum {
    WDDT_MAX_COUNT = 54,
    WDDT_STATUS = 60,
    WDDT_ACTIVE = 1 << 1,
    WDDT_SIZE = 64,
};

bool acpi_wdat(const struct acpi_table *t, struct watchdog *w)
{
    *w = (struct watchdog){0};
    if (!acpi_long_enough(t, "WDAT", WDAT_SIZE, &w->error))
        return false;
    w->enabled = t->bytes[WDAT_FLAGS] & WDAT_ENABLED;
    w->period_ms = le32(t->bytes + WDAT_PERIOD);
    w->max_count = le32(t->bytes + WDAT_MAX_COUNT);
    return true;
}

/* The table does not have the period's unit, so the period is left out. */
bool acpi_wddt(const struct acpi_table *t, struct watchdog *w)
{
    *w = (struct watchdog){0};
    if (!acpi_long_enough(t, "WDDT", WDDT_SIZE, &w->error))
        return false;
    w->enabled = le16(t->bytes + WDDT_STATUS) & WDDT_ACTIVE;
    w->max_count = le16(t->bytes + WDDT_MAX_COUNT);
    return true;
}

void watchdog_text(const struct watchdog *w, const char *table, struct sink *out)
{
    uint64_t ms = w->period_ms * w->max_count;

    if (w->error.text[0]) {
        fmt(out, "a hardware watchdog may reset the machine: %s", w->error.text);
        return;
    }
    fmt(out, "the machine has a hardware watchdog (ACPI table %s), %s by the table", table,
        w->enabled ? "enabled" : "not enabled");
    if (ms)
        fmt(out, ", for at most %llu s", (unsigned long long)(ms / 1000));
    fmt(out, w->enabled ? ": it may reset the machine before the end"
                        : ": if it runs nevertheless, it may reset the machine");
}
