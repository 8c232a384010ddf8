#include "hosted/replay/windows_text.h"
#include <stdlib.h>
#include <string.h>
#include "lib/text/fmt.h"
#include "hosted/replay/text_line.h"

#define BODIES_MOST 1000 /* a recording has about ten, so a linear search is fast */

static const char *body_word(struct windows_text *t, struct line *l, uint32_t *body)
{
    struct line w = line_word(l);

    if (line_length(w) == 0 || line_length(w) >= WINDOWS_BODY)
        return "the body is not a name of 1 to 31 bytes";
    for (const uint8_t *at = w.at; at < w.end; at++)
        if (*at < '!' || *at > '~')
            return "the body's name has a byte that is not printable ASCII";
    for (*body = 0; *body < t->bodies; ++*body)
        if (line_is(w, t->body[*body]))
            return NULL;
    if (t->bodies == BODIES_MOST)
        return "more than 1000 bodies";
    char(*more)[WINDOWS_BODY] = array_grow(t->body, t->bodies, sizeof *more);
    if (more == NULL)
        return "out of memory";
    t->body = more;
    memcpy(t->body[t->bodies], w.at, line_length(w));
    t->body[t->bodies++][line_length(w)] = '\0';
    return NULL;
}

static bool kind_word(struct line *l, enum windows_kind *kind)
{
    static const char *const kinds[WINDOWS_KINDS] = {"W", "E", "E2", "R", "R2", "B", "B2"};
    struct line w = line_word(l);

    for (unsigned k = 0; k < WINDOWS_KINDS; k++)
        if (line_is(w, kinds[k])) {
            *kind = (enum windows_kind)k;
            return true;
        }
    return false;
}

static const char *block_line(struct windows_text *t, struct line l)
{
    struct windows_block b;
    uint64_t launch, microseconds, placement;

    if (!line_number(&l, 10, UINT32_MAX, &launch) ||
        !line_number(&l, 10, UINT64_MAX, &microseconds))
        return "launch and microseconds must be decimal numbers";
    const char *wrong = body_word(t, &l, &b.body);
    if (wrong != NULL)
        return wrong;
    if (!line_number(&l, 10, UINT32_MAX, &placement))
        return "the placement must be a decimal number";
    if (!kind_word(&l, &b.kind))
        return "the kind must be W, E, E2, R, R2, B or B2";
    for (unsigned i = 0; i < WINDOWS_BLOCK; i++)
        if (!line_number(&l, 10, WINDOWS_TICKS_MOST, &b.ticks[i]))
            return "sixteen decimal numbers of ticks, each below 2^48, must follow the kind";
    if (line_length(line_word(&l)) > 0)
        return "more than sixteen numbers follow the kind";
    b.launch = (uint32_t)launch;
    b.placement = (uint32_t)placement;
    struct windows_block *more = array_grow(t->block, t->blocks, sizeof *more);
    if (more == NULL)
        return "out of memory";
    t->block = more;
    t->block[t->blocks++] = b;
    return NULL;
}

static void refuse(struct windows_text *t, const char *file, unsigned number_of, const char *why,
                   struct sink *said)
{
    if (t->refused++ < WINDOWS_SAID)
        fmt(said, "replay: %s: line %u: %s\n", file, number_of, why);
}

/* Takes all lines that are not blank or comments. Returns the number of lines of the text. */
static unsigned take_lines(struct windows_text *t, const char *file, const uint8_t *text, size_t n,
                           struct sink *said, char *error, size_t size)
{
    const uint8_t *end = text + n;
    unsigned number_of = 0;
    bool after_refused = false;

    while (text < end) {
        const uint8_t *lf = memchr(text, '\n', (size_t)(end - text));
        struct line l = {text, lf != NULL ? lf : end}, first = l;
        struct line word = line_word(&first);
        text = lf != NULL ? lf + 1 : end;
        number_of++;
        if (line_length(word) == 0 || *word.at == '#')
            continue;
        const char *wrong = block_line(t, l);
        if (wrong == NULL)
            t->block[t->blocks - 1].after_refused = after_refused;
        else
            refuse(t, file, number_of, wrong, said);
        if (wrong != NULL && t->refused == 1)
            fmt_buf(error, size, "line %u: %s", number_of, wrong);
        after_refused = wrong != NULL;
    }
    return number_of;
}

bool windows_text_parse(struct windows_text *t, const char *file, const uint8_t *text, size_t n,
                        struct sink *said, char *error, size_t size)
{
    *t = (struct windows_text){0};
    unsigned lines = take_lines(t, file, text, n, said, error, size);
    if (t->refused > 0)
        fmt(said, "replay: %s: %zu of %u lines were refused%s\n", file, t->refused, lines,
            t->blocks > 0 ? "; the others are judged" : "");
    else if (t->blocks == 0)
        fmt_buf(error, size, "line %u: the text ends without a block", lines);
    return t->blocks > 0;
}

void windows_text_free(struct windows_text *t)
{
    free(t->block);
    free(t->body);
    *t = (struct windows_text){0};
}
