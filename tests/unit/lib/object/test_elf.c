/* Relocatable objects: what is refused and why, and what a set contains. */
#include "tests/unit/lib/object/opened_object.h"

BEFORE_EACH(begin);

TEST(an_object_is_read)
{
    assert_true(opens());
    assert_string_equal(elf_section(&e, MADE_F).name, ".text.f");
    assert_int_equal(elf_section(&e, MADE_BSS).size, 64);
    assert_null(elf_section(&e, MADE_BSS).bytes);
    struct elf_spot f;
    assert_true(elf_find(&e, "f", &f, text_sink()));
    assert_int_equal(f.section, MADE_F);
    assert_false(elf_find(&e, "nowhere", &f, text_sink()));
    assert_string_equal(text, "test.o: it defines no symbol nowhere");
}

TEST(every_length_but_the_whole_is_refused)
{
    size_t whole = m.size;

    for (m.size = 0; m.size < whole; m.size++)
        assert_false(opens());
    m.size = whole;
    assert_true(opens());
}

TEST(headers_are_checked)
{
    static const struct {
        unsigned at, bytes;
        uint64_t value;
        const char *words;
    } bad[] = {
        {0, 1, 'E', "not an ELF file"},
        {4, 1, 1, "64 bits"},
        {5, 1, 2, "64 bits"},
        {6, 1, 0, "version"},
        {16, 2, 2, "not a relocatable object"},
        {18, 2, 183, "not for x86-64"},
        {58, 2, 40, "another size than 64"},
        {60, 2, 0, "no section headers"},
        {60, 2, 0xff00, "more than 65279"},
        {60, 2, 0xfeff, "outside the file"},
        {40, 8, UINT64_MAX - 63, "outside the file"},
        {62, 2, MADE_F, "section-name"},
        {62, 2, 0xfefe, "section-name"},
    };
    EACH_CASE (c, bad) {
        made_program(&m);
        put_le(m.bytes + c->at, c->value, c->bytes);
        refused(c->words);
    }
}

TEST(sections_are_checked)
{
    static const struct {
        unsigned at, bytes;
        uint64_t value;
        const char *words;
    } bad[] = {
        {0, 4, 100000, "its name lies outside"}, {4, 4, ELF_SYMTAB_SHNDX, "too many sections"},
        {4, 4, ELF_REL, "without addends"},      {4, 4, ELF_INIT_ARRAY, "constructors"},
        {24, 8, 5000, "outside the file"},       {24, 8, UINT64_MAX, "outside the file"},
        {32, 8, UINT64_MAX, "outside the file"}, {48, 8, 24, "power of two"},
    };
    EACH_CASE (c, bad) {
        made_program(&m);
        put_le(header(MADE_TABLE) + c->at, c->value, c->bytes);
        refused(c->words);
    }
}

TEST(symbols_and_relocations_are_checked)
{
    unsigned symtab = m.at_end, relas = symtab + 1; /* those of section 1 */

#define BAD(place_, value_, bytes_, words_)                                                        \
    do {                                                                                           \
        made_program(&m);                                                                          \
        put_le(place_, value_, bytes_);                                                            \
        refused(words_);                                                                           \
    } while (0)
    BAD(contents(symtab) + 24, 100000, 4, "symbol 1: its name");
    BAD(contents(symtab) + 24 + 6, 200, 2, "does not have");
    BAD(contents(symtab) + 24 + 6, 0xffff, 2, "special kind");
    BAD(contents(symtab) + 24 + 8, 33, 8, "beyond the end");
    BAD(header(symtab) + 32, 25, 8, "whole symbols");
    BAD(header(symtab) + 40, MADE_F, 4, "symbol-name");
    BAD(header(symtab) + 4, 1, 4, "no symbol table");
    BAD(header(MADE_TABLE) + 4, ELF_SYMTAB, 4, "whole symbols");
    BAD(contents(relas), 29, 8, "outside the section");
    BAD(contents(relas), UINT64_MAX, 8, "outside the section");
    BAD(contents(relas) + 12, 99, 4, "not in the symbol table");
    BAD(header(relas) + 40, MADE_F, 4, "not those of the symbol table");
    BAD(header(relas) + 44, 99, 4, "does not have");
    BAD(header(relas) + 44, MADE_BSS, 4, "outside the section");
    BAD(header(relas) + 32, 25, 8, "whole relocations");
}

