#include "lib/firmware/serial_place.h"

#define LAPIC_BASE 0xfee00000ull
#define LAPIC_SIZE 0x100000ull
/* The first one's address on every PC, whatever the MADT says (82093AA data sheet, section 3.0). */
#define IOAPIC_BASE 0xfec00000ull
#define IOAPIC_SIZE 0x1000ull
#define HPET_SIZE   0x400ull /* IA-PC HPET specification 1.0a, section 2.3.1 */
#define FLASH_BASE  0xff000000ull
#define FLASH_SIZE  0x1000000ull
#define BUS_SIZE    (1ull << 20) /* of one bus in ECAM: PCI Express base specification, table 7-1 */

static bool meets(uint64_t start, uint64_t size, uint64_t other, uint64_t other_size)
{
    return start - other < other_size || other - start < size;
}

static bool is_ecam(const struct acpi *acpi, uint64_t start, uint64_t size)
{
    struct acpi_table t = acpi_find(acpi, "MCFG");
    struct mcfg m;

    if (t.bytes == NULL || !acpi_mcfg(&t, &m))
        return false;
    for (unsigned i = 0; i < m.n; i++) {
        uint64_t buses = m.entry[i].last - m.entry[i].first + 1u;
        if (meets(start, size, m.entry[i].address + m.entry[i].first * BUS_SIZE, buses * BUS_SIZE))
            return true;
    }
    return false;
}

static bool is_hpet(const struct acpi *acpi, uint64_t start, uint64_t size)
{
    struct acpi_table t = acpi_find(acpi, "HPET");
    struct hpet_table h;

    return t.bytes != NULL && acpi_hpet(&t, &h) && h.address != 0 &&
           meets(start, size, h.address, HPET_SIZE);
}

static bool is_lapic(const struct madt *madt, uint64_t start, uint64_t size)
{
    return meets(start, size, LAPIC_BASE, LAPIC_SIZE) ||
           (madt != NULL && madt->lapic_address != 0 &&
            meets(start, size, madt->lapic_address, LAPIC_SIZE));
}

static bool is_ioapic(const struct madt *madt, uint64_t start, uint64_t size)
{
    if (meets(start, size, IOAPIC_BASE, IOAPIC_SIZE))
        return true;
    for (unsigned i = 0; madt != NULL && i < madt->ioapics; i++)
        if (meets(start, size, madt->ioapic[i].address, IOAPIC_SIZE))
            return true;
    return false;
}

const char *address_taken(const struct address_map *m, uint64_t start, uint64_t size)
{
    if (m->acpi != NULL && is_ecam(m->acpi, start, size))
        return "PCI configuration space (by the table MCFG)";
    if (is_lapic(m->madt, start, size))
        return "the local APIC";
    if (is_ioapic(m->madt, start, size))
        return "an IO-APIC";
    if (m->acpi != NULL && is_hpet(m->acpi, start, size))
        return "the HPET";
    if (meets(start, size, FLASH_BASE, FLASH_SIZE))
        return "the firmware's flash (the last 16 MiB below 4 GiB)";
    return m->region != NULL ? m->region(m->ctx, start, size, m->named) : NULL;
}
