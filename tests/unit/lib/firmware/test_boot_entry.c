/* Boot entries, whole and cut, and the order without one of them. */
#include "lib/firmware/boot_source.h"

#include "tests/unit/cmocka_unit.h"

/* Attributes 1, a path of 4 bytes (an end node), "ab", load options of 3 bytes. */
static const uint8_t bytes[] = {1, 0, 0,    0,    4, 0, 'a', 0,   'b', 0,
                                0, 0, 0x7f, 0xff, 4, 0, 'x', 'y', 'z'};

TEST(an_entry_has_its_description_and_load_options)
{
    struct boot_entry entry;

    assert_true(boot_entry_decode(&entry, bytes, sizeof bytes));
    assert_true(boot_entry_is(&entry, "ab"));
    assert_int_equal(entry.size, 3);
    assert_memory_equal(entry.data, "xyz", 3);
}

TEST(an_entry_with_another_description_is_not_ours)
{
    static const char *const others[] = {"", "a", "abc", "Ab", "b"};
    uint8_t wide[sizeof bytes];
    struct boot_entry entry;

    assert_true(boot_entry_decode(&entry, bytes, sizeof bytes));
    EACH_CASE (c, others)
        assert_false(boot_entry_is(&entry, *c));
    memcpy(wide, bytes, sizeof wide);
    wide[7] = 1; /* U+0161: its low byte is an 'a' */
    assert_true(boot_entry_decode(&entry, wide, sizeof wide));
    assert_false(boot_entry_is(&entry, "ab"));
}

TEST(an_entry_cut_anywhere_before_its_load_options_is_refused)
{
    struct boot_entry entry;

    for (size_t n = 0; n <= sizeof bytes; n++) {
        uint8_t *exact = malloc(n + (n == 0)); /* so that the sanitizer sees a read after its end */
        memcpy(exact, bytes, n);
        assert_int_equal(boot_entry_decode(&entry, exact, n), n >= sizeof bytes - 3);
        free(exact);
    }
}

TEST(a_path_longer_than_the_entry_is_refused)
{
    uint8_t long_path[sizeof bytes];
    struct boot_entry entry;

    memcpy(long_path, bytes, sizeof long_path);
    long_path[4] = 8;
    assert_false(boot_entry_decode(&entry, long_path, sizeof long_path));
    long_path[4] = long_path[5] = 0xff;
    assert_false(boot_entry_decode(&entry, long_path, sizeof long_path));
}

TEST(a_path_before_the_words_is_dropped)
{
    static const struct {
        const char *data; /* one byte per character */
        size_t dropped;
    } cases[] = {{"\\a b", 3}, {"\\ b", 2}, {"\\a ", 3}, {"\\ab", 0},
                 {"\\", 0},    {"a b", 0},  {"", 0}};

    EACH_CASE (c, cases)
        for (unsigned odd = 0; odd < 2; odd++) {
            size_t length = strlen(c->data), size = 2 * length + odd;
            uint8_t *exact = calloc(1, size + (size == 0));
            struct boot_entry entry = {.data = exact, .size = size};
            for (size_t at = 0; at < length; at++)
                exact[2 * at] = (uint8_t)c->data[at];
            boot_entry_drop_path(&entry);
            assert_int_equal(entry.data - exact, 2 * c->dropped);
            assert_int_equal(entry.size, size - 2 * c->dropped);
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
