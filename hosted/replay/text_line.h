/* Reads lines of recorded text word by word: shared by the readers of tests/replay. */
#ifndef HOSTED_REPLAY_TEXT_LINE_H
#define HOSTED_REPLAY_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lib/text/str.h"

/* The rest of a line, or one word of it. */
struct line {
    const uint8_t *at, *end;
};

static inline size_t line_length(struct line l)
{
    return (size_t)(l.end - l.at);
}

static inline bool blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes the next line of the text up to `end`. False: there is no more. */
static inline bool line_next(const uint8_t **text, const uint8_t *end, struct line *l)
{
    const uint8_t *lf = memchr(*text, '\n', (size_t)(end - *text));

    if (*text == end)
        return false;
    *l = (struct line){*text, lf != NULL ? lf : end};
    *text = lf != NULL ? lf + 1 : end;
    return true;
}

/* Returns the next word, separated by blanks, tabs and carriage returns; empty at the end. */
static inline struct line line_word(struct line *l)
{
    while (l->at < l->end && blank(*l->at))
        l->at++;
    struct line word = {l->at, l->at};
    while (word.end < l->end && !blank(*word.end))
        word.end++;
    l->at = word.end;
    return word;
}

static inline bool line_is(struct line word, const char *text)
{
    return line_length(word) == strlen(text) && memcmp(word.at, text, strlen(text)) == 0;
}

/* Reads the next word as a number, base 10 or 16, at most `most`. False: it is not one. */
static inline bool line_number(struct line *l, unsigned base, uint64_t most, uint64_t *value)
{
    struct line w = line_word(l);

    return str_number((const char *)w.at, line_length(w), base, most, value);
}

/* Makes room for one more element in an array of n elements that grows by doubling. NULL: out of
 * memory, and the array is unchanged. */
static inline void *array_grow(void *array, size_t n, size_t size)
{
    if (n >= 16 && (n & (n - 1)) != 0)
        return array;
    return realloc(array, (n < 16 ? 16 : 2 * n) * size);
}

#endif
