/*
 * User objects as a run has them: which files are accepted, what joins the registry and in which
 * order, what is refused, and the messages.
 */
#include "tests/unit/text.h"
#include "bench/objects/objects.c" /* included: each test begins with empty lists */

/* The suites' object: none. */
__asm__(".pushsection .rodata\n"
        ".globl suites_object, suites_object_end\n"
        "suites_object: .ascii \"none\"\n"
        "suites_object_end:\n"
        ".popsection\n");

/* Included for the same reason; both files have `rows`. */
#define rows      registry_rows
#define rows_used registry_rows_used
#include "bench/api/registry.c"
#undef rows
#undef rows_used
#include "bench/api/platform.h"
#include "tests/unit/bench/made_rows.h"

static const struct unit no_unit = {.size = 0};
BENCH(own, first, .what = "the program's own", .window.form = FORM_STRAIGHT, .ops = 1,
      .window.unit = &no_unit);
BENCH(own, last, .what = "the program's own", .window.form = FORM_STRAIGHT, .ops = 1,
      .window.unit = &no_unit);

/* --- what is given ---------------------------------------------------------------------------- */

static struct made_row in[8];
static uint8_t *kept[OBJECTS_MOST + 2];
static unsigned keeps;

static void begin(void)
{
    while (keeps > 0)
        free(kept[--keeps]);
    memset(files, 0, sizeof files);
    memset(rows, 0, sizeof rows);
    files_used = rows_used = refusals = 0;
    left_out = NULL;
    registry_rows_used = 0;
    made_rows_begin();
}

BEFORE_EACH(begin);
AFTER_ALL(begin); /* frees the last objects */

static void give(const char *name, const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    kept[keeps++] = copy;
    objects_take(name, copy, size);
}

/* Returns the n rows that are prepared. */
static void give_rows(const char *name, unsigned n)
{
    static struct made m;

    made_rows(&m, in, n);
    give(name, m.bytes, m.size);
    made_rows_begin();
}

/* Rows that differ only in their numbers. */
static void give_many(const char *name, unsigned n)
{
    char row[8];

    for (unsigned i = 0; i < n; i++) {
        fmt_buf(row, sizeof row, "r%u", i);
        in[i] = good_row(i, row);
    }
    give_rows(name, n);
}

static void shows(const char *words)
{

    objects_show(text_sink());
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in:\n%s", words, text);
}

static const struct bench *registered(const char *suite, const char *name)
{
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i]->suite, suite) == 0 && strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

static size_t registered_rows(void)
{
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 1; i < n; i++)
        assert_true(precedes(all[i - 1], all[i]));
    return n;
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(files_are_chosen_by_name)
{
    assert_true(objects_want("on", "a.o") && objects_want("on", "A.O"));
    assert_false(objects_want("on", ".o") || objects_want("on", "a.obj") ||
                 objects_want("on", "ao"));
    assert_false(objects_want("off", "a.o"));
    assert_true(objects_want("b*,a?.o", "ab.o") && objects_want("b*,a?.o", "b.o"));
    assert_false(objects_want("b*,a?.o", "abc.o") || objects_want("*", "a.txt"));
}

TEST(rows_join_the_registry_in_order)
{
    assert_int_equal(registered_rows(), 2);
    in[0] = good_row(0, "z");
    in[1] = good_row(1, "a");
    in[1].suite = made_text("own");
    give_rows("one-two.o", 2);
    assert_int_equal(registered_rows(), 4);
    const struct bench *named = registered("one-two", "z"), *given = registered("own", "a");
    assert_true(named && given);
    assert_string_equal(objects_name_of(named), "one-two.o");
    assert_null(objects_name_of(registered("own", "first")));
    assert_ptr_equal(named->code->elf, &files[0].elf);
    assert_int_equal(named->code->at[BENCH_CODE_FUNCTION].section, ROWS_CODE);
    shows("object    one-two.o: ");
    shows(" bytes, 2 rows\r\n");
    assert_null(strstr(text, "refused"));
}

