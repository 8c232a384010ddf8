#include "lib/firmware/acpi_tables.h"
#include "tests/unit/image.h"
#include "tests/unit/lib/firmware/recorded_table.h"
#include "tests/unit/cmocka_unit.h"
#include "tests/unit/says.h"
#include "tests/unit/text.h"

/* Tables of real machines (tests/replay/acpi) decoded, and fields that firmware gets wrong. */

/* --- recorded tables -------------------------------------------------------------------------- */

static struct madt m;

static const char *cpu_shown(unsigned i)
{
    static char text[80];
    const struct madt_cpu *c = &m.cpu[i];

    snprintf(text, sizeof text, "%x%s%s%s%s%s", c->id, c->usable ? " usable" : "",
             c->enabled ? " enabled" : "", c->duplicate ? " duplicate" : "",
             c->x2apic ? " x2apic" : "", c->online_capable ? " capable" : "");
    return text;
}

TEST(recorded_madts_are_decoded)
{
    static const struct {
        const char *name, *counts, *cpu, *last; /* the CPU is the fifth */
    } cases[] = {
        /* Of eight entries four are empty, and share id 0. */
        {"APIC-048d1383a6", "4 of 8, 4 twice", "0 duplicate", "2 at fec00000 from 0"},
        /* Types 0, 9 and 127 together. */
        {"APIC-576166feec", "16 of 112, 94 twice", "8 usable enabled", "12 at fec18000 from 48"},
        /* Type 9 alone. */
        {"APIC-6bfc03c8fe", "22 of 48, 25 twice", "20 usable enabled x2apic",
         "2 at fec00000 from 0"},
    };

    EACH_CASE (c, cases) {
        struct acpi_table t = load(c->name);
        char text[80];
        assert_true(acpi_madt(&t, &m));
        assert_true(m.lapic_address == 0xfee00000 && m.pcat);
        snprintf(text, sizeof text, "%u of %u, %u twice", m.cpus_enabled, m.cpus, m.duplicates);
        assert_string_equal(text, c->counts);
        assert_string_equal(cpu_shown(4), c->cpu);
        const unsigned last = m.ioapics - 1;
        snprintf(text, sizeof text, "%u at %x from %u", m.ioapic[last].id,
                 (unsigned)m.ioapic[last].address, m.ioapic[last].gsi_base);
        assert_string_equal(text, c->last);
        drop(&t);
    }
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
        assert_int_equal(f.pm1_sts[0], c->pm1a_cnt ? c->pm1a_cnt - 4 : 0);
        assert_int_equal(f.pm1_sts[1], 0);
        drop(&t);
    }
}

TEST(recorded_hpets_are_decoded)
{
    static const struct {
        const char *name;
        uint64_t address;
    } cases[] = {{"HPET-018c6ff308", 0xfed00000}, {"HPET-fbe13dd9d2", 0xfeff0000}};

    EACH_CASE (c, cases) {
        struct acpi_table t = load(c->name);
        struct hpet_table h;
        assert_true(acpi_hpet(&t, &h));
        assert_int_equal(h.address, c->address);
        drop(&t);
    }
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
    static const struct {
        uint8_t length, space; /* of the timer; of X_PM_TMR_BLK */
        uint64_t extended, old, port;
    } cases[] = {
        {4, 1, 0x1808, 0x408, 0x1808}, /* X_PM_TMR_BLK in I/O space wins */
        {4, 0, 0x1808, 0x408, 0x408},  /* in memory: the old one */
        {4, 1, 0x10000, 0x408, 0x408}, /* no port */
        {4, 1, 0x100001808, 0x408, 0x408},
        {4, 1, 0x100001808, 0xfffd, 0}, /* its four bytes leave the space of ports */
        {4, 1, 0x100001808, 0xfffc, 0xfffc},
        {0, 1, 0x100001808, 0xfffc, 0}, /* not supported */
    };
    struct fadt f;

    assert_false(acpi_fadt(&(struct acpi_table){0}, &f));
    EACH_CASE (c, cases) {
        uint8_t b[276] = {[91] = c->length, [208] = c->space};
        put_le(b + 64, 0x404, 4);
        put_le(b + 76, c->old, 4);
        put_le(b + 212, c->extended, 8);
        assert_true(acpi_fadt(&(struct acpi_table){b, sizeof b}, &f));
        assert_int_equal(f.pm_timer_port, c->port);
        assert_int_equal(f.pm1a_cnt, 0x404);
    }
}

