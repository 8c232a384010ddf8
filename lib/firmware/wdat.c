#include "lib/firmware/acpi_tables.h"
#include "lib/text/bytes.h"

/* Hardware Watchdog Timers Design Specification, sections "Watchdog Action Table" and "Watchdog
 * Instruction Entries". */
enum { WDAT_ENTRIES = 64, WDAT_SIZE = 68, ENTRY_SIZE = 24 };
enum { ENTRY_ACTION, ENTRY_INSTRUCTION, ENTRY_REGISTER = 4, ENTRY_VALUE = 16, ENTRY_MASK = 20 };
enum { READ_VALUE, READ_COUNTDOWN, WRITE_VALUE, WRITE_COUNTDOWN, PRESERVE = 0x80 };
#define GAS_OFFSET 2 /* bit offset in a generic address: ACPI 6.5 table 5.1 */

static bool write_bits(const struct wdat_access *a, const struct acpi_gas *to, uint64_t mask,
                       uint64_t v, bool preserve)
{
    uint64_t was = 0;

    if (preserve && !a->read(a->ctx, to, &was))
        return false;
    return a->write(a->ctx, to, (v & mask) | (was & ~mask));
}

/* Executes one instruction; `v` as for wdat_run(). */
static bool execute(const uint8_t *e, uint64_t *v, const struct wdat_access *a)
{
    struct acpi_gas at = acpi_gas(e + ENTRY_REGISTER);
    unsigned shift = e[ENTRY_REGISTER + GAS_OFFSET];
    uint64_t value = le32(e + ENTRY_VALUE), low = le32(e + ENTRY_MASK), got;
    bool preserve = e[ENTRY_INSTRUCTION] & PRESERVE;

    if (at.address == 0 || shift > 32 || low == 0)
        return false;
    switch (e[ENTRY_INSTRUCTION] & ~PRESERVE) {
    case READ_VALUE:
    case READ_COUNTDOWN:
        if (!a->read(a->ctx, &at, &got))
            return false;
        got = got >> shift & low;
        *v = (e[ENTRY_INSTRUCTION] & ~PRESERVE) == READ_VALUE ? got == value : got;
        return true;
    case WRITE_VALUE:
        return write_bits(a, &at, low << shift, value << shift, preserve);
    case WRITE_COUNTDOWN:
        return write_bits(a, &at, low << shift, *v << shift, preserve);
    default:
        return false;
    }
}

bool wdat_run(const struct acpi_table *t, enum wdat_action action, uint64_t *v,
              const struct wdat_access *a)
{
    uint32_t entries = t->length >= WDAT_SIZE ? le32(t->bytes + WDAT_ENTRIES) : 0;
    bool done = false;

    if (entries == 0 || entries > (t->length - WDAT_SIZE) / ENTRY_SIZE)
        return false;
    for (uint32_t i = 0; i < entries; i++) {
        const uint8_t *e = t->bytes + WDAT_SIZE + i * ENTRY_SIZE;
        if (e[ENTRY_ACTION] != action)
            continue;
        if (!execute(e, v, a))
            return false;
        done = true;
    }
    return done;
}
