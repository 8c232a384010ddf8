#include "lib/acpi.h"

#include "lib/bytes.h"
#include "lib/mem.h"

/* ACPI 6.5 section 5.2.5.3, root system description pointer. */
enum {
    RSDP_CHECKED = 20, /* bytes that the first checksum covers, all of revision 0 */
    RSDP_OEM = 9,
    RSDP_REVISION = 15,
    RSDP_RSDT = 16,
    RSDP_LENGTH = 20,
    RSDP_XSDT = 24,
    RSDP_V2_LENGTH = 36,
    RSDP_LENGTH_MAX = 4096, /* nobody's is longer: a wrong length is not worth a walk */
};

/* Section 5.2.6, the header of every table. */
enum {
    HEADER_LENGTH = 4,
    HEADER_OEM = 10,
    HEADER_OEM_TABLE = 16,
    HEADER_SIZE = 36,
    TABLE_LENGTH_MAX = 16 << 20, /* the largest DSDTs seen are near 1 MiB */
    ROOT_ENTRIES_MAX = 1024,
};

/* The table at that address, if it can be reached, is as long as it says and sums up to zero. */
static struct acpi_table table_at(const struct physmem *mem, uint64_t address)
{
    struct acpi_table none = {0};
    const uint8_t *header = mem->at(mem->ctx, address, HEADER_SIZE);
    if (header == NULL)
        return none;
    uint32_t length = le32(header + HEADER_LENGTH);
    if (length < HEADER_SIZE || length > TABLE_LENGTH_MAX)
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

static uint32_t root_entries(const struct acpi *a)
{
    uint32_t n = a->present ? (a->root.length - HEADER_SIZE) / (a->xsdt ? 8 : 4) : 0;
    return n < ROOT_ENTRIES_MAX ? n : ROOT_ENTRIES_MAX;
}

static uint64_t root_entry(const struct acpi *a, uint32_t i)
{
    const uint8_t *first = a->root.bytes + HEADER_SIZE;
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

/* The XSDT's address, 0 where the RSDP has none or its second part does not hold. */
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

    uint32_t n = root_entries(a);
    for (uint32_t i = 0; i < n; i++)
        if (root_entry(a, i) != 0 && table_at(mem, root_entry(a, i)).bytes == NULL)
            a->bad++;
}

struct acpi_table acpi_find(const struct acpi *a, const char signature[4])
{
    uint32_t n = root_entries(a);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t address = root_entry(a, i);
        const uint8_t *name = address != 0 ? a->mem->at(a->mem->ctx, address, 4) : NULL;
        if (name == NULL || memcmp(name, signature, 4) != 0)
            continue;
        struct acpi_table t = table_at(a->mem, address);
        if (t.bytes != NULL)
            return t;
    }
    return (struct acpi_table){0};
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

/* --- FADT, section 5.2.9 ---------------------------------------------------------------------- */

enum {
    FADT_PM1A_CNT = 64,
    FADT_PM_TIMER = 76,
    FADT_PM_TIMER_LENGTH = 91,
    FADT_FLAGS = 112,
    FADT_V1_SIZE = 116, /* ACPI 1.0's */
    FADT_X_PM1A_CNT = 172,
    FADT_X_PM_TIMER = 208,
    FADT_TMR_VAL_EXT = 1 << 8,
    FADT_HW_REDUCED = 1 << 20, /* no such registers at all, section 4.1 */
};

/* Section 5.2.3.2, generic address structure. */
enum { GAS_SPACE = 0, GAS_ADDRESS = 4, GAS_SIZE = 12, GAS_MEMORY = 0, GAS_IO = 1 };

/* The I/O port of a 4-byte register: the extended field where it holds a port, else the old one. */
static uint16_t fadt_port(const struct acpi_table *t, uint32_t extended, uint32_t old)
{
    const uint64_t highest = 0x10000 - 4;
    if (t->length >= extended + GAS_SIZE && t->bytes[extended + GAS_SPACE] == GAS_IO) {
        uint64_t port = le64(t->bytes + extended + GAS_ADDRESS);
        if (port != 0 && port <= highest)
            return (uint16_t)port;
    }
    uint32_t port = le32(t->bytes + old);
    return port <= highest ? (uint16_t)port : 0;
}

bool acpi_fadt(const struct acpi_table *t, struct fadt *f)
{
    *f = (struct fadt){.pm_timer_bits = 24};
    if (t->bytes == NULL || t->length < FADT_V1_SIZE)
        return false;
    uint32_t flags = le32(t->bytes + FADT_FLAGS);
    if (flags & FADT_HW_REDUCED)
        return true;
    f->pm1a_cnt = fadt_port(t, FADT_X_PM1A_CNT, FADT_PM1A_CNT);
    if (t->bytes[FADT_PM_TIMER_LENGTH] == 4) /* 0: not supported */
        f->pm_timer_port = fadt_port(t, FADT_X_PM_TIMER, FADT_PM_TIMER);
    if (flags & FADT_TMR_VAL_EXT)
        f->pm_timer_bits = 32;
    return true;
}

/* --- HPET, IA-PC HPET specification 1.0a section 3.2.4 ---------------------------------------- */

enum { HPET_BASE = 40, HPET_SIZE = 56 };

bool acpi_hpet(const struct acpi_table *t, struct hpet_table *h)
{
    *h = (struct hpet_table){0};
    if (t->bytes == NULL || t->length < HPET_SIZE)
        return false;
    if (t->bytes[HPET_BASE + GAS_SPACE] == GAS_MEMORY)
        h->address = le64(t->bytes + HPET_BASE + GAS_ADDRESS);
    return true;
}
