#include "lib/firmware/smbios.h"

#include "tests/unit/lib/firmware/made_smbios.h"

static void module(uint16_t size, uint8_t type, uint16_t speed)
{
    uint8_t *p = structure(17, 0x28);

    put_le(p + 0x0c, size, 2);
    p[0x12] = type;
    put_le(p + 0x15, speed, 2);
}

static struct smbios_memory read_all(void)
{
    struct smbios_memory m;

    finish();
    memset(&m, 0x5a, sizeof m);
    smbios_memory(&m, &mem, BASE);
    return m;
}

static void expect(const struct smbios_modules *k, unsigned count, uint64_t mib, uint32_t speed)
{
    assert_int_equal(k->count, count);
    assert_true(k->bytes == mib << 20);
    assert_int_equal(k->mega_transfers, speed);
}

BEFORE_EACH(clear);

TEST(equal_modules_are_counted)
{
    module(16384, 0x1a, 3200);
    module(0, 0x02, 0); /* an empty slot */
    module(16384, 0x1a, 3200);
    module(8192, 0x1a, 3200);
    struct smbios_memory m = read_all();
    assert_int_equal(m.slots, 4);
    assert_int_equal(m.kinds, 2);
    assert_int_equal(m.left_out, 0);
    expect(&m.kind[0], 2, 16384, 3200);
    expect(&m.kind[1], 1, 8192, 3200);
    assert_string_equal(smbios_memory_type(m.kind[0].type), "DDR4");
}

TEST(sizes_and_speeds_are_decoded)
{
    module(0x8000 | 512, 0x12, 0); /* KiB */
    module(0xffff, 0x12, 0);       /* not known */
    uint8_t *p = structure(17, 0x5c);
    put_le(p + 0x0c, 0x7fff, 2);
    put_le(p + 0x1c, 65536, 4);
    put_le(p + 0x15, 0xffff, 2);
    put_le(p + 0x54, 70000, 4);
    p[0x12] = 0x22;
    p = structure(17, 0x5c);
    put_le(p + 0x0c, 32768 - 2, 2);
    put_le(p + 0x15, 5600, 2);
    put_le(p + 0x20, 0xffff, 2); /* configured comes before the most that it could */
    put_le(p + 0x58, 4800, 4);
    struct smbios_memory m = read_all();
    assert_int_equal(m.kinds, 4);
    assert_true(m.kind[0].bytes == 512 << 10);
    expect(&m.kind[1], 1, 0, 0);
    expect(&m.kind[2], 1, 65536, 70000);
    assert_string_equal(smbios_memory_type(m.kind[2].type), "DDR5");
    expect(&m.kind[3], 1, 32766, 4800);
}

/* Version 2.1's structure ends before type's detail and speed; the bytes after it belong to
 * others. */
TEST(short_structures_have_only_their_own_fields)
{
    uint8_t *p = structure(17, 0x0e);

    put_le(p + 0x0c, 1024, 2);
    p = structure(17, 0x0d); /* half of its size */
    p[0x0c] = 0xff;
    struct smbios_memory m = read_all();
    assert_int_equal(m.slots, 2);
    assert_int_equal(m.kinds, 1);
    expect(&m.kind[0], 1, 1024, 0);
    assert_null(smbios_memory_type(m.kind[0].type));
}

TEST(kinds_without_room_are_counted)
{
    for (uint16_t i = 1; i <= SMBIOS_MEMORY_KINDS + 2; i++)
        module(i, 0x1a, 3200);
    module(1, 0x1a, 3200);
    struct smbios_memory m = read_all();
    assert_int_equal(m.kinds, SMBIOS_MEMORY_KINDS);
    assert_int_equal(m.left_out, 2);
    assert_int_equal(m.kind[0].count, 2);
}

TEST(without_structures_there_are_no_modules)
{
    struct smbios_memory m = read_all();

    assert_true(m.slots == 0 && m.kinds == 0);
    smbios_memory(&m, &mem, 0);
    assert_true(m.slots == 0 && m.kinds == 0);
}

TEST(known_types_have_names)
{
    const struct {
        uint8_t type;
        const char *name;
    } known[] = {{0x03, "DRAM"},   {0x07, "RAM"},  {0x0f, "SDRAM"}, {0x12, "DDR"},
                 {0x13, "DDR2"},   {0x18, "DDR3"}, {0x1a, "DDR4"},  {0x1b, "LPDDR"},
                 {0x1e, "LPDDR4"}, {0x20, "HBM"},  {0x22, "DDR5"},  {0x23, "LPDDR5"}};
    EACH_CASE (c, known)
        assert_string_equal(smbios_memory_type(c->type), c->name);
    const uint8_t unknown[] = {0, 1, 2, 0x15, 0x17, 0x25, 0xff};
    for (size_t i = 0; i < sizeof unknown; i++)
        assert_null(smbios_memory_type(unknown[i]));
}