TEST(only_allowed_reset_registers_are_used)
{
    enum { SUPPORTED = 1 << 10, REDUCED = 1 << 20, WHOLE = 276 };
    static const struct {
        uint32_t length, flags;
        uint8_t space;
        uint64_t address;
        bool has;
    } cases[] = {
        {WHOLE, SUPPORTED, ACPI_IO, 0xcf9, true},
        {128, SUPPORTED, ACPI_IO, 0xcf9, false}, /* the value is not in the table */
        {WHOLE, SUPPORTED | REDUCED, ACPI_IO, 0xcf9, true},
        {WHOLE, SUPPORTED, ACPI_IO, 0x10000, false}, /* no port */
        {WHOLE, SUPPORTED, ACPI_MEMORY, 0x10000, true},
        {WHOLE, SUPPORTED, 3, 0x10000, false}, /* the embedded controller's space */
        {WHOLE, SUPPORTED, ACPI_IO, 0, false},
        {WHOLE, 0, ACPI_IO, 0xcf9, false}, /* not supported */
    };

    EACH_CASE (c, cases) {
        uint8_t b[WHOLE] = {[116] = c->space, [128] = 6};
        struct fadt f;
        put_le(b + 112, c->flags, 4);
        put_le(b + 120, c->address, 8);
        acpi_fadt(&(struct acpi_table){b, c->length}, &f);
        assert_int_equal(f.has_reset, c->has);
        assert_int_equal(f.hw_reduced, (c->flags & REDUCED) != 0);
        if (c->has) {
            assert_true(f.reset.space == c->space && f.reset.address == c->address);
            assert_int_equal(f.reset_value, 6);
        }
    }
}

TEST(an_odd_hpet_gives_no_address)
{
    uint8_t b[56] = {[40] = 1}; /* in I/O space: nothing to map */
    struct hpet_table h;

    put_le(b + 44, 0xfed00000, 8);
    assert_true(acpi_hpet(&(struct acpi_table){b, sizeof b}, &h));
    assert_int_equal(h.address, 0);
}

/* Interrupt source overrides, ACPI 6.5 section 5.2.12.5: the PIT's pin is IRQ 0's. */
TEST(the_pit_has_the_pin_of_irq_0)
{
    static const struct {
        uint8_t flags;
        bool low;
    } cases[] = {{0, false}, {5, false}, {7, true}}; /* 5: active high, edge: both given */
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
    EACH_CASE (c, cases) {
        irq0[8] = c->flags;
        assert_true(acpi_madt(&t, &m));
        assert_int_equal(m.pit_gsi, 2);
        assert_int_equal(m.pit_low, c->low);
    }
    irq0[1] = 9; /* cut: no entry of this type */
    assert_false(acpi_madt(&t, &m));
    assert_int_equal(m.pit_gsi, 0);
}

