/* Boot entries, whole and cut, and the order without one of them. */
#include "lib/firmware/boot_source.h"

#include "tests/unit/cmocka_unit.h"

/* Attributes 1, a path of 4 bytes (an end node), "ab", load options of 3 bytes. */
static const uint8_t bytes[] = {1, 0, 0,    0,    4, 0, 'a', 0,   'b', 0,
                                0, 0, 0x7f, 0xff, 4, 0, 'x', 'y', 'z'};

static bool started(const char *description, const char *options)
{
    return boot_entry_started(bytes, sizeof bytes, description, options, strlen(options));
}

TEST(an_entry_has_its_description_and_load_options)
{
    static const char *const others[] = {"", "a", "abc", "Ab", "b"};
    uint8_t wide[sizeof bytes];

    assert_true(started("ab", "xyz") && started("ab", "xyz and what firmware adds"));
    assert_false(started("ab", "xy") || started("ab", "xyw") || started("ab", ""));
    EACH_CASE (c, others)
        assert_false(started(*c, "xyz"));
    memcpy(wide, bytes, sizeof wide);
    wide[7] = 1; /* U+0161: its low byte is an 'a' */
    assert_false(boot_entry_started(wide, sizeof wide, "ab", "xyz", 3));
}

TEST(an_entry_cut_anywhere_before_its_load_options_is_refused)
{
    for (size_t n = 0; n <= sizeof bytes; n++) {
        uint8_t *exact = malloc(n + (n == 0)); /* so that the sanitizer sees a read after its end */
        memcpy(exact, bytes, n);
        assert_int_equal(boot_entry_started(exact, n, "ab", "xyz", 3), n > sizeof bytes - 3);
        free(exact);
    }
}

TEST(a_path_longer_than_the_entry_is_refused)
{
    uint8_t long_path[sizeof bytes];

    memcpy(long_path, bytes, sizeof long_path);
    long_path[4] = 8;
    assert_false(boot_entry_started(long_path, sizeof long_path, "ab", "xyz", 3));
    long_path[4] = long_path[5] = 0xff;
    assert_false(boot_entry_started(long_path, sizeof long_path, "ab", "xyz", 3));
}

TEST(a_path_before_the_words_is_dropped)
{
    static const struct {
        const char *data, *left; /* one byte per character */
    } cases[] = {{"\\a b", "b"}, {"\\ b", "b"},  {"\\a ", ""}, {"\\ab", "\\ab"},
                 {"\\", "\\"},   {"a b", "a b"}, {"", ""}};

    EACH_CASE (c, cases)
        for (unsigned odd = 0; odd < 2; odd++) {
            size_t n = 10 + 4 + 2 * strlen(c->data) + odd, left = 2 * strlen(c->left) + odd;
            uint8_t *exact = calloc(1, n), options[16] = {0};
            memcpy(exact, bytes, 8); /* "a" */
            for (size_t at = 0; c->data[at]; at++)
                exact[14 + 2 * at] = (uint8_t)c->data[at];
            for (size_t at = 0; c->left[at]; at++)
                options[2 * at] = (uint8_t)c->left[at];
            assert_int_equal(boot_entry_started(exact, n, "a", options, left), left > 0);
            if (left > 0)
                assert_false(boot_entry_started(exact, n, "a", options, left - 1));
            free(exact);
        }
}

TEST(a_number_is_removed_from_the_order)
{
    uint8_t order[] = {1, 0, 7, 1, 7, 0, 2, 0, 7, 0, 9};
    static const uint8_t left[] = {1, 0, 7, 1, 2, 0};

    assert_int_equal(boot_order_remove(order, sizeof order, 7), sizeof left);
    assert_memory_equal(order, left, sizeof left);
    assert_int_equal(boot_order_remove(order, sizeof left, 3), sizeof left);
    assert_memory_equal(order, left, sizeof left);
    assert_int_equal(boot_order_remove(order, 0, 1), 0);
}
