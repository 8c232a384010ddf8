/*
 * tolower() of a string with the C library's table, as in glibc's <ctype.h>: a function declared
 * `const` returns the table's address, a macro or an inline function does the look-up.
 */
#include "bench/suites/compiler/pass.h"

static inline __attribute__((always_inline)) int lower_by_table(int c)
{
    return c >= -128 && c < 256 ? (*compiler_tolower_table())[c] : c;
}

/* Adds up the string; escape_ comes between its declaration and the loop. */
#define LETTERS(escape_)                                                                           \
    char s[] = COMPILER_UPPER;                                                                     \
    escape_;                                                                                       \
    for (unsigned j = 0; s[j]; j++)                                                                \
        sum += (unsigned)lower_by_table(s[j]);                                                     \
    BENCH_CLOBBER()

/*
 * As one would write it, with the string in the measured loop. Each letter is known: the string is
 * never stored, the loop is unrolled, equal letters are looked up once, and the table's address is
 * found before all passes.
 */
SUM_PASS(ctype_trap, LETTERS())

/* The string escapes, so it is stored, and no letter of it is known. */
SUM_PASS(ctype_cure, LETTERS(BENCH_ESCAPE(s)))
