#include "lib/firmware/acpi_cores.h"
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

/* The length of each type that is read: sections 5.2.12.2, .3, .5, .8, .12. */
static const uint8_t madt_sizes[] = {[ENTRY_LAPIC] = 8,
                                     [ENTRY_IOAPIC] = 12,
                                     [ENTRY_OVERRIDE] = 10,
                                     [ENTRY_LAPIC_ADDRESS] = 12,
                                     [ENTRY_X2APIC] = 16};

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

    struct acpi_walk w = {t, "MADT", MADT_ENTRIES, madt_sizes, sizeof madt_sizes};
    for (const uint8_t *e; (e = acpi_next(&w, &m->error)) != NULL;)
        madt_entry(m, e);
    return m->error.text[0] == '\0';
}

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
    for (const uint8_t *at; (at = acpi_next(&s->walk, &s->error)) != NULL;) {
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