static bool selected(const char *names, const char *name)
{
    struct options o;

    options_default(&o);
    fmt_buf(o.bench, sizeof o.bench, "%s", names);
    return registry_selects(&o, registered("mine", name));
}

TEST(each_argument_is_a_row)
{
    in[0] = good_row(0, "sum");
    in[0].row.args = (struct baretick_args){.from = 8, .to = 512, .multiply = 8};
    in[1] = good_row(1, "sums");
    in[2] = good_row(2, "bad");
    in[2].row.args = (struct baretick_args){.from = 9, .to = 8, .step = 1};
    give_rows("mine.o", 3);
    assert_int_equal(rows_used, 4);
    shows("object    mine.o: ");
    shows("object refused: mine.o: row bad: args.to is 8; more than args.from, 9, is allowed");
    const struct bench *b = registered("mine", "sum/64");
    assert_non_null(b);
    assert_true(b->code->arg == 64 && strcmp(b->code->args_of, "sum") == 0);
    registered_rows();
    assert_null(registered("mine", "sum"));
    assert_true(selected("sum", "sum/8") && selected("sum", "sum/512"));
    assert_true(selected("sum/64", "sum/64") && !selected("sum/64", "sum/8"));
    assert_true(!selected("sum", "sums") && selected("sum*", "sums") && selected("sum/*", "sum/8"));
    assert_true(!b->code->args_of[3] && registered("mine", "sums")->code->args_of == NULL);
}

TEST(a_suite_is_named_after_its_file)
{
    in[0] = good_row(0, "r");
    give_rows("my hash (2).O", 1);
    assert_non_null(registered("my_hash__2_", "r"));
    in[0] = good_row(0, "r");
    give_rows("a-name-of-more-than-forty-letters-is-cut-to-forty.o", 1);
    assert_non_null(registered("a-name-of-more-than-forty-letters-is-cut", "r"));
}

/* The others of the object, and the other objects, are there. */
TEST(a_refused_row_leaves_the_others)
{
    give("none.o", "not an object", 13);
    in[0] = good_row(0, "good");
    in[1] = good_row(1, "good"); /* its name twice */
    in[2] = good_row(2, "bad");
    in[2].row.ops = 0;
    in[3] = good_row(3, "first"); /* the program's own */
    in[3].suite = made_text("own");
    in[4] = good_row(4, "better");
    give_rows("some.o", 5);
    assert_int_equal(registered_rows(), 4);
    assert_true(registered("some", "good") && registered("some", "better"));
    assert_null(registered("own", "first")->code);
    shows("object    none.o: 13 bytes, 0 rows\r\nobject    some.o: ");
    shows(" bytes, 2 rows\r\n");
    shows("object refused: none.o: not an ELF file\r\n");
    shows("object refused: some.o: row good of suite some: ");
    shows("object refused: some.o: row bad: ops is 0; ");
    shows("object refused: some.o: row first of suite own: ");
}

TEST(the_numbers_of_objects_and_rows_are_limited)
{
    char name[16];

    for (unsigned i = 0; i < 18; i++) {
        fmt_buf(name, sizeof name, "o%02u.o", i);
        give_many(name, 7);
    }
    assert_int_equal(rows_used, 126);
    give_many("last.o", 4);
    assert_int_equal(rows_used, OBJECTS_ROWS);
    assert_int_equal(registered_rows(), OBJECTS_ROWS + 2);
    shows("object refused: last.o: row r2: at most 128 rows are allowed, over all objects\r\n");
    shows("last.o: row r3: at most");

    begin();
    for (unsigned i = 0; i <= OBJECTS_MOST; i++) {
        fmt_buf(name, sizeof name, "o%02u.o", i);
        give_many(name, 1);
    }
    assert_int_equal(files_used, OBJECTS_MOST);
    assert_int_equal(rows_used, OBJECTS_MOST);
    shows("object refused: o32.o: at most 32 objects are allowed\r\n");
    assert_null(registered("o32", "r0"));
}

