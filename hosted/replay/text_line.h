/* Lines of recorded text, word by word: what the readers of tests/replay share. */
#ifndef HOSTED_REPLAY_TEXT_LINE_H
#define HOSTED_REPLAY_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a line, or one word of it. */
struct line {
    const uint8_t *at, *end;
};

static inline size_t line_length(struct line l)
{
    return (size_t)(l.end - l.at);
}

/* The next word of the line, by blanks, tabs and carriage returns; empty at its end. */
struct line line_word(struct line *l);
bool line_is(struct line word, const char *text);
/* The next word as a number, base 10 or 16, at most `most`. False: it is none such. */
bool line_number(struct line *l, unsigned base, uint64_t most, uint64_t *value);

/* Room for one more element at the end of an array that doubles, n elements long; NULL: memory is
 * out, and the array is as it was. */
void *array_grow(void *array, size_t n, size_t size);

#endif
