/* Windows found again by an address in them: their tags, and the gaps between. */
#include "tests/unit/unit.h"
#include <string.h>
#include "bench/window/window.c"
#include "tests/unit/made_units.h"

static uint8_t buffer[PLATFORM_CODE_SIZE];
static struct platform platform = {.code = buffer};

static size_t build(struct code *c, const char *name)
{
    struct window_spec spec = {.recipe = RECIPE_LFENCE, .name = name};
    window_fn fn = code_window(c, &spec);
    const uint8_t *entry;
    memcpy(&entry, &fn, sizeof entry);
    return (size_t)(entry - buffer);
}

static void an_address_is_found_in_its_window(void **state)
{
    struct code code = {&platform, 0};
    size_t first = build(&code, "suite/row/E"), end = code.used;
    size_t second = build(&code, "suite/row/B"), last = code.used - 1, behind = 99;
    (void)state;
    assert_true(window_holds(buffer, first, "suite/row/E", &behind));
    assert_int_equal(behind, 0);
    assert_true(window_holds(buffer, last, "suite/row/B", &behind));
    assert_int_equal(behind, last - second);
    assert_false(window_holds(buffer, last, "suite/row/E", &behind));
    assert_false(window_holds(buffer, second - 2, "suite/row/E", &behind)); /* in the gap */
    assert_true(second - 2 > end);
    assert_false(window_holds(buffer, first, "suite/other/E", &behind));
    assert_false(window_holds(buffer, PLATFORM_CODE_SIZE - 1, "suite/row/B", &behind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_address_is_found_in_its_window)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
