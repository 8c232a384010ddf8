/*
 * Rows read from the bytes of an object: a good one with all its fields, and what is refused, by
 * which words.
 */
#include "bench/objects/object_rows.h"
#include "tests/unit/bench/made_rows.h"
#include "tests/unit/says.h"
#include "tests/unit/text.h"
#include <math.h>

static struct made m;
static struct elf e;
static struct made_row in[8];
static struct object_row out;
static struct object_args args;

static void begin(void)
{
    made_rows_begin();
    in[0] = good_row(0, "row");
}

BEFORE_EACH(begin);

/* In a copy of exactly its size: one byte too many is found. */
static void open_object(void)
{
    static uint8_t *copy;

    free(copy);
    copy = malloc(m.size);
    assert_non_null(copy);
    memcpy(copy, m.bytes, m.size);
    if (!elf_open(&e, "mine.o", copy, m.size, text_sink()))
        fail_msg("%s", text);
}

static bool reads(unsigned i)
{
    bool ok = object_rows_read(&e, i, "mine", &out, &args, text_sink());

    assert_true(ok == (text[0] == '\0'));
    return ok;
}

static bool reads_made(void)
{
    made_rows(&m, in, 1);
    open_object();
    return reads(0);
}

/* The message begins as it says, and says the words. The next row is a good one again. */
static void refused(const char *begins, const char *words)
{
    if (reads_made())
        fail_msg("it was not refused: \"%s\" was expected", words);
    if (strncmp(text, begins, strlen(begins)) != 0 || !strstr(text, words))
        fail_msg("\"%s\" does not say \"%s%s\"", text, begins, words);
    begin();
}

static void refused_row(const char *words)
{
    refused("mine.o: row row: ", words);
}

static uint8_t *header(unsigned section)
{
    return m.bytes + m.size - m.sections * 64 + section * 64;
}

/* --- good ones -------------------------------------------------------------------------------- */

TEST(a_row_is_read_whole)
{
    in[0].row = (struct baretick_row){
        .version = 1,
        .size = sizeof in[0].row,
        .ops = 64,
        .grain = 8,
        .most_ops = 128,
        .room = 8u << 20,
        .needs = BARETICK_RING0,
        .flags = BARETICK_NOT_DOUBLED | BARETICK_COLD | BARETICK_MAY_BE_ELIDED,
        .floor = 0.25,
        .least_instructions = 2.5,
        .truth = 3,
        .units = 8,
    };
    in[0].suite = made_text("A-suite_9");
    in[0].empty = (struct made_pointer){ROWS_CODE, 16};
    in[0].setup = (struct made_pointer){ROWS_CODE, 32};
    in[0].check = (struct made_pointer){ROWS_CODE, 48};
    in[0].before = (struct made_pointer){ROWS_CODE, 64};
    in[0].compared_with = made_text("other");
    in[0].unit = made_text("byte");
    assert_true(reads_made());
    const struct bench *b = &out.bench;
    assert_string_equal(b->suite, "A-suite_9");
    assert_string_equal(b->name, "row");
    assert_string_equal(b->what, "one operation");
    assert_string_equal(b->shown.compared_with, "other");
    assert_string_equal(b->shown.base_unit, "byte");
    assert_int_equal(b->window.form, FORM_FUNCTION);
    assert_int_equal(b->ops, 64);
    assert_int_equal(b->window.grain, 8);
    assert_int_equal(b->window.most_ops, 128);
    assert_int_equal(b->needs.room_bytes, 8u << 20);
    assert_int_equal(b->needs.platform, NEED_RING0);
    assert_true(b->window.not_doubled && b->window.cold && b->proof.may_be_elided &&
                b->proof.errors_are_wrong);
    assert_int_equal(b->shown.base_per_op, 8);
    assert_true(b->proof.least_instructions == 2.5 && out.code.truth == 3);
    assert_ptr_equal(out.code.elf, &e);
    for (unsigned f = 0; f < BENCH_CODE_FIELDS; f++) {
        assert_int_equal(out.code.at[f].section, ROWS_CODE);
        assert_int_equal(out.code.at[f].offset, 16 * f);
    }
}

