#include "lib/firmware/smbios.h"

#include "tests/unit/image.h"
#include "tests/unit/cmocka_unit.h"

/* At ENTRY32 and ENTRY64 the entry points, at TABLE the structures of a QEMU machine. */
enum { BASE = 0xf0000, ENTRY32 = 0, ENTRY64 = 32, TABLE = 64 };

static const char structures[] = "\x00\x06\x01\x00\x01\x02"
                                 "SeaBIOS\0"
                                 "1.16.2\0\0"
                                 "\x01\x08\x00\x01\x01\x02\x00\x03"
                                 "QEMU\0"
                                 "Standard PC (Q35 + ICH9, 2009)\0"
                                 "pc\x01 q35  \0\0"
                                 "\x10\x04\x00\x10\0\0"     /* no strings: two NULs nevertheless */
                                 "\x02\x05\x00\x02\x00\0\0" /* a board whose maker is not given */
                                 "\x03\x05\x00\x03\x01"
                                 "  \0\0"
                                 "\x7f\x04\x00\x7f\0\0";

static uint8_t memory[512];
static struct image image = {memory, sizeof memory, BASE};
static const struct physmem mem = {image_at, &image};
static char text[64];

static void fix_entries(void)
{
    memory[ENTRY32 + 4] = memory[ENTRY32 + 0x15] = memory[ENTRY64 + 5] = 0;
    fix_sum(memory + ENTRY32 + 0x10, 0x0f, 5);
    fix_sum(memory + ENTRY32, 0x1f, 4);
    fix_sum(memory + ENTRY64, 0x18, 5);
}

static void build(void)
{
    const uint32_t n = sizeof structures - 1;

    memset(memory, 0, sizeof memory);
    image.n = TABLE + n;
    memcpy(memory + TABLE, structures, n);
    memcpy(memory + ENTRY32, "_SM_", 4);
    memory[ENTRY32 + 5] = 0x1f;
    memcpy(memory + ENTRY32 + 0x10, "_DMI_", 5);
    put_le(memory + ENTRY32 + 0x16, n, 2);
    put_le(memory + ENTRY32 + 0x18, BASE + TABLE, 4);
    memcpy(memory + ENTRY64, "_SM3_", 5);
    memory[ENTRY64 + 6] = 0x18;
    put_le(memory + ENTRY64 + 0x0c, n, 4);
    put_le(memory + ENTRY64 + 0x10, BASE + TABLE, 8);
    fix_entries();
}

static bool get(uint64_t entry, struct smbios_field field)
{
    memset(text, 'z', sizeof text);
    return smbios_string(&mem, BASE + entry, field, text, sizeof text);
}

TEST(strings_are_read_at_both_entry_points)
{
    build();
    const uint64_t entries[] = {ENTRY32, ENTRY64};
    for (int i = 0; i < 2; i++) {
        assert_true(get(entries[i], SMBIOS_BIOS_VENDOR));
        assert_string_equal(text, "SeaBIOS");
        assert_true(get(entries[i], SMBIOS_BIOS_VERSION));
        assert_string_equal(text, "1.16.2");
        assert_true(get(entries[i], SMBIOS_SYSTEM_MANUFACTURER));
        assert_string_equal(text, "QEMU");
        assert_true(get(entries[i], SMBIOS_SYSTEM_PRODUCT));
        assert_string_equal(text, "Standard PC (Q35 + ICH9, 2009)");
        assert_true(smbios_says_qemu(&mem, BASE + entries[i]));
    }
    /* Third string: not printable, blanks at its end. */
    assert_true(get(ENTRY32, (struct smbios_field){1, 7}));
    assert_string_equal(text, "pc? q35");
    char small[6];
    assert_true(smbios_string(&mem, BASE + ENTRY32, SMBIOS_SYSTEM_PRODUCT, small, sizeof small));
    assert_string_equal(small, "Stand");
}

