/*
 * Text of unknown encoding, one code point at a time: UTF-8, UTF-16LE or UTF-16BE, with or without
 * a byte order mark, as in configuration files and load options. Nothing is copied, so a text may
 * be of any length. Sources: Unicode 15 chapter 3 (D91, D92, table 3-7: well-formed sequences),
 * chapter 23.8 (BOM).
 */
#ifndef LIB_TEXT_WORDS_H
#define LIB_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

enum utext_encoding { UTEXT_UTF8, UTEXT_UTF16LE, UTEXT_UTF16BE };

struct utext {
    const uint8_t *bytes;
    size_t n;
    enum utext_encoding encoding;
    size_t began; /* offset of the last code point, or of the last bad bytes */
    size_t at;    /* offset of the next one */
};

enum { UTEXT_END = -1, UTEXT_BAD = -2 };

/* Guesses the encoding. A BOM (which is skipped) decides; without one, it is UTF-16 if the first
 * character, or half of all, are ASCII in two bytes; else UTF-8, which includes ASCII. */
void utext_open(struct utext *t, const void *bytes, size_t n);
/* For a known encoding without a BOM. */
void utext_open_as(struct utext *t, const void *bytes, size_t n, enum utext_encoding encoding);

/*
 * Returns the next code point, 0..0x10ffff (including NUL), UTEXT_END, or UTEXT_BAD:
 * bytes[began..at) are not a character (one byte of UTF-8, one or two of UTF-16); the text
 * continues after them.
 */
int32_t utext_next(struct utext *t);

/* Writes the UTF-8 of a code point, 1 to 4 bytes, not terminated; returns the number of bytes. */
size_t utext_encode(char out[4], uint32_t code);

/*
 * Splits a text of unknown encoding into words, separated by blanks and line ends (LF, CRLF, CR).
 * `#` begins a comment to the end of its line; double quotes keep blanks and `#` in a word and are
 * removed.
 */
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

/*
 * "did you mean": the known words that are one edit away from an unknown word. An edit adds, drops
 * or changes one letter, or swaps two neighbours. Case and leading dashes are ignored.
 */
#define NEAR_WORDS    3 /* maximum number of words in a message */
#define NEAR_SHORTEST 3 /* letters of a word: any two letters are one edit away from `k` */

struct near {
    const char *word;
    size_t n;
    struct {
        const char *at;
        size_t n;
    } found[NEAR_WORDS];
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
