/* Tables of real machines (tests/replay/acpi) decoded, and fields that firmware gets wrong. */
#include "lib/firmware/acpi_tables.h"

#include "tests/unit/image.h"
#include "tests/unit/read_file.h"
#include "tests/unit/cmocka_unit.h"

static struct acpi_table load(const char *name)
{
    char path[100];
    size_t n;

    snprintf(path, sizeof path, "tests/replay/acpi/%s.bin", name);
    uint8_t *bytes = read_file(path, &n);
    return (struct acpi_table){bytes, (uint32_t)n};
}

static void drop(struct acpi_table *t)
{
    free((void *)(uintptr_t)t->bytes);
    t->bytes = NULL;
}

/* --- recorded tables -------------------------------------------------------------------------- */

TEST(recorded_madts_are_decoded)
{
    struct madt m;
    struct acpi_table t = load("APIC-048d1383a6");

    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.lapic_address, 0xfee00000);
    assert_int_equal(m.cpus_enabled, 4); /* of eight entries; the empty ones share id 0 */
    assert_int_equal(m.cpus, 8);
    assert_int_equal(m.duplicates, 4);
    assert_int_equal(m.cpu[3].id, 3);
    assert_true(m.cpu[3].usable && m.cpu[3].enabled && !m.cpu[3].duplicate && !m.cpu[3].x2apic);
    assert_true(m.cpu[4].duplicate && !m.cpu[4].enabled && !m.cpu[4].usable);
    assert_int_equal(m.ioapics, 1);
    assert_int_equal(m.ioapic[0].id, 2);
    assert_int_equal(m.ioapic[0].address, 0xfec00000);
    assert_int_equal(m.ioapic[0].gsi_base, 0);
    assert_true(m.pcat);
    drop(&t);

    t = load("APIC-576166feec"); /* types 0, 9 and 127 together */
    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.cpus_enabled, 16);
    assert_int_equal(m.cpus, 112);
    assert_int_equal(m.duplicates, 94);
    assert_int_equal(m.ioapics, 5);
    assert_int_equal(m.ioapic[4].id, 12);
    assert_int_equal(m.ioapic[4].address, 0xfec18000);
    assert_int_equal(m.ioapic[4].gsi_base, 48);
    drop(&t);

    t = load("APIC-6bfc03c8fe"); /* type 9 alone */
    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.cpus_enabled, 22);
    assert_int_equal(m.cpus, 48);
    assert_true(m.cpu[0].x2apic);
    drop(&t);
}

TEST(recorded_fadts_are_decoded)
{
    const struct {
        const char *name;
        uint16_t pm_timer_port;
        uint8_t pm_timer_bits;
        uint16_t pm1a_cnt;
    } cases[] = {
        {"FACP-1c90c6b052", 0x1008, 24, 0x1004}, /* ACPI 1.0's 116 bytes */
        {"FACP-026e357bc2", 0x808, 32, 0x804},
        {"FACP-7f60b30258", 0, 24, 0},         /* hardware-reduced */
        {"FACP-80eecd2420", 0x408, 24, 0x404}, /* extended fields there, and zero */
    };
    EACH_CASE (c, cases) {
        struct acpi_table t = load(c->name);
        struct fadt f;
        assert_true(acpi_fadt(&t, &f));
        assert_int_equal(f.pm_timer_port, c->pm_timer_port);
        assert_int_equal(f.pm_timer_bits, c->pm_timer_bits);
        assert_int_equal(f.pm1a_cnt, c->pm1a_cnt);
        drop(&t);
    }
}

TEST(recorded_hpets_are_decoded)
{
    struct hpet_table h;
    struct acpi_table t = load("HPET-018c6ff308");

    assert_true(acpi_hpet(&t, &h));
    assert_int_equal(h.address, 0xfed00000);
    drop(&t);
    t = load("HPET-fbe13dd9d2");
    assert_true(acpi_hpet(&t, &h));
    assert_int_equal(h.address, 0xfeff0000);
    drop(&t);
}

