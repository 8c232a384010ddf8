#include "lib/config/options.h"

#include "tests/unit/says.h"
#include "tests/unit/text.h"

static struct options o;
static char quote[160];

/* From a heap block of exactly n bytes, so that a read past the end is noticed. */
static enum load_options load_as(const void *bytes, size_t n, const char *own_name)
{
    uint8_t *copy = malloc(n > 0 ? n : 1);

    memcpy(copy, bytes, n);
    options_default(&o);
    enum load_options what =
        options_parse_load(&o, copy, n, own_name, quote, sizeof quote, text_sink());
    free(copy);
    assert_int_equal(what == LOAD_OPTIONS_WRONG, text[0] != '\0');
    if (what != LOAD_OPTIONS_FOREIGN)
        assert_string_equal(quote, "");
    return what;
}

static enum load_options load(const char *text)
{
    /* As firmware does: UTF-16LE with its terminator. And in bytes, with the same result. */
    uint8_t wide[1200];
    size_t n = strlen(text) + 1;

    assert_true(2 * n <= sizeof wide);
    enum load_options narrow = load_as(text, n, "\\EFI\\tools\\Tick2.efi");
    for (size_t i = 0; i < n; i++) {
        wide[2 * i] = (uint8_t)text[i];
        wide[2 * i + 1] = 0;
    }
    char quote_before[sizeof quote];
    strcpy(quote_before, quote);
    assert_int_equal(load_as(wide, 2 * n, "\\EFI\\tools\\Tick2.efi"), narrow);
    assert_string_equal(quote, quote_before);
    return narrow;
}

TEST(empty_load_options_change_no_option)
{
    assert_int_equal(load_as("", 0, NULL), LOAD_OPTIONS_NONE);
    assert_int_equal(load_as("\0\0\0\0\0", 5, NULL), LOAD_OPTIONS_NONE);
    assert_int_equal(load_as(" \0 \0\0\0", 6, NULL), LOAD_OPTIONS_NONE);
    assert_int_equal(load_as("\xff\xfe", 2, NULL), LOAD_OPTIONS_NONE);
    assert_int_equal(load(""), LOAD_OPTIONS_NONE);
    assert_int_equal(load("  \t "), LOAD_OPTIONS_NONE);
}

TEST(words_without_a_program_name_are_parsed)
{
    assert_int_equal(load("suite=calls samples=64"), LOAD_OPTIONS_OURS);
    assert_string_equal(o.suite, "calls");
    assert_int_equal(o.samples, 64);
    assert_int_equal(load("help"), LOAD_OPTIONS_OURS);
    assert_true(o.help);
    assert_int_equal(load("  list  "), LOAD_OPTIONS_OURS);
    assert_true(o.list);
    /* Not terminated, in either width. */
    assert_int_equal(load_as("samples=99", 10, NULL), LOAD_OPTIONS_OURS);
    assert_int_equal(o.samples, 99);
    assert_int_equal(load_as("l\0i\0s\0t\0", 8, NULL), LOAD_OPTIONS_OURS);
    /* The bytes after the terminator are the firmware's padding. */
    assert_int_equal(load_as("samples=98\0\xaf\xfe rubbish", 21, NULL), LOAD_OPTIONS_OURS);
    assert_int_equal(o.samples, 98);
    assert_int_equal(load_as("l\0i\0s\0t\0\0\0\x01\x02\x03", 13, NULL), LOAD_OPTIONS_OURS);
}

TEST(the_programs_name_is_dropped)
{
    const char *names[] = {"baretick",
                           "baretick.efi",
                           "FS0:\\baretick.efi",
                           "fs0:baretick.EFI",
                           "BareTick",
                           "BOOTX64.EFI",
                           "\\EFI\\BOOT\\bootx64.efi",
                           "./baretick",
                           "tick2",
                           "tick2.efi",
                           "fs1:\\x\\TICK2.EFI",
                           "\"fs0:\\my tools\\baretick.efi\"",
                           "(hd0,gpt1)/EFI/baretick.efi"};
    char text[200];

    EACH_CASE (c, names) {
        assert_int_equal(load(*c), LOAD_OPTIONS_OURS);
        strcat(strcpy(text, *c), " samples=32");
        assert_int_equal(load(text), LOAD_OPTIONS_OURS);
        assert_int_equal(o.samples, 32);
        /* After the name every word must be right. */
        strcat(strcpy(text, *c), " quiet");
        assert_int_equal(load(text), LOAD_OPTIONS_WRONG);
    }
    const char *others[] = {"baretick2", "xbaretick", "baretick.efi.bak",
                            ".efi",      "baretick/", "fs0:",
                            "tick",      "efi",       "bootx64.efi2"};
    EACH_CASE (c, others)
        assert_int_equal(load(*c), LOAD_OPTIONS_FOREIGN);
    /* It is a name only as the first word. */
    assert_int_equal(load("samples=32 baretick"), LOAD_OPTIONS_WRONG);
    /* No name known, an empty one, one too long to be compared. */
    assert_int_equal(load_as("baretick", 8, NULL), LOAD_OPTIONS_OURS);
    assert_int_equal(load_as("tick2", 5, ""), LOAD_OPTIONS_FOREIGN);
    char name[100];
    memset(name, 'n', sizeof name);
    name[99] = '\0';
    assert_int_equal(load_as(name, 99, name), LOAD_OPTIONS_FOREIGN);
}