TEST(fields_that_are_left_out_are_zero)
{
    assert_true(reads_made());
    assert_string_equal(out.bench.suite, "mine");
    assert_true(!out.bench.shown.compared_with && !out.bench.shown.base_unit &&
                !out.bench.needs.platform);
    assert_true(!out.bench.window.not_doubled && !out.bench.window.cold &&
                !out.bench.proof.may_be_elided);
    assert_true(out.bench.proof.least_instructions == 0);
    for (unsigned f = BENCH_CODE_EMPTY; f < BENCH_CODE_FIELDS; f++)
        assert_int_equal(out.code.at[f].section, 0);
}

/* The longest texts, the largest numbers. */
TEST(options_at_their_limits_are_accepted)
{
    char name[OBJECT_NAME_MOST + 1] = "", what[OBJECT_WHAT_MOST + 1] = "";

    memset(name, 'n', OBJECT_NAME_MOST);
    memset(what, '~', OBJECT_WHAT_MOST);
    in[0].name = made_text(name);
    in[0].what = made_text(what);
    in[0].row.ops = in[0].row.grain = OBJECT_OPS_MOST;
    in[0].row.most_ops = 2 * OBJECT_OPS_MOST;
    in[0].row.least_instructions = in[0].row.truth = nextafter(1e18, 0);
    assert_true(reads_made());
    assert_string_equal(out.bench.name, name);
    assert_string_equal(out.bench.what, what);
}

/* Of before `args`, `before` and least_instructions: a shorter struct, after which another object's
 * bytes come; and a limit of time, whatever it is. */
TEST(an_older_object_is_read)
{
    in[0].row.size = offsetof(struct baretick_row, args);
    in[0].row.args = (struct baretick_args){.from = 1, .to = 2, .step = 1};
    assert_true(reads_made());
    assert_int_equal(args.count, 0);
    in[0].row.size = sizeof in[0].row;
    assert_true(reads_made());
    assert_int_equal(args.count, 2);
    in[0].row.args.step = 0;
    assert_false(reads_made());
    in[0].row.size = offsetof(struct baretick_row, before);
    in[0].row.least_instructions = 7;
    in[0].before = (struct made_pointer){ROWS_CODE, 16};
    assert_true(reads_made());
    assert_true(out.bench.proof.least_instructions == 7);
    assert_int_equal(out.code.at[BENCH_CODE_BEFORE].section, 0);
    in[0].row.size = offsetof(struct baretick_row, least_instructions);
    in[0].row.floor = -1;
    assert_true(reads_made());
    assert_true(out.bench.proof.least_instructions == 0);
    in[0].row.size -= 8;
    assert_false(reads_made());
}

TEST(each_row_of_several_is_read)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    size_t n;

    for (unsigned i = 0; i < 7; i++)
        in[i] = good_row(i, names[i]);
    in[3].row.version = 2;
    made_rows(&m, in, 7);
    open_object();
    assert_true(object_rows_count(&e, &n, text_sink()));
    assert_int_equal(n, 7);
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(reads(i), i != 3);
        if (i != 3)
            assert_string_equal(out.bench.name, names[i]);
    }
}

/* --- the list --------------------------------------------------------------------------------- */

static void not_counted(const char *words)
{
    size_t n = 1;

    assert_false(object_rows_count(&e, &n, text_sink()));
    assert_int_equal(n, 0);
    if (strncmp(text, "mine.o: ", 8) != 0 || !strstr(text, words))
        fail_msg("\"%s\" does not say \"%s\"", text, words);
}

