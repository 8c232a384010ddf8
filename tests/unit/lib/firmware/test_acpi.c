/* Tables found in a small machine that has RSDP, XSDT, RSDT, FACP, HPET, each broken in turn. */
#include "lib/firmware/acpi.h"

#include "tests/unit/image.h"
#include "tests/unit/cmocka_unit.h"

enum { BASE = 0x7f000, RSDP = 0, XSDT = 64, RSDT = 128, FACP = 192, HPET = 320, END = 376 };

static uint8_t memory[END];
static struct image image = {memory, END, BASE};
static const struct physmem mem = {image_at, &image};
static struct acpi acpi;

static void put_header(uint32_t at, const char *signature, uint32_t length)
{
    memcpy(memory + at, signature, 4);
    put_le(memory + at + 4, length, 4);
    memcpy(memory + at + 10, "BOCHS BXPC    ", 14);
    fix_sum(memory + at, length, 9);
}

static void fix_rsdp(void)
{
    memory[RSDP + 8] = memory[RSDP + 32] = 0;
    fix_sum(memory + RSDP, 20, 8);
    fix_sum(memory + RSDP, 36, 32);
}

static void build(void)
{
    memset(memory, 0, sizeof memory);
    image.n = END;
    memcpy(memory + RSDP, "RSD PTR ", 8);
    memcpy(memory + RSDP + 9, "MAKER ", 6);
    memory[RSDP + 15] = 2;
    put_le(memory + RSDP + 16, BASE + RSDT, 4);
    put_le(memory + RSDP + 20, 36, 4);
    put_le(memory + RSDP + 24, BASE + XSDT, 8);
    fix_rsdp();
    put_le(memory + XSDT + 36, BASE + FACP, 8);
    put_le(memory + XSDT + 44, BASE + HPET, 8);
    put_header(XSDT, "XSDT", 52);
    put_le(memory + RSDT + 36, BASE + FACP, 4);
    put_header(RSDT, "RSDT", 40);
    put_header(FACP, "FACP", 116);
    put_header(HPET, "HPET", 56);
}

static void open_it(void)
{
    acpi_open(&acpi, &mem, BASE + RSDP);
}

TEST(valid_tables_are_found)
{
    build();
    open_it();
    assert_true(acpi.present && acpi.xsdt);
    assert_int_equal(acpi.revision, 2);
    assert_string_equal(acpi.oem_id, "MAKER");
    assert_int_equal(acpi.bad, 0);
    assert_int_equal(acpi.root.length, 52);
    struct acpi_table t = acpi_find(&acpi, "HPET");
    assert_ptr_equal(t.bytes, memory + HPET);
    assert_int_equal(t.length, 56);
    assert_null(acpi_find(&acpi, "APIC").bytes);
    assert_true(acpi_says_qemu(&acpi));
}

TEST(without_an_rsdp_no_table_is_found)
{
    build();
    acpi_open(&acpi, &mem, 0);
    assert_false(acpi.present);
    assert_null(acpi_find(&acpi, "FACP").bytes);
    assert_false(acpi_says_qemu(&acpi));
    acpi_open(&acpi, &mem, 0x12345);
    assert_false(acpi.present);
    memory[RSDP + 8]++; /* checksum */
    open_it();
    assert_false(acpi.present);
    build();
    memory[RSDP] = 'r';
    open_it();
    assert_false(acpi.present);
    build();
    image.n = 19; /* ends before the RSDP does */
    open_it();
    assert_false(acpi.present);
}

/* Each of these loses only the XSDT: the RSDT has FACP and not HPET. */
static void expect_rsdt(void)
{
    open_it();
    assert_true(acpi.present);
    assert_false(acpi.xsdt);
    assert_int_equal(acpi.root.length, 40);
    assert_non_null(acpi_find(&acpi, "FACP").bytes);
    assert_null(acpi_find(&acpi, "HPET").bytes);
    assert_int_equal(acpi.bad, 0);
}

