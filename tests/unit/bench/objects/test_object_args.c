/* Arguments of a user row: the values of a range, refused ones, the row of one value. */
#include "bench/objects/object_args.h"
#include "tests/unit/says.h"
#include "tests/unit/text.h"

static struct object_args values;

static bool lists(struct baretick_args args)
{
    bool ok = object_args_list(&args, &values, text_sink());

    assert_true(ok == (text[0] == '\0'));
    return ok;
}

#define ARGS(...) ((struct baretick_args){__VA_ARGS__})
#define ARE(args_, ...)                                                                            \
    do {                                                                                           \
        const uint32_t expected[] = {__VA_ARGS__};                                                 \
        if (!lists(args_))                                                                         \
            fail_msg("%s", text);                                                                  \
        assert_int_equal(values.count, COUNT_OF(expected));                                        \
        assert_memory_equal(values.value, expected, sizeof expected);                              \
    } while (0)

TEST(a_range_multiplies_as_google_benchmarks)
{
    ARE(ARGS(.from = 8, .to = 8192, .multiply = 8), 8, 64, 512, 4096, 8192);
    ARE(ARGS(.from = 10, .to = 100, .multiply = 2), 10, 16, 32, 64, 100);
    ARE(ARGS(.to = 8, .multiply = 2), 0, 1, 2, 4, 8);
    ARE(ARGS(.from = 1, .to = UINT32_MAX, .multiply = 65536), 1, 65536, UINT32_MAX);
    ARE(ARGS(.from = 5, .to = 6, .multiply = 2), 5, 6);
}

TEST(a_range_goes_in_steps)
{
    ARE(ARGS(.from = 10, .to = 40, .step = 10), 10, 20, 30, 40);
    ARE(ARGS(.to = 5, .step = 2), 0, 2, 4, 5);
    ARE(ARGS(.from = 7, .to = UINT32_MAX, .step = UINT32_MAX), 7, UINT32_MAX);
}

TEST(a_list_is_sorted)
{
    ARE(ARGS(.list = {7, 3, 5, 3}), 3, 5, 7);
    ARE(ARGS(.list = {16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), 1, 2, 3, 4, 5, 6, 7,
        8, 9, 10, 11, 12, 13, 14, 15, 16);
    assert_true(lists(ARGS(0)) && values.count == 0);
}

TEST(a_wrong_range_is_refused_by_name)
{
    static const struct {
        struct baretick_args args;
        const char *words;
    } bad[] = {
        {{.from = 8, .to = 8, .multiply = 2}, "args.to is 8; more than args.from, 8, is allowed"},
        {{.from = 9, .to = 8, .step = 1}, "args.to is 8; more than args.from, 9"},
        {{.from = 8}, "args.to is 0; more than args.from, 8"},
        {{.multiply = 2}, "args.to is 0; more than args.from, 0"},
        {{.from = 1, .to = 8}, "args.multiply is 0; 2 and more are allowed, or args.step"},
        {{.from = 1, .to = 8, .multiply = 1}, "args.multiply is 1"},
        {{.from = 1, .to = 8, .multiply = 2, .step = 1}, "multiply and step; one of them"},
        {{.from = 1, .to = 8, .multiply = 2, .list = {1}}, "a list and a range; one of them"},
        {{.from = 1, .to = 33, .step = 1}, "more than 32 values"},
        {{.to = UINT32_MAX, .step = 1}, "more than 32 values"},
        {{.to = UINT32_MAX, .multiply = 2}, "more than 32 values"},
    };
    EACH_CASE (c, bad)
        if (lists(c->args) || !strstr(text, c->words))
            fail_msg("\"%s\" does not say \"%s\"", text, c->words);
    assert_true(lists(ARGS(.from = 1, .to = 32, .step = 1)) && values.count == 32);
}

static struct {
    struct bench bench;
    struct bench_code code;
    struct object_names names;
} row;

static bool applies(struct bench b, uint32_t arg)
{
    memset(&row, 0, sizeof row);
    row.bench = b;
    return object_args_apply(&row.bench, &row.code, &row.names, arg, text_sink());
}

TEST(an_argument_is_in_the_name_and_multiplies_the_base)
{
    assert_true(applies(
        (struct bench){.name = "copy", .shown.base_unit = "byte", .shown.base_per_op = 2}, 64));
    assert_string_equal(row.bench.name, "copy/64");
    assert_string_equal(row.code.args_of, "copy");
    assert_true(row.code.arg == 64 && row.bench.shown.base_per_op == 128 &&
                !row.bench.shown.compared_with);
    assert_true(applies((struct bench){.name = "a", .shown.compared_with = "b"}, UINT32_MAX));
    assert_string_equal(row.bench.name, "a/4294967295");
    assert_string_equal(row.bench.shown.compared_with, "b/4294967295");
    assert_true(
        applies((struct bench){.name = "a", .shown.base_unit = "byte", .shown.base_per_op = 2}, 0));
    assert_true(!row.bench.shown.base_unit && row.bench.shown.base_per_op == 0);
}

TEST(names_and_units_have_limits)
{
    static const char name[] = "a_name_of_38_bytes____________________";

    assert_true(applies((struct bench){.name = name}, 9));
    assert_false(applies((struct bench){.name = name}, 10));
    assert_says(text, "a_name_of_38_bytes____________________/10", "41 bytes", "40");
    assert_false(applies((struct bench){.name = "a", .shown.compared_with = name}, 10));
    assert_false(applies(
        (struct bench){.name = "a", .shown.base_unit = "b", .shown.base_per_op = 1u << 31}, 2));
    assert_non_null(strstr(text, "units is 2147483648"));
}
