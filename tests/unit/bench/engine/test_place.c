/*
 * The placement of a compiled row's code and data, and what is flushed of it: a row of an
 * object made by hand, in buffers that are arrays.
 */
#include "tests/unit/cmocka_unit.h"
#include "bench/engine/compiled.h"
#include "bench/engine/layout.h"
#include "bench/engine/place.h"
#include "bench/engine/window.h"
#include "tests/unit/bench/fake_call.h"
#include "tests/unit/made_object.h"
#include "tests/unit/bench/made_units.h"

/* The suites' object, and the same bytes in a writable form. */
__asm__(".pushsection .data\n"
        ".balign 16\n"
        ".globl suites_object, suites_object_end, object_bytes\n"
        "suites_object:\n"
        "object_bytes: .zero 4096\n"
        "suites_object_end:\n"
        ".popsection\n");
extern uint8_t object_bytes[];

UNIT_OF(call_function, 1, 0x90);
UNIT_OF(call_before, 1, 0x90);
UNIT_OF(chain_add, 1, 0x90);

/* --- a row ------------------------------------------------------------------------------------ */

static _Alignas(4096) uint8_t code_buffer[PLATFORM_CODE_SIZE], data_buffer[PLATFORM_DATA_SIZE];

static void code_write(const struct platform *p)
{
}

static void code_exec(const struct platform *p, size_t bytes)
{
}

static struct platform platform = {.code.at = code_buffer,
                                   .data = data_buffer,
                                   .code.write = code_write,
                                   .code.execute = code_exec};
static struct options options;
static struct compiled compiled;
static struct engine engine = {.p = &platform, .facts.o = &options, .compiled = &compiled};
static struct placed placed[LAYOUT_MAX];

static struct bench bench = {.suite = "made",
                             .name = "row",
                             .window.form = FORM_FUNCTION,
                             .ops = 10,
                             .needs.room_bytes = 100,
                             .window.recipe = RECIPE_LFENCE};

enum { FUNCTION = 1, EMPTY, ALIGNED, TABLE, WORD, CONSTANTS, ROW };

/* f, 8 bytes after its section's start, refers to all others: its empty body, a function aligned to
 * a line, a table with the address of one, a word with f's, constants. */
static void make(uint64_t size_of_data, const char *undefined)
{
    static struct made m;
    static const uint8_t zeros[sizeof bench];
    const uint64_t code = ELF_ALLOC | ELF_EXEC, data = ELF_ALLOC | ELF_WRITE;

    made_begin(&m);
    made_section(&m, ".text.f", ELF_PROGBITS, code, 16, zeros, 32);
    made_section(&m, ".text.empty", ELF_PROGBITS, code, 16, zeros, 32);
    made_section(&m, ".text.aligned", ELF_PROGBITS, code, 64, zeros, 16);
    made_section(&m, ".rodata.table", ELF_PROGBITS, ELF_ALLOC, 8, zeros, 8);
    made_section(&m, ".data.word", ELF_PROGBITS, data, 8, zeros, 8);
    made_section(&m, ".rodata.constants", ELF_PROGBITS, ELF_ALLOC, 32, zeros, 48);
    made_section(&m, ".data.rel.ro.row", ELF_PROGBITS, data, 32, zeros, sizeof bench);
    made_section(&m, ".bss", ELF_NOBITS, data, 16, NULL, size_of_data);
    unsigned f = made_symbol(&m, "f", true, ELF_FUNCTION, FUNCTION, 8);
    unsigned empty = made_symbol(&m, "empty", true, ELF_FUNCTION, EMPTY, 0);
    unsigned aligned = made_symbol(&m, "aligned", true, ELF_FUNCTION, ALIGNED, 0);
    unsigned table = made_symbol(&m, "", true, ELF_SECTION, TABLE, 0);
    unsigned word = made_symbol(&m, "word", true, ELF_OBJECT, WORD, 0);
    unsigned constants = made_symbol(&m, "", true, ELF_SECTION, CONSTANTS, 0);
    made_symbol(&m, "bench_made_row", true, ELF_OBJECT, ROW, 0);
    unsigned big = made_symbol(&m, "big", true, ELF_OBJECT, ROW + 1, 0);
    unsigned outside = made_symbol(&m, undefined, false, ELF_NOTYPE, ELF_UNDEFINED, 0);
    made_rela(&m, FUNCTION, 0, ELF_R_PC32, aligned, -4);
    made_rela(&m, FUNCTION, 4, ELF_R_PC32, table, -4);
    made_rela(&m, FUNCTION, 8, ELF_R_GOTPCREL, word, -4);
    made_rela(&m, FUNCTION, 12, ELF_R_PC32, constants, -4);
    made_rela(&m, FUNCTION, 16, ELF_R_PLT32, outside, -4);
    made_rela(&m, FUNCTION, 20, ELF_R_PC32, big, -4);
    made_rela(&m, TABLE, 0, ELF_R_64, empty, 0);
    made_rela(&m, WORD, 0, ELF_R_64, f, 0);
    made_rela(&m, ROW, offsetof(struct bench, function), ELF_R_64, f, 0);
    made_rela(&m, ROW, offsetof(struct bench, empty_function), ELF_R_64, empty, 0);
    made_rela(&m, ROW, offsetof(struct bench, check), ELF_R_64, aligned, 4);
    made_end(&m);
    assert_in_range(m.size, 1, 4096);
    memcpy(object_bytes, m.bytes, m.size);
}

