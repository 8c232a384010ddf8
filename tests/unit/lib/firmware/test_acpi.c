/* Tables found in a small machine that has RSDP, XSDT, RSDT, FACP, HPET, each broken in turn. */
#include "lib/firmware/acpi.h"

#include "tests/unit/image.h"
#include "tests/unit/cmocka_unit.h"

enum { BASE = 0x7f000, RSDP = 0, XSDT = 64, RSDT = 128, FACP = 192, HPET = 320, END = 376 };

static uint8_t memory[END];
static struct image image = {memory, END, BASE};
static const struct physmem mem = {image_at, &image};
static struct acpi acpi;

static void fix_header(uint32_t at, uint32_t length)
{
    memory[at + 9] = 0;
    fix_sum(memory + at, length, 9);
}

static void put_header(uint32_t at, const char *signature, uint32_t length)
{
    memcpy(memory + at, signature, 4);
    put_le(memory + at + 4, length, 4);
    memcpy(memory + at + 10, "BOCHS BXPC    ", 14);
    fix_header(at, length);
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

BEFORE_EACH(build);

/* Returns the root and the tables of it that are found. */
static const char *found(uint64_t rsdp)
{
    static char text[80];

    acpi_open(&acpi, &mem, rsdp);
    snprintf(text, sizeof text, "%s %u%s%s%s, %u bad", acpi.xsdt ? "XSDT" : "RSDT",
             acpi.root.length, acpi_find(&acpi, "FACP").bytes ? " FACP" : "",
             acpi_find(&acpi, "HPET").bytes ? " HPET" : "", acpi_says_qemu(&acpi) ? " QEMU" : "",
             acpi.bad);
    if (acpi.present)
        return text;
    assert_null(acpi_find(&acpi, "FACP").bytes);
    assert_false(acpi_says_qemu(&acpi));
    return "nothing";
}

TEST(valid_tables_are_found)
{
    assert_string_equal(found(BASE + RSDP), "XSDT 52 FACP HPET QEMU, 0 bad");
    assert_int_equal(acpi.revision, 2);
    assert_string_equal(acpi.oem_id, "MAKER");
    struct acpi_table t = acpi_find(&acpi, "HPET");
    assert_ptr_equal(t.bytes, memory + HPET);
    assert_int_equal(t.length, 56);
    assert_null(acpi_find(&acpi, "APIC").bytes);
}

TEST(without_an_rsdp_no_table_is_found)
{
    assert_string_equal(found(0), "nothing");
    assert_string_equal(found(0x12345), "nothing");
    image.n = 19; /* ends before the RSDP does */
    assert_string_equal(found(BASE + RSDP), "nothing");
}

TEST(damaged_tables_are_left_out)
{
    enum { AS_IS, FIX_RSDP, FIX_XSDT };
    static const char rsdt[] = "RSDT 40 FACP QEMU, 0 bad", bad[] = "XSDT 52 FACP QEMU, 1 bad";
    static const struct {
        uint32_t at, bytes; /* 0 bytes: one more than there is */
        uint64_t value;
        int sums; /* which are right again */
        const char *found;
    } cases[] = {
        {RSDP + 8, 0, 0, AS_IS, "nothing"}, /* checksum */
        {RSDP, 1, 'r', AS_IS, "nothing"},
        {RSDP + 15, 1, 0, FIX_RSDP, rsdt},  /* revision 0 */
        {RSDP + 32, 0, 0, AS_IS, rsdt},     /* the second checksum */
        {RSDP + 20, 4, 35, FIX_RSDP, rsdt}, /* a length that cannot be */
        {RSDP + 20, 4, 0xfffffff0, FIX_RSDP, rsdt},
        {RSDP + 24, 8, 0, FIX_RSDP, rsdt},
        {RSDP + 24, 8, UINT64_MAX, FIX_RSDP, rsdt},
        {XSDT + 40, 0, 0, AS_IS, rsdt}, /* the XSDT's checksum */
        {XSDT, 4, 0x544f4f46, FIX_XSDT, rsdt},
        {HPET + 50, 0, 0, AS_IS, bad},                           /* checksum */
        {HPET + 4, 4, 35, AS_IS, bad},                           /* shorter than a header */
        {HPET + 4, 4, 57, AS_IS, bad},                           /* leaves memory */
        {XSDT + 44, 8, 0xdeadbeef000, FIX_XSDT, bad},            /* nowhere */
        {XSDT + 44, 8, 0, FIX_XSDT, "XSDT 52 FACP QEMU, 0 bad"}, /* empty, and not bad */
    };

    EACH_CASE (c, cases) {
        build();
        put_le(memory + c->at, c->bytes ? c->value : memory[c->at] + 1u, c->bytes ? c->bytes : 1);
        if (c->sums == FIX_RSDP)
            fix_rsdp();
        if (c->sums == FIX_XSDT)
            fix_header(XSDT, 52);
        assert_string_equal(found(BASE + RSDP), c->found);
    }
    build();
    memory[XSDT + 40]++;
    memory[RSDT + 38]++;
    assert_string_equal(found(BASE + RSDP), "nothing");
}

TEST(the_first_table_with_a_valid_checksum_is_found)
{
    memcpy(memory + FACP, "HPET", 4); /* its checksum is wrong now, so the second one it is */
    acpi_open(&acpi, &mem, BASE + RSDP);
    assert_ptr_equal(acpi_find(&acpi, "HPET").bytes, memory + HPET);
}

TEST(qemu_is_known_by_its_tables)
{
    memcpy(memory + XSDT + 10, "ALASKA", 6);
    fix_header(XSDT, 52);
    assert_string_equal(found(BASE + RSDP), "XSDT 52 FACP HPET QEMU, 0 bad"); /* the FADT's */
    memcpy(memory + FACP + 16, "A M I   ", 8);
    fix_header(FACP, 116);
    assert_string_equal(found(BASE + RSDP), "XSDT 52 FACP HPET, 0 bad");
}

TEST(oem_id_is_printable)
{
    memcpy(memory + RSDP + 9, "A\x01\xff\x42 \0", 6);
    fix_rsdp();
    acpi_open(&acpi, &mem, BASE + RSDP);
    assert_string_equal(acpi.oem_id, "A  B");
}
