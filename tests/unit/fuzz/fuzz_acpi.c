/*
 * ACPI and SMBIOS of a machine whose memory is the input. The first byte says how it is read:
 * as one bare table, or as memory that begins with an RSDP or an SMBIOS entry point, checksums
 * repaired or unchanged. Each part that a decoder reads is a heap block of exactly its size, so
 * that ASan sees any read past it.
 */
#include <stdlib.h>
#include <string.h>
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/firmware/smbios.h"
#include "tests/unit/fuzz/fuzz.h"
#include "tests/unit/image.h"
#include "tests/unit/read_file.h"

enum mode { BARE_TABLE, ACPI_AS_IS, ACPI_REPAIRED, SMBIOS_AS_IS, SMBIOS_REPAIRED, MODES };
enum { BASE = 0x1000, RSDT = 64, TABLE = 128 };

/* --- memory ----------------------------------------------------------------------------------- */

struct block {
    struct block *next;
    uint8_t bytes[];
};

struct memory {
    struct image image;
    struct block *blocks;
};

static const void *memory_at(void *ctx, uint64_t address, size_t n)
{
    struct memory *m = ctx;
    const void *bytes = image_at(&m->image, address, n);

    if (bytes == NULL)
        return NULL;
    struct block *b = malloc(sizeof *b + n); /* its end is the end of the requested part */
    memcpy(b->bytes, bytes, n);
    b->next = m->blocks;
    m->blocks = b;
    return b->bytes;
}

static void memory_free(struct memory *m)
{
    while (m->blocks != NULL) {
        struct block *next = m->blocks->next;
        free(m->blocks);
        m->blocks = next;
    }
}

/* --- seeds: recorded tables, bare and with an RSDP, and an SMBIOS ----------------------------- */

static const char *const files[] = {
    "APIC-048d1383a6", "APIC-576166feec", "APIC-6bfc03c8fe", "FACP-026e357bc2",
    "FACP-1c90c6b052", "FACP-80eecd2420", "HPET-018c6ff308",
};
#define FILES (sizeof files / sizeof files[0])

static size_t seed_file(size_t index, uint8_t *out, size_t room)
{
    char path[64];
    size_t n;

    snprintf(path, sizeof path, "tests/replay/acpi/%s.bin", files[index]);
    uint8_t *bytes = read_file(path, &n);
    n = n < room ? n : room;
    memcpy(out, bytes, n);
    free(bytes);
    return n;
}

static size_t seed_acpi(size_t index, uint8_t *out, size_t room, bool xsdt)
{
    memset(out, 0, TABLE);
    memcpy(out, "RSD PTR ", 8);
    memcpy(out + RSDT, xsdt ? "XSDT" : "RSDT", 4);
    out[15] = xsdt ? 2 : 0;
    put_le(out + (xsdt ? 24 : 16), BASE + RSDT, 4);
    put_le(out + 20, 36, 4);
    put_le(out + RSDT + 4, xsdt ? 44 : 40, 4);
    put_le(out + RSDT + 36, BASE + TABLE, 4);
    return TABLE + seed_file(index, out + TABLE, room - TABLE);
}

static size_t seed_smbios(uint8_t *out, bool wide)
{
    static const char table[] = "\x00\x06\x01\x00\x01\x02SeaBIOS\0"
                                "1.16.2\0\0"
                                "\x01\x06\x00\x01\x01\x02QEMU\0Standard PC\0\0"
                                "\x03\x05\x00\x03\x01QEMU\0\0"
                                "\x11\x15\x00\x11\0\0\0\0\0\0\0\0\x00\x20\0\0\0\0\x1a\0\0\0\0"
                                "\x7f\x04\x00\x7f\0\0";
    const size_t at = 32;

    memset(out, 0, at);
    if (wide) {
        memcpy(out, "_SM3_", 5);
        out[6] = 0x18;
        put_le(out + 0x0c, sizeof table, 4);
        put_le(out + 0x10, BASE + at, 8);
    } else {
        memcpy(out, "_SM_", 4);
        out[5] = 0x1f;
        memcpy(out + 0x10, "_DMI_", 5);
        put_le(out + 0x16, sizeof table, 2);
        put_le(out + 0x18, BASE + at, 4);
    }
    memcpy(out + at, table, sizeof table);
    return at + sizeof table;
}

size_t fuzz_seed(size_t index, uint8_t *out, size_t room)
{
    if (index < FILES) {
        out[0] = BARE_TABLE;
        return 1 + seed_file(index, out + 1, room - 1);
    }
    index -= FILES;
    if (index < 2 * FILES) {
        out[0] = ACPI_REPAIRED;
        return 1 + seed_acpi(index / 2, out + 1, room - 1, index % 2 != 0);
    }
    index -= 2 * FILES;
    if (index < 4) {
        out[0] = index / 2 != 0 ? SMBIOS_REPAIRED : SMBIOS_AS_IS;
        return 1 + seed_smbios(out + 1, index % 2 != 0);
    }
    return 0;
}