TEST(missing_strings_are_empty)
{
    build();
    const struct smbios_field none[] = {
        SMBIOS_BOARD_MANUFACTURER,   /* number 0 */
        SMBIOS_BOARD_PRODUCT,        /* beyond the structure's length */
        SMBIOS_CHASSIS_MANUFACTURER, /* blanks alone */
        {1, 6},                      /* number 0 */
        {0x10, 4},                   /* no formatted part */
        {9, 4},                      /* no such structure */
    };
    EACH_CASE (c, none) {
        assert_false(get(ENTRY32, *c));
        assert_string_equal(text, "");
    }
    memory[TABLE + 4] = 9; /* more than there are */
    assert_false(get(ENTRY32, SMBIOS_BIOS_VENDOR));
    assert_false(smbios_string(&mem, 0, SMBIOS_BIOS_VENDOR, text, sizeof text));
    assert_false(smbios_says_qemu(&mem, 0));
    assert_false(smbios_says_qemu(&mem, 0x1234));
}

TEST(qemu_is_known_by_its_maker)
{
    build();
    uint8_t *maker = memory + TABLE + 6 + 16 + 8;
    assert_memory_equal(maker, "QEMU", 4);
    memcpy(maker, "ACME", 4);
    assert_false(smbios_says_qemu(&mem, BASE + ENTRY32));
}

TEST(damaged_entry_points_are_refused)
{
    const uint32_t spoilt32[] = {0, 4, 0x10, 0x15, 0x17, 0x18};

    EACH_CASE (c, spoilt32) {
        build();
        memory[ENTRY32 + *c]++;
        assert_false(get(ENTRY32, SMBIOS_BIOS_VENDOR));
    }
    const uint32_t spoilt64[] = {0, 4, 5, 6, 0x0d, 0x10};
    EACH_CASE (c, spoilt64) {
        build();
        memory[ENTRY64 + *c]++;
        assert_false(get(ENTRY64, SMBIOS_BIOS_VENDOR));
    }
    build(); /* checksums right, but the table leaves memory */
    put_le(memory + ENTRY32 + 0x16, sizeof structures, 2);
    put_le(memory + ENTRY64 + 0x0c, 0xffffffff, 4);
    fix_entries();
    assert_false(get(ENTRY32, SMBIOS_BIOS_VENDOR));
    assert_false(get(ENTRY64, SMBIOS_BIOS_VENDOR));
    build(); /* the length that version 2.1 had by mistake */
    memory[ENTRY32 + 5] = 0x1e;
    fix_entries();
    assert_true(get(ENTRY32, SMBIOS_BIOS_VENDOR));
}

/* A structure of type 38 in place of the others. */
TEST(the_interface_of_a_bmc_is_decoded)
{
    static const struct {
        uint8_t length, kind, modifier;
        uint64_t base;
        struct smbios_kcs want; /* stride 0: none */
    } cases[] = {
        {0x12, 1, 0x01, 0xca3, {true, 0xca2, 1}}, /* of QEMU */
        {0x12, 1, 0x40, 0xfe000000, {false, 0xfe000000, 4}},
        {0x12, 1, 0x80, 0x100000000000, {false, 0x100000000000, 16}},
        {0x12, 1, 0x10, 0xca3, {true, 0xca3, 1}}, /* bit 0 of the address is elsewhere */
        {0x10, 1, 0x40, 0xca3, {true, 0xca2, 1}}, /* the short structure has no modifier */
        {0x12, 4, 0x00, 0x21, {0}},               /* SSIF */
        {0x12, 1, 0xc0, 0xca3, {0}},
        {0x12, 1, 0x00, 0x20001, {0}}, /* no port */
        {0x12, 1, 0x00, 0, {0}},
    };

    EACH_CASE (c, cases) {
        struct smbios_kcs k;
        uint8_t *p = memory + TABLE;
        build();
        memset(p, 0, sizeof structures);
        p[0] = 38, p[1] = c->length, p[4] = c->kind;
        put_le(p + 8, c->base, 8);
        if (c->length > 0x10)
            p[0x10] = c->modifier;
        p[c->length + 2] = 0x7f;
        bool found = smbios_kcs(&k, &mem, BASE + ENTRY32);
        assert_int_equal(found, c->want.stride != 0);
        if (found)
            assert_true(k.io == c->want.io && k.address == c->want.address &&
                        k.stride == c->want.stride);
    }
    build();
    assert_false(smbios_kcs(&(struct smbios_kcs){0}, &mem, BASE + ENTRY32));
    assert_false(smbios_kcs(&(struct smbios_kcs){0}, &mem, 0));
}

