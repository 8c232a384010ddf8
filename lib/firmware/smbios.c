#include "lib/firmware/smbios.h"

#include "lib/text/bytes.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

struct structures {
    const uint8_t *bytes;
    uint32_t n;
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
    s.bytes = mem->at(mem->ctx, le32(p + 0x18), s.n);
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
    s.bytes = mem->at(mem->ctx, le64(p + 0x10), s.n);
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

bool smbios_open(struct smbios_walk *w, const struct physmem *mem, uint64_t entry)
{
    struct structures s = {0};

    if (entry != 0)
        s = entry_64(mem, entry);
    if (entry != 0 && s.bytes == NULL)
        s = entry_32(mem, entry);
    *w = (struct smbios_walk){s.bytes, s.bytes != NULL ? s.n : 0, 0};
    return s.bytes != NULL;
}

const uint8_t *smbios_next(struct smbios_walk *w)
{
    const uint8_t end_of_table = 127;

    if (w->n - w->at < 4)
        return NULL;
    const uint8_t *p = w->bytes + w->at;
    uint8_t type = p[0], length = p[1];
    if (type == end_of_table || length < 4 || length > w->n - w->at)
        return NULL;
    uint32_t strings = strings_size((struct structures){w->bytes, w->n}, w->at + length);
    if (strings == 0)
        return NULL;
    w->at += length + strings;
    return p;
}

bool smbios_string(const struct physmem *mem, uint64_t entry, struct smbios_field field, char *out,
                   size_t size)
{
    struct smbios_walk w;
    const uint8_t *p;

    out[0] = '\0';
    smbios_open(&w, mem, entry);
    while ((p = smbios_next(&w)) != NULL && p[0] != field.type)
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
