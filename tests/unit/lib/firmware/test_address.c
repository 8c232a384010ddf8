/* The owner of an address: a machine with an RSDT, MCFG and HPET, and a decoded MADT. */
#include "lib/firmware/serial_place.h"

#include "tests/unit/image.h"
#include "tests/unit/cmocka_unit.h"

enum { BASE = 0x7f000, RSDT = 32, MCFG = 80, HPET = 160, END = HPET + 56 };

static uint8_t memory[END];
static struct image image = {memory, END, BASE};
static const struct physmem mem = {image_at, &image};
static struct madt madt;
static struct acpi acpi;
static struct address_map map;

static void put_table(uint32_t at, const char *signature, uint32_t length)
{
    memcpy(memory + at, signature, 4);
    put_le(memory + at + 4, length, 4);
    fix_sum(memory + at, length, 9);
}

static const char *region(void *ctx, uint64_t start, uint64_t size, bool named)
{
    assert_ptr_equal(ctx, &map);
    return start < 0x80000000 && size ? "RAM" : NULL;
}

/* ECAM of buses 16 to 31 counted from 0xb0000000, the HPET at 0xfed00000. */
static void build(void)
{
    memset(memory, 0, sizeof memory);
    memcpy(memory, "RSD PTR ", 8);
    put_le(memory + 16, BASE + RSDT, 4);
    put_le(memory + RSDT + 36, BASE + MCFG, 4);
    put_le(memory + RSDT + 40, BASE + HPET, 4);
    put_le(memory + MCFG + 44, 0xb0000000, 8);
    memory[MCFG + 54] = 16;
    memory[MCFG + 55] = 31;
    put_le(memory + HPET + 44, 0xfed00000, 8);
    put_table(MCFG, "MCFG", 60);
    put_table(HPET, "HPET", 56);
    put_table(RSDT, "RSDT", 44);
    fix_sum(memory, 20, 8);
    acpi_open(&acpi, &mem, BASE);
    assert_true(acpi.present && acpi.bad == 0);
    madt = (struct madt){.lapic_address = 0xfa000000, .ioapics = 1};
    madt.ioapic[0].address = 0xfb000000;
    map = (struct address_map){.acpi = &acpi, .madt = &madt, .region = region, .ctx = &map};
}

BEFORE_EACH(build);

/* `first` and `last` are the first and last byte of the range whose name has that word. */
static void is(const char *word, uint64_t first, uint64_t last)
{
    const uint64_t in[][2] = {{first, 1}, {last, 1}, {first - 7, 8}, {last, 8}, {first - 8, 4096}};
    const uint64_t out[][2] = {{first - 8, 8}, {last + 1, 8}};

    EACH_CASE (c, in) {
        const char *taken = address_taken(&map, (*c)[0], (*c)[1]);
        assert_non_null(taken);
        assert_non_null(strstr(taken, word));
    }
    for (unsigned i = 0; i < 2 && last != 0xffffffff; i++)
        assert_null(address_taken(&map, out[i][0], out[i][1]));
}

TEST(an_address_in_use_is_named_by_its_use)
{
    is("PCI", 0xb1000000, 0xb1ffffff);
    is("local APIC", 0xfee00000, 0xfeefffff);
    is("local APIC", 0xfa000000, 0xfa0fffff);
    is("IO-APIC", 0xfec00000, 0xfec00fff);
    is("IO-APIC", 0xfb000000, 0xfb000fff);
    is("HPET", 0xfed00000, 0xfed003ff);
    is("flash", 0xff000000, 0xffffffff);
    assert_string_equal(address_taken(&map, 0x100000, 8), "RAM");
    assert_null(address_taken(&map, 0x100000000, 8)); /* right above the flash */
    assert_null(address_taken(&map, 0xfe03e000, 32));
}

/* Without tables and map, the fixed addresses of every PC are known. */
TEST(fixed_addresses_are_known_without_tables)
{
    map = (struct address_map){0};
    assert_non_null(address_taken(&map, 0xfee00000, 8));
    assert_non_null(address_taken(&map, 0xfec00000, 8));
    assert_non_null(address_taken(&map, 0xfffffff0, 8));
    assert_null(address_taken(&map, 0xb1000000, 8));
    assert_null(address_taken(&map, 0x100000, 8));
}