/* The table ends early, at every place: never a read after its end, never a string outside of
 * it. */
TEST(a_table_cut_anywhere_is_read_within_its_bounds)
{
    build();
    const uint32_t all = sizeof structures - 1;
    for (uint32_t n = 0; n < all; n++) {
        uint8_t *whole = image.bytes;
        build();
        put_le(memory + ENTRY64 + 0x0c, n, 4);
        fix_entries();
        uint8_t *block = malloc(TABLE + n);
        memcpy(block, memory, TABLE + n);
        image.bytes = block;
        image.n = TABLE + n;
        bool vendor = get(ENTRY64, SMBIOS_BIOS_VENDOR);
        assert_int_equal(vendor, n >= 6 + 16);
        get(ENTRY64, SMBIOS_CHASSIS_MANUFACTURER);
        image.bytes = whole;
        free(block);
    }
    build();
    memory[TABLE + 1] = 3; /* a structure shorter than its own header */
    assert_false(get(ENTRY32, SMBIOS_SYSTEM_PRODUCT));
    build();
    memory[TABLE + 1] = 0xff; /* and one longer than the table has left: never followed */
    memory[TABLE] = 0x55;
    assert_false(get(ENTRY32, SMBIOS_SYSTEM_PRODUCT));
    build();
    memory[TABLE] = 0x7f; /* nothing counts after the end mark */
    assert_false(get(ENTRY32, SMBIOS_SYSTEM_PRODUCT));
}

/* Each structure has the same fields, with serial number, asset tag and UUID. */
static const char named[] =
    "\x01\x1b\x00\x01\x01\x02\x00\x03"
    "0123456789abcdef" /* the UUID */
    "\x06\x04\x02"     /* its SKU is string 4, its family string 2 */
    "Acme\0Anvil\0SERIAL1\0SKU1\0\0"
    "\x03\x09\x00\x03\x01\x11\x00\x02\x03"
    "Acme\0SERIAL2\0ASSET2\0\0"
    "\x02\x0a\x00\x02\x01\x01\x00\x01\x02\x00" /* the maker's string is the serial */
    "SERIAL3\0ASSET3\0\0"
    "\x0b\x06\x00\x0b\x01\x77"
    "OWNER4\0\0"
    "\xdd\x08\x00\xdd" /* a maker's own type */
    "TAG5\0\0"
    "\x26\x08\x00\x26\x01\x20\x20\x00\0\0" /* the interface of a BMC */
    "\x7f\x04\x00\x7f\0\0"
    "REST6";

static bool has_bytes(const uint8_t *bytes, size_t n, const char *part, size_t length)
{
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(bytes + i, part, length) == 0)
            return true;
    return false;
}

TEST(what_identifies_a_machine_is_removed_and_its_model_stays)
{
    static const char *const secrets[] = {"0123456789abcdef", "SERIAL", "ASSET", "SKU",
                                          "OWNER4",           "TAG5",   "REST6"};
    uint8_t bytes[sizeof named - 1];

    memcpy(bytes, named, sizeof bytes);
    smbios_anonymise(bytes, sizeof bytes);
    EACH_CASE (c, secrets)
        assert_false(has_bytes(bytes, sizeof bytes, *c, strlen(*c)));
    assert_memory_equal(bytes, named, 8);                                /* up to the UUID */
    assert_memory_equal(bytes + 27, "Acme\0Anvil\0*******\0****\0", 25); /* lengths stay */
    assert_memory_equal(bytes + 52,
                        "\x03\x09\x00\x03\x01\x11\x00\x02\x03"
                        "Acme\0*******\0",
                        22);
    assert_true(has_bytes(bytes, sizeof bytes, "\xdd\x08\x00\xdd\0\0\0\0", 8));
    assert_true(has_bytes(bytes, sizeof bytes, "\x26\x08\x00\x26\x01\x20\x20\x00", 8));
    assert_true(has_bytes(bytes, sizeof bytes, "\x7f\x04\x00\x7f", 4));
}