/* --- sets ------------------------------------------------------------------------------------- */

TEST(a_set_contains_every_section_that_its_functions_refer_to)
{
    static const enum elf_kind kinds[] = {
        [MADE_F] = ELF_CODE,    [MADE_G] = ELF_CODE,   [MADE_TABLE] = ELF_LINKED,
        [MADE_DATA] = ELF_DATA, [MADE_BSS] = ELF_DATA, [MADE_CONSTANTS] = ELF_CONSTANT,
    };

    assert_true(adds("f"));
    assert_int_equal(set.parts, 6);
    for (uint32_t i = 0; i < set.parts; i++) {
        assert_true(set.part[i].section != MADE_UNUSED);
        assert_int_equal(set.part[i].kind, kinds[set.part[i].section]);
    }
    assert_int_equal(set.slots.count, 1);
    assert_int_equal(set.stubs.count, 1);
    const struct elf_spot unused = {MADE_UNUSED, 0}; /* its relocation is R_X86_64_NONE */
    assert_true(elf_add(&set, unused, &entry, text_sink()));
    assert_int_equal(set.parts, 7);
}

TEST(pointers_are_followed)
{
    struct elf_spot to;

    assert_true(opens());
    assert_true(elf_pointer(&e, (struct elf_spot){MADE_TABLE, 8}, &to, text_sink()));
    assert_int_equal(to.section, MADE_CONSTANTS);
    assert_int_equal(to.offset, 3);
    assert_true(elf_pointer(&e, (struct elf_spot){MADE_TABLE, 4}, &to, text_sink()));
    assert_int_equal(to.section, 0);
    assert_false(elf_pointer(&e, (struct elf_spot){MADE_F, 20}, &to, text_sink()));
    assert_says(text, "test.o: .text.f+0x14: ", "memcpy");
    put_le(contents(m.at_end + 2) + 24 + 16, 5, 8); /* one after the end of the constants */
    assert_true(opens());
    assert_false(elf_pointer(&e, (struct elf_spot){MADE_TABLE, 8}, &to, text_sink()));
}

/* Symbol 0 means "no symbol", whatever is in its bytes: the value is the addend's. */
TEST(no_symbol_is_zero)
{
    uint8_t *symbol, *rela;

    symbol = contents(m.at_end);
    rela = contents(m.at_end + 1);
    memset(symbol, 0xff, 24);
    put_le(rela + 8, ELF_R_PC64, 4);
    put_le(rela + 12, 0, 4);
    assert_true(adds("f"));
    assert_int_equal(set.parts, 6); /* g by the table */
}

