/* Where the serial port is searched: a machine with an RSDP, an RSDT, SPCR and DBG2. */
#include "lib/firmware/serial_place.h"

#include "tests/unit/image.h"
#include "tests/unit/cmocka_unit.h"

enum { BASE = 0x7f000, RSDT = 32, SPCR = 80, DBG2 = 160, DEVICE = DBG2 + 44, END = DEVICE + 34 };

static uint8_t memory[END];
static struct image image = {memory, END, BASE};
static const struct physmem mem = {image_at, &image};
static struct serial_places p;
static const char *taken; /* what the memory map has everywhere */
static bool reserved;     /* ... is memory that the firmware reserves */

static const char *region(void *ctx, uint64_t start, uint64_t size, bool named)
{
    assert_true(size >= 8);
    return reserved && named ? NULL : taken;
}
static const struct address_map nothing = {.region = region};

static void put_table(uint32_t at, const char *signature, uint32_t length)
{
    memcpy(memory + at, signature, 4);
    put_le(memory + at + 4, length, 4);
    fix_sum(memory + at, length, 9);
}

static void put_gas(uint32_t at, uint8_t space, uint8_t bits, uint8_t access, uint64_t address)
{
    memory[at] = space;
    memory[at + 1] = bits;
    memory[at + 3] = access;
    put_le(memory + at + 4, address, 8);
}

/* SPCR: COM2 at 57600. DBG2: 16550 registers of four bytes at 0xfe03e000. */
static void build(void)
{
    taken = NULL;
    reserved = false;
    memset(memory, 0, sizeof memory);
    memcpy(memory, "RSD PTR ", 8);
    put_le(memory + 16, BASE + RSDT, 4);
    put_le(memory + RSDT + 36, BASE + SPCR, 4);
    put_le(memory + RSDT + 40, BASE + DBG2, 4);
    memory[SPCR + 8] = 2;
    put_gas(SPCR + 40, ACPI_IO, 8, 1, 0x2f8);
    memory[SPCR + 58] = 6;
    put_le(memory + DBG2 + 36, 44, 4);
    put_le(memory + DBG2 + 40, 1, 4);
    put_le(memory + DEVICE + 1, 34, 2);
    memory[DEVICE + 3] = 1;
    put_le(memory + DEVICE + 12, 0x8000, 2);
    put_le(memory + DEVICE + 18, 22, 2);
    put_gas(DEVICE + 22, ACPI_MEMORY, 32, 3, 0xfe03e000);
}

BEFORE_EACH(build);

static void look(const char *word, bool mmio)
{
    struct serial_choice choice;
    struct acpi acpi;

    memory[8] = memory[RSDT + 9] = memory[SPCR + 9] = memory[DBG2 + 9] = 0;
    put_table(SPCR, "SPCR", 80);
    put_table(DBG2, "DBG2", END - DBG2);
    put_table(RSDT, "RSDT", 44);
    fix_sum(memory, 20, 8);
    acpi_open(&acpi, &mem, BASE);
    assert_true(acpi.present);
    assert_true(serial_choice_parse(&choice, word));
    serial_places(&p, &choice, &acpi, mmio ? &nothing : NULL);
}

static void expect(unsigned i, const char *from, uint64_t address, uint32_t baud)
{
    assert_true(i < p.n);
    assert_string_equal(p.place[i].from, from);
    assert_true(p.place[i].address == address);
    assert_int_equal(p.place[i].baud, baud);
}

TEST(places_are_tried_in_order)
{
    look("auto", true);
    assert_int_equal(p.n, 3);
    expect(0, "spcr", 0x2f8, 57600);
    expect(1, "dbg2", 0xfe03e000, 0);
    assert_true(p.place[1].mmio);
    assert_int_equal(p.place[1].width, 4);
    assert_int_equal(p.place[1].stride, 4);
    expect(2, "com1", 0x3f8, 115200);
    look("auto,9600", false);
    assert_int_equal(p.n, 2);
    expect(0, "spcr", 0x2f8, 9600);
    expect(1, "com1", 0x3f8, 9600);
    look("io:0x3e8,1200", true);
    assert_int_equal(p.n, 1);
    expect(0, "option", 0x3e8, 1200);
    look("off", true);
    assert_int_equal(p.n, 0);
}

TEST(an_option_names_a_port_in_memory)
{
    look("mmio:0xfe03e000:4:8", true);
    assert_int_equal(p.n, 1);
    expect(0, "option", 0xfe03e000, 0); /* its divisor stays */
    assert_true(p.place[0].mmio && p.place[0].width == 4 && p.place[0].stride == 8);
    look("mmio:0xfe03e000:1:1,9600", true);
    expect(0, "option", 0xfe03e000, 9600);
    assert_int_equal(p.place[0].clock_hz, UART_HZ);
    look("mmio:0xfe03e000:4:8", false);
    assert_int_equal(p.n, 0);
}