static unsigned count(const char *part)
{
    unsigned n = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

TEST(refusals_beyond_the_list_are_counted)
{
    char name[16];

    for (unsigned i = 0; i < OBJECTS_REFUSALS; i++) {
        fmt_buf(name, sizeof name, "f%u.o", i);
        objects_refuse(name, "cannot be read");
    }
    shows("object refused: f31.o: cannot be read\r\n");
    assert_int_equal(count("object refused: "), OBJECTS_REFUSALS);
    assert_int_equal(count("more, which are not listed"), 0);
    objects_refuse("f32.o", "cannot be read");
    objects_refuse("f33.o", "cannot be read");
    shows("object refused: and more, which are not listed\r\n");
    assert_int_equal(count("object refused: "), OBJECTS_REFUSALS + 1);

    struct report r;
    report_init(&r, text_sink(), FORMAT_TABLE);
    objects_tell(&r);
    assert_int_equal(r.failures, OBJECTS_REFUSALS + 1);
}

TEST(a_report_names_objects_rows_and_refusals)
{
    in[0] = good_row(0, "good");
    in[1] = good_row(1, "bad");
    in[1].row.room = UINT32_MAX;
    give_rows("mine.o", 2);
    objects_leave_out("kept out");
    struct report r;
    report_init(&r, text_sink(), FORMAT_JSONL);
    objects_tell(&r);
    assert_int_equal(r.failures, 1); /* an object that is left out is not a failure */
    assert_int_equal(count("\"type\":\"object\",\"file\":\"mine.o\",\"bytes\":"), 1);
    assert_int_equal(count("\"crc32\":"), 1);
    assert_int_equal(count("\"rows\":1,"), 1);
    assert_int_equal(count("\"kind\":\"warning\",\"message\":\"kept out\""), 1);
    assert_int_equal(
        count("\"kind\":\"error\",\"message\":\"object refused: mine.o: row bad: room is "
              "4294967295 bytes; at most 8388608 are allowed\""),
        1);
    shows("\r\nkept out\r\n");
}

TEST(the_registry_refuses_rows_that_it_cannot_hold)
{
    static struct bench many[REGISTRY_MOST];
    static char names[REGISTRY_MOST][8];
    const char *why = NULL;

    for (unsigned i = 0; i < REGISTRY_MOST - 2; i++) {
        fmt_buf(names[i], sizeof names[i], "n%u", i * 7919 % REGISTRY_MOST);
        many[i] = (struct bench){.suite = "many", .name = names[i]};
        assert_true(registry_add(&many[i], &why));
    }
    assert_null(why);
    assert_int_equal(registered_rows(), REGISTRY_MOST);
    const struct bench again = {.suite = "many", .name = "n5"},
                       more = {.suite = "more", .name = "n"};
    assert_false(registry_add(&again, &why));
    assert_string_equal(why, "a row with this suite and name exists");
    assert_false(registry_add(&more, &why));
    assert_string_equal(why, "the registry is full");
    assert_int_equal(registered_rows(), REGISTRY_MOST);
}

/* The usual size while rooms are small; after that, whole pages for the largest. */
TEST(the_data_buffer_has_the_largest_room)
{
    static const struct {
        uint32_t room;
        size_t more;
    } of[] = {{0, 0},
              {OBJECT_ROOM, 0},
              {OBJECT_ROOM + 1, OBJECT_ROOM + 4096},
              {BARETICK_ROOM_MOST, BARETICK_ROOM_MOST},
              {6u << 20, BARETICK_ROOM_MOST}};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    assert_int_equal(registry_data_size(), PLATFORM_DATA_SIZE);
    for (unsigned i = 0; i < 5; i++) {
        in[0] = good_row(0, names[i]);
        in[0].row.room = of[i].room;
        give_rows("room.o", 1);
        assert_int_equal(rows_used, i + 1);
        assert_int_equal(registry_data_size(), PLATFORM_DATA_SIZE + of[i].more);
    }
}

TEST(a_program_without_its_suites_fails)
{
    objects_open();
    assert_int_equal(refusals, 1);
    assert_string_equal(refusal[0], "the suites' object: not an ELF file");
}