TEST(entries_before_an_odd_one_are_used)
{
    enum { X2APIC = 44 + 12 + 8, IOAPIC = X2APIC + 16, LAST = IOAPIC + 12, END = LAST + 4 };
    static const struct {
        uint8_t last, ioapic; /* lengths of the entries */
        const char *error;
    } cases[] = {
        {4, 12, ""}, /* an unknown type */
        {5, 12, "MADT offset 93: entry length 5, allowed 2 to 4"},
        {0, 12, "MADT offset 93: entry length 0, allowed 2 to 255"},
        {1, 12, "MADT offset 93: entry length 1, allowed 2 to 255"},
        {3, 12, "MADT offset 95: bytes for an entry 1, allowed 2 to 255"},
        {4, 8, "MADT offset 81: entry length 8, allowed 12 to 255"}, /* not an IO-APIC's */
    };
    uint8_t b[END] = {[44] = 5,         12,           [56] = 0, 8, [60] = 1,    [X2APIC] = 9, 16,
                      [X2APIC + 8] = 1, [IOAPIC] = 1, 12,       7, [LAST] = 200};
    struct acpi_table t = {b, sizeof b};

    put_le(b + 36, 0xfee00000, 4);
    put_le(b + 48, 0x1fee00000, 8); /* the address in 64 bits wins */
    put_le(b + X2APIC + 4, 256, 4);
    EACH_CASE (c, cases) {
        b[LAST + 1] = c->last;
        b[IOAPIC + 1] = c->ioapic;
        assert_int_equal(acpi_madt(&t, &m), c->error[0] == '\0');
        assert_string_equal(m.error.text, c->error);
        assert_true(m.lapic_address == 0x1fee00000 && !m.pcat);
        assert_true(m.cpus_enabled == 2 && m.cpu[1].id == 256);
        assert_int_equal(m.ioapics, c->ioapic == 12);
        assert_int_equal(m.ioapic[0].id, c->ioapic == 12 ? 7 : 0);
    }
    t.length = 43;
    assert_false(acpi_madt(&t, &m));
    assert_string_equal(m.error.text, "MADT offset 4: length 43, allowed 44 to 16777216");
}

/* Every type with every length as the last entry, in a block of exactly the table's size: what a
 * decoder reads of an entry that is too short for its type, ASan sees. */
TEST(a_last_entry_of_any_length_is_read_within_bounds)
{
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
    static const char *const shown[] = {"0 x2apic", "0 usable enabled duplicate x2apic",
                                        "0 enabled duplicate x2apic", "ffffffff enabled x2apic",
                                        "10000 usable enabled x2apic capable"};
    struct acpi_table t;
    uint8_t *b = madt_of(5, &t);

    b[44 + 8] = 0;                           /* id 0 is disabled at first... */
    b[44 + 16 * 1 + 4] = 0;                  /* ...and enabled in the second entry */
    b[44 + 16 * 2 + 4] = 0;                  /* and in the third */
    put_le(b + 44 + 16 * 3 + 4, ~0u, 4);     /* broadcast */
    put_le(b + 44 + 16 * 4 + 4, 0x10000, 4); /* an id far above 255 */
    b[44 + 16 * 4 + 8] = 3;
    assert_true(acpi_madt(&t, &m));
    assert_true(m.cpus == 5 && m.cpus_enabled == 2 && m.duplicates == 2);
    for (unsigned i = 0; i < 5; i++)
        assert_string_equal(cpu_shown(i), shown[i]);
    free(b);
}

TEST(entries_without_room_are_counted)
{
    const uint32_t n = MADT_IOAPIC_MAX + 5;
    struct acpi_table t;
    uint8_t *b = madt_of(MADT_CPU_MAX + 3, &t);

    assert_true(acpi_madt(&t, &m));
    assert_true(m.cpus == MADT_CPU_MAX && m.cpus_enabled == MADT_CPU_MAX && m.cpus_left_out == 3);
    assert_int_equal(m.cpus_empty, 0);
    free(b);
    b = calloc(1, 44 + 12 * n);
    t = (struct acpi_table){b, 44 + 12 * n};
    for (uint32_t i = 0; i < n; i++)
        b[44 + 12 * i] = 1, b[44 + 12 * i + 1] = 12;
    assert_true(acpi_madt(&t, &m));
    assert_true(m.ioapics == MADT_IOAPIC_MAX && m.ioapics_left_out == 5);
    free(b);
}

