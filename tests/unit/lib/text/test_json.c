#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

#include <float.h>
#include "lib/text/bytes.h"
#include "tests/unit/text.h"

static struct json j;

static void begin(void)
{
    json_begin(&j, text_sink(), 7, "row");
}

/* Ends the record, checks its frame and crc, and compares the text between the type and the crc. */
static void expect(const char *members)
{
    const char *head = "{\"baretick\":1,\"seq\":7,\"type\":\"row\"";

    json_end(&j);
    size_t n = strlen(text), tail = strlen(",\"crc\":\"00000000\"}\r\n");
    assert_true(n >= strlen(head) + tail);
    assert_memory_equal(text, head, strlen(head));
    char crc[40];
    snprintf(crc, sizeof crc, ",\"crc\":\"%08x\"}\r\n", crc32_update(0, text, n - tail));
    assert_string_equal(text + n - tail, crc);
    text[n - tail] = '\0';
    assert_string_equal(text + strlen(head), members);
}

TEST(an_empty_record_has_frame_and_crc)
{
    begin();
    expect("");
    /* The crc as another program computes it: Python's zlib.crc32. */
    begin();
    json_end(&j);
    assert_string_equal(text,
                        "{\"baretick\":1,\"seq\":7,\"type\":\"row\",\"crc\":\"a49b1f19\"}\r\n");
}

TEST(a_line_of_a_tool_has_no_frame)
{
    struct sink *out = text_sink();

    json_line_begin(&j, out);
    json_str(&j, "file", "a b");
    json_array(&j, "x");
    json_object(&j, NULL);
    json_u64(&j, "y", 1);
    json_line_end(&j);
    json_line_begin(&j, out);
    json_line_end(&j);
    assert_string_equal(text, "{\"file\":\"a b\",\"x\":[{\"y\":1}]}\n{}\n");
}

TEST(values_of_each_type_are_written)
{
    begin();
    json_u64(&j, "a", 0);
    json_u64(&j, "b", UINT64_MAX);
    json_i64(&j, "c", INT64_MIN);
    json_i64(&j, "d", INT64_MAX);
    json_bool(&j, "e", true);
    json_bool(&j, "f", false);
    json_str(&j, "g", "x");
    expect(
        ",\"a\":0,\"b\":18446744073709551615,\"c\":-9223372036854775808,\"d\":9223372036854775807,"
        "\"e\":true,\"f\":false,\"g\":\"x\"");
}

TEST(zero_is_left_out_where_asked)
{
    begin();
    json_nonzero(&j, "a", 0);
    json_nonzero(&j, "b", 7);
    expect(",\"b\":7");
}

TEST(arrays_and_objects_nest)
{
    begin();
    json_array(&j, "hist");
    for (uint64_t i = 0; i < 2; i++)
        json_u64s(&j, (const uint64_t[]){i, 10 * i}, 2);
    json_close(&j);
    json_object(&j, "per_op");
    json_object(&j, "empty");
    json_close(&j);
    json_array(&j, "none");
    json_close(&j);
    json_u64(&j, "x", 1);
    json_close(&j);
    json_u64(&j, "last", 2);
    json_close(&j); /* the record itself is not closed by it */
    json_u64(&j, "more", 3);
    expect(",\"hist\":[[0,0],[1,10]],\"per_op\":{\"empty\":{},\"none\":[],\"x\":1},\"last\":2,"
           "\"more\":3");
}

TEST(json_end_closes_all_open_objects)
{
    begin();
    json_object(&j, "a");
    json_array(&j, "b");
    json_object(&j, NULL);
    json_u64(&j, "c", 1);
    expect(",\"a\":{\"b\":[{\"c\":1}]}");
    begin();
    for (int i = 1; i < JSON_DEPTH; i++)
        json_array(&j, i == 1 ? "a" : NULL);
    expect(",\"a\":[[[[[[[]]]]]]]");
}

TEST(strings_are_escaped)
{
    begin();
    json_str(&j, "a", "\"\\/ \n\r\t\x01\x1f\x7f");
    json_str(&j, "b", "caf\xc3\xa9 \xf0\x9f\x98\x80");
    json_str(&j, "c", "caf\xe9 \xc3 \xff\xfe");
    json_str(&j, "d", "");
    json_str(&j, "e", NULL); /* not known: left out */
    json_array(&j, "f");
    json_str(&j, NULL, NULL);
    json_close(&j);
    expect(",\"a\":\"\\\"\\\\/ \\u000a\\u000d\\u0009\\u0001\\u001f\\u007f\","
           "\"b\":\"caf\xc3\xa9 \xf0\x9f\x98\x80\",\"c\":\"caf\\u00e9 \\u00c3 "
           "\\u00ff\\u00fe\",\"d\":\"\","
           "\"f\":[null]");
}