/* --- checksums -------------------------------------------------------------------------------- */

static void repair(struct image *m, uint64_t at, uint64_t n, uint32_t checksum)
{
    if (at < m->n && n > checksum && n <= m->n - at)
        fix_sum(m->bytes + at, (uint32_t)n, checksum);
}

static void repair_table(struct image *m, uint64_t at)
{
    if (at < m->n && m->n - at >= 36)
        repair(m, at, le32(m->bytes + at + 4), 9);
}

static void repair_acpi(struct image *m)
{
    if (m->n < RSDT + 44)
        return;
    repair(m, 0, 20, 8);
    repair(m, 0, le32(m->bytes + 20), 32);
    repair_table(m, le32(m->bytes + RSDT + 36) - (uint64_t)BASE);
    repair_table(m, RSDT);
}

static void repair_smbios(struct image *m)
{
    if (m->n < 32)
        return;
    if (memcmp(m->bytes, "_SM3_", 5) == 0) {
        repair(m, 0, 0x18, 5);
    } else {
        repair(m, 0x10, 0x0f, 5);
        repair(m, 0, m->bytes[5], 4);
    }
}

/* --- the decoders ----------------------------------------------------------------------------- */

static void decode(const struct acpi_table *t)
{
    static struct madt m;
    struct fadt f;
    struct hpet_table h;

    FUZZ_CHECK(acpi_madt(t, &m) == (m.error.text[0] == '\0'));
    FUZZ_CHECK(m.ioapics <= MADT_IOAPIC_MAX && m.cpus <= MADT_CPU_MAX);
    FUZZ_CHECK(m.cpus_enabled <= m.cpus && m.duplicates <= m.cpus);
    acpi_fadt(t, &f);
    FUZZ_CHECK(f.pm_timer_port <= 0xfffc && (f.pm_timer_bits == 24 || f.pm_timer_bits == 32));
    acpi_hpet(t, &h);
}

static void read_acpi(const struct physmem *mem)
{
    static const char signatures[][5] = {"APIC", "FACP", "HPET", "NONE"};
    struct acpi a;

    acpi_open(&a, mem, BASE);
    acpi_says_qemu(&a);
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        struct acpi_table t = acpi_find(&a, signatures[i]);
        if (t.bytes != NULL)
            decode(&t);
    }
}

static void read_smbios(const struct physmem *mem)
{
    char text[16];
    struct smbios_memory modules;
    unsigned filled = 0;

    smbios_memory(&modules, mem, BASE);
    FUZZ_CHECK(modules.kinds <= SMBIOS_MEMORY_KINDS);
    for (unsigned i = 0; i < modules.kinds; i++)
        filled += modules.kind[i].count;
    FUZZ_CHECK(filled + modules.left_out <= modules.slots);
    smbios_says_qemu(mem, BASE);
    for (unsigned i = 0; i < 16; i++) {
        struct smbios_field field = {(uint8_t)(i / 4), (uint8_t)(4 + i % 4)};
        bool found = smbios_string(mem, BASE, field, text, sizeof text);
        FUZZ_CHECK(strlen(text) < sizeof text && found == (text[0] != '\0'));
    }
}

/* Lengths stay, so a second call finds the same structures and changes nothing. */
static void anonymise_smbios(const uint8_t *bytes, size_t n)
{
    uint8_t *once = malloc(n > 0 ? n : 1), *twice = malloc(n > 0 ? n : 1);

    memcpy(once, bytes, n);
    smbios_anonymise(once, (uint32_t)n);
    memcpy(twice, once, n);
    smbios_anonymise(twice, (uint32_t)n);
    FUZZ_CHECK(memcmp(once, twice, n) == 0);
    free(once);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    enum mode mode = (enum mode)(data[0] % MODES);
    size--;
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    memcpy(bytes, data + 1, size);
    struct memory memory = {.image = {bytes, size, BASE}};
    struct physmem mem = {memory_at, &memory};

    switch (mode) {
    case BARE_TABLE:
        decode(&(struct acpi_table){bytes, (uint32_t)size});
        break;
    case ACPI_REPAIRED:
        repair_acpi(&memory.image);
        /* fallthrough */
    case ACPI_AS_IS:
        read_acpi(&mem);
        break;
    case SMBIOS_REPAIRED:
        repair_smbios(&memory.image);
        /* fallthrough */
    default:
        read_smbios(&mem);
        anonymise_smbios(bytes, size);
    }
    memory_free(&memory);
    free(bytes);
    return 0;
}