static void set_up(void)
{
    compiled_init(&compiled);
    memset(&options, 0, sizeof options);
    options.method = METHOD_DOUBLED;
    options.layout = LAYOUT_SWEEP;
    options.seed = 1;
    make(64, "memset");
}

BEFORE_EACH(set_up);

static bool place(unsigned n)
{
    return place_row(&engine, &bench, RECIPE_LFENCE, placed, 0, n);
}

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static uint64_t leads_to(uint64_t field)
{
    return field + 4 + (uint64_t)(int64_t)(int32_t)le32((const uint8_t *)(uintptr_t)field);
}

static bool is_in(uint64_t at, const uint8_t *buffer, size_t size)
{
    return at - address(buffer) < size;
}

/* Returns the offset in the data buffer from which compiled code's data is placed: after the room
 * of the row that was placed last. */
static size_t compiled_at(void)
{
    return (size_t)(placed[0].room - data_buffer) + OBJECT_ROOM;
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(sweep_goes_through_each_byte_of_a_line)
{
    assert_true(place(LAYOUT_MAX));
    for (unsigned i = 0; i < LAYOUT_MAX; i++) {
        const struct placed *p = &placed[i];
        uint64_t f = address(p->kind[KIND_BODY].function);
        assert_int_equal(f % 64, i < 64 ? i : 0);
        assert_int_equal(address(p->kind[KIND_EMPTY].function) % 64, i < 64 ? i : 0);
        assert_ptr_equal(p->kind[KIND_BODY2].function, p->kind[KIND_BODY].function);
        assert_int_equal(leads_to(f - 8) % 64, 0); /* what asks for a line has one */
        for (unsigned j = 0; j < i; j++)
            assert_ptr_not_equal(p->kind[KIND_BODY].function, placed[j].kind[KIND_BODY].function);
    }
}

/* f's section, not f itself: functions before it in its section move it. */
TEST(shuffle_moves_by_16)
{
    unsigned seen = 0;

    options.layout = LAYOUT_SHUFFLE;
    assert_true(place(LAYOUT_SHUFFLED));
    for (unsigned i = 0; i < LAYOUT_SHUFFLED; i++) {
        uint64_t f = address(placed[i].kind[KIND_BODY].function);
        assert_int_equal(f % 64, (placed[i].at.code & 48) + 8);
        assert_int_equal(address(placed[i].kind[KIND_EMPTY].function) % 64, placed[i].at.code & 48);
        assert_int_equal(leads_to(f - 8) % 64, 0);
        seen |= 1u << (f % 64 / 16);
    }
    assert_int_equal(seen, 15);
}

TEST(fixed_is_aligned)
{
    options.layout = LAYOUT_FIXED;
    assert_true(place(1));
    assert_int_equal(address(placed[0].kind[KIND_BODY].function) % 64, 8);
    assert_int_equal(address(placed[0].kind[KIND_EMPTY].function) % 64, 0);
}

/* Each field leads to this placement's own part, except constants, which all placements share. */
TEST(relocations_are_of_the_placement)
{
    uint64_t constants = 0;

    options.layout = LAYOUT_SHUFFLE;
    assert_true(place(LAYOUT_SHUFFLED));
    for (unsigned i = 0; i < LAYOUT_SHUFFLED; i++) {
        const struct placed *p = &placed[i];
        place_object(p);
        uint64_t f = address(p->kind[KIND_BODY].function), from = f - 8;
        uint64_t table = leads_to(from + 4), slot = leads_to(from + 8);
        assert_int_equal(le64((uint8_t *)table), address(p->kind[KIND_EMPTY].function));
        uint64_t word = le64((uint8_t *)slot);
        assert_true(is_in(word, data_buffer + compiled_at(), PLATFORM_DATA_SIZE - compiled_at()));
        assert_int_equal(word % 4096 % 64, p->at.data % 64);
        assert_int_equal(le64((uint8_t *)word), f);
        assert_true(i == 0 || leads_to(from + 12) == constants);
        constants = leads_to(from + 12);
        assert_int_equal(constants % 32, 0);
        uint64_t stub = leads_to(from + 16);
        assert_int_equal(le64((uint8_t *)stub + 6), address(memset));
        uint64_t check;
        memcpy(&check, &p->check, sizeof check);
        assert_int_equal(check, leads_to(from) + 4);
        assert_true(p->setup == NULL);
    }
}

TEST(each_placement_initialises_writable_data)
{
    assert_true(place(2));
    for (unsigned i = 0; i < 2; i++) {
        place_object(&placed[i]);
        uint64_t from = address(placed[i].kind[KIND_BODY].function) - 8;
        uint8_t *big = (uint8_t *)leads_to(from + 20),
                *word = (uint8_t *)le64((uint8_t *)leads_to(from + 8));
        assert_int_equal(big[63], 0);
        memset(big, 0xff, 64);
        memset(word, 0xff, 8);
        place_object(&placed[i]);
        assert_int_equal(big[63], 0);
        assert_int_equal(le64(word), from + 8);
    }
}

TEST(addresses_have_names)
{
    uint64_t offset;

    assert_true(place(LAYOUT_MAX));
    for (unsigned i = 0; i < LAYOUT_MAX; i += 7) {
        uint64_t f = address(placed[i].kind[KIND_BODY].function);
        const char *name = place_name_at(f + 5, &offset);
        assert_non_null(name);
        assert_string_equal(name, "f");
        assert_int_equal(offset, 5);
        assert_string_equal(place_name_at(leads_to(f - 8), &offset), "aligned");
        window_fn window = placed[i].kind[KIND_BODY].fn;
        uint64_t at;
        memcpy(&at, &window, sizeof at);
        assert_null(place_name_at(at, &offset));
    }
    assert_null(place_name_at(0x1234, &offset));
}

/* Tests whether an address is in what place_cool() flushes. */
static bool is_cleared(const struct placed *p, uint64_t at)
{
    for (unsigned i = 0; i < PLACE_COOL; i++)
        if (at - address(p->cool[i].from) < p->cool[i].bytes)
            return true;
    return false;
}

static uint64_t window_at(const struct placed *p, enum window_kind k)
{
    uint64_t at;

    memcpy(&at, &p->kind[k].fn, sizeof at);
    return at;
}

/* caches=clear: everything that the row touches, and nothing of the ruler's. */
TEST(all_that_a_row_touches_is_cleared)
{
    for (unsigned clear = 0; clear < 2; clear++) {
        options.caches = clear ? CACHES_CLEAR : CACHES_KEEP;
        options.layout = LAYOUT_SHUFFLE;
        assert_true(place(LAYOUT_SHUFFLED));
        for (unsigned i = 0; i < LAYOUT_SHUFFLED; i++) {
            const struct placed *p = &placed[i];
            place_object(p);
            uint64_t f = address(p->kind[KIND_BODY].function), from = f - 8;
            assert_true(is_cleared(p, address(&p->object->slot)));
            assert_true(is_cleared(p, address(&p->object->table.method)));
            assert_true(is_cleared(p, address(p->object->room) + 99));
            assert_true(is_cleared(p, le64((uint8_t *)leads_to(from + 8)))); /* word */
            assert_true(is_cleared(p, leads_to(from + 20) + 63));            /* .bss */
            const uint64_t code[] = {f,
                                     from + 31,
                                     address(p->kind[KIND_EMPTY].function),
                                     leads_to(from),
                                     leads_to(from + 4),
                                     leads_to(from + 8),
                                     leads_to(from + 12) + 47,
                                     leads_to(from + 16),
                                     window_at(p, KIND_BODY),
                                     window_at(p, KIND_EMPTY)};
            EACH_CASE (c, code)
                assert_int_equal(is_cleared(p, *c), clear);
            /* The ruler's windows from their first line to the one after the last add. */
            uint64_t end = window_at(p, KIND_RULER2) + 2 * RULER_ADDS * unit_chain_add.size + 64;
            for (uint64_t at = window_at(p, KIND_RULER); at < end; at++)
                assert_false(is_cleared(p, at));
            place_cool(p);
        }
    }
}

TEST(refusals_are_reported)
{
    assert_true(place(1));
    compiled_init(&compiled);
    make(64, "printf");
    assert_false(place(1));
    assert_non_null(strstr(place_why(&engine), "printf: the object does not define it"));
    compiled_init(&compiled);
    make(PLATFORM_DATA_SIZE, "memset");
    assert_false(place(1));
    assert_non_null(strstr(place_why(&engine), ".bss has 1048576 bytes: more than there is room"));
    compiled_init(&compiled);
    make(PLATFORM_DATA_SIZE - compiled_at() - 4096, "memset");
    assert_false(place(1));
    assert_non_null(strstr(place_why(&engine), "writable data does not fit"));
    compiled_init(&compiled);
    make(64, "memset");
    bench.name = "none";
    assert_false(place(1));
    assert_non_null(strstr(place_why(&engine), "defines no symbol bench_made_none"));
    bench.name = "row";
    assert_true(place(1));
}
