/* SPCR and DBG2: what kernel/serial relies on; tests/replay/test_acpi.py compares the rest with
 * iasl. */
#include "lib/firmware/serial_place.h"

#include "tests/unit/image.h"
#include "tests/unit/cmocka_unit.h"

enum { SPCR_SIZE = 88 };

static uint8_t spcr[SPCR_SIZE];
static struct acpi_table table = {spcr, SPCR_SIZE};
static struct spcr s;

/* A 16550 on COM2 at 115200, in a table of that revision. */
static void build(uint8_t revision)
{
    memset(spcr, 0, sizeof spcr);
    table.length = revision >= 4 ? SPCR_SIZE : 80;
    spcr[8] = revision;
    spcr[40] = ACPI_IO;
    spcr[41] = 8;
    put_le(spcr + 44, 0x2f8, 8);
    spcr[58] = 7;
    put_le(spcr + 64, 0xffffffff, 4);
}

TEST(an_ordinary_port_is_decoded)
{
    build(2);
    assert_true(acpi_spcr(&table, &s));
    assert_true(s.uart.is_16550);
    assert_int_equal(s.uart.gas.space, ACPI_IO);
    assert_int_equal(s.uart.gas.address, 0x2f8);
    assert_int_equal(s.uart.width, 1);
    assert_int_equal(s.uart.stride, 1);
    assert_int_equal(s.baud, 115200);
    assert_false(s.baud_as_is || s.has_pci);
    assert_string_equal(s.error.text, "");
}

TEST(interface_types_differ_by_revision)
{
    static const struct {
        uint8_t revision, type;
        const char *kind;
        bool is_16550;
    } cases[] = {
        {1, 0, "16550", true},          {1, 1, "16450", true},         {1, 3, NULL, false},
        {1, 0x12, NULL, false},         {2, 0, "16550", true},         {2, 1, "16550_subset", true},
        {2, 3, "arm_pl011", false},     {2, 7, NULL, false},           {2, 0x12, "16550", true},
        {3, 0x14, "intel_lpss", false}, {4, 0x15, "riscv_sbi", false}, {4, 0x16, NULL, false},
        {4, 0xff, NULL, false},
    };
    EACH_CASE (c, cases) {
        build(c->revision);
        spcr[36] = c->type;
        assert_true(acpi_spcr(&table, &s));
        assert_int_equal(s.uart.is_16550, c->is_16550);
        if (c->kind != NULL)
            assert_string_equal(s.uart.kind, c->kind);
        else
            assert_null(s.uart.kind);
    }
}

TEST(each_address_gives_its_width_and_stride)
{
    static const struct {
        uint8_t space, type, bits, access, width, stride;
    } cases[] = {
        {ACPI_MEMORY, 0, 8, 0, 1, 1},    {ACPI_MEMORY, 0, 32, 3, 4, 4},
        {ACPI_MEMORY, 0, 32, 1, 1, 4},   {ACPI_MEMORY, 0, 8, 3, 4, 4},
        {ACPI_MEMORY, 0x12, 0, 3, 4, 4}, {ACPI_MEMORY, 0x12, 32, 1, 1, 4},
        {ACPI_MEMORY, 0, 33, 0, 1, 1},   {ACPI_MEMORY, 0, 128, 0, 8, 16},
        {ACPI_MEMORY, 0, 0, 9, 1, 1},    {ACPI_IO, 0, 32, 0, 1, 1},
        {ACPI_IO, 0x12, 32, 1, 1, 4},    {ACPI_IO, 0, 64, 1, 1, 1},
    };
    EACH_CASE (c, cases) {
        build(2);
        spcr[36] = c->type;
        spcr[40] = c->space;
        spcr[41] = c->bits;
        spcr[43] = c->access;
        assert_true(acpi_spcr(&table, &s));
        assert_int_equal(s.uart.width, c->width);
        assert_int_equal(s.uart.stride, c->stride);
    }
}

TEST(each_code_gives_its_speed)
{
    static const uint32_t by_code[] = {0, 0, 0, 9600, 19200, 0, 57600, 115200, 0};

    for (uint8_t code = 0; code < COUNT_OF(by_code); code++) {
        build(2);
        spcr[58] = code;
        acpi_spcr(&table, &s);
        assert_int_equal(s.baud, by_code[code]);
        assert_int_equal(s.baud_as_is, code == 0);
    }
    build(4);
    put_le(spcr + 80, 1500000, 4);
    acpi_spcr(&table, &s);
    assert_int_equal(s.baud, 1500000);
    spcr[58] = 0;
    acpi_spcr(&table, &s);
    assert_false(s.baud_as_is);
    table.length = 83; /* the field is cut: the code it is */
    acpi_spcr(&table, &s);
    assert_true(s.baud == 0 && s.baud_as_is);
    build(3); /* in revision 3 those bytes are not a speed */
    table.length = SPCR_SIZE;
    put_le(spcr + 80, 1500000, 4);
    put_le(spcr + 76, 48000000, 4);
    acpi_spcr(&table, &s);
    assert_int_equal(s.baud, 115200);
    assert_int_equal(s.clock_hz, 48000000);
    spcr[8] = 2; /* nor is this a clock in revision 2 */
    acpi_spcr(&table, &s);
    assert_int_equal(s.clock_hz, 0);
}

TEST(short_tables_are_refused)
{
    struct dbg2 d;
    struct acpi_table none = {0};

    build(2);
    table.length = 79;
    assert_false(acpi_spcr(&table, &s));
    assert_string_equal(s.error.text, "SPCR offset 4: length 79, allowed 80 to 16777216");
    assert_false(acpi_spcr(&none, &s));
    assert_false(acpi_dbg2(&none, &d));
}

/* More devices than there is room for, each 22 bytes with neither address nor name. */
TEST(debug_ports_without_room_are_counted)
{
    enum { DEVICES = DBG2_PORTS_MAX + 2 };
    static uint8_t b[44 + 22 * DEVICES];
    struct acpi_table t = {b, sizeof b};
    static struct dbg2 d;
    put_le(b + 36, 44, 4);
    put_le(b + 40, DEVICES, 4);
    for (unsigned i = 0; i < DEVICES; i++) {
        put_le(b + 44 + 22 * i + 1, 22, 2);
        put_le(b + 44 + 22 * i + 12, 0x8000 + i, 2);
    }
    assert_true(acpi_dbg2(&t, &d));
    assert_int_equal(d.ports, DBG2_PORTS_MAX);
    assert_int_equal(d.ports_left_out, 2);
    assert_int_equal(d.port[3].type, PORT_NET);
    assert_false(d.port[0].uart.is_16550); /* a serial port without an address is left out */
    assert_int_equal(d.port[0].name_length, 0);
    put_le(b + 40, 0xffffffff, 4);
    assert_false(acpi_dbg2(&t, &d));
    assert_string_equal(d.error.text,
                        "DBG2 offset 40: number of devices 4294967295, allowed 0 to 18");
    put_le(b + 36, 0xfffffff0, 4);
    assert_false(acpi_dbg2(&t, &d));
    put_le(b + 40, 0, 4); /* no device: then their offset says nothing */
    assert_true(acpi_dbg2(&t, &d));
}
