/*
 * Splits a text of unknown encoding into words, separated by blanks and line ends (LF, CRLF, CR).
 * `#` begins a comment to the end of its line; double quotes keep blanks and `#` in a word and are
 * removed.
 */
#ifndef LIB_TEXT_WORDS_H
#define LIB_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include "lib/text/utext.h"

#define WORD_SIZE 320 /* room for the longest valid word, including the NUL */

struct word {
    char at[WORD_SIZE]; /* UTF-8, terminated */
    size_t n;           /* number of bytes */
    unsigned line;      /* from 1 */
    unsigned number;    /* from 1, over the whole text */
    bool cut;           /* longer than WORD_SIZE - 1 bytes: the rest is missing */
    bool bad;           /* has a NUL, or bytes that are not characters of the encoding, unchanged */
    bool open;          /* has a double quote that is not closed on its line */
};

struct words {
    struct utext text;
    int32_t next; /* the code point after the last used one */
    unsigned line, number;
    bool ends_at_nul; /* a NUL ends the text, as in load options; else it is a bad character */
};

void words_open(struct words *w, const void *bytes, size_t n, bool ends_at_nul);
/* False: no word is left. */
bool words_next(struct words *w, struct word *word);

#endif