TEST(empty_entries_take_no_place_of_a_cpu)
{
    const uint32_t empty = 3 * MADT_CPU_MAX, used = MADT_CPU_MAX;
    struct acpi_table t;
    uint8_t *b = madt_of(empty + used + 1, &t);

    for (uint32_t i = 0; i < empty; i++)
        b[44 + 16 * (i + 1) + 8] = 0;
    assert_true(acpi_madt(&t, &m));
    assert_true(m.cpus == used && m.cpus_enabled == used);
    assert_int_equal(m.cpus_empty, empty);
    assert_int_equal(m.cpus_left_out, 1);
    assert_int_equal(m.cpu[0].id, 0);
    assert_int_equal(m.cpu[used - 1].id, empty + used - 1);
    free(b);
}

/* Each as a compiler writes it, among other bytes of a DSDT. */
TEST(the_package_of_s5_is_found)
{
    static const struct {
        const char *aml;
        uint8_t n, a, b; /* a 0xff: none */
    } cases[] = {
        {"\x08_S5_\x12\x06\x04\x00\x00\x00\x00", 12, 0, 0},
        {"\x08\\_S5_\x12\x08\x04\x0a\x05\x0a\x05\x00\x00", 15, 5, 5},
        {"\x08_S5_\x12\x0a\x02\x0a\x07\x0c\x06\0\0\0", 16, 7, 6},
        {"\x08_S5_\x12\x05\x01\x0b\x03\x04", 11, 3, 4},                /* both types in one word */
        {"\x08_S5_\x12\x47\0\x04\x01\x0a\x02\x00", 13, 1, 2},          /* a length of two bytes */
        {"__S5_\x12\x06\x04\x00\x00\x00\x00", 12, 0xff, 0},            /* no definition */
        {"\x08_S5_\x12\x08\x04\x0a\x08\x0a\x05\x00\x00", 14, 0xff, 0}, /* more than 3 bits */
        {"\x08_S5_\x12\x06\x04\x60\x00\x00\x00", 12, 0xff, 0},         /* a variable */
        {"\x08_S5_\x12\x3f\x04\x00\x00\x00\x00", 12, 0xff, 0},         /* leaves the table */
        {"\x08_S5_\x12\x02\x04\x00\x00\x00\x00", 12, 0xff, 0},         /* has no elements */
        {"\x08_S5_\x12\x06\x04\x0a", 9, 0xff, 0},
        {"\x08_S5_", 5, 0xff, 0},
        {"\x08_S4_\x12\x06\x04\x01\x00\x00\x00\x08_S5_\x12\x06\x04\x02\x03\x00\x00", 24, 0xff, 0},
        {"\x08_S4_\x12\x06\x04\x01\x00\x00\x00\x08_S5_\x12\x06\x04\x01\x01\x00\x00", 24, 1, 1},
    };

    EACH_CASE (c, cases) {
        struct acpi_s5 s5;
        uint8_t *b = calloc(1, 38u + c->n); /* of exactly this size, for the sanitizer */
        memcpy(b + 38, c->aml, c->n);
        bool found = acpi_s5(&(struct acpi_table){b, 38u + c->n}, &s5);
        free(b);
        assert_int_equal(found, c->a != 0xff);
        if (found)
            assert_true(s5.a == c->a && s5.b == c->b);
    }
    assert_false(acpi_s5(&(struct acpi_table){0}, &(struct acpi_s5){0}));
}

/* What the tables of hardware watchdogs say. */

