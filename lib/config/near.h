/*
 * "did you mean": the known words that are one edit away from an unknown word. An edit adds, drops
 * or changes one letter, or swaps two neighbours. Case and leading dashes are ignored.
 */
#ifndef LIB_CONFIG_NEAR_H
#define LIB_CONFIG_NEAR_H

#include <stddef.h>
#include "lib/text/sink.h"

#define NEAR_MOST     3 /* maximum number of words in a message */
#define NEAR_SHORTEST 3 /* letters of a word: any two letters are one edit away from `k` */

struct near {
    const char *word;
    size_t n;
    struct {
        const char *at;
        size_t n;
    } found[NEAR_MOST];
    size_t used;
};

/* Starts with the unknown word: n bytes. */
struct near near_to(const char *word, size_t n);

/* Tries a known word of n bytes, which must stay valid. It is kept if it is near, new, and there is
 * room. */
void near_try(struct near *x, const char *known, size_t n);

/* Tries each alternative of "a|b|c". */
void near_try_values(struct near *x, const char *values);

/* Writes " (did you mean A or B?)", with before and after around each word; nothing if no word. */
void near_ask(const struct near *x, const char *before, const char *after, struct sink *out);

#endif