/* A place that is something else is named, and no other replaces the option's. */
TEST(places_in_use_are_refused_by_name)
{
    taken = "RAM";
    look("auto", true);
    assert_int_equal(p.n, 2);
    expect(0, "spcr", 0x2f8, 57600);
    expect(1, "com1", 0x3f8, 115200);
    assert_int_equal(p.refused_n, 1);
    assert_string_equal(p.refused[0].from, "dbg2");
    assert_string_equal(p.refused[0].taken, "RAM");
    assert_true(p.refused[0].address == 0xfe03e000);
    look("mmio:0xfee00000:4:4", true);
    assert_int_equal(p.n, 0);
    assert_string_equal(p.refused[0].from, "option");
    assert_string_equal(p.refused[0].taken, "the local APIC");
    look("mmio:0xfee00000:4:4", false);
    assert_int_equal(p.n + p.refused_n, 0);
}

/* A table that exists and is invalid is named; a missing one is not an error. */
TEST(invalid_tables_are_named_and_missing_ones_are_not)
{
    look("auto", true);
    assert_string_equal(p.spcr_error.text, "");
    assert_string_equal(p.dbg2_error.text, "");
    put_le(memory + DEVICE + 1, 200, 2); /* longer than its table */
    look("auto", true);
    assert_string_equal(p.spcr_error.text, "");
    assert_non_null(strstr(p.dbg2_error.text, "DBG2"));
    put_le(memory + RSDT + 40, 0, 4);
    look("auto", true);
    assert_string_equal(p.dbg2_error.text, "");
}

TEST(a_port_named_twice_is_tried_once)
{
    put_gas(DEVICE + 22, ACPI_IO, 8, 1, 0x3f8);
    look("auto", true);
    assert_int_equal(p.n, 2);
    expect(1, "dbg2", 0x3f8, 115200);
}

TEST(addresses_that_no_port_can_have_are_passed_over)
{
    static const struct {
        uint8_t space, bits, access;
        uint64_t address;
    } bad[] = {
        {ACPI_IO, 8, 1, 0},
        {ACPI_IO, 8, 1, 0x60},
        {ACPI_IO, 8, 1, 0xfff9},
        {ACPI_IO, 8, 1, 0x1000002f8},
        {ACPI_IO, 8, 2, 0x2f8},
        {ACPI_MEMORY, 8, 1, 0},
        {ACPI_MEMORY, 8, 1, 0xb8000},
        {ACPI_MEMORY, 32, 3, 0xfe03e002},
        {ACPI_MEMORY, 64, 4, 0xfe03e000},
        {ACPI_MEMORY, 8, 1, UINT64_MAX - 3},
        {ACPI_PCI_CONFIG, 8, 1, 0x2f8},
    };
    EACH_CASE (c, bad) {
        put_gas(SPCR + 40, c->space, c->bits, c->access, c->address);
        look("auto", true);
        assert_int_equal(p.n, 2);
        expect(0, "dbg2", 0xfe03e000, 0);
    }
}

TEST(a_speed_needs_a_clock_and_a_near_divisor)
{
    put_gas(SPCR + 40, ACPI_MEMORY, 32, 3, 0xfedc9000);
    look("auto", true);
    expect(0, "spcr", 0xfedc9000, 0); /* no clock, so its divisor stays */
    memory[SPCR + 8] = 3;
    put_le(memory + SPCR + 76, 48000000, 4);
    look("auto", true);
    expect(0, "spcr", 0xfedc9000, 57600);
    memory[SPCR + 58] = 0; /* as it is */
    look("auto", true);
    expect(0, "spcr", 0xfedc9000, 0);

    assert_int_equal(serial_divisor(UART_HZ, 115200), 1);
    assert_int_equal(serial_divisor(UART_HZ, 9600), 12);
    assert_int_equal(serial_divisor(48000000, 115200), 26); /* 115384: 0.2% off */
    assert_int_equal(serial_divisor(UART_HZ, 230400), 0);
    assert_int_equal(serial_divisor(UART_HZ, 100000), 0); /* 115200 or 57600, neither near */
    assert_int_equal(serial_divisor(UART_HZ, 1), 0);
    assert_int_equal(serial_divisor(0, 9600), 0);
    assert_int_equal(serial_divisor(UART_HZ, 0), 0);
}

TEST(only_a_port_of_spcr_may_be_in_reserved_memory)
{
    put_gas(SPCR + 40, ACPI_MEMORY, 32, 3, 0xfe03f000);
    taken = "reserved";
    reserved = true;
    look("auto", true);
    assert_int_equal(p.n, 2); /* and COM1 */
    assert_true(p.place[0].mmio && p.place[0].named && p.place[0].address == 0xfe03f000);
    assert_int_equal(p.refused_n, 1);
    assert_string_equal(p.refused[0].from, "dbg2");
}
