/* Sets of sections, linked: what relocations give, PLTs, GOT slots, and names of addresses. */
#include "tests/unit/lib/object/opened_object.h"

static uint8_t memory[4096];

/* Part i at base + 256 * i, links after them. */
static void place_at(uint64_t base)
{
    memset(memory, 0xee, sizeof memory);
    for (uint32_t i = 0; i < set.parts; i++) {
        set.part[i].address = base + 256 * i;
        set.part[i].to = memory + 256 * i;
    }
    set.slots.address = base + 3072;
    set.slots.to = memory + 3072;
    set.stubs.address = base + 3584;
    set.stubs.to = memory + 3584;
    set.plt.address = base + 3840;
    set.plt.to = memory + 3840;
}

static uint64_t part_address(unsigned section)
{
    for (uint32_t i = 0; i < set.parts; i++)
        if (set.part[i].section == section)
            return set.part[i].address;
    fail_msg("section %u is not in the set", section);
    return 0;
}

static bool links(void)
{
    for (unsigned kind = 0; kind < ELF_KINDS; kind++)
        if (!elf_link(&set, (enum elf_kind)kind, text_sink()))
            return false;
    return true;
}

static uint64_t word(uint64_t base, uint64_t address)
{
    return le64(memory + (address - base));
}

/* Where the relative field at an address leads. */
static uint64_t leads_to(uint64_t base, uint64_t field)
{
    return field + 4 + (uint64_t)(int64_t)(int32_t)le32(memory + (field - base));
}

BEFORE_EACH(begin);

TEST(relocations_follow_the_place)
{
    assert_true(adds("f"));
    for (uint64_t base = 0x100000000000; base < 0x100000000400; base += 0x110) {
        place_at(base);
        assert_true(links());
        uint64_t f = elf_address(&set, &entry), slot = set.slots.address, stub = set.stubs.address;
        assert_int_equal(f, part_address(MADE_F));
        assert_int_equal(leads_to(base, f + 1), part_address(MADE_G));
        assert_int_equal(leads_to(base, f + 8), part_address(MADE_TABLE) + 8);
        assert_int_equal(leads_to(base, f + 15), slot);
        assert_int_equal(word(base, slot), part_address(MADE_DATA));
        assert_int_equal(leads_to(base, f + 20), stub);
        assert_int_equal(word(base, stub + 6), givens[0].address);
        assert_int_equal(word(base, stub) & 0xffffffffffff, 0x25ff); /* jmp [rip] */
        assert_int_equal(word(base, part_address(MADE_TABLE)), part_address(MADE_G));
        assert_int_equal(word(base, part_address(MADE_TABLE) + 8),
                         part_address(MADE_CONSTANTS) + 3);
        assert_int_equal(word(base, part_address(MADE_DATA)), part_address(MADE_BSS) + 8);
        assert_int_equal(word(base, part_address(MADE_BSS) + 56), 0);
        assert_int_equal(memory[64], 0xee); /* nothing is written after f's 32 bytes */
    }
}

/*
 * f calls a global function, the same again, a hidden one, a protected one, a local one and one
 * with a landing pad, takes the first one's address, and loads it by the GOT. Global ones have
 * default visibility, but for the hidden and the protected one.
 */
static void make_library(bool loads)
{
    static const uint8_t zeros[64], ret[] = {0xc3}, endbr_ret[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3};
    unsigned called[6];

    made_begin(&m);
    made_section(&m, ".text.f", ELF_PROGBITS, ELF_ALLOC | ELF_EXEC, 16, zeros, sizeof zeros);
    made_section(&m, ".text.g", ELF_PROGBITS, ELF_ALLOC | ELF_EXEC, 16, ret, sizeof ret);
    made_section(&m, ".text.e", ELF_PROGBITS, ELF_ALLOC | ELF_EXEC, 16, endbr_ret,
                 sizeof endbr_ret);
    made_symbol(&m, "f", false, ELF_FUNCTION, 1, 0);
    called[0] = called[1] = made_symbol(&m, "open", false, ELF_FUNCTION, 2, 0);
    called[2] = made_symbol(&m, "hidden", false, ELF_FUNCTION, 2, 0);
    m.symbols[called[2] * 24 + 5] = ELF_HIDDEN;
    called[3] = made_symbol(&m, "protected", false, ELF_FUNCTION, 2, 0);
    m.symbols[called[3] * 24 + 5] = ELF_PROTECTED;
    called[4] = made_symbol(&m, "local", true, ELF_FUNCTION, 2, 0);
    called[5] = made_symbol(&m, "landing", false, ELF_FUNCTION, 3, 0);
    for (unsigned i = 0; i < 6; i++)
        made_rela(&m, 1, 8 * i, ELF_R_PLT32, called[i], -4);
    made_rela(&m, 1, 48, ELF_R_PC32, called[0], -4);
    if (loads)
        made_rela(&m, 1, 56, ELF_R_GOTPCRELX, called[0], -4);
    made_end(&m);
}

