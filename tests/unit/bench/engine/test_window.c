/* A body's copies; windows found again by an address in them: their tags, and the gaps between. */
#include "tests/unit/cmocka_unit.h"
#include "bench/engine/window.h"
#include "tests/unit/bench/made_units.h"

static uint8_t buffer[PLATFORM_CODE_SIZE];
static struct platform platform = {.code.at = buffer};

static size_t build(struct code *c, const char *name)
{
    struct window_spec spec = {.recipe = RECIPE_LFENCE, .name = name};
    window_fn fn = code_window(c, &spec);
    const uint8_t *entry;

    memcpy(&entry, &fn, sizeof entry);
    return (size_t)(entry - buffer);
}

TEST(an_address_is_found_in_its_window)
{
    struct code code = {.p = &platform};
    size_t first = build(&code, "suite/row/E"), end = code.used;
    size_t second = build(&code, "suite/row/B"), last = code.used - 1, offset = 99;

    assert_true(window_holds(buffer, first, "suite/row/E", &offset));
    assert_int_equal(offset, 0);
    assert_true(window_holds(buffer, last, "suite/row/B", &offset));
    assert_int_equal(offset, last - second);
    assert_false(window_holds(buffer, last, "suite/row/E", &offset));
    assert_false(window_holds(buffer, second - 2, "suite/row/E", &offset)); /* in the gap */
    assert_true(second - 2 > end);
    assert_false(window_holds(buffer, first, "suite/other/E", &offset));
    assert_false(window_holds(buffer, PLATFORM_CODE_SIZE - 1, "suite/row/B", &offset));
}

/* All except its tag, and the code that enters and leaves it. */
TEST(the_stepped_code_is_between_entry_and_exit)
{
    static UNIT_OF(history, 2, 0xf8, 0xf9);
    static UNIT_OF(body, 1, 0x91);
    static const uint8_t part[] = {0xf8, 0xf9, 0x90, 0x91, 0x91, 0x91, 0x90};
    struct window_spec spec = {.recipe = RECIPE_LFENCE,
                               .name = "x",
                               .before = &unit_history,
                               .unit = &unit_body,
                               .copies = 3};
    struct code code = {.p = &platform};
    const uint8_t *from, *to;
    assert_non_null(code_window(&code, &spec));
    from = code.part.from;
    to = code.part.to;
    assert_int_equal(to - from, sizeof part);
    assert_memory_equal(from, part, sizeof part);
    assert_int_equal(from[-1], unit_window_enter.code[0]);
    assert_int_equal(*to, unit_window_leave.code[0]);
    assert_ptr_equal(to + unit_window_leave.size, buffer + code.used);
}

static UNIT_OF(one, 1, 0x90);
static UNIT_OF(three, 3, 0x48, 0x83, 0xc7);
static UNIT_OF(nine, 9, 0x48, 0x83, 0xc7, 0x01, 0x90, 0xf8, 0xf9, 0x91, 0x92);

/* Of any length, up to the buffer's end; nothing after the window is touched. */
TEST(copies_follow_each_other)
{
    static const struct unit *const units[] = {&unit_one, &unit_three, &unit_nine};

    for (size_t u = 0; u < 3; u++)
        for (uint32_t copies = 0; copies < 70; copies++) {
            const struct unit *unit = units[u];
            struct window_spec spec = {
                .recipe = RECIPE_LFENCE, .name = "x", .unit = unit, .copies = copies};
            struct code code = {.p = &platform};
            memset(buffer, 0xee, sizeof buffer);
            window_fn fn = code_window(&code, &spec);
            const uint8_t *entry, *body;
            memcpy(&entry, &fn, sizeof entry);
            body = entry + window_body(&spec);
            for (size_t i = 0; i < unit->size * copies; i++)
                assert_int_equal(body[i], unit->code[i % unit->size]);
            assert_int_equal(buffer[code.used], 0xee);

            /* At the last line on which it fits, and a byte too late for that line. */
            size_t last = (PLATFORM_CODE_SIZE - (code.used - (size_t)(body - buffer))) / 64 * 64;
            code.used = last - window_body(&spec);
            assert_non_null(code_window(&code, &spec));
            code.used = last - window_body(&spec) + 1;
            assert_null(code_window(&code, &spec));
        }
}

/* Neither measured nor stepped. The value of `arg` is in its field. */
TEST(code_after_the_window_is_between_the_second_reading_and_the_exit)
{
    static UNIT_OF(after, 1, 0x92);
    static const struct unit with_arg = {5, 1, FIXUP_ARG, {0xb9, 0, 0, 0, 0}};
    static const uint8_t part[] = {0x90, 0xb9, 0x44, 0x33, 0x22, 0x11, 0x90};
    struct window_spec spec = {.recipe = RECIPE_LFENCE,
                               .name = "x",
                               .after = &unit_after,
                               .unit = &with_arg,
                               .arg = 0x11223344,
                               .copies = 1};
    struct code code = {.p = &platform};
    const uint8_t *to;

    assert_non_null(code_window(&code, &spec));
    to = code.part.to;
    assert_memory_equal(to - sizeof part, part, sizeof part);
    assert_int_equal(*to, 0x92);
    assert_int_equal(to[1], unit_window_leave.code[0]);
}
