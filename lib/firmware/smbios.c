#include "lib/firmware/smbios.h"

#include "lib/text/bytes.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

/* --- structures ------------------------------------------------------------------------------- */

struct structures {
    const uint8_t *bytes;
    uint32_t n;
    uint64_t address;
};

/* Section 5.2.1: _SM_ and in it _DMI_, each with a checksum. The first covers only its own
 * length. */
static struct structures entry_32(const struct physmem *mem, uint64_t entry)
{
    struct structures s = {0};
    const uint8_t *p = mem->at(mem->ctx, entry, 0x1f);

    if (p == NULL || memcmp(p, "_SM_", 4) != 0 || memcmp(p + 0x10, "_DMI_", 5) != 0 ||
        byte_sum(p + 0x10, 0x0f) != 0)
        return s;
    /* Length: 1Fh; 1Eh by an old error in the specification, with the same sum. */
    if ((p[5] != 0x1f && p[5] != 0x1e) || byte_sum(p, p[5]) != 0)
        return s;
    s.n = le16(p + 0x16);
    s.address = le32(p + 0x18);
    s.bytes = mem->at(mem->ctx, s.address, s.n);
    return s;
}

/* Section 5.2.2: _SM3_. Its table size is an upper bound. */
static struct structures entry_64(const struct physmem *mem, uint64_t entry)
{
    struct structures s = {0};
    const uint8_t *p = mem->at(mem->ctx, entry, 0x18);

    if (p == NULL || memcmp(p, "_SM3_", 5) != 0 || p[6] != 0x18 || byte_sum(p, 0x18) != 0)
        return s;
    s.n = le32(p + 0x0c);
    s.address = le64(p + 0x10);
    s.bytes = mem->at(mem->ctx, s.address, s.n);
    return s;
}

/* Section 6.1.3: strings follow the formatted part, each with its NUL; one more NUL ends them.
 * Returns the length from `from` including that NUL, or 0 if it is missing. */
static uint32_t strings_size(struct structures s, uint32_t from)
{
    for (uint32_t at = from; s.n - at >= 2; at++)
        if (s.bytes[at] == 0 && s.bytes[at + 1] == 0)
            return at + 2 - from;
    return 0;
}

/* Returns string `number`, from 1. It is terminated: strings_size has checked that. */
static const char *string_at(const uint8_t *strings, unsigned number)
{
    const char *at = (const char *)strings;

    for (; number > 1 && *at != '\0'; number--)
        at += strlen(at) + 1;
    return at;
}

