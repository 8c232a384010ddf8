#include "lib/firmware/smbios_memory.h"

#include "lib/text/bytes.h"

/* DSP0134 3.7 section 7.18, offsets; fields after the structure's end are missing. */
enum {
    TYPE_MEMORY_DEVICE = 17,
    SIZE = 0x0c,
    TYPE = 0x12,
    SPEED = 0x15,
    EXTENDED_SIZE = 0x1c,
    CONFIGURED = 0x20,
    EXTENDED_SPEED = 0x54,
    EXTENDED_CONFIGURED = 0x58,
};

enum { SIZE_EMPTY = 0, SIZE_UNKNOWN = 0xffff, SIZE_EXTENDED = 0x7fff, SIZE_IN_KIB = 0x8000 };
enum { SPEED_EXTENDED = 0xffff };

static uint32_t field(const uint8_t *p, unsigned at, unsigned bytes)
{
    if (at + bytes > p[1])
        return 0;
    return bytes == 4 ? le32(p + at) : bytes == 2 ? le16(p + at) : p[at];
}

/* Returns false for an empty slot. *bytes is 0 if not known. */
static bool size_of(const uint8_t *p, uint64_t *bytes)
{
    uint32_t size = field(p, SIZE, 2);

    *bytes = 0;
    if (size == SIZE_EXTENDED)
        *bytes = (uint64_t)(field(p, EXTENDED_SIZE, 4) & 0x7fffffff) << 20;
    else if (size != SIZE_UNKNOWN)
        *bytes = (uint64_t)(size & 0x7fff) << (size & SIZE_IN_KIB ? 10 : 20);
    return size != SIZE_EMPTY;
}

static uint32_t speed_of(const uint8_t *p, unsigned at, unsigned extended)
{
    uint32_t speed = field(p, at, 2);

    return speed == SPEED_EXTENDED ? field(p, extended, 4) & 0x7fffffff : speed;
}

static void add(struct smbios_memory *m, const struct smbios_modules *one)
{
    for (unsigned i = 0; i < m->kinds; i++) {
        struct smbios_modules *k = &m->kind[i];
        if (k->bytes == one->bytes && k->type == one->type &&
            k->mega_transfers == one->mega_transfers) {
            k->count++;
            return;
        }
    }
    if (m->kinds < SMBIOS_MEMORY_KINDS)
        m->kind[m->kinds++] = *one;
    else
        m->left_out++;
}

void smbios_memory(struct smbios_memory *m, const struct physmem *mem, uint64_t entry)
{
    struct smbios_walk w;

    *m = (struct smbios_memory){0};
    smbios_open(&w, mem, entry);
    for (const uint8_t *p; (p = smbios_next(&w)) != NULL;) {
        struct smbios_modules one = {.count = 1, .type = (uint8_t)field(p, TYPE, 1)};
        if (p[0] != TYPE_MEMORY_DEVICE)
            continue;
        m->slots++;
        one.mega_transfers = speed_of(p, CONFIGURED, EXTENDED_CONFIGURED);
        if (one.mega_transfers == 0)
            one.mega_transfers = speed_of(p, SPEED, EXTENDED_SPEED);
        if (size_of(p, &one.bytes))
            add(m, &one);
    }
}

const char *smbios_memory_type(uint8_t type)
{
    /* Table 78; codes without an entry are reserved, or without meaning ("other", "unknown"). */
    static const char *const names[] = {
        [0x03] = "DRAM",   [0x04] = "EDRAM",  [0x05] = "VRAM",   [0x06] = "SRAM",
        [0x07] = "RAM",    [0x08] = "ROM",    [0x09] = "Flash",  [0x0a] = "EEPROM",
        [0x0b] = "FEPROM", [0x0c] = "EPROM",  [0x0d] = "CDRAM",  [0x0e] = "3DRAM",
        [0x0f] = "SDRAM",  [0x10] = "SGRAM",  [0x11] = "RDRAM",  [0x12] = "DDR",
        [0x13] = "DDR2",   [0x14] = "DDR2FB", [0x18] = "DDR3",   [0x19] = "FBD2",
        [0x1a] = "DDR4",   [0x1b] = "LPDDR",  [0x1c] = "LPDDR2", [0x1d] = "LPDDR3",
        [0x1e] = "LPDDR4", [0x1f] = "NVDIMM", [0x20] = "HBM",    [0x21] = "HBM2",
        [0x22] = "DDR5",   [0x23] = "LPDDR5", [0x24] = "HBM3"};

    return type < sizeof names / sizeof names[0] ? names[type] : NULL;
}
