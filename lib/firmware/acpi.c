#include "lib/firmware/acpi.h"
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

/* ACPI 6.5 table 5.1. */
struct acpi_gas acpi_gas(const uint8_t *at)
{
    return (struct acpi_gas){
        .space = at[0], .bits = at[1], .access = at[3], .address = le64(at + 4)};
}

/* ACPI 6.5 section 5.2.5.3, root system description pointer. */
enum {
    RSDP_CHECKED = 20, /* bytes that the first checksum covers, all of revision 0 */
    RSDP_OEM = 9,
    RSDP_REVISION = 15,
    RSDP_RSDT = 16,
    RSDP_LENGTH = 20,
    RSDP_XSDT = 24,
    RSDP_V2_LENGTH = 36,
    RSDP_LENGTH_MAX = 4096, /* longer than on any machine; bounds the sum for a wrong length */
};

/* Sections 5.2.6 and 5.2.7. */
enum {
    HEADER_OEM = 10,
    HEADER_OEM_TABLE = 16,
    ROOT_ENTRIES_MAX = 1024,
};

enum { FADT_DSDT = 40, FADT_X_DSDT = 140 }; /* table 5.9 */

/* Returns the table at an address if it is reachable, complete and sums up to zero. */
static struct acpi_table table_at(const struct physmem *mem, uint64_t address)
{
    struct acpi_table none = {0};
    const uint8_t *header = mem->at(mem->ctx, address, ACPI_HEADER_SIZE);

    if (header == NULL)
        return none;
    uint32_t length = le32(header + ACPI_HEADER_LENGTH);
    if (length < ACPI_HEADER_SIZE || length > ACPI_LENGTH_MAX)
        return none;
    const uint8_t *bytes = mem->at(mem->ctx, address, length);
    if (bytes == NULL || byte_sum(bytes, length) != 0)
        return none;
    return (struct acpi_table){bytes, length};
}

static struct acpi_table root_at(const struct physmem *mem, uint64_t address, const char *signature)
{
    struct acpi_table t = {0};

    if (address != 0)
        t = table_at(mem, address);
    if (t.bytes != NULL && memcmp(t.bytes, signature, 4) != 0)
        t.bytes = NULL;
    return t;
}

uint32_t acpi_entries(const struct acpi *a)
{
    uint32_t n = a->present ? (a->root.length - ACPI_HEADER_SIZE) / (a->xsdt ? 8 : 4) : 0;

    return n < ROOT_ENTRIES_MAX ? n : ROOT_ENTRIES_MAX;
}

uint64_t acpi_entry(const struct acpi *a, uint32_t i)
{
    const uint8_t *first = a->root.bytes + ACPI_HEADER_SIZE;

    return a->xsdt ? le64(first + 8 * i) : le32(first + 4 * i);
}

static void copy_oem_id(char out[7], const uint8_t *from)
{
    size_t n = 0;

    for (size_t i = 0; i < 6; i++) {
        out[i] = from[i] >= ' ' && from[i] <= '~' ? (char)from[i] : ' ';
        if (out[i] != ' ')
            n = i + 1;
    }
    out[n] = '\0';
}

/* Returns the XSDT's address, 0 if the RSDP lacks it or its second part is invalid. */
static uint64_t xsdt_address(const struct physmem *mem, uint64_t rsdp, uint8_t revision)
{
    if (revision < 2)
        return 0;
    const uint8_t *p = mem->at(mem->ctx, rsdp, RSDP_V2_LENGTH);
    if (p == NULL)
        return 0;
    uint32_t length = le32(p + RSDP_LENGTH);
    if (length < RSDP_V2_LENGTH || length > RSDP_LENGTH_MAX)
        return 0;
    p = mem->at(mem->ctx, rsdp, length);
    return p != NULL && byte_sum(p, length) == 0 ? le64(p + RSDP_XSDT) : 0;
}

void acpi_open(struct acpi *a, const struct physmem *mem, uint64_t rsdp)
{
    *a = (struct acpi){.mem = mem};
    const uint8_t *p = rsdp != 0 ? mem->at(mem->ctx, rsdp, RSDP_CHECKED) : NULL;
    if (p == NULL || memcmp(p, "RSD PTR ", 8) != 0 || byte_sum(p, RSDP_CHECKED) != 0)
        return;
    a->revision = p[RSDP_REVISION];
    copy_oem_id(a->oem_id, p + RSDP_OEM);
    uint32_t rsdt = le32(p + RSDP_RSDT);

    a->root = root_at(mem, xsdt_address(mem, rsdp, a->revision), "XSDT");
    a->xsdt = a->root.bytes != NULL;
    if (!a->xsdt)
        a->root = root_at(mem, rsdt, "RSDT");
    a->present = a->root.bytes != NULL;

    uint32_t n = acpi_entries(a);
    for (uint32_t i = 0; i < n; i++)
        if (acpi_entry(a, i) != 0 && table_at(mem, acpi_entry(a, i)).bytes == NULL)
            a->bad++;
}

struct acpi_table acpi_find(const struct acpi *a, const char signature[4])
{
    uint32_t n = acpi_entries(a);

    for (uint32_t i = 0; i < n; i++) {
        uint64_t address = acpi_entry(a, i);
        const uint8_t *name = address != 0 ? a->mem->at(a->mem->ctx, address, 4) : NULL;
        if (name == NULL || memcmp(name, signature, 4) != 0)
            continue;
        struct acpi_table t = table_at(a->mem, address);
        if (t.bytes != NULL)
            return t;
    }
    return (struct acpi_table){0};
}

struct acpi_table acpi_dsdt(const struct acpi *a)
{
    struct acpi_table fadt = acpi_find(a, "FACP");
    uint64_t address = 0;

    if (fadt.bytes != NULL && fadt.length >= FADT_X_DSDT + 8)
        address = le64(fadt.bytes + FADT_X_DSDT);
    if (fadt.bytes != NULL && address == 0 && fadt.length >= FADT_DSDT + 4)
        address = le32(fadt.bytes + FADT_DSDT);
    return root_at(a->mem, address, "DSDT");
}

static bool made_by_qemu(struct acpi_table t)
{
    return t.bytes != NULL && memcmp(t.bytes + HEADER_OEM, "BOCHS ", 6) == 0 &&
           memcmp(t.bytes + HEADER_OEM_TABLE, "BXPC", 4) == 0;
}

bool acpi_says_qemu(const struct acpi *a)
{
    return a->present && (made_by_qemu(a->root) || made_by_qemu(acpi_find(a, "FACP")));
}
