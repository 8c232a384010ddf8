#include "lib/text/words.h"
#include "lib/text/str.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

void utext_open_as(struct utext *t, const void *bytes, size_t n, enum utext_encoding encoding)
{
    *t = (struct utext){.bytes = bytes, .n = n, .encoding = encoding};
}

/* For text without a BOM: UEFI's own strings are UTF-16LE, and editors omit BOMs. */
static enum utext_encoding guess(const uint8_t *b, size_t n)
{
    while (n > 0 && b[n - 1] == 0) /* ignore terminators */
        n--;
    if (n >= 2 && b[0] == 0 && b[1] != 0)
        return UTEXT_UTF16BE;
    if (n >= 3 && b[0] != 0 && b[1] == 0)
        return UTEXT_UTF16LE;
    /* A first character that is not ASCII, then ASCII: zero high bytes, all at odd offsets. */
    size_t odd = 0, even = 0;
    for (size_t i = 0; i < n; i++)
        if (b[i] == 0)
            *(i % 2 != 0 ? &odd : &even) += 1;
    return even == 0 && odd > 0 && 4 * odd >= n ? UTEXT_UTF16LE : UTEXT_UTF8;
}

void utext_open(struct utext *t, const void *bytes, size_t n)
{
    const uint8_t *b = bytes;

    if (n >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) {
        utext_open_as(t, bytes, n, UTEXT_UTF8);
        t->at = 3;
    } else if (n >= 2 && b[0] == 0xff && b[1] == 0xfe) {
        utext_open_as(t, bytes, n, UTEXT_UTF16LE);
        t->at = 2;
    } else if (n >= 2 && b[0] == 0xfe && b[1] == 0xff) {
        utext_open_as(t, bytes, n, UTEXT_UTF16BE);
        t->at = 2;
    } else {
        utext_open_as(t, bytes, n, guess(b, n));
    }
}

static int32_t next_utf8(struct utext *t)
{
    const uint8_t *b = t->bytes + t->at;
    size_t left = t->n - t->at, more;
    uint32_t code,
        least; /* the least code of a sequence of this length; below it, it is not well-formed */

    t->at++;
    if (b[0] < 0x80)
        return b[0];
    if (b[0] >= 0xc2 && b[0] <= 0xdf) {
        more = 1;
        code = b[0] & 0x1f;
        least = 0x80;
    } else if ((b[0] & 0xf0) == 0xe0) {
        more = 2;
        code = b[0] & 0x0f;
        least = 0x800;
    } else if (b[0] >= 0xf0 && b[0] <= 0xf4) {
        more = 3;
        code = b[0] & 0x07;
        least = 0x10000;
    } else {
        return UTEXT_BAD;
    }
    if (more >= left)
        return UTEXT_BAD;
    for (size_t i = 1; i <= more; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return UTEXT_BAD;
        code = code << 6 | (b[i] & 0x3f);
    }
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return UTEXT_BAD;
    t->at += more;
    return (int32_t)code;
}

static uint32_t unit16(const struct utext *t, size_t at)
{
    unsigned low = t->encoding == UTEXT_UTF16LE ? 0 : 1;

    return t->bytes[at + low] | (uint32_t)t->bytes[at + 1 - low] << 8;
}

