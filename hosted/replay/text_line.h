/* Reads lines of recorded text word by word: shared by the readers of tests/replay. */
#ifndef HOSTED_REPLAY_TEXT_LINE_H
#define HOSTED_REPLAY_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of a line, or one word of it. */
struct line {
    const uint8_t *at, *end;
};

static inline size_t line_length(struct line l)
{
    return (size_t)(l.end - l.at);
}

/* Returns the next word, separated by blanks, tabs and carriage returns; empty at the end. */
struct line line_word(struct line *l);
bool line_is(struct line word, const char *text);
/* Reads the next word as a number, base 10 or 16, at most `most`. False: it is not one. */
bool line_number(struct line *l, unsigned base, uint64_t most, uint64_t *value);

/* Makes room for one more element in an array of n elements that grows by doubling. NULL: out of
 * memory, and the array is unchanged. */
void *array_grow(void *array, size_t n, size_t size);

#endif
