/* Divides a block of words into several arrays; without memory it only counts the words. */
#ifndef BENCH_ENGINE_CUT_H
#define BENCH_ENGINE_CUT_H

#include <stddef.h>
#include <stdint.h>

struct cut {
    uint64_t *memory; /* NULL: count only */
    size_t used;      /* words */
};

/* Returns the number of words that hold `bytes`. */
static inline size_t cut_words(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* Returns the next `words` words; NULL if they are only counted. */
static inline void *cut(struct cut *c, size_t words)
{
    size_t at = c->used;

    c->used += words;
    return c->memory ? c->memory + at : NULL;
}

#endif
