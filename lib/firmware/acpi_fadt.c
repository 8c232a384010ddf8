#include "lib/firmware/acpi_fadt.h"

#include "lib/text/bytes.h"

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