/* Every prefix of a real table, each in a block of exactly its size. */
TEST(every_prefix_of_a_table_is_read_within_its_bounds)
{
    const char *names[] = {"APIC-576166feec", "FACP-026e357bc2", "HPET-018c6ff308"};

    EACH_CASE (c, names) {
        struct acpi_table t = load(*c);
        for (uint32_t n = 0; n < t.length; n++) {
            uint8_t *part = malloc(n > 0 ? n : 1);
            memcpy(part, t.bytes, n);
            struct acpi_table cut = {part, n};
            struct madt m;
            struct fadt f;
            struct hpet_table h;
            bool madt = acpi_madt(&cut, &m);
            assert_int_equal(acpi_fadt(&cut, &f), n >= 116);
            assert_int_equal(acpi_hpet(&cut, &h), n >= 56);
            assert_true(n >= 44 || !madt);
            free(part);
        }
        drop(&t);
    }
}

/* --- fields that firmware gets wrong ---------------------------------------------------------- */

TEST(unusual_fadts_give_their_valid_fields)
{
    struct fadt f;
    struct acpi_table none = {0};

    assert_false(acpi_fadt(&none, &f));

    uint8_t b[276] = {0};
    struct acpi_table t = {b, sizeof b};
    put_le(b + 76, 0x408, 4);
    put_le(b + 64, 0x404, 4);
    b[91] = 4;
    b[208] = 1; /* X_PM_TMR_BLK in I/O space wins */
    put_le(b + 212, 0x1808, 8);
    assert_true(acpi_fadt(&t, &f));
    assert_int_equal(f.pm_timer_port, 0x1808);
    b[208] = 0; /* in memory: the old one */
    acpi_fadt(&t, &f);
    assert_int_equal(f.pm_timer_port, 0x408);
    b[208] = 1;
    put_le(b + 212, 0x10000, 8); /* no port */
    acpi_fadt(&t, &f);
    assert_int_equal(f.pm_timer_port, 0x408);
    put_le(b + 212, 0x100001808, 8);
    acpi_fadt(&t, &f);
    assert_int_equal(f.pm_timer_port, 0x408);
    put_le(b + 76, 0xfffd, 4); /* its four bytes leave the space of ports */
    acpi_fadt(&t, &f);
    assert_int_equal(f.pm_timer_port, 0);
    put_le(b + 76, 0xfffc, 4);
    acpi_fadt(&t, &f);
    assert_int_equal(f.pm_timer_port, 0xfffc);
    b[91] = 0; /* not supported */
    acpi_fadt(&t, &f);
    assert_int_equal(f.pm_timer_port, 0);
    assert_int_equal(f.pm1a_cnt, 0x404);
}

TEST(only_allowed_reset_registers_are_used)
{
    struct fadt f;
    uint8_t b[276] = {0};
    struct acpi_table t = {b, sizeof b};

    put_le(b + 112, 1 << 10, 4);
    b[116] = ACPI_IO;
    put_le(b + 120, 0xcf9, 8);
    b[128] = 6;
    acpi_fadt(&t, &f);
    assert_true(f.has_reset && f.reset.space == ACPI_IO && f.reset.address == 0xcf9);
    assert_int_equal(f.reset_value, 6);
    t.length = 128; /* the value is not in the table */
    acpi_fadt(&t, &f);
    assert_false(f.has_reset);
    t.length = sizeof b;
    put_le(b + 112, 1 << 10 | 1 << 20, 4); /* hardware-reduced machines have one too */
    acpi_fadt(&t, &f);
    assert_true(f.has_reset && f.hw_reduced);
    put_le(b + 120, 0x10000, 8); /* no port */
    acpi_fadt(&t, &f);
    assert_false(f.has_reset);
    b[116] = ACPI_MEMORY;
    acpi_fadt(&t, &f);
    assert_true(f.has_reset);
    b[116] = 3; /* the embedded controller's space is not among those allowed */
    acpi_fadt(&t, &f);
    assert_false(f.has_reset);
    b[116] = ACPI_IO;
    put_le(b + 120, 0, 8);
    acpi_fadt(&t, &f);
    assert_false(f.has_reset);
    put_le(b + 120, 0xcf9, 8);
    put_le(b + 112, 0, 4); /* not supported */
    acpi_fadt(&t, &f);
    assert_false(f.has_reset);
}

