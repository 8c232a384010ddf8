/*
 * Inlining that depends on another function of the file. Two splitters share a static helper. This
 * file has both; split_plain.c and split_quoted.c compile it again, each with one of them.
 */
#include "bench/suites/compiler/pass.h"

#if defined(COMPILER_PLAIN_ALONE) || defined(COMPILER_QUOTED_ALONE)
#define NAME(name) name##_cure
#else
#define NAME(name) name##_trap
#endif

/* Options: what a text may have in its fields. */
enum {
    QUOTES = 1,
    ESCAPES = 2,
    BRACKETS = 4,
    COMMENTS = 8,
    BLANKS = 16, /* dropped at both ends of a field */
};

/*
 * Returns where the field that begins at p ends: its separator, or the NUL after the text. Adds the
 * field's characters to *length.
 */
static const unsigned char *field(const unsigned char *p, unsigned char separator, unsigned options,
                                  uint64_t *length)
{
    unsigned char quote = 0;
    unsigned depth = 0;
    uint64_t n = 0, blanks = 0;

    for (; *p; p++) {
        const unsigned char c = *p;

        if (options & ESCAPES && c == '\\' && p[1]) {
            p++;
        } else if (options & QUOTES && quote) {
            if (c == quote) {
                quote = 0;
                continue;
            }
        } else if (options & QUOTES && (c == '"' || c == '\'')) {
            quote = c;
            continue;
        } else if (options & BRACKETS && (c == '(' || c == '[')) {
            depth++;
        } else if (options & BRACKETS && depth && (c == ')' || c == ']')) {
            depth--;
        } else if (options & COMMENTS && c == '#') {
            while (p[1] && p[1] != '\n')
                p++;
            continue;
        } else if (!depth && c == separator) {
            break;
        } else if (options & BLANKS && (c == ' ' || c == '\t')) {
            blanks++;
            continue;
        }
        n += n ? blanks + 1 : 1;
        blanks = 0;
    }
    *length += n;
    return p;
}

/*
 * All options, as a caller would choose them. The helper is large: it is inlined only if this is
 * its only caller.
 */
#ifndef COMPILER_PLAIN_ALONE
ONE_PASS NAME(split_quoted)(uint64_t *table, uint64_t count)
{
    const unsigned char *p = (const unsigned char *)table;
    unsigned options = QUOTES | ESCAPES | BRACKETS | COMMENTS | BLANKS;
    uint64_t sum = 0;

    BENCH_HIDE(options);
    for (; count; count--)
        p = field(p, COMPILER_SEPARATOR, options, &sum) + 1;
    return sum;
}
PASSES(NAME(split_quoted))
#endif

/*
 * No options: little of the helper is left, and it is inlined even if others call it. A rest with a
 * different separator, which the text does not have, is another call of the helper; it is not
 * inlined.
 */
#ifndef COMPILER_QUOTED_ALONE
ONE_PASS NAME(split_plain)(uint64_t *table, uint64_t count)
{
    const unsigned char *p = (const unsigned char *)table;
    uint64_t sum = 0;

    for (; count; count--)
        p = field(p, COMPILER_SEPARATOR, 0, &sum) + 1;
    if (__builtin_expect(*p != 0, 0))
        (void)field(p + 1, *p, QUOTES | ESCAPES | BRACKETS | COMMENTS | BLANKS, &sum);
    return sum;
}
PASSES(NAME(split_plain))
#endif
