#include "lib/firmware/acpi_table.h"

#include "lib/text/bytes.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

bool acpi_wrong(struct acpi_error *e, const char *table, uint32_t offset, const char *what,
                uint64_t found, uint64_t least, uint64_t most)
{
    size_t used = fmt_buf(e->text, sizeof e->text, "%s offset %u: %s %llu, allowed %llu", table,
                          offset, what, (unsigned long long)found, (unsigned long long)least);

    if (most != least)
        fmt_buf(e->text + used, sizeof e->text - used, " to %llu", (unsigned long long)most);
    return false;
}

bool acpi_long_enough(const struct acpi_table *t, const char *name, uint32_t least,
                      struct acpi_error *e)
{
    uint32_t length = t->bytes != NULL ? t->length : 0;

    if (length >= least)
        return true;
    return acpi_wrong(e, name, ACPI_HEADER_LENGTH, "length", length, least, ACPI_LENGTH_MAX);
}

bool acpi_table_take(struct acpi_table *t, const uint8_t *bytes, size_t n, const char signature[4],
                     const char *name, struct acpi_error *e)
{
    *t = (struct acpi_table){0};
    if (n < ACPI_HEADER_SIZE)
        return acpi_wrong(e, name, 0, "bytes of a header", n, ACPI_HEADER_SIZE, ACPI_LENGTH_MAX);
    if (memcmp(bytes, signature, 4) != 0) {
        fmt_buf(e->text, sizeof e->text, "%s offset 0: signature 0x%08x, allowed 0x%08x (%.4s)",
                name, le32(bytes), le32((const uint8_t *)signature), signature);
        return false;
    }
    uint32_t length = le32(bytes + ACPI_HEADER_LENGTH);
    size_t most = n < ACPI_LENGTH_MAX ? n : ACPI_LENGTH_MAX;
    if (length < ACPI_HEADER_SIZE || length > most)
        return acpi_wrong(e, name, ACPI_HEADER_LENGTH, "length", length, ACPI_HEADER_SIZE, most);
    uint8_t sum = byte_sum(bytes, length), found = bytes[ACPI_HEADER_CHECKSUM];
    if (sum != 0)
        return acpi_wrong(e, name, ACPI_HEADER_CHECKSUM, "checksum", found, (uint8_t)(found - sum),
                          (uint8_t)(found - sum));
    *t = (struct acpi_table){bytes, length};
    return true;
}

const uint8_t *acpi_next(struct acpi_walk *w, struct acpi_error *e)
{
    if (w->at >= w->t->length)
        return NULL;
    uint32_t at = w->at, left = w->t->length - at;
    const uint8_t *entry = w->t->bytes + at;

    if (left < 2) {
        acpi_wrong(e, w->name, at, "bytes for an entry", left, 2, UINT8_MAX);
        return NULL;
    }
    uint8_t least = w->size_of(entry[0]);
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

/* ACPI 6.5 table 5.1. */
struct acpi_gas acpi_gas(const uint8_t *at)
{
    return (struct acpi_gas){
        .space = at[0], .bits = at[1], .access = at[3], .address = le64(at + 4)};
}