TEST(an_odd_hpet_gives_no_address)
{
    uint8_t b[56] = {0};
    struct acpi_table t = {b, sizeof b};
    struct hpet_table h;

    put_le(b + 44, 0xfed00000, 8);
    b[40] = 1; /* in I/O space: nothing to map */
    assert_true(acpi_hpet(&t, &h));
    assert_int_equal(h.address, 0);
}

/* Interrupt source overrides, ACPI 6.5 section 5.2.12.5: the PIT's pin is IRQ 0's. */
TEST(the_pit_has_the_pin_of_irq_0)
{
    static struct madt m;
    uint8_t b[44 + 2 * 10] = {0};
    uint8_t *irq9 = b + 44, *irq0 = irq9 + 10;
    struct acpi_table t = {b, 44};

    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.pit_gsi, 0); /* without one it has the same number */
    t.length = sizeof b;
    irq9[0] = irq0[0] = 2, irq9[1] = irq0[1] = 10;
    irq9[3] = 9;
    put_le(irq9 + 4, 20, 4);
    put_le(irq9 + 8, 0xf, 2); /* active low, level: as SCIs are */
    put_le(irq0 + 4, 2, 4);
    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.pit_gsi, 2);
    assert_false(m.pit_low);
    put_le(irq0 + 8, 5, 2); /* active high, edge: both given */
    assert_true(acpi_madt(&t, &m));
    assert_false(m.pit_low);
    put_le(irq0 + 8, 7, 2);
    assert_true(acpi_madt(&t, &m));
    assert_true(m.pit_low);
    irq0[1] = 9; /* cut: no entry of this type */
    assert_false(acpi_madt(&t, &m));
    assert_int_equal(m.pit_gsi, 0);
}

TEST(entries_before_an_odd_one_are_used)
{
    static struct madt m;
    uint8_t b[44 + 12 + 8 + 16 + 12 + 4] = {0};
    uint8_t *e = b + 44;
    struct acpi_table t = {b, sizeof b};

    put_le(b + 36, 0xfee00000, 4);
    e[0] = 5, e[1] = 12; /* the address in 64 bits wins */
    put_le(e + 4, 0x1fee00000, 8);
    e += 12;
    e[0] = 0, e[1] = 8, e[4] = 1;
    e += 8;
    e[0] = 9, e[1] = 16, e[8] = 1;
    put_le(e + 4, 256, 4);
    e += 16;
    e[0] = 1, e[1] = 12, e[2] = 7;
    e += 12;
    e[0] = 200, e[1] = 4; /* an unknown type */
    assert_true(acpi_madt(&t, &m));
    assert_true(m.lapic_address == 0x1fee00000);
    assert_int_equal(m.cpus_enabled, 2);
    assert_int_equal(m.cpu[1].id, 256);
    assert_int_equal(m.ioapics, 1);
    assert_int_equal(m.ioapic[0].id, 7);
    assert_false(m.pcat);
    assert_string_equal(m.error.text, "");

    e[1] = 5; /* leaves the table: what was before it is kept */
    assert_false(acpi_madt(&t, &m));
    assert_string_equal(m.error.text, "MADT offset 93: entry length 5, allowed 2 to 4");
    assert_int_equal(m.cpus_enabled, 2);
    e[1] = 0; /* would be an endless loop */
    assert_false(acpi_madt(&t, &m));
    assert_string_equal(m.error.text, "MADT offset 93: entry length 0, allowed 2 to 255");
    e[1] = 1;
    assert_false(acpi_madt(&t, &m));
    e[1] = 3; /* and then half an entry */
    assert_false(acpi_madt(&t, &m));
    assert_string_equal(m.error.text, "MADT offset 95: bytes for an entry 1, allowed 2 to 255");
    e[1] = 4;
    e[-12 + 1] = 8; /* an IO-APIC that is too short to be one */
    assert_false(acpi_madt(&t, &m));
    assert_string_equal(m.error.text, "MADT offset 81: entry length 8, allowed 12 to 255");
    assert_int_equal(m.ioapics, 0);
    t.length = 43;
    assert_false(acpi_madt(&t, &m));
    assert_string_equal(m.error.text, "MADT offset 4: length 43, allowed 44 to 16777216");
}

