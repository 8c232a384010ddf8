#include "lib/firmware/acpi_tables.h"
#include "lib/text/bytes.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* Returns the next entry, which is inside the table; NULL at the end, or with an error. */
static const uint8_t *next(struct acpi_walk *w, struct acpi_error *e)
{
    if (w->at >= w->t->length)
        return NULL;
    uint32_t at = w->at, left = w->t->length - at;
    const uint8_t *entry = w->t->bytes + at;

    if (left < 2) {
        acpi_wrong(e, w->name, at, "bytes for an entry", left, 2, UINT8_MAX);
        return NULL;
    }
    bool read = entry[0] < w->types && w->sizes[entry[0]] > 0;
    uint8_t least = read ? w->sizes[entry[0]] : 2; /* type and length */
    if (entry[1] < least) {
        acpi_wrong(e, w->name, at + 1, "entry length", entry[1], least, UINT8_MAX);
        return NULL;
    }
    if (entry[1] > left) {
        acpi_wrong(e, w->name, at + 1, "entry length", entry[1], 2, left);
        return NULL;
    }
    w->at += entry[1];
    return entry;
}

/* --- MADT ------------------------------------------------------------------------------------- */

/* Table 5.19, and its flags, table 5.20. */
enum {
    MADT_LAPIC_ADDRESS = 36,
    MADT_FLAGS = 40,
    MADT_ENTRIES = 44,
    MADT_PCAT = 1 << 0,
};

/* Table 5.21: the types that are read. */
enum {
    ENTRY_LAPIC = 0,
    ENTRY_IOAPIC = 1,
    ENTRY_OVERRIDE = 2,
    ENTRY_LAPIC_ADDRESS = 5,
    ENTRY_X2APIC = 9
};

/* Table 5.23, flags of a processor. */
enum { CPU_ENABLED = 1 << 0, CPU_ONLINE_CAPABLE = 1 << 1 };

#define IRQ_PIT 0 /* of the ISA bus; without an override its pin has the same number */
/* ACPI 6.5 table 5.26, MPS INTI flags. */
#define OVERRIDE_POLARITY 3u
#define OVERRIDE_LOW      3u

/* Broadcast ids, not processors (SDM vol. 3A sections 11.6.2.1 and 11.12.9). */
#define ALL_XAPIC  0xffu
#define ALL_X2APIC 0xffffffffu

/* The length of each type that is read: sections 5.2.12.2, .3, .5, .8, .12. */
static const uint8_t madt_sizes[] = {[ENTRY_LAPIC] = 8,
                                     [ENTRY_IOAPIC] = 12,
                                     [ENTRY_OVERRIDE] = 10,
                                     [ENTRY_LAPIC_ADDRESS] = 12,
                                     [ENTRY_X2APIC] = 16};

/* Makes room by dropping the entries that are not usable. */
static void drop_empty(struct madt *m)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < m->cpus; i++)
        if (m->cpu[i].usable)
            m->cpu[kept++] = m->cpu[i];
    m->cpus_empty += m->cpus - kept;
    m->cpus = kept;
}

static void add_cpu(struct madt *m, uint32_t id, uint32_t flags, bool x2apic)
{
    struct madt_cpu c = {.id = id, .x2apic = x2apic};
    bool used = false;

    c.enabled = flags & CPU_ENABLED;
    c.online_capable = flags & CPU_ONLINE_CAPABLE;
    for (unsigned i = 0; i < m->cpus; i++) {
        if (m->cpu[i].id != id)
            continue;
        c.duplicate = true;
        used = used || m->cpu[i].usable;
    }
    c.usable = c.enabled && !used && id != (x2apic ? ALL_X2APIC : ALL_XAPIC);
    m->duplicates += c.duplicate;
    if (m->cpus == MADT_CPU_MAX)
        drop_empty(m);
    if (m->cpus < MADT_CPU_MAX) {
        m->cpu[m->cpus++] = c;
        m->cpus_enabled += c.usable;
    } else if (c.usable) {
        m->cpus_left_out++;
    } else {
        m->cpus_empty++;
    }
}

static void add_ioapic(struct madt *m, const uint8_t *e)
{
    if (m->ioapics == MADT_IOAPIC_MAX) {
        m->ioapics_left_out++;
        return;
    }
    m->ioapic[m->ioapics].id = e[2];
    m->ioapic[m->ioapics].address = le32(e + 4);
    m->ioapic[m->ioapics].gsi_base = le32(e + 8);
    m->ioapics++;
}

static void madt_entry(struct madt *m, const uint8_t *e)
{
    switch (e[0]) {
    case ENTRY_LAPIC:
        add_cpu(m, e[3], le32(e + 4), false);
        break;
    case ENTRY_X2APIC:
        add_cpu(m, le32(e + 4), le32(e + 8), true);
        break;
    case ENTRY_LAPIC_ADDRESS:
        m->lapic_address = le64(e + 4);
        break;
    case ENTRY_IOAPIC:
        add_ioapic(m, e);
        break;
    case ENTRY_OVERRIDE:
        if (e[3] == IRQ_PIT) {
            m->pit_gsi = le32(e + 4);
            m->pit_low = (le16(e + 8) & OVERRIDE_POLARITY) == OVERRIDE_LOW;
        }
        break;
    }
}