TEST(the_list_is_checked)
{
    static const struct {
        unsigned section, at;
        uint64_t value;
        const char *words;
    } bad[] = {
        {ROWS_LIST, 32, 0, "not a list of pointers: 0 bytes"},
        {ROWS_LIST, 32, 7, "not a list of pointers: 7 bytes"},
        {ROWS_LIST, 8, 0, "not allocated"},
    };
    EACH_CASE (c, bad) {
        made_rows(&m, in, 1);
        memset(header(m.at_end + 3) + 4, 0, 4); /* no relocations where there is no room for them */
        put_le(header(c->section) + c->at, c->value, 8);
        open_object();
        not_counted(c->words);
    }
    made_rows(&m, in, 1);
    memcpy(header(ROWS_DATA), header(ROWS_LIST), 4); /* its name */
    open_object();
    not_counted("2 sections baretick_rows_v1; one is allowed");
    assert_false(object_rows_read(&e, 0, "mine", &out, &args, text_sink()));

    made_rows(&m, in, 1);
    memcpy(header(ROWS_LIST), header(ROWS_DATA), 4);
    open_object();
    not_counted("it has no rows: section baretick_rows_v1, with a pointer to each, is not there");
}

TEST(pointers_to_rows_are_followed)
{
    in[0].at.symbol = 0;
    refused("mine.o: row 1: ", "its pointer is NULL");
    in[0].at = (struct made_pointer){ROWS_BSS, 0};
    refused("mine.o: row 1: ", "leads to no struct baretick_row");
    in[0].at = (struct made_pointer){ROWS_DATA, 9};
    refused("mine.o: row 1: ", "leads to no struct baretick_row");
    in[0].at = (struct made_pointer){ROWS_OUTSIDE, 0};
    refused("mine.o: ", "the pointer to memset leads out of the object");
    in[0].at = (struct made_pointer){ROWS_STRUCTS, sizeof(struct baretick_row) + 1};
    refused("mine.o: ", "leads out of the object");
    in[0].at = (struct made_pointer){ROWS_STRUCTS, -1};
    refused("mine.o: ", "leads out of the object");
    in[0].at.symbol = 0;
    made_rows(&m, in, 1);
    put_le(m.bytes + le64(header(ROWS_LIST) + 24), 0x1000, 8);
    open_object();
    assert_false(reads(0));
    assert_says(text, "mine.o: row 1: ", "pointer", "0x1000", "out of the object");
}

/* --- a row ------------------------------------------------------------------------------------ */

TEST(another_struct_is_refused)
{
    in[0].row.version = 2;
    refused("mine.o: row 1: ", "version 2; this program knows version 1");
    begin();
    in[0].row.version = 0;
    refused("mine.o: row 1: ", "version 0; ");
    begin();
    in[0].row.size--;
    refused("mine.o: row 1: ", "its struct has 223 bytes; version 1 has 224, 144, 136 or 128");
    begin();
    made_rows(&m, in, 1);
    put_le(header(ROWS_STRUCTS) + 32, sizeof(struct baretick_row) - 1, 8);
    open_object();
    assert_false(reads(0));
    assert_says(text, "mine.o: row 1: ", "struct", "out of the section");
}

TEST(rows_with_an_invalid_text_are_refused)
{
    char longer[OBJECT_WHAT_MOST + 2] = "";

    in[0].name.symbol = 0;
    refused("mine.o: row 1: ", "it has no name");
    in[0].name = made_text("a row");
    refused("mine.o: row 1: ", "suite and name are made of letters, digits, _ and -");
    in[0].name = made_text("");
    refused("mine.o: row 1: ", "its name must be 1 to 40 printable characters");
    in[0].name = (struct made_pointer){ROWS_BSS, 0};
    refused("mine.o: row 1: ", "its name must be 1 to 40");
    memset(longer, 'x', OBJECT_NAME_MOST + 1);
    in[0].name = made_text(longer);
    refused("mine.o: row 1: ", "its name must be 1 to 40");
    in[0].what.symbol = 0;
    refused_row("it does not say what one operation is");
    memset(longer, 'x', sizeof longer - 1);
    in[0].what = made_text(longer);
    refused_row("what must be 1 to 100 printable characters");
    in[0].what = made_text("\033[2J");
    refused_row("what must be 1 to 100");
    in[0].what = made_text("\x7f");
    refused_row("what must be 1 to 100");
    in[0].what = (struct made_pointer){ROWS_TEXTS, (int64_t)made_texts_size};
    refused_row("what must be 1 to 100");
    in[0].what = made_text("without NUL");
    made_texts_size--;
    refused_row("what must be 1 to 100");
    in[0].suite = made_text("a/b");
    refused_row("suite and name are made of letters, digits, _ and -");
    in[0].compared_with = made_text("a b");
    refused_row("suite and name are made of letters");
    in[0].compared_with = made_text("row");
    refused_row("compared_with names the row itself");
    in[0].unit = made_text("\n");
    refused_row("unit must be 1 to 40 printable characters");
    in[0].what = (struct made_pointer){ROWS_TEXTS, -5};
    refused("mine.o: ", "leads out of the object");
}

