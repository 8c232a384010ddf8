/*
 * A text of unknown encoding cut into words: parted by blanks and line ends (LF, CRLF, CR), `#`
 * begins a comment to the end of its line, double quotes keep blanks and `#` in a word and are
 * taken off.
 */
#ifndef LIB_TEXT_WORDS_H
#define LIB_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include "lib/text/utext.h"

#define WORD_SIZE 320 /* room for the longest word that has a meaning, NUL included */

struct word {
    char at[WORD_SIZE]; /* UTF-8, terminated */
    size_t n;           /* its bytes */
    unsigned line;      /* from 1 */
    unsigned number;    /* from 1, over the whole text */
    bool cut;           /* longer than WORD_SIZE - 1 bytes: the rest is missing */
    bool bad;  /* holds a NUL, or bytes that are no character of the encoding, as they stand */
    bool open; /* a double quote that does not end on its line */
};

struct words {
    struct utext text;
    int32_t next; /* the code point after those that were used */
    unsigned line, number;
    bool ends_at_nul; /* a NUL ends the text, as in load options; else it is a bad character */
};

void words_open(struct words *w, const void *bytes, size_t n, bool ends_at_nul);
/* False: there is none left. */
bool words_next(struct words *w, struct word *word);

#endif
