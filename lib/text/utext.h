/*
 * Text of unknown encoding, one code point at a time: UTF-8, UTF-16LE or UTF-16BE, with a byte
 * order mark or without, as it stands in configuration files and load options. Nothing is copied,
 * so a text may be of any length. Sources: Unicode 15 chapter 3 (D91, D92, table 3-7: well-formed
 * sequences), chapter 23.8 (BOM).
 */
#ifndef LIB_TEXT_UTEXT_H
#define LIB_TEXT_UTEXT_H

#include <stddef.h>
#include <stdint.h>

enum utext_encoding { UTEXT_UTF8, UTEXT_UTF16LE, UTEXT_UTF16BE };

struct utext {
    const uint8_t *bytes;
    size_t n;
    enum utext_encoding encoding;
    size_t began; /* offset of the code point, or the bad bytes, that came last */
    size_t at;    /* offset of what comes next */
};

enum { UTEXT_END = -1, UTEXT_BAD = -2 };

/* Guesses the encoding: a BOM (then skipped) decides; else whether the first character, or half
 * of all, are ASCII in two bytes; else it is UTF-8, of which ASCII is a part. */
void utext_open(struct utext *t, const void *bytes, size_t n);
/* The encoding is known, and there is no BOM. */
void utext_open_as(struct utext *t, const void *bytes, size_t n, enum utext_encoding encoding);

/*
 * The next code point, 0..0x10ffff (NUL is one like others), UTEXT_END, or UTEXT_BAD:
 * bytes[began..at) are no character (one byte of UTF-8, one or two of UTF-16), and the text goes on
 * behind them.
 */
int32_t utext_next(struct utext *t);

/* The UTF-8 of a code point, 1 to 4 bytes, not terminated; returns how many. */
size_t utext_encode(char out[4], uint32_t code);

#endif
