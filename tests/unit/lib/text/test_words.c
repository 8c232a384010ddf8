#include "lib/text/words.h"

#include "tests/unit/cmocka_unit.h"

static struct words words_of(const char *text, size_t n, bool ends_at_nul)
{
    struct words w;

    words_open(&w, text, n, ends_at_nul);
    return w;
}

static void expect(struct words *w, const char *text, unsigned line)
{
    struct word word;

    assert_true(words_next(w, &word));
    assert_string_equal(word.at, text);
    assert_int_equal(word.n, strlen(text));
    assert_int_equal(word.line, line);
    assert_int_equal(word.number, w->number);
    assert_false(word.cut || word.bad || word.open);
}

static void expect_end(struct words *w)
{
    struct word word;

    assert_false(words_next(w, &word));
    assert_false(words_next(w, &word));
}

TEST(words_have_the_number_of_their_line)
{
    const char text[] = "  a\tb\n\n# no words # here\r\nc\rd # e\n\r f";
    struct words w = words_of(text, sizeof text - 1, false);

    expect(&w, "a", 1);
    expect(&w, "b", 1);
    expect(&w, "c", 4);
    expect(&w, "d", 5);
    expect(&w, "f", 7);
    expect_end(&w);
    assert_int_equal(w.number, 5);
    w = words_of(" \r\n\t# x", 7, false);
    expect_end(&w);
}

TEST(comment_ends_a_word)
{
    struct words w = words_of("a=1#b\n\"c#d\" e", 13, false);

    expect(&w, "a=1", 1);
    expect(&w, "c#d", 2);
    expect(&w, "e", 2);
    expect_end(&w);
}

TEST(a_quoted_word_may_have_blanks)
{
    struct word word;
    const char text[] = "\"a b\" c=\"d e\"f \"\" \"open \nnext";
    struct words w = words_of(text, sizeof text - 1, false);

    expect(&w, "a b", 1);
    expect(&w, "c=d ef", 1);
    expect(&w, "", 1);
    assert_true(words_next(&w, &word));
    assert_true(word.open);
    assert_string_equal(word.at, "open ");
    expect(&w, "next", 2);
    expect_end(&w);
}

TEST(a_nul_ends_load_options_and_is_bad_in_a_file)
{
    struct word word;
    struct words w = words_of("a b\0c", 5, true);

    expect(&w, "a", 1);
    expect(&w, "b", 1);
    expect_end(&w);
    w = words_of("abc\0d", 5, false);
    assert_true(words_next(&w, &word));
    assert_true(word.bad);
    assert_int_equal(word.n, 5);
    expect_end(&w);
}

TEST(bytes_that_are_not_utf8_are_marked_and_kept)
{
    struct word word;
    struct words w = words_of("a\xe9z", 3, false);

    assert_true(words_next(&w, &word));
    assert_true(word.bad);
    assert_memory_equal(word.at, "a\xe9z", 4);
    /* In a comment they are allowed. */
    w = words_of("# caf\xe9\nb", 8, false);
    expect(&w, "b", 2);
    /* Other encodings arrive as UTF-8. */
    w = words_of("a\0\xe9\0\r\0\n\0b\0", 10, false);
    expect(&w, "a\xc3\xa9", 1);
    expect(&w, "b", 2);
}

TEST(a_text_longer_than_its_limit_is_cut)
{
    struct word word;
    char text[WORD_SIZE + 2];

    memset(text, 'x', sizeof text);
    struct words w = words_of(text, WORD_SIZE - 1, false);
    assert_true(words_next(&w, &word));
    assert_false(word.cut);
    assert_int_equal(word.n, WORD_SIZE - 1);
    w = words_of(text, WORD_SIZE, false);
    assert_true(words_next(&w, &word));
    assert_true(word.cut);
    assert_int_equal(strlen(word.at), WORD_SIZE - 1);
    expect_end(&w);
    /* Never in the middle of a character, and nothing is taken after the gap. */
    memcpy(text + WORD_SIZE - 2, "\xc3\xa9yy", 4);
    w = words_of(text, WORD_SIZE + 2, false);
    assert_true(words_next(&w, &word));
    assert_true(word.cut);
    assert_int_equal(word.n, WORD_SIZE - 2);
}