TEST(the_tables_of_watchdogs_are_decoded)
{
    static const struct {
        const char *table, *names;
        unsigned flags_at, flags, length;
        bool enabled;
        const char *time;
    } cases[] = {
        {"WDAT", "ACPI table WDAT), enabled by the table", 60, 0x81, 68, true, "613 s"},
        {"WDAT", "ACPI table WDAT), not enabled by the table", 60, 0x80, 68, false, "613 s"},
        {"WDAT", "WDAT", 60, 0x81, 67, false, ""},
        {"WDDT", "ACPI table WDDT), enabled by the table", 60, 3, 64, true, ""}, /* available */
        {"WDDT", "ACPI table WDDT), not enabled by the table", 60, 1, 64, false, ""},
        {"WDDT", "WDDT", 60, 3, 63, false, ""},
    };
    EACH_CASE (c, cases) {
        uint8_t bytes[68] = {0};
        struct acpi_table t = {bytes, c->length};
        struct watchdog w;
        memcpy(bytes, c->table, 4);
        if (c->table[2] == 'A') {
            bytes[48] = 600 & 0xff; /* ms a count */
            bytes[49] = 600 >> 8;
            bytes[52] = 1023 & 0xff;
            bytes[53] = 1023 >> 8;
        }
        bytes[c->flags_at] = (uint8_t)c->flags;
        acpi_watchdog(&t, &w);
        assert_int_equal(w.enabled, c->enabled);
        watchdog_text(&w, text_sink());
        assert_says(text, c->names, c->time, "may reset the machine");
    }
}

/* Instructions of WDAT, on two registers of 32 bits. */

static uint32_t wdat_register[2];

static bool wdat_read(void *ctx, const struct acpi_gas *at, uint64_t *v)
{
    *v = wdat_register[at->address - 1];
    return !ctx;
}

static bool wdat_write(void *ctx, const struct acpi_gas *at, uint64_t v)
{
    wdat_register[at->address - 1] = (uint32_t)v;
    return !ctx;
}

TEST(instructions_of_watchdogs_are_executed)
{
    /* action, instruction, GAS (bit offset at 2), value, mask */
    static const uint8_t entries[][24] = {
        {9, 2, 0, 0, 1, 32, 4, 3, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0xf, 0, 0, 0},
        {9, 0x82, 0, 0, 1, 32, 0, 3, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
        {6, 0x83, 0, 0, 1, 32, 8, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 3, 0, 0},
        {1, 1, 0, 0, 1, 32, 8, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 3, 0, 0},
        {17, 7, 0, 0, 1, 32, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0},
        {11, 2, 0, 0, 1, 32, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}};
    const struct wdat_access access = {NULL, wdat_read, wdat_write};
    const struct wdat_access refused = {&wdat_register, wdat_read, wdat_write};
    uint8_t bytes[68 + sizeof entries] = "WDAT";
    struct acpi_table t = {bytes, sizeof bytes};
    uint64_t v = 0;

    bytes[64] = 6;
    memcpy(bytes + 68, entries, sizeof entries);
    wdat_register[0] = ~0u, wdat_register[1] = 0xfff0;
    assert_true(wdat_run(&t, WDAT_SET_RUNNING, &v, &access));
    assert_int_equal(wdat_register[0], 0x50);
    assert_int_equal(wdat_register[1], 0xfff1); /* the rest is preserved */
    v = 0x1234;
    assert_true(wdat_run(&t, WDAT_SET_COUNTDOWN, &v, &access));
    assert_int_equal(wdat_register[1], 0x234f1);
    assert_true(wdat_run(&t, WDAT_RESET, &v, &access)); /* here a reading */
    assert_int_equal(v, 0x234);
    assert_false(wdat_run(&t, WDAT_SET_REBOOT, &v, &access));  /* no such instruction */
    assert_false(wdat_run(&t, WDAT_SET_STOPPED, &v, &access)); /* no register */
    assert_false(wdat_run(&t, WDAT_SET_RUNNING, &v, &refused));
    bytes[64] = 7; /* more entries than the table has */
    assert_false(wdat_run(&t, WDAT_SET_RUNNING, &v, &access));
    t.length = 67;
    assert_false(wdat_run(&t, WDAT_SET_RUNNING, &v, &access));
}
