/* Strings without libc: compare, match, copy with truncation reported, read numbers, escape. */
#ifndef LIB_TEXT_STR_H
#define LIB_TEXT_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/mem.h"
#include "lib/text/sink.h"

bool str_eq(const char *a, const char *b);
/* Returns whether `s` is exactly these n bytes. */
static inline bool str_is(const char *s, const char *bytes, size_t n)
{
    return strlen(s) == n && memcmp(s, bytes, n) == 0;
}

/* The same, ignoring the case of ASCII letters. */
bool str_is_any_case(const char *s, const char *bytes, size_t n);
bool str_has(const char *s, const char *part);
/* Returns a value below, equal to or above 0 if a is before, equal to or after b. Compares bytes,
 * but runs of digits by their number: n2 before n10, and n02 before n2. */
int str_order(const char *a, const char *b);
bool str_starts(const char *s, const char *with);
/* Returns the number of bytes before the first `end`, or of all without it. */
size_t str_until(const char *s, char end);
/* Converts an ASCII letter. */
static inline char str_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Finds the index-th of the alternatives in "a|b|c"; *at gets its beginning. Returns its length, 0
 * if the list is shorter. */
size_t str_alternative(const char *values, uint32_t index, const char **at);
/* Finds which of the alternatives is exactly these n bytes. False: none is. */
bool str_choice(const char *values, const char *bytes, size_t n, uint32_t *index);

/* Copies n bytes into out[size] and terminates them; false if they did not fit (truncated, still
 * terminated). size is at least 1. */
bool str_copy(char *out, size_t size, const char *bytes, size_t n);

/* Reads n bytes, all digits in base 10 or 16, as a number of at most `most`. False: they are not
 * such a number; *value is then unchanged. */
bool str_number(const char *s, size_t n, unsigned base, uint64_t most, uint64_t *value);
/* Reads a whole number in decimal, or in hexadecimal after 0x: only digits, no sign, no blanks,
 * nothing after it. False if it is not a number or does not fit; *value is then unchanged. */
bool str_u32(const char *s, uint32_t *value);
bool str_u64(const char *s, uint64_t *value);

/* Shell-like patterns (`*` any run, `?` any one character) and comma lists of them. Without
 * recursion, in at most length(pattern) * length(name) steps. */
bool glob_match(const char *pattern, const char *name);
/* Returns whether any pattern of the comma list matches. */
bool glob_list_match(const char *list, const char *name);
/* Copies the index-th (from 0) pattern of the list into out; false if the list is shorter or the
 * pattern does not fit. */
bool glob_list_at(const char *list, size_t index, char *out, size_t size);

/* Writes printable ASCII unchanged, every other byte as \xNN. */
void str_escape(struct sink *out, const char *bytes, size_t n);

#endif
