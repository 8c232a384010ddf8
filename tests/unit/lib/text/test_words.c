#include "lib/text/words.h"
#include "tests/unit/cmocka_unit.h"

#define MAX 32

/* Decodes all of it, from a block of exactly its size; code points go to out, and their number is
 * returned. */
static size_t decode(const void *bytes, size_t n, int32_t out[MAX], enum utext_encoding *encoding)
{
    struct utext t;
    size_t count = 0;
    uint8_t *copy = malloc(n > 0 ? n : 1);

    memcpy(copy, bytes, n);
    utext_open(&t, copy, n);
    *encoding = t.encoding;
    while ((out[count] = utext_next(&t)) != UTEXT_END) {
        assert_true(t.began < t.at && t.at <= n);
        assert_true(++count < MAX);
    }
    assert_int_equal(utext_next(&t), UTEXT_END);
    free(copy);
    return count;
}

#define EXPECT(text, encoding_, ...)                                                               \
    do {                                                                                           \
        const int32_t want[] = {__VA_ARGS__};                                                      \
        int32_t got[MAX];                                                                          \
        enum utext_encoding encoding;                                                              \
        size_t n = decode(text, sizeof text - 1, got, &encoding);                                  \
        assert_int_equal(encoding, encoding_);                                                     \
        assert_int_equal(n, sizeof want / sizeof want[0]);                                         \
        assert_memory_equal(got, want, sizeof want);                                               \
    } while (0)

TEST(encodings_are_recognised)
{
    EXPECT("ab", UTEXT_UTF8, 'a', 'b');
    EXPECT("\xef\xbb\xbf"
           "ab",
           UTEXT_UTF8, 'a', 'b');
    EXPECT("\xff\xfe"
           "a\0b\0",
           UTEXT_UTF16LE, 'a', 'b');
    EXPECT("\xfe\xff\0a\0b", UTEXT_UTF16BE, 'a', 'b');
    EXPECT("a\0b\0", UTEXT_UTF16LE, 'a', 'b');
    EXPECT("\0a\0b", UTEXT_UTF16BE, 'a', 'b');
    EXPECT("a\0b\0\0\0", UTEXT_UTF16LE, 'a', 'b', 0);
    EXPECT("ab\0\0", UTEXT_UTF8, 'a', 'b', 0, 0);
    EXPECT("a\0", UTEXT_UTF8, 'a', 0); /* either reading is the same word */
    /* A first character that is not ASCII. */
    EXPECT("\x16\x04"
           "a\0b\0c\0",
           UTEXT_UTF16LE, 0x416, 'a', 'b', 'c');
    /* One byte per character, and random bytes after the terminator. */
    EXPECT("abcdefghijk\0\xff", UTEXT_UTF8, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k',
           0, UTEXT_BAD);
    int32_t got[MAX];
    enum utext_encoding encoding;
    assert_int_equal(decode("", 0, got, &encoding), 0);
    assert_int_equal(decode("\xff\xfe", 2, got, &encoding), 0);
}

TEST(well_formed_utf8_is_decoded)
{
    EXPECT("\x7f\xc2\x80\xdf\xbf", UTEXT_UTF8, 0x7f, 0x80, 0x7ff);
    EXPECT("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", UTEXT_UTF8, 0x800, 0xd7ff, 0xe000,
           0xffff);
    EXPECT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", UTEXT_UTF8, 0x10000, 0x10ffff);
}

TEST(each_ill_formed_byte_is_bad)
{
    EXPECT("\x80x", UTEXT_UTF8, UTEXT_BAD, 'x');          /* a tail without a head */
    EXPECT("\xc0\x80", UTEXT_UTF8, UTEXT_BAD, UTEXT_BAD); /* longer than need be */
    EXPECT("\xc1\xbf", UTEXT_UTF8, UTEXT_BAD, UTEXT_BAD);
    EXPECT("\xe0\x9f\xbf", UTEXT_UTF8, UTEXT_BAD, UTEXT_BAD, UTEXT_BAD);
    EXPECT("\xf0\x8f\xbf\xbf", UTEXT_UTF8, UTEXT_BAD, UTEXT_BAD, UTEXT_BAD, UTEXT_BAD);
    EXPECT("\xed\xa0\x80", UTEXT_UTF8, UTEXT_BAD, UTEXT_BAD, UTEXT_BAD); /* a surrogate */
    EXPECT("\xf4\x90\x80\x80", UTEXT_UTF8, UTEXT_BAD, UTEXT_BAD, UTEXT_BAD, UTEXT_BAD);
    EXPECT("\xf5z", UTEXT_UTF8, UTEXT_BAD, 'z');
    EXPECT("\xc3\nb", UTEXT_UTF8, UTEXT_BAD, '\n', 'b');        /* a line end is never swallowed */
    EXPECT("a\xe2\x82", UTEXT_UTF8, 'a', UTEXT_BAD, UTEXT_BAD); /* ends in the middle */
    EXPECT("a\xc3", UTEXT_UTF8, 'a', UTEXT_BAD);
}

TEST(surrogate_pairs_are_decoded)
{
    EXPECT("a\0\x3d\xd8\x00\xde", UTEXT_UTF16LE, 'a', 0x1f600);
    EXPECT("\0a\xd8\x3d\xde\x00", UTEXT_UTF16BE, 'a', 0x1f600);
    EXPECT("a\0\xff\xdb\xff\xdf", UTEXT_UTF16LE, 'a', 0x10ffff);
    EXPECT("a\0\x00\xde"
           "b\0",
           UTEXT_UTF16LE, 'a', UTEXT_BAD, 'b'); /* a low one alone */
    EXPECT("a\0\x3d\xd8"
           "b\0",
           UTEXT_UTF16LE, 'a', UTEXT_BAD, 'b'); /* a high one alone */
    EXPECT("a\0\x3d\xd8", UTEXT_UTF16LE, 'a', UTEXT_BAD);
    EXPECT("a\0b", UTEXT_UTF16LE, 'a', UTEXT_BAD); /* half a unit */
}

TEST(a_bad_byte_has_its_position)
{
    struct utext t;

    utext_open(&t,
               "\xef\xbb\xbf"
               "a\xc3z",
               6);
    assert_int_equal(utext_next(&t), 'a');
    assert_int_equal(t.began, 3);
    assert_int_equal(utext_next(&t), UTEXT_BAD);
    assert_int_equal(t.began, 4);
    assert_int_equal(t.at, 5);
    utext_open(&t,
               "a\0\x3d\xd8"
               "b\0",
               6);
    utext_next(&t);
    assert_int_equal(utext_next(&t), UTEXT_BAD);
    assert_int_equal(t.began, 2);
    assert_int_equal(t.at, 4);
}

/* Every code point there is, through both directions. */
TEST(every_code_point_survives_a_round_trip)
{
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        char utf8[4];
        struct utext t;
        size_t n = utext_encode(utf8, code);
        utext_open_as(&t, utf8, n, UTEXT_UTF8);
        int32_t got = utext_next(&t);
        if (code >= 0xd800 && code <= 0xdfff) {
            if (got != UTEXT_BAD)
                fail();
        } else if (got != (int32_t)code || t.at != n) {
            fail();
        }
    }
}

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
