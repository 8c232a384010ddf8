/* Text of any bytes: decoding ends, advances, and its result encodes to the same bytes again. */
#include <string.h>
#include "lib/text/words.h"
#include "tests/unit/fuzz/fuzz.h"

static const struct fuzz_text texts[] = {
    FUZZ_TEXT("suite=calls # words\r\n\"a b\"=c\n"),
    FUZZ_TEXT("\xef\xbb\xbf"
              "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
    FUZZ_TEXT("\xff\xfe"
              "a\0=\0\x3d\xd8\x00\xde\n\0"),
    FUZZ_TEXT("\xfe\xff\0a\0=\xd8\x3d\xde\x00\0\n"),
    FUZZ_TEXT("h\0e\0l\0p\0\0\0"),
    FUZZ_TEXT("\xed\xa0\x80\xc0\x80\xf5"),
};

FUZZ_TEXTS(texts)

static void decode(const uint8_t *data, size_t size, struct utext *t)
{
    size_t before = t->at;
    int32_t code;

    while ((code = utext_next(t)) != UTEXT_END) {
        FUZZ_CHECK(t->began == before && t->at > before && t->at <= size);
        before = t->at;
        if (code == UTEXT_BAD)
            continue;
        FUZZ_CHECK(code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff));
        char utf8[4];
        size_t n = utext_encode(utf8, (uint32_t)code);
        if (t->encoding == UTEXT_UTF8)
            FUZZ_CHECK(n == t->at - t->began && memcmp(utf8, data + t->began, n) == 0);
        else
            FUZZ_CHECK((n == 4 ? 4u : 2u) == t->at - t->began);
    }
    FUZZ_CHECK(t->at >= size && t->began == t->at);
}

static void cut_into_words(const uint8_t *data, size_t size, bool ends_at_nul)
{
    struct words w;
    struct word word;
    unsigned line = 1, number = 0;

    words_open(&w, data, size, ends_at_nul);
    while (words_next(&w, &word)) {
        FUZZ_CHECK(word.number == ++number && word.line >= line);
        FUZZ_CHECK(word.n < WORD_SIZE && word.at[word.n] == '\0');
        FUZZ_CHECK(word.bad || strlen(word.at) == word.n);
        FUZZ_CHECK(number <= size);
        line = word.line;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct utext t;

    utext_open(&t, data, size);
    decode(data, size, &t);
    for (int e = UTEXT_UTF8; e <= UTEXT_UTF16BE; e++) {
        utext_open_as(&t, data, size, (enum utext_encoding)e);
        decode(data, size, &t);
    }
    cut_into_words(data, size, false);
    cut_into_words(data, size, true);
    return 0;
}