static int32_t next_utf16(struct utext *t)
{
    if (t->n - t->at < 2) {
        t->at = t->n;
        return UTEXT_BAD;
    }
    uint32_t first = unit16(t, t->at);
    t->at += 2;
    if (first < 0xd800 || first > 0xdfff)
        return (int32_t)first;
    if (first > 0xdbff || t->n - t->at < 2)
        return UTEXT_BAD;
    uint32_t second = unit16(t, t->at);
    if (second < 0xdc00 || second > 0xdfff)
        return UTEXT_BAD;
    t->at += 2;
    return (int32_t)(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
}

int32_t utext_next(struct utext *t)
{
    t->began = t->at;
    if (t->at >= t->n)
        return UTEXT_END;
    return t->encoding == UTEXT_UTF8 ? next_utf8(t) : next_utf16(t);
}

size_t utext_encode(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    /* The lead byte: as many leading ones as there are bytes, then a zero. */
    out[0] = (char)((0xf00u >> n & 0xf0) | code);
    return n;
}

/* Advances by one code point; CR LF and a lone CR are one line end. */
static void step(struct words *w)
{
    bool after_cr = w->next == '\r';

    if (w->next == '\n' || after_cr)
        w->line++;
    w->next = utext_next(&w->text);
    if (after_cr && w->next == '\n')
        w->next = utext_next(&w->text);
    if (w->next == '\0' && w->ends_at_nul)
        w->next = UTEXT_END;
}

void words_open(struct words *w, const void *bytes, size_t n, bool ends_at_nul)
{
    *w = (struct words){.line = 1, .ends_at_nul = ends_at_nul};
    utext_open(&w->text, bytes, n);
    step(w);
}

static bool at_line_end(const struct words *w)
{
    return w->next == '\n' || w->next == '\r' || w->next == UTEXT_END;
}

static bool at_blank(const struct words *w)
{
    return w->next == ' ' || w->next == '\t';
}

static void append(struct word *word, const char *bytes, size_t n)
{
    if (word->cut || n > WORD_SIZE - 1 - word->n) {
        word->cut = true;
        return;
    }
    memcpy(word->at + word->n, bytes, n);
    word->n += n;
    word->at[word->n] = '\0';
}

static void append_next(const struct words *w, struct word *word)
{
    const struct utext *t = &w->text;
    char utf8[4];

    if (w->next == UTEXT_BAD)
        append(word, (const char *)t->bytes + t->began, t->at - t->began);
    else
        append(word, utf8, utext_encode(utf8, (uint32_t)w->next));
    if (w->next == UTEXT_BAD || w->next == '\0')
        word->bad = true;
}

static void skip_to_word(struct words *w)
{
    while (w->next != UTEXT_END) {
        if (w->next == '#') {
            while (!at_line_end(w))
                step(w);
        } else if (at_blank(w) || at_line_end(w)) {
            step(w);
        } else {
            return;
        }
    }
}

bool words_next(struct words *w, struct word *word)
{
    skip_to_word(w);
    if (w->next == UTEXT_END)
        return false;
    *word = (struct word){.line = w->line, .number = ++w->number};
    bool quoted = false;
    for (; !at_line_end(w) && (quoted || (!at_blank(w) && w->next != '#')); step(w)) {
        if (w->next == '"')
            quoted = !quoted;
        else
            append_next(w, word);
    }
    word->open = quoted;
    return true;
}

struct near near_to(const char *word, size_t n)
{
    while (n > 0 && word[0] == '-') {
        word++;
        n--;
    }
    return (struct near){.word = word, .n = n};
}

/* Returns the length of the common prefix. */
static size_t alike(const char *a, const char *b, size_t n)
{
    size_t i = 0;

    while (i < n && str_lower(a[i]) == str_lower(b[i]))
        i++;
    return i;
}

/* a is at most as long as b. */
static bool one_edit(const char *a, size_t a_n, const char *b, size_t b_n)
{
    size_t same = alike(a, b, a_n), rest = a_n - same;

    if (b_n - a_n > 1)
        return false;
    if (rest == 0)
        return true;
    a += same;
    b += same;
    if (b_n > a_n)
        return alike(a, b + 1, rest) == rest;
    if (alike(a + 1, b + 1, rest - 1) == rest - 1)
        return true;
    return rest >= 2 && str_lower(a[0]) == str_lower(b[1]) && str_lower(a[1]) == str_lower(b[0]) &&
           alike(a + 2, b + 2, rest - 2) == rest - 2;
}

static bool has(const struct near *x, const char *known, size_t n)
{
    for (size_t i = 0; i < x->used; i++)
        if (x->found[i].n == n && alike(x->found[i].at, known, n) == n)
            return true;
    return false;
}

void near_try(struct near *x, const char *known, size_t n)
{
    if (x->used == NEAR_WORDS || n < NEAR_SHORTEST || x->n + 1 < NEAR_SHORTEST || has(x, known, n))
        return;
    if (x->n <= n ? !one_edit(x->word, x->n, known, n) : !one_edit(known, n, x->word, x->n))
        return;
    x->found[x->used].at = known;
    x->found[x->used++].n = n;
}

void near_try_values(struct near *x, const char *values)
{
    const char *at;
    size_t n;

    for (uint32_t i = 0; (n = str_alternative(values, i, &at)) > 0; i++)
        near_try(x, at, n);
}

void near_ask(const struct near *x, const char *before, const char *after, struct sink *out)
{
    if (x->used == 0)
        return;
    fmt(out, " (did you mean ");
    for (size_t i = 0; i < x->used; i++) {
        fmt(out, "%s%s", i == 0 ? "" : i + 1 == x->used ? " or " : ", ", before);
        str_escape(out, x->found[i].at, x->found[i].n);
        fmt(out, "%s", after);
    }
    fmt(out, "?)");
}