TEST(numbers_are_checked)
{
#define NUMBER(field_, value_, words_)                                                             \
    do {                                                                                           \
        in[0].row.field_ = value_;                                                                 \
        refused_row(words_);                                                                       \
    } while (0)
    NUMBER(ops, 0, "ops is 0; 1 to 1000000 are allowed");
    NUMBER(ops, OBJECT_OPS_MOST + 1, "ops is 1000001; 1 to 1000000 are allowed");
    NUMBER(grain, 7, "ops is 100, which is not a multiple of its grain, 7");
    NUMBER(grain, 200, "not a multiple of its grain, 200");
    NUMBER(most_ops, 199, "most_ops is 199; twice its ops (200) or more are needed");
    in[0].row.flags = BARETICK_NOT_DOUBLED;
    NUMBER(most_ops, 99, "most_ops is 99; its ops (100) or more are needed");
    NUMBER(room, BARETICK_ROOM_MOST + 1, "room is 8388609 bytes; at most 8388608 are allowed");
    NUMBER(room, UINT32_MAX, "at most 8388608 are allowed");
    NUMBER(needs, 2, "needs has bits that this version does not know");
    NUMBER(flags, 8, "flags or reserved has bits that this version does not know");
    NUMBER(reserved, 1, "flags or reserved has bits");
    NUMBER(least_instructions, -0.5, "least_instructions is a number: 0 or above");
    NUMBER(least_instructions, (double)NAN, "least_instructions is a number");
    NUMBER(least_instructions, (double)INFINITY, "least_instructions is a number");
    NUMBER(truth, -1, "truth is cycles: 0 or above");
    NUMBER(truth, -(double)NAN, "truth is cycles");
    NUMBER(truth, 1e18, "0 or above, and below 1e18");
    NUMBER(truth, 1e308, "0 or above, and below 1e18");
    NUMBER(least_instructions, 1e308, "0 or above, and below 1e18");
    NUMBER(units, 8, "unit and units belong together: one of them is not given");
    in[0].unit = made_text("byte");
    refused_row("unit and units belong together");
}

TEST(functions_are_checked)
{
    in[0].body.symbol = 0;
    refused_row("it has no body");
#define POINTER(field_, words_, ...)                                                               \
    do {                                                                                           \
        in[0].field_ = (struct made_pointer){__VA_ARGS__};                                         \
        refused_row(words_);                                                                       \
    } while (0)
    POINTER(body, "body points to data, not to a function", ROWS_DATA, 0);
    POINTER(empty, "empty points to data, not to a function", ROWS_TEXTS, 0);
    POINTER(setup, "setup points to data, not to a function", ROWS_BSS, 0);
    POINTER(check, "check points to data, not to a function", ROWS_STRUCTS, 0);
    POINTER(before, "before points to data, not to a function", ROWS_DATA, 8);
    in[0].body = (struct made_pointer){ROWS_OUTSIDE, 0};
    refused("mine.o: .data.rel.ro+0x20: ", "the pointer to memset leads out of the object");
    in[0].check = (struct made_pointer){ROWS_CODE, 81};
    refused("mine.o: .data.rel.ro+0x50: ", "leads out of the object");
    made_rows(&m, in, 1);
    put_le(m.bytes + le64(header(ROWS_STRUCTS) + 24) + offsetof(struct baretick_row, setup),
           0xfee00000, 8);
    open_object();
    assert_false(reads(0));
    assert_says(text, "mine.o: row row: ", "setup", "0xfee00000", "out of the object");
}