TEST(doubles_have_no_trailing_zeros)
{
    double zero = 0;

    begin();
    json_f64(&j, "a", 1.5, 3);
    json_f64(&j, "b", 100, 2);
    json_f64(&j, "c", -0.0004, 3);
    json_f64(&j, "d", 2.0 / 3, 4);
    json_f64(&j, "e", 1000, 0);
    json_f64(&j, "f", 1e20, 2);
    json_f64(&j, "g", zero / zero, 2);
    json_f64(&j, "h", 1 / zero, 2);
    json_f64(&j, "i", -1 / zero, 2);
    json_f64(&j, "j", -123456789012345678.0, 9);
    json_array(&j, "k");
    json_f64(&j, NULL, zero / zero, 1);
    json_f64(&j, NULL, 0.5, 1);
    json_close(&j);
    expect(",\"a\":1.5,\"b\":100,\"c\":0,\"d\":0.6667,\"e\":1000,\"f\":1.000e+20,"
           "\"j\":-123456789012345680,\"k\":[null,0.5]");
}

/* --- against a shape -------------------------------------------------------------------------- */

static const struct json_field fields[] = {
    {"row.name", JSON_STRING, JSON_SOMETIMES},
    {"row.ops", JSON_ABOVE_0, JSON_SOMETIMES},
    {"row.ticks", JSON_OBJECT, JSON_SOMETIMES},
    {"row.ticks.mean", JSON_NUMBER, JSON_SOMETIMES},
    {"row.modes", JSON_ARRAY(JSON_OBJECT), JSON_SOMETIMES},
    {"row.modes[].share", JSON_NUMBER, JSON_SOMETIMES},
    {"row.modes[].at", JSON_ARRAY(JSON_NUMBER | JSON_NULL), JSON_SOMETIMES},
    {"row.hist", JSON_ARRAY(JSON_TUPLE(2, JSON_INTEGER)), JSON_SOMETIMES},
    {"row.by.*", JSON_STRING | JSON_NUMBER, JSON_SOMETIMES},
    {"row.by", JSON_OBJECT, JSON_SOMETIMES},
    {"run.name", JSON_INTEGER, JSON_SOMETIMES},
};
static const struct json_shape shape = {fields, COUNT_OF(fields)};
static struct json_check checked;

static void begin_checked(void)
{
    begin();
    checked = (struct json_check){.shape = &shape};
    json_expect(&j, &checked, "row");
}

TEST(a_record_of_the_declared_shape_has_no_complaint)
{
    begin_checked();
    json_object(&j, "by"); /* in any order */
    json_u64(&j, "x", 1);
    json_str(&j, "y", "auto");
    json_close(&j);
    json_str(&j, "name", "a");
    json_u64(&j, "ops", 3);
    json_object(&j, "ticks");
    json_f64(&j, "mean", 1.5, 2);
    json_close(&j);
    json_array(&j, "modes");
    for (int i = 0; i < 2; i++) {
        json_object(&j, NULL);
        json_array(&j, "at");
        json_f64(&j, NULL, 2, 2);
        json_unknown(&j);
        json_close(&j);
        json_f64(&j, "share", 0.25, 2);
        json_close(&j);
    }
    json_close(&j);
    json_array(&j, "hist");
    json_array(&j, NULL);
    json_u64(&j, NULL, 1);
    json_close(&j);
    json_end(&j);
    assert_string_equal(checked.odd, "");
}

/* Each writes one member that the shape does not have. */
static void odd_name(void)
{
    json_u64(&j, "new", 1);
}

static void odd_type(void)
{
    json_u64(&j, "name", 1);
}

static void odd_member(void)
{
    json_object(&j, "ticks");
    json_bool(&j, "mean", true);
}

static void odd_place(void)
{
    json_object(&j, "ticks");
    json_close(&j);
    json_u64(&j, "mean", 1);
}

static void odd_fraction(void)
{
    json_f64(&j, "ops", 1.5, 2);
}

static void odd_element(void)
{
    json_array(&j, "modes");
    json_object(&j, NULL);
    json_array(&j, "at");
    json_str(&j, NULL, "x");
}

static void odd_depth(void)
{
    json_array(&j, "hist");
    json_u64(&j, NULL, 1);
}

static void odd_array(void)
{
    json_array(&j, "name");
}

TEST(undeclared_fields_are_named)
{
    static const struct {
        void (*write)(void);
        const char *odd;
    } cases[] = {
        {odd_name, "row.new (integer) is not declared"},
        {odd_type, "row.name (integer) is declared as string"},
        {odd_member, "row.ticks.mean (boolean) is declared as number"},
        {odd_place, "row.mean (integer) is not declared"},
        {odd_fraction, "row.ops (number) is declared as integer"},
        {odd_element, "row.modes[].at[] (string) is declared as number or null"},
        {odd_depth, "row.hist[] (integer) is declared as array"},
        {odd_array, "row.name (array) is declared as string"},
    };
    EACH_CASE (c, cases) {
        begin_checked();
        c->write();
        json_u64(&j, "second", 1); /* the first one is kept */
        json_end(&j);
        assert_string_equal(checked.odd, c->odd);
    }
}

