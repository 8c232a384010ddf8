#include "lib/firmware/acpi_madt.h"

#include "lib/text/bytes.h"
#include "lib/text/mem.h"

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

/* Returns the length of each type that is read: sections 5.2.12.2, .3, .5, .8, .12. */
static uint8_t entry_size(uint8_t type)
{
    switch (type) {
    case ENTRY_LAPIC:
        return 8;
    case ENTRY_OVERRIDE:
        return 10;
    case ENTRY_IOAPIC:
    case ENTRY_LAPIC_ADDRESS:
        return 12;
    case ENTRY_X2APIC:
        return 16;
    default:
        return 2; /* type and length */
    }
}

static void add_cpu(struct madt *m, uint32_t id, uint32_t flags, bool x2apic)
{
    if (m->cpus == MADT_CPU_MAX) {
        m->cpus_left_out++;
        return;
    }
    struct madt_cpu *c = &m->cpu[m->cpus];
    bool used = false;

    *c = (struct madt_cpu){.id = id, .x2apic = x2apic};
    c->enabled = flags & CPU_ENABLED;
    c->online_capable = flags & CPU_ONLINE_CAPABLE;
    for (unsigned i = 0; i < m->cpus; i++) {
        if (m->cpu[i].id != id)
            continue;
        c->duplicate = true;
        used = used || m->cpu[i].usable;
    }
    c->usable = c->enabled && !used && id != (x2apic ? ALL_X2APIC : ALL_XAPIC);
    m->cpus++;
    m->duplicates += c->duplicate;
    m->cpus_enabled += c->usable;
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

    struct acpi_walk w = {t, "MADT", MADT_ENTRIES, entry_size};
    for (const uint8_t *e; (e = acpi_next(&w, &m->error)) != NULL;)
        madt_entry(m, e);
    return m->error.text[0] == '\0';
}