static bool copy_string(const char *from, char *out, size_t size)
{
    size_t n = strlen(from);

    while (n > 0 && from[n - 1] == ' ')
        n--;
    str_copy(out, size, from, n);
    for (char *c = out; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return n > 0;
}

/* A walk over the structures. */
struct walk {
    const uint8_t *bytes; /* NULL: no table */
    uint32_t n, at;
};

static struct structures structures_of(const struct physmem *mem, uint64_t entry)
{
    struct structures s = {0};

    if (entry != 0)
        s = entry_64(mem, entry);
    if (entry != 0 && s.bytes == NULL)
        s = entry_32(mem, entry);
    return s;
}

/* False: no valid table. */
static bool open(struct walk *w, const struct physmem *mem, uint64_t entry)
{
    struct structures s = structures_of(mem, entry);

    *w = (struct walk){s.bytes, s.bytes != NULL ? s.n : 0, 0};
    return s.bytes != NULL;
}

/* Returns the next structure: its type, its length in bytes (at least 4, all of them readable), its
 * handle. The strings after it are complete. NULL: no structure is left. */
static const uint8_t *next(struct walk *w)
{
    const uint8_t end_of_table = 127;

    if (w->n - w->at < 4)
        return NULL;
    const uint8_t *p = w->bytes + w->at;
    uint8_t type = p[0], length = p[1];
    if (type == end_of_table || length < 4 || length > w->n - w->at)
        return NULL;
    uint32_t strings =
        strings_size((struct structures){.bytes = w->bytes, .n = w->n}, w->at + length);
    if (strings == 0)
        return NULL;
    w->at += length + strings;
    return p;
}

bool smbios_string(const struct physmem *mem, uint64_t entry, struct smbios_field field, char *out,
                   size_t size)
{
    struct walk w;
    const uint8_t *p;

    out[0] = '\0';
    open(&w, mem, entry);
    while ((p = next(&w)) != NULL && p[0] != field.type)
        ;
    unsigned number = p != NULL && field.offset < p[1] ? p[field.offset] : 0; /* 0: no string */
    return number != 0 && copy_string(string_at(p + p[1], number), out, size);
}

bool smbios_says_qemu(const struct physmem *mem, uint64_t entry)
{
    const struct smbios_field fields[] = {
        SMBIOS_BIOS_VENDOR,
        SMBIOS_SYSTEM_MANUFACTURER,
        SMBIOS_SYSTEM_PRODUCT,
        SMBIOS_CHASSIS_MANUFACTURER,
    };
    char text[64];

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (smbios_string(mem, entry, fields[i], text, sizeof text) && str_has(text, "QEMU"))
            return true;
    return false;
}

/* Returns a number of a structure; 0 if it is after the structure's end. */
static uint32_t field(const uint8_t *p, unsigned at, unsigned bytes)
{
    if (at + bytes > p[1])
        return 0;
    return bytes == 4 ? le32(p + at) : bytes == 2 ? le16(p + at) : p[at];
}

/* --- processors ------------------------------------------------------------------------------- */

/* Section 7.5, offsets. */
enum {
    TYPE_PROCESSOR = 4,
    KIND = 0x05,
    EXTERNAL_CLOCK = 0x12,
    MAXIMUM_SPEED = 0x14,
    CURRENT_SPEED = 0x16,
    STATUS = 0x18,
};

enum { KIND_CENTRAL = 3, STATUS_FILLED = 0x40 };

static bool is_central(const uint8_t *p)
{
    return p[0] == TYPE_PROCESSOR && p[1] > STATUS && p[KIND] == KIND_CENTRAL;
}

void smbios_processors(struct smbios_processors *s, const struct physmem *mem, uint64_t entry)
{
    struct walk w;

    *s = (struct smbios_processors){.table = open(&w, mem, entry)};
    for (const uint8_t *p; (p = next(&w)) != NULL;) {
        if (!is_central(p))
            continue;
        s->sockets++;
        if (!(p[STATUS] & STATUS_FILLED))
            continue;
        uint16_t external = (uint16_t)field(p, EXTERNAL_CLOCK, 2),
                 maximum = (uint16_t)field(p, MAXIMUM_SPEED, 2),
                 current = (uint16_t)field(p, CURRENT_SPEED, 2);
        if (s->filled++ > 0) {
            s->unlike = s->unlike || external != s->external || maximum != s->maximum ||
                        current != s->current;
            continue;
        }
        s->external = external;
        s->maximum = maximum;
        s->current = current;
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Section 7.18, offsets. */
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

static void add_modules(struct smbios_memory *m, const struct smbios_modules *one)
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
    struct walk w;

    *m = (struct smbios_memory){0};
    open(&w, mem, entry);
    for (const uint8_t *p; (p = next(&w)) != NULL;) {
        struct smbios_modules one = {.count = 1, .type = (uint8_t)field(p, TYPE, 1)};
        if (p[0] != TYPE_MEMORY_DEVICE)
            continue;
        m->slots++;
        one.mega_transfers = speed_of(p, CONFIGURED, EXTENDED_CONFIGURED);
        if (one.mega_transfers == 0)
            one.mega_transfers = speed_of(p, SPEED, EXTENDED_SPEED);
        if (size_of(p, &one.bytes))
            add_modules(m, &one);
    }
}

/* --- BMC -------------------------------------------------------------------------------------- */

enum { TYPE_IPMI = 38, IPMI_KIND = 0x04, IPMI_BASE = 0x08, IPMI_MODIFIER = 0x10, KIND_KCS = 1 };

bool smbios_kcs(struct smbios_kcs *k, const struct physmem *mem, uint64_t entry)
{
    struct walk w;

    open(&w, mem, entry);
    for (const uint8_t *p; (p = next(&w)) != NULL;) {
        uint64_t base = field(p, IPMI_BASE, 4) | (uint64_t)field(p, IPMI_BASE + 4, 4) << 32;
        uint32_t modifier = field(p, IPMI_MODIFIER, 1);
        static const uint8_t strides[4] = {1, 4, 16, 0};
        if (p[0] != TYPE_IPMI || field(p, IPMI_KIND, 1) != KIND_KCS)
            continue;
        *k = (struct smbios_kcs){base & 1, (base & ~1ull) | (modifier >> 4 & 1),
                                 strides[modifier >> 6]};
        return k->stride != 0 && k->address != 0 && (!k->io || k->address + k->stride <= 0xffff);
    }
    return false;
}

/* --- without what identifies a machine -------------------------------------------------------- */

bool smbios_place(const struct physmem *mem, uint64_t entry, uint64_t *address, uint32_t *size)
{
    struct structures s = structures_of(mem, entry);

    *address = s.address;
    *size = s.n;
    return s.bytes != NULL;
}

/* The strings that are kept, by the offsets of their numbers: sections 7.1 to 7.5, 7.8 and 7.18. */
static const struct known_type {
    uint8_t type;
    uint8_t kept[4];    /* of makers, products, versions, places */
    uint8_t removed[3]; /* serial numbers and asset tags, also if a kept one has the same number */
} known_types[] = {
    {0, {0x04, 0x05, 0x08}, {0}},
    {1, {0x04, 0x05, 0x06, 0x1a}, {0x07, 0x19}},
    {2, {0x04, 0x05, 0x06}, {0x07, 0x08}},
    {3, {0x04}, {0x06, 0x07, 0x08}},
    {4, {0x04, 0x07, 0x10}, {0x20, 0x21}},
    {7, {0x04}, {0}},
    {16, {0}, {0}},
    {17, {0x10, 0x11, 0x17, 0x1a}, {0x18, 0x19}},
    {19, {0}, {0}},
    {38, {0}, {0}},
};

static const struct known_type *known_type(uint8_t type)
{
    for (size_t i = 0; i < sizeof known_types / sizeof known_types[0]; i++)
        if (known_types[i].type == type)
            return &known_types[i];
    return NULL;
}

/* Returns whether one of these offsets, up to the first 0, has this string's number. */
static bool refers(const uint8_t *p, const uint8_t *offsets, size_t n, unsigned number)
{
    for (size_t i = 0; i < n && offsets[i] != 0; i++)
        if (offsets[i] < p[1] && p[offsets[i]] == number)
            return true;
    return false;
}

static void anonymise_strings(uint8_t *p, const struct known_type *known)
{
    uint8_t *at = p + p[1];

    for (unsigned number = 1; *at != 0; number++) {
        bool keeps = known && refers(p, known->kept, sizeof known->kept, number) &&
                     !refers(p, known->removed, sizeof known->removed, number);
        for (; *at != 0; at++)
            *at = keeps ? *at : '*';
        at++;
    }
}

/* Section 7.2.1: the UUID of type 1. */
enum { TYPE_SYSTEM = 1, UUID = 0x08, UUID_END = 0x18 };

void smbios_anonymise(uint8_t *bytes, uint32_t n)
{
    struct walk w = {bytes, n, 0};
    const uint8_t header = 4, end_of_table = 127;

    for (const uint8_t *found; (found = next(&w)) != NULL;) {
        uint8_t *p = bytes + (found - bytes);
        const struct known_type *known = known_type(p[0]);
        anonymise_strings(p, known);
        for (unsigned i = header; i < p[1]; i++)
            if (!known || (p[0] == TYPE_SYSTEM && i >= UUID && i < UUID_END))
                p[i] = 0;
    }
    /* What follows the last complete structure. */
    if (n - w.at >= header && bytes[w.at] == end_of_table)
        w.at += header;
    memset(bytes + w.at, 0, n - w.at);
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
