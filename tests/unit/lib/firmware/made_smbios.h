/* A 64-bit SMBIOS entry point, and structures one after the other. */
#ifndef TESTS_UNIT_LIB_FIRMWARE_MADE_SMBIOS_H
#define TESTS_UNIT_LIB_FIRMWARE_MADE_SMBIOS_H

#include "tests/unit/image.h"
#include "tests/unit/cmocka_unit.h"

enum { BASE = 0xf0000, TABLE = 32 };

static uint8_t bytes[2048];
static struct image image = {bytes, sizeof bytes, BASE};
static const struct physmem mem = {image_at, &image};
static uint32_t used;

/* Adds a structure without strings. */
static inline uint8_t *structure(uint8_t type, uint8_t length)
{
    uint8_t *p = bytes + TABLE + used;

    p[0] = type;
    p[1] = length;
    used += length + 2u;
    assert_true(TABLE + used < sizeof bytes);
    return p;
}

static inline void clear(void)
{
    memset(bytes, 0, sizeof bytes);
    used = 0;
}

/* Writes the entry point. */
static inline void finish(void)
{
    memcpy(bytes, "_SM3_", 5);
    bytes[6] = 0x18;
    put_le(bytes + 0x0c, used, 4);
    put_le(bytes + 0x10, BASE + TABLE, 8);
    fix_sum(bytes, 0x18, 5);
}

#endif