static void add_library(bool shared, bool loads)
{
    struct elf_spot spot;

    make_library(loads);
    assert_true(opens());
    elf_set_init(&set, &e, givens);
    set.shared = shared;
    assert_true(elf_find(&e, "f", &spot, text_sink()) && elf_add(&set, spot, &entry, text_sink()));
}

TEST(a_librarys_calls_go_through_its_plt)
{
    const uint64_t base = 0x100000000000;

    add_library(true, true);
    assert_int_equal(set.plt.count, 2);
    assert_int_equal(set.slots.count, 2); /* one for the call and the load of the same symbol */
    place_at(base);
    assert_true(links());
    uint64_t f = part_address(1), g = part_address(2), entries = set.plt.address;
    assert_int_equal(leads_to(base, f), entries);
    assert_int_equal(leads_to(base, f + 8), entries);
    for (unsigned direct = 16; direct <= 32; direct += 8)
        assert_int_equal(leads_to(base, f + direct), g);
    assert_int_equal(leads_to(base, f + 40), entries + ELF_PLT_BYTES);
    assert_int_equal(leads_to(base, f + 48), g);
    assert_int_equal(leads_to(base, f + 56), set.slots.address);
    /* jmp [rip + disp32], by the slot, to the function */
    assert_int_equal(word(base, entries) & 0xffff, 0x25ff);
    assert_int_equal(leads_to(base, entries + 2), set.slots.address);
    assert_int_equal(word(base, set.slots.address), g);
    /* the same after an ENDBR64 */
    entries += ELF_PLT_BYTES;
    assert_int_equal(word(base, entries) & 0xffffffffffff, 0x25fffa1e0ff3);
    assert_int_equal(leads_to(base, entries + 6), set.slots.address + ELF_SLOT_BYTES);
    assert_int_equal(word(base, set.slots.address + ELF_SLOT_BYTES), part_address(3));
}

TEST(a_programs_calls_have_no_plt)
{
    const uint64_t base = 0x100000000000;

    add_library(false, false);
    assert_int_equal(set.plt.count, 0);
    place_at(base);
    assert_true(links());
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(leads_to(base, part_address(1) + 8 * i), part_address(2));
    assert_int_equal(leads_to(base, part_address(1) + 40), part_address(3));
}

TEST(a_slot_out_of_reach_is_refused)
{
    add_library(true, false);
    place_at(0x100000000000);
    set.slots.address += 0x100000000;
    assert_false(links());
    assert_says(text, "test.o: ", "open", "GOT");
}

TEST(every_form_of_gotpcrel_has_a_slot)
{
    static const uint32_t forms[] = {9, 41, 42, 43, 46, 49};

    EACH_CASE (c, forms) {
        made_program(&m);
        put_le(contents(m.at_end + 1) + 2 * 24 + 8, *c, 4); /* f's third */
        assert_true(adds("f"));
        place_at(0x100000000000);
        assert_true(links());
        uint64_t slot = leads_to(0x100000000000, elf_address(&set, &entry) + 15);
        assert_int_equal(slot, set.slots.address);
        assert_int_equal(word(0x100000000000, slot), part_address(MADE_DATA));
    }
}