bool acpi_madt(const struct acpi_table *t, struct madt *m)
{
    memset(m, 0, sizeof *m);
    if (!acpi_long_enough(t, "MADT", MADT_ENTRIES, &m->error))
        return false;
    m->lapic_address = le32(t->bytes + MADT_LAPIC_ADDRESS);
    m->pcat = le32(t->bytes + MADT_FLAGS) & MADT_PCAT;

    struct acpi_walk w = {t, "MADT", MADT_ENTRIES, madt_sizes, sizeof madt_sizes};
    for (const uint8_t *e; (e = next(&w, &m->error)) != NULL;)
        madt_entry(m, e);
    return m->error.text[0] == '\0';
}

/* --- SRAT ------------------------------------------------------------------------------------- */

#define SRAT_ENTRIES 48 /* table 5.50: twelve reserved bytes after the header */

/* Sections 5.2.16.1, .2, .3: types, their lengths, flags. */
enum { AFFINITY_APIC = 0, AFFINITY_MEMORY = 1, AFFINITY_X2APIC = 2 };
static const uint8_t srat_sizes[] = {16, 40, 24};
enum { ENABLED = 1 << 0, MEMORY_HOT_PLUG = 1 << 1, MEMORY_NON_VOLATILE = 1 << 2 };

bool srat_open(struct srat *s, const struct acpi_table *t)
{
    *s = (struct srat){.walk = {t, "SRAT", SRAT_ENTRIES, srat_sizes, sizeof srat_sizes}};
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
    for (const uint8_t *at; (at = next(&s->walk, &s->error)) != NULL;) {
        *e = (struct srat_entry){.what = SRAT_CORE};
        if (at[0] == AFFINITY_APIC)
            read_apic(s, at, e);
        else if (at[0] == AFFINITY_X2APIC)
            read_x2apic(at, e);
        else if (at[0] == AFFINITY_MEMORY)
            read_memory(s, at, e);
        else
            continue;
        return true;
    }
    return false;
}

/* --- FADT ------------------------------------------------------------------------------------- */

/* Table 5.9. */
enum {
    FADT_PM1A_EVT = 56,
    FADT_PM1A_CNT = 64,
    FADT_PM1B_CNT = 68,
    FADT_PM_TIMER = 76,
    FADT_PM_TIMER_LENGTH = 91,
    FADT_FLAGS = 112,
    FADT_V1_SIZE = 116, /* size in ACPI 1.0 */
    FADT_RESET = 116,
    FADT_RESET_VALUE = 128,
    FADT_X_PM1A_EVT = 148,
    FADT_X_PM1A_CNT = 172,
    FADT_X_PM1B_CNT = 184,
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
    for (unsigned i = 0; i < 2; i++)
        f->pm1_sts[i] = fadt_port(t, FADT_X_PM1A_EVT + 12 * i, FADT_PM1A_EVT + 4 * i);
    f->pm1a_cnt = fadt_port(t, FADT_X_PM1A_CNT, FADT_PM1A_CNT);
    f->pm1b_cnt = fadt_port(t, FADT_X_PM1B_CNT, FADT_PM1B_CNT);
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

void acpi_watchdog(const struct acpi_table *t, struct watchdog *w)
{
    bool wdat = memcmp(t->bytes, "WDAT", 4) == 0;

    *w = (struct watchdog){.table = wdat ? "WDAT" : "WDDT"};
    if (!acpi_long_enough(t, w->table, wdat ? WDAT_SIZE : WDDT_SIZE, &w->error))
        return;
    if (wdat) {
        w->enabled = t->bytes[WDAT_FLAGS] & WDAT_ENABLED;
        w->period_ms = le32(t->bytes + WDAT_PERIOD);
        w->max_count = le32(t->bytes + WDAT_MAX_COUNT);
    } else {
        w->enabled = le16(t->bytes + WDDT_STATUS) & WDDT_ACTIVE;
        w->max_count = le16(t->bytes + WDDT_MAX_COUNT);
    }
}

void watchdog_text(const struct watchdog *w, struct sink *out)
{
    uint64_t ms = w->period_ms * w->max_count;

    if (w->error.text[0]) {
        fmt(out, "a hardware watchdog may reset the machine: %s", w->error.text);
        return;
    }
    fmt(out, "the machine has a hardware watchdog (ACPI table %s), %s by the table", w->table,
        w->enabled ? "enabled" : "not enabled");
    if (ms)
        fmt(out, ", for at most %llu s", (unsigned long long)(ms / 1000));
    fmt(out, w->enabled ? ": it may reset the machine before the end"
                        : ": if it runs nevertheless, it may reset the machine");
}
