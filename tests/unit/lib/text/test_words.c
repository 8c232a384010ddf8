#include "lib/text/words.h"

#include "tests/unit/cmocka_unit.h"

static struct words words_of(const char *text, size_t n, bool ends_at_nul)
{
    struct words w;

    words_open(&w, text, n, ends_at_nul);
    return w;
}

/* Returns the words with their lines, and what is wrong with one. */
static const char *listed(struct words w)
{
    static char text[100];
    struct word word;
    int n = 0;

    text[0] = '\0';
    while (words_next(&w, &word)) {
        assert_int_equal(word.number, w.number);
        assert_false(word.cut);
        n += snprintf(text + n, sizeof text - (size_t)n, "%u:[%s]%s%s ", word.line, word.at,
                      word.bad ? "bad" : "", word.open ? "open" : "");
        if (!word.bad)
            assert_int_equal(word.n, strlen(word.at));
    }
    assert_false(words_next(&w, &word));
    return text;
}

TEST(words_have_the_number_of_their_line)
{
#define TEXT(text) text, sizeof text - 1
    static const struct {
        const char *text;
        size_t n;
        bool ends_at_nul;
        const char *words;
    } cases[] = {
        {TEXT("  a\tb\n\n# no words # here\r\nc\rd # e\n\r f"), false,
         "1:[a] 1:[b] 4:[c] 5:[d] 7:[f] "},
        {TEXT(" \r\n\t# x"), false, ""},
        {TEXT("a=1#b\n\"c#d\" e"), false, "1:[a=1] 2:[c#d] 2:[e] "}, /* a comment ends a word */
        /* Quoted words may have blanks. */
        {TEXT("\"a b\" c=\"d e\"f \"\" \"open \nnext"), false,
         "1:[a b] 1:[c=d ef] 1:[] 1:[open ]open 2:[next] "},
        /* A NUL ends load options, and is bad in a file. */
        {TEXT("a b\0c"), true, "1:[a] 1:[b] "},
        {TEXT("abc\0d"), false, "1:[abc]bad "},
        /* Not UTF-8: marked and kept; allowed in a comment. Other encodings arrive as UTF-8. */
        {TEXT("a\xe9z"), false, "1:[a\xe9z]bad "},
        {TEXT("# caf\xe9\nb"), false, "2:[b] "},
        {TEXT("a\0\xe9\0\r\0\n\0b\0"), false, "1:[a\xc3\xa9] 2:[b] "},
    };

    EACH_CASE (c, cases)
        assert_string_equal(listed(words_of(c->text, c->n, c->ends_at_nul)), c->words);
    struct words w = words_of("abc\0d", 5, false);
    struct word word;
    assert_true(words_next(&w, &word));
    assert_int_equal(word.n, 5);
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
    assert_false(words_next(&w, &word));
    /* Never in the middle of a character, and nothing is taken after the gap. */
    memcpy(text + WORD_SIZE - 2, "\xc3\xa9yy", 4);
    w = words_of(text, WORD_SIZE + 2, false);
    assert_true(words_next(&w, &word));
    assert_true(word.cut);
    assert_int_equal(word.n, WORD_SIZE - 2);
}