TEST(a_wrong_word_among_ours_is_named)
{
    assert_int_equal(load("suite=calls fromat=table"), LOAD_OPTIONS_WRONG);
    assert_says(text, "load options, word 2: \"fromat=table\": ", "format=?", "`help`");
    assert_int_equal(load("baretick.efi samples=1"), LOAD_OPTIONS_WRONG);
    assert_says(text, "load options, word 2: \"samples=1\": ", "auto", "16", "1000000");
    assert_int_equal(load("root=/dev/sda1 list"), LOAD_OPTIONS_WRONG);
    assert_int_equal(load("list\nsamples=1"), LOAD_OPTIONS_WRONG);
    assert_says(text, "load options, line 2: \"samples=1\": ", "auto", "16", "1000000");
    assert_int_equal(load("help\r\n"), LOAD_OPTIONS_OURS); /* one line, though it has an end */
    assert_int_equal(load_as("list \xff\xfe", 7, NULL), LOAD_OPTIONS_WRONG);
}

TEST(other_programs_options_are_quoted)
{
    assert_int_equal(load("root=/dev/sda1 ro"), LOAD_OPTIONS_FOREIGN);
    assert_string_equal(quote, "root=/dev/sda1 ro");
    assert_int_equal(o.samples, 0);
    assert_int_equal(load("BOOT_IMAGE=/vmlinuz \"open quote"), LOAD_OPTIONS_FOREIGN);
    assert_string_equal(quote, "BOOT_IMAGE=/vmlinuz \"open quote");
    assert_int_equal(load("#!"), LOAD_OPTIONS_NONE); /* a comment, in our language */
    assert_int_equal(load("samples"), LOAD_OPTIONS_FOREIGN);
    assert_int_equal(load("a\tb"), LOAD_OPTIONS_FOREIGN);
    assert_string_equal(quote, "a\\x09b");
}

TEST(binary_options_are_quoted_as_bytes)
{
    assert_int_equal(load_as("\x01\x02\xff\x7f", 4, NULL), LOAD_OPTIONS_FOREIGN);
    assert_string_equal(quote, "\\x01\\x02\\xff\\x7f");
    assert_int_equal(load_as("\0\0\0\x07", 4, NULL), LOAD_OPTIONS_FOREIGN);
    assert_true(strlen(quote) > 0);
    assert_int_equal(load_as("\0\0\x12\x34\0\0\0\0", 8, NULL), LOAD_OPTIONS_FOREIGN);
    assert_int_equal(load_as("\x80", 1, NULL), LOAD_OPTIONS_FOREIGN);
    /* The device path and padding that a firmware leaves: 16 bytes of a GUID. */
    assert_int_equal(
        load_as("\x4e\xac\x08\x81\x11\x9f\x59\x4d\x85\x0e\xe2\x1a\x52\x2c\x59\xb2", 16, NULL),
        LOAD_OPTIONS_FOREIGN);
    /* UTF-16 of odd length with nothing cut off. */
    assert_int_equal(load_as("a\0b\0c", 5, NULL), LOAD_OPTIONS_FOREIGN);
    assert_string_equal(quote, "abc");
}

TEST(quoted_load_options_are_cut_at_their_limit)
{
    char text[400];

    memset(text, 'x', sizeof text);
    text[159] = '\0';
    assert_int_equal(load(text), LOAD_OPTIONS_FOREIGN);
    assert_string_equal(quote, text); /* just fits */
    text[159] = 'x';
    text[160] = '\0';
    assert_int_equal(load(text), LOAD_OPTIONS_FOREIGN);
    assert_int_equal(strlen(quote), 159);
    assert_string_equal(quote + 155, "x...");
    /* Never in the middle of an escape. */
    memset(text, '\x01', 399);
    text[399] = '\0';
    load(text);
    assert_int_equal(strlen(quote), 4 * 39 + 3);
    assert_string_equal(quote + 4 * 38, "\\x01...");

    char small[3];
    for (size_t size = 1; size <= sizeof small; size++) {
        assert_int_equal(options_parse_load(&o, "other", 5, NULL, small, size, text_sink()),
                         LOAD_OPTIONS_FOREIGN);
        assert_int_equal(strlen(small), size - 1);
    }
}