TEST(relocations_that_are_not_supported_are_named)
{
    static const struct {
        uint32_t type;
        const char *words;
    } types[] = {
        {3, "R_X86_64_GOT32"},
        {19, "R_X86_64_TLSGD"},
        {22, "R_X86_64_GOTTPOFF"},
        {12, "R_X86_64_16"},
        {37, "R_X86_64_IRELATIV"},
        {26, "R_X86_64_GOTPC32"},
        {39, "R_X86_64_PC32_BND"},
        {40, "R_X86_64_PLT32_BND"},
        {44, "R_X86_64_CODE_4_GOTTPOFF to g: thread-local"},
        {45, "R_X86_64_CODE_4_GOTPC32_TLSDESC"},
        {47, "R_X86_64_CODE_5_GOTTPOFF"},
        {48, "R_X86_64_CODE_5_GOTPC32_TLSDESC"},
        {50, "R_X86_64_CODE_6_GOTTPOFF"},
        {51, "R_X86_64_CODE_6_GOTPC32_TLSDESC"},
        {52, "relocation type 52 to g"},
        {200, "relocation type 200"},
        {250, "R_X86_64_GNU_VTINHERIT"},
        {251, "R_X86_64_GNU_VTENTRY"},
        {252, "relocation type 252"},
        {UINT32_MAX, "relocation type 4294967295"},
    };
    unsigned symtab = m.at_end;
    EACH_CASE (c, types) {
        made_program(&m);
        put_le(contents(symtab + 1) + 8, c->type, 4);
        not_added(c->words);
        assert_non_null(strstr(text, ".text.f+0x1: "));
        /* Of what the object does not define as well: the type is what is wrong. */
        put_le(contents(symtab) + 24 * 2 + 6, ELF_UNDEFINED, 2);
        not_added(c->words);
        assert_null(strstr(text, "does not define"));
    }
#define SYMBOL_IS(n_, at_, value_, bytes_, words_)                                                 \
    do {                                                                                           \
        made_program(&m);                                                                          \
        put_le(contents(symtab) + 24 * (n_) + (at_), value_, bytes_);                              \
        not_added(words_);                                                                         \
    } while (0)
    SYMBOL_IS(2, 4, ELF_THREAD_LOCAL, 1, "thread-local");
    SYMBOL_IS(2, 4, ELF_IFUNC, 1,
              "(IFUNC) is not supported; in place of glibc's libc.a link " ELF_C_LIBRARY);
    SYMBOL_IS(6, 6, ELF_COMMON, 2, "-fno-common");
    SYMBOL_IS(2, 6, ELF_UNDEFINED, 2,
              "to g: the object does not define it; link it, unless it sets errno: ld -r -o ");
#define SECTION_IS(n_, at_, value_, words_)                                                        \
    do {                                                                                           \
        made_program(&m);                                                                          \
        put_le(header(n_) + (at_), value_, 8);                                                     \
        not_added(words_);                                                                         \
    } while (0)
    SECTION_IS(MADE_DATA, 8, ELF_ALLOC | ELF_WRITE | ELF_TLS, "thread-local");
    SECTION_IS(MADE_CONSTANTS, 8, ELF_ALLOC | ELF_COMPRESSED, "compressed");
    SECTION_IS(MADE_G, 8, 0, "not part of the program");
    SECTION_IS(MADE_G, 8, ELF_ALLOC | ELF_EXEC | ELF_WRITE, "written to");
    SECTION_IS(MADE_G, 48, 8192, "above 4096");
}

TEST(errno_is_refused_wherever_it_is_defined)
{
    static const char *const names[] = {"__errno_location", "___errno_location"};

    for (unsigned i = 0; i < 4; i++) {
        made_begin(&m);
        made_section(&m, ".text", ELF_PROGBITS, ELF_ALLOC | ELF_EXEC, 1, "\xe8\0\0\0\0\xc3", 6);
        made_symbol(&m, "f", false, ELF_FUNCTION, 1, 0);
        unsigned place = made_symbol(&m, names[i % 2], false, ELF_FUNCTION, i / 2, 0);
        made_rela(&m, 1, 1, ELF_R_PLT32, place, -4);
        made_end(&m);
        not_added("sets errno, which is thread-local data");
    }
}

TEST(local_names_may_be_ambiguous)
{
    made_begin(&m);
    made_section(&m, ".text", ELF_PROGBITS, ELF_ALLOC | ELF_EXEC, 1, "\xc3\xc3", 2);
    made_symbol(&m, "twice", true, ELF_FUNCTION, 1, 0);
    made_symbol(&m, "twice", true, ELF_FUNCTION, 1, 1);
    made_symbol(&m, "both", true, ELF_FUNCTION, 1, 0);
    made_symbol(&m, "both", false, ELF_FUNCTION, 1, 1);
    made_end(&m);
    assert_false(adds("twice"));
    assert_string_equal(text, "test.o: 2 local symbols are called twice");
    assert_true(adds("both"));
    assert_int_equal(entry.offset, 1);
}