TEST(falls_back_to_the_rsdt)
{
    build();
    memory[RSDP + 15] = 0; /* revision 0 */
    fix_rsdp();
    expect_rsdt();
    build();
    memory[RSDP + 32]++; /* the second checksum */
    expect_rsdt();
    build();
    put_le(memory + RSDP + 20, 35, 4); /* a length that cannot be */
    fix_rsdp();
    expect_rsdt();
    build();
    put_le(memory + RSDP + 20, 0xfffffff0, 4);
    fix_rsdp();
    expect_rsdt();
    build();
    put_le(memory + RSDP + 24, 0, 8);
    fix_rsdp();
    expect_rsdt();
    build();
    put_le(memory + RSDP + 24, 0xffffffffffffffff, 8);
    fix_rsdp();
    expect_rsdt();
    build();
    memory[XSDT + 40]++; /* the XSDT's checksum */
    expect_rsdt();
    build();
    put_header(XSDT, "FOOT", 52);
    memory[XSDT + 9] = 0;
    fix_sum(memory + XSDT, 52, 9);
    expect_rsdt();
}

TEST(without_a_valid_root_there_are_no_tables)
{
    build();
    memory[XSDT + 40]++;
    memory[RSDT + 38]++;
    open_it();
    assert_false(acpi.present);
    assert_null(acpi_find(&acpi, "FACP").bytes);
    assert_false(acpi_says_qemu(&acpi));
}

TEST(bad_tables_are_counted)
{
    build();
    memory[HPET + 50]++; /* checksum */
    open_it();
    assert_int_equal(acpi.bad, 1);
    assert_null(acpi_find(&acpi, "HPET").bytes);
    assert_non_null(acpi_find(&acpi, "FACP").bytes);
    build();
    put_le(memory + HPET + 4, 35, 4); /* shorter than a header */
    open_it();
    assert_int_equal(acpi.bad, 1);
    put_le(memory + HPET + 4, 57, 4); /* leaves memory */
    open_it();
    assert_int_equal(acpi.bad, 1);
    build();
    put_le(memory + XSDT + 44, 0xdeadbeef000, 8); /* nowhere */
    memory[XSDT + 9] = 0;
    fix_sum(memory + XSDT, 52, 9);
    open_it();
    assert_int_equal(acpi.bad, 1);
    build();
    put_le(memory + XSDT + 44, 0, 8); /* an empty entry is not a bad table */
    memory[XSDT + 9] = 0;
    fix_sum(memory + XSDT, 52, 9);
    open_it();
    assert_int_equal(acpi.bad, 0);
    assert_null(acpi_find(&acpi, "HPET").bytes);
}

TEST(the_first_table_with_a_valid_checksum_is_found)
{
    build();
    memcpy(memory + FACP, "HPET", 4); /* its checksum is wrong now, so the second one it is */
    open_it();
    assert_ptr_equal(acpi_find(&acpi, "HPET").bytes, memory + HPET);
}

TEST(qemu_is_known_by_its_tables)
{
    build();
    memcpy(memory + XSDT + 10, "ALASKA", 6);
    memory[XSDT + 9] = 0;
    fix_sum(memory + XSDT, 52, 9);
    open_it();
    assert_true(acpi_says_qemu(&acpi)); /* the FADT still does */
    memcpy(memory + FACP + 16, "A M I   ", 8);
    memory[FACP + 9] = 0;
    fix_sum(memory + FACP, 116, 9);
    open_it();
    assert_true(acpi.present);
    assert_false(acpi_says_qemu(&acpi));
}

TEST(oem_id_is_printable)
{
    build();
    memcpy(memory + RSDP + 9,
           "A\x01\xff"
           "B \0",
           6);
    fix_rsdp();
    open_it();
    assert_string_equal(acpi.oem_id, "A  B");
}