/* The first relocation, which is of an absolute type now. */
static void absolute(uint32_t type, int64_t addend, uint64_t base, bool fits, uint64_t value)
{
    made_program(&m);
    put_le(contents(m.at_end + 1) + 8, type, 4);
    put_le(contents(m.at_end + 1) + 16, (uint64_t)addend, 8);
    assert_true(adds("f"));
    place_at(base);
    assert_int_equal(links(), fits);
    uint64_t f = elf_address(&set, &entry);
    if (fits)
        assert_int_equal(le32(memory + (f - base) + 1), value);
    else if (!strstr(text, "does not fit 32 bits") || !strstr(text, ".text.f+0x1"))
        fail_msg("%s", text);
}

TEST(values_that_do_not_fit_their_field_are_refused)
{
    const uint64_t g = 256; /* g's part is the second */

    absolute(ELF_R_32, 0, 0x10000, true, 0x10000 + g);
    absolute(ELF_R_32, 0, 0xc0000000, true, 0xc0000000 + g);
    absolute(ELF_R_32S, 0, 0x10000, true, 0x10000 + g);
    absolute(ELF_R_32S, 0, 0xc0000000, false, 0);
    absolute(ELF_R_32, 0, 0x100000000000, false, 0);
    assert_non_null(strstr(text, "-fPIE"));
    absolute(ELF_R_PC32, INT64_MAX, 0x100000000000, false, 0);
    absolute(ELF_R_PC32, INT64_MIN, 0x100000000000, false, 0);
    absolute(ELF_R_PC32, (int64_t)1 << 31, 0x10000, false, 0);
    absolute(ELF_R_PLT32, INT32_MAX - 512, 0x10000, true, INT32_MAX - 512 + g - 1);
    absolute(ELF_R_PC64, 7, 0x100000000000, true, g + 7 - 1);
}

TEST(addresses_have_names)
{
    uint64_t offset;

    assert_true(adds("f"));
    place_at(0x5000);
    assert_string_equal(elf_name_at(&set, part_address(MADE_F) + 9, &offset), "f");
    assert_int_equal(offset, 9);
    assert_string_equal(elf_name_at(&set, part_address(MADE_G), &offset), "g");
    assert_int_equal(offset, 0);
    assert_null(elf_name_at(&set, part_address(MADE_G) + 1, &offset));
    assert_null(elf_name_at(&set, part_address(MADE_TABLE), &offset)); /* no symbol is there */
    assert_null(elf_name_at(&set, 0x4fff, &offset));
}

TEST(a_set_is_bounded)
{
    static struct elf big;
    static uint8_t symbols[24 * 200], relas[24 * 200];

    /* One function that loads more symbols by the GOT than a set can have. */
    made_begin(&m);
    made_section(&m, ".text", ELF_PROGBITS, ELF_ALLOC | ELF_EXEC, 1, "\xc3\0\0\0", 4);
    made_symbol(&m, "f", false, ELF_FUNCTION, 1, 0);
    made_rela(&m, 1, 0, ELF_R_GOTPCREL, 1, -4);
    made_end(&m);
    assert_true(adds("f"));
    static uint8_t bytes[16384];
    memcpy(bytes, m.bytes, m.size);
    uint8_t *headers = bytes + le64(bytes + 40);
    memcpy(symbols, contents(m.at_end), 48);
    for (unsigned i = 2; i < 200; i++)
        memcpy(symbols + 24 * i, symbols + 24, 24);
    for (unsigned i = 0; i < 200; i++) {
        put_le(relas + 24 * i + 8, ELF_R_GOTPCREL, 4);
        put_le(relas + 24 * i + 12, i, 4);
    }
    memcpy(bytes + 4096, symbols, sizeof symbols);
    memcpy(bytes + 4096 + sizeof symbols, relas, sizeof relas);
    put_le(headers + 64 * m.at_end + 24, 4096, 8);
    put_le(headers + 64 * m.at_end + 32, sizeof symbols, 8);
    put_le(headers + 64 * (m.at_end + 1) + 24, 4096 + sizeof symbols, 8);
    put_le(headers + 64 * (m.at_end + 1) + 32, sizeof relas, 8);
    assert_true(elf_open(&big, "test.o", bytes, sizeof bytes, text_sink()));
    elf_set_init(&set, &big, givens);
    assert_false(elf_add(&set, (struct elf_spot){1, 0}, &entry, text_sink()));
    assert_non_null(strstr(text, "than a set can have"));
}