/* Every type with every length as the last entry, in a block of exactly the table's size: what a
 * decoder reads of an entry that is too short for its type, ASan sees. */
TEST(a_last_entry_of_any_length_is_read_within_bounds)
{
    static struct madt m;

    for (uint32_t i = 0; i < 256 * 254; i++) {
        uint8_t type = (uint8_t)(i / 254), length = (uint8_t)(i % 254 + 2);
        uint8_t *b = calloc(1, 48u + length);
        struct acpi_table in_madt = {b, 44u + length}, in_srat = {b, 48u + length};
        struct srat s;
        struct srat_entry e;
        unsigned n = 0;
        b[48] = type;
        b[49] = length;
        assert_true(srat_open(&s, &in_srat));
        while (srat_next(&s, &e))
            n++;
        assert_int_equal(s.error.text[0] == '\0' && type <= 2, n == 1);
        b[44] = type;
        b[45] = length;
        uint8_t *exact = malloc(in_madt.length);
        memcpy(exact, b, in_madt.length);
        in_madt.bytes = exact;
        acpi_madt(&in_madt, &m);
        assert_true(m.cpus + m.ioapics == 0 || m.error.text[0] == '\0');
        free(exact);
        free(b);
    }
}

/* Entries of type 9 after the header. */
static uint8_t *madt_of(uint32_t n, struct acpi_table *t)
{
    uint8_t *b = calloc(1, 44 + 16 * n);

    *t = (struct acpi_table){b, 44 + 16 * n};
    for (uint32_t i = 0; i < n; i++) {
        b[44 + 16 * i] = 9;
        b[44 + 16 * i + 1] = 16;
        put_le(b + 44 + 16 * i + 4, i, 4);
        b[44 + 16 * i + 8] = 1;
    }
    return b;
}

TEST(cpus_listed_twice_are_used_once)
{
    static struct madt m;
    struct acpi_table t;
    uint8_t *b = madt_of(5, &t);

    b[44 + 8] = 0;                           /* id 0 is disabled at first... */
    b[44 + 16 * 1 + 4] = 0;                  /* ...and enabled in the second entry */
    b[44 + 16 * 2 + 4] = 0;                  /* and in the third */
    put_le(b + 44 + 16 * 3 + 4, ~0u, 4);     /* broadcast */
    put_le(b + 44 + 16 * 4 + 4, 0x10000, 4); /* an id far above 255 */
    b[44 + 16 * 4 + 8] = 3;
    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.cpus, 5);
    assert_int_equal(m.cpus_enabled, 2);
    assert_int_equal(m.duplicates, 2);
    assert_false(m.cpu[0].usable || m.cpu[0].duplicate);
    assert_true(m.cpu[1].usable && m.cpu[1].duplicate);
    assert_false(m.cpu[2].usable || !m.cpu[2].duplicate || !m.cpu[2].enabled);
    assert_false(m.cpu[3].usable || !m.cpu[3].enabled);
    assert_true(m.cpu[4].usable && m.cpu[4].online_capable && m.cpu[4].id == 0x10000);
    free(b);
}

TEST(cpus_without_room_are_counted)
{
    static struct madt m;
    struct acpi_table t;
    uint8_t *b = madt_of(MADT_CPU_MAX + 3, &t);

    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.cpus, MADT_CPU_MAX);
    assert_int_equal(m.cpus_enabled, MADT_CPU_MAX);
    assert_int_equal(m.cpus_left_out, 3);
    free(b);
}

TEST(ioapics_without_room_are_counted)
{
    const uint32_t n = MADT_IOAPIC_MAX + 5;
    uint8_t *b = calloc(1, 44 + 12 * n);
    struct acpi_table t = {b, 44 + 12 * n};
    struct madt m;

    for (uint32_t i = 0; i < n; i++) {
        b[44 + 12 * i] = 1;
        b[44 + 12 * i + 1] = 12;
    }
    assert_true(acpi_madt(&t, &m));
    assert_int_equal(m.ioapics, MADT_IOAPIC_MAX);
    assert_int_equal(m.ioapics_left_out, 5);
    free(b);
}