/* Objects with some of these members. */
enum { ALWAYS = 1, MAYBE = 2, WITH = 4, WITHOUT = 8 };

TEST(missing_fields_are_named_when_their_object_is_closed)
{
    static const struct {
        unsigned written;
        const char *odd;
    } cases[] = {
        {ALWAYS | MAYBE | WITH, ""},
        {ALWAYS | WITHOUT, ""},
        {MAYBE | WITH, "row.part.always is missing, but is declared \"always\""},
        {ALWAYS | MAYBE, "row.part.with is missing, but is declared \"with maybe\""},
        {ALWAYS | WITH | WITHOUT, "row.part.with is written, but is declared \"with maybe\""},
        {ALWAYS, "row.part.without is missing, but is declared \"without maybe\""},
        {ALWAYS | MAYBE | WITH | WITHOUT,
         "row.part.without is written, but is declared \"without maybe\""},
    };
    static const struct json_field members[] = {
        {"row.part", JSON_OBJECT, JSON_SOMETIMES},
        {"row.part.always", JSON_INTEGER, JSON_ALWAYS},
        {"row.part.maybe", JSON_INTEGER, JSON_SOMETIMES},
        {"row.part.with", JSON_INTEGER, JSON_WITH("maybe")},
        {"row.part.without", JSON_INTEGER, JSON_WITHOUT("maybe")},
    };
    static const struct json_shape part = {members, COUNT_OF(members)};
    static const char *const names[] = {"always", "maybe", "with", "without"};

    EACH_CASE (c, cases) {
        begin();
        checked = (struct json_check){.shape = &part};
        json_expect(&j, &checked, "row");
        json_object(&j, "part");
        for (unsigned k = 0; k < 4; k++)
            if (c->written >> k & 1)
                json_u64(&j, names[k], k);
        json_close(&j);
        json_end(&j);
        assert_string_equal(checked.odd, c->odd);
    }
}

/* A member of one object says nothing about the next: an element of an array, or a record. */
TEST(each_object_must_have_its_own_members)
{
    static const struct json_field members[] = {
        {"row.list", JSON_ARRAY(JSON_OBJECT), JSON_ALWAYS},
        {"row.list[].x", JSON_INTEGER, JSON_ALWAYS},
    };
    static const struct json_shape list = {members, COUNT_OF(members)};

    checked = (struct json_check){.shape = &list};
    begin();
    json_expect(&j, &checked, "row");
    json_array(&j, "list");
    json_object(&j, NULL);
    json_u64(&j, "x", 1);
    json_close(&j);
    assert_string_equal(checked.odd, "");
    json_object(&j, NULL);
    json_end(&j);
    assert_string_equal(checked.odd, "row.list[].x is missing, but is declared \"always\"");
    checked = (struct json_check){.shape = &list};
    for (int i = 0; i < 2; i++) {
        begin();
        json_expect(&j, &checked, "row");
        if (i == 0)
            json_array(&j, "list");
        json_end(&j);
        assert_string_equal(checked.odd,
                            i == 0 ? "" : "row.list is missing, but is declared \"always\"");
    }
}

/* A string in pieces is the string, for the checks and the crc too. */
TEST(a_text_is_a_string)
{
    struct json_text piece;
    static char whole[sizeof text];

    begin();
    json_str(&j, "a", "one two");
    json_end(&j);
    memcpy(whole, text, sizeof whole);
    begin();
    json_text_begin(&piece, &j, "a");
    fmt(&piece.sink, "one%s", " ");
    fmt(&piece.sink, "%s", "two");
    json_text_end(&piece);
    json_end(&j);
    assert_string_equal(text, whole);
    begin_checked();
    json_text_begin(&piece, &j, "none");
    json_text_end(&piece);
    assert_non_null(strstr(checked.odd, "row.none (string) is not declared"));
}

TEST(decimals_follow_the_width)
{
    assert_int_equal(json_decimals(0.025, 3), 3); /* 25 units of the last one */
    assert_int_equal(json_decimals(0.2, 3), 2);
    assert_int_equal(json_decimals(0.19, 3), 3);
    assert_int_equal(json_decimals(11.5, 3), 1);
    assert_int_equal(json_decimals(20, 3), 0);
    assert_int_equal(json_decimals(1e300, 3), 0);
    assert_int_equal(json_decimals(0, 3), 3); /* an exact figure */
    assert_int_equal(json_decimals(__builtin_nan(""), 1), 1);
}

/* Names that do not fit into their path are reported, and written nevertheless. */
TEST(long_names_are_written)
{
    static char name[3 * JSON_PATH];

    memset(name, 'n', sizeof name - 1);
    begin_checked();
    for (int i = 2; i < JSON_DEPTH; i++)
        json_object(&j, name);
    json_u64(&j, name, 1);
    json_end(&j);
    assert_memory_equal(checked.odd, "row.nnnn", 8);
    assert_non_null(strstr(text, name));
}
