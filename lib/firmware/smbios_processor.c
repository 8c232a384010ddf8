#include "lib/firmware/smbios_processor.h"

#include "lib/text/bytes.h"

/* Offsets. */
enum {
    TYPE_PROCESSOR = 4,
    KIND = 0x05,
    EXTERNAL_CLOCK = 0x12,
    MAXIMUM_SPEED = 0x14,
    CURRENT_SPEED = 0x16,
    STATUS = 0x18,
};

enum { KIND_CENTRAL = 3, STATUS_FILLED = 0x40 };

static uint16_t field(const uint8_t *p, unsigned at)
{
    return at + 2 <= p[1] ? le16(p + at) : 0;
}

static bool is_central(const uint8_t *p)
{
    return p[0] == TYPE_PROCESSOR && p[1] > STATUS && p[KIND] == KIND_CENTRAL;
}

void smbios_processors(struct smbios_processors *s, const struct physmem *mem, uint64_t entry)
{
    struct smbios_walk w;

    *s = (struct smbios_processors){.table = smbios_open(&w, mem, entry)};
    for (const uint8_t *p; (p = smbios_next(&w)) != NULL;) {
        if (!is_central(p))
            continue;
        s->sockets++;
        if (!(p[STATUS] & STATUS_FILLED))
            continue;
        uint16_t external = field(p, EXTERNAL_CLOCK), maximum = field(p, MAXIMUM_SPEED),
                 current = field(p, CURRENT_SPEED);
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
