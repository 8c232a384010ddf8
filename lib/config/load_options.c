#include "lib/config/options.h"

#include "lib/text/mem.h"
#include "lib/text/str.h"
#include "lib/text/words.h"

/* Returns what follows the last '\', '/' or ':' (the shell's FS0:), without a final ".efi". */
static const char *base_name(const char *path, size_t *n)
{
    const char *base = path;

    for (; *path != '\0'; path++)
        if (*path == '\\' || *path == '/' || *path == ':')
            base = path + 1;
    *n = (size_t)(path - base);
    if (*n > 4 && str_is_any_case(".efi", path - 4, 4))
        *n -= 4;
    return base;
}

static bool is_own_name(const char *word, const char *own_name)
{
    size_t n, n_own;

    word = base_name(word, &n);
    if (str_is_any_case("baretick", word, n) || str_is_any_case("bootx64", word, n))
        return true;
    if (own_name == NULL)
        return false;
    char own[64]; /* longer names are not recognised: names on FAT are shorter in practice */
    own_name = base_name(own_name, &n_own);
    return n > 0 && str_copy(own, sizeof own, own_name, n_own) && str_is_any_case(own, word, n);
}

/* The result of a first pass, before any message about errors. */
struct survey {
    unsigned words, lines;
    bool named; /* the first word is the program's own name */
    bool ours;  /* it has a word of ours */
    bool after; /* bytes other than NUL after the text's end */
};

static struct survey survey(const void *bytes, size_t n, const char *own_name)
{
    struct survey s = {0};
    struct words words;
    struct word word;

    words_open(&words, bytes, n, true);
    while (words_next(&words, &word)) {
        if (word.number == 1)
            s.named = is_own_name(word.at, own_name);
        s.ours = s.ours || options_knows(word.at);
        s.words = word.number;
        s.lines = word.line;
    }
    for (size_t i = words.text.at; i < n; i++)
        s.after = s.after || ((const uint8_t *)bytes)[i] != 0;
    return s;
}

/* Appends a code point as printable ASCII; if it does not fit, returns false and writes nothing. */
static bool quote_one(struct sink_buf *out, const struct utext *t, int32_t code)
{
    char utf8[4], text[4 * 4 + 1]; /* at most four bytes, each as \xNN */
    struct sink_buf piece;

    sink_buf_init(&piece, text, sizeof text);
    if (code == UTEXT_BAD)
        str_escape(&piece.sink, (const char *)t->bytes + t->began, t->at - t->began);
    else
        str_escape(&piece.sink, utf8, utext_encode(utf8, (uint32_t)code));
    if (piece.used > out->size - 1 - out->used)
        return false;
    out->sink.write(&out->sink, text, piece.used);
    return true;
}

static void quote_all(const void *bytes, size_t n, char *quote, size_t size)
{
    const char dots[] = "...";
    struct sink_buf out;
    struct utext t;
    size_t keep = 0; /* length to keep if the dots must follow */
    int32_t code;
    size_t n_all = n;

    while (n > 0 && ((const uint8_t *)bytes)[n - 1] == 0)
        n--;
    utext_open(&t, bytes, n);
    if (t.encoding != UTEXT_UTF8 && n % 2 != 0 && n < n_all)
        t.n++; /* one of the removed NULs was the high half of the last character */
    sink_buf_init(&out, quote, size);
    while ((code = utext_next(&t)) != UTEXT_END) {
        if (!quote_one(&out, &t, code)) {
            str_copy(quote + keep, size - keep, dots, sizeof dots - 1);
            return;
        }
        if (out.used + sizeof dots <= size)
            keep = out.used;
    }
}

enum load_options options_parse_load(struct options *o, const void *bytes, size_t n,
                                     const char *own_name, char *quote, size_t quote_size,
                                     struct sink *err)
{
    struct survey s = survey(bytes, n, own_name);

    quote[0] = '\0';
    if (s.words == 0 && !s.after)
        return LOAD_OPTIONS_NONE;
    if (!s.named && !s.ours) {
        quote_all(bytes, n, quote, quote_size);
        return LOAD_OPTIONS_FOREIGN;
    }

    struct words words;
    struct word word;
    words_open(&words, bytes, n, true);
    while (words_next(&words, &word)) {
        if (s.named && word.number == 1)
            continue;
        bool lines = s.lines > 1;
        if (!options_take(o, &word, "load options", lines ? "line" : "word",
                          lines ? word.line : word.number, err))
            return LOAD_OPTIONS_WRONG;
    }
    return LOAD_OPTIONS_OURS;
}
