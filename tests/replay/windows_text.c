#include "tests/replay/windows_text.h"
#include <stdlib.h>
#include <string.h>
#include "lib/text/fmt.h"

#define BODIES_MOST 1000 /* a recording has some ten; a look through them takes no time */

struct line {
    const uint8_t *at, *end;
};

static bool blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; empty at its end. */
static struct line next_word(struct line *l)
{
    while (l->at < l->end && blank(*l->at))
        l->at++;
    struct line word = {l->at, l->at};
    while (word.end < l->end && !blank(*word.end))
        word.end++;
    l->at = word.end;
    return word;
}

static size_t length(struct line word)
{
    return (size_t)(word.end - word.at);
}

static bool word_is(struct line w, const char *text)
{
    return length(w) == strlen(text) && memcmp(w.at, text, length(w)) == 0;
}

static bool number(struct line *l, uint64_t most, uint64_t *value)
{
    struct line w = next_word(l);
    uint64_t v = 0;
    if (length(w) == 0)
        return false;
    for (; w.at < w.end; w.at++) {
        unsigned digit = *w.at - '0';
        if (*w.at < '0' || digit > 9 || v > (most - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

/* One more element at the end of an array that doubles; NULL when memory is out. */
static void *grow(void *array, size_t n, size_t size)
{
    if (n >= 16 && (n & (n - 1)) != 0)
        return array;
    return realloc(array, (n < 16 ? 16 : 2 * n) * size);
}

static const char *body_word(struct windows_text *t, struct line *l, uint32_t *body)
{
    struct line w = next_word(l);
    if (length(w) == 0 || length(w) >= WINDOWS_BODY)
        return "the body is no name of 1 to 31 bytes";
    for (const uint8_t *at = w.at; at < w.end; at++)
        if (*at < '!' || *at > '~')
            return "the body's name has a byte that is not printable ASCII";
    for (*body = 0; *body < t->bodies; ++*body)
        if (word_is(w, t->body[*body]))
            return NULL;
    if (t->bodies == BODIES_MOST)
        return "more than 1000 bodies";
    char(*more)[WINDOWS_BODY] = grow(t->body, t->bodies, sizeof *more);
    if (more == NULL)
        return "out of memory";
    t->body = more;
    memcpy(t->body[t->bodies], w.at, length(w));
    t->body[t->bodies++][length(w)] = '\0';
    return NULL;
}

static bool kind_word(struct line *l, enum windows_kind *kind)
{
    static const char *const kinds[WINDOWS_KINDS] = {"W", "E", "E2", "R", "R2", "B", "B2"};
    struct line w = next_word(l);
    for (unsigned k = 0; k < WINDOWS_KINDS; k++)
        if (word_is(w, kinds[k])) {
            *kind = (enum windows_kind)k;
            return true;
        }
    return false;
}

static const char *block_line(struct windows_text *t, struct line l)
{
    struct windows_block b;
    uint64_t launch, microseconds, placement;
    if (!number(&l, UINT32_MAX, &launch) || !number(&l, UINT64_MAX, &microseconds))
        return "launch and microseconds must be decimal numbers";
    const char *wrong = body_word(t, &l, &b.body);
    if (wrong != NULL)
        return wrong;
    if (!number(&l, UINT32_MAX, &placement))
        return "the placement must be a decimal number";
    if (!kind_word(&l, &b.kind))
        return "the kind must be W, E, E2, R, R2, B or B2";
    for (unsigned i = 0; i < WINDOWS_BLOCK; i++)
        if (!number(&l, WINDOWS_TICKS_MOST, &b.ticks[i]))
            return "sixteen decimal numbers of ticks, each below 2^48, must follow the kind";
    if (length(next_word(&l)) > 0)
        return "more than sixteen numbers follow the kind";
    b.launch = (uint32_t)launch;
    b.placement = (uint32_t)placement;
    struct windows_block *more = grow(t->block, t->blocks, sizeof *more);
    if (more == NULL)
        return "out of memory";
    t->block = more;
    t->block[t->blocks++] = b;
    return NULL;
}

bool windows_text_parse(struct windows_text *t, const uint8_t *text, size_t n, char *error,
                        size_t size)
{
    const uint8_t *end = text + n;
    unsigned number_of = 0;
    *t = (struct windows_text){0};
    while (text < end) {
        const uint8_t *lf = memchr(text, '\n', (size_t)(end - text));
        struct line l = {text, lf != NULL ? lf : end}, first = l;
        struct line word = next_word(&first);
        bool says = length(word) > 0 && *word.at != '#';
        const char *wrong = says ? block_line(t, l) : NULL;
        number_of++;
        if (wrong != NULL) {
            fmt_buf(error, size, "line %u: %s", number_of, wrong);
            return false;
        }
        text = lf != NULL ? lf + 1 : end;
    }
    if (t->blocks == 0)
        fmt_buf(error, size, "line %u: the text ends without a block", number_of);
    return t->blocks > 0;
}

void windows_text_free(struct windows_text *t)
{
    free(t->block);
    free(t->body);
    *t = (struct windows_text){0};
}
