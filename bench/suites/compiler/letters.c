/*
 * Character tests. A compiler that sees all of them replaces them with arithmetic or one look-up in
 * a table, however they were written. For a known letter it keeps only the answer.
 */
#include "bench/suites/compiler/pass.h"

/* All pairs of letters, each used as a case or a test. */
#define UPPERS(IS)                                                                                 \
    IS('A', 'a');                                                                                  \
    IS('B', 'b');                                                                                  \
    IS('C', 'c');                                                                                  \
    IS('D', 'd');                                                                                  \
    IS('E', 'e');                                                                                  \
    IS('F', 'f');                                                                                  \
    IS('G', 'g');                                                                                  \
    IS('H', 'h');                                                                                  \
    IS('I', 'i');                                                                                  \
    IS('J', 'j');                                                                                  \
    IS('K', 'k');                                                                                  \
    IS('L', 'l');                                                                                  \
    IS('M', 'm');                                                                                  \
    IS('N', 'n');                                                                                  \
    IS('O', 'o');                                                                                  \
    IS('P', 'p');                                                                                  \
    IS('Q', 'q');                                                                                  \
    IS('R', 'r');                                                                                  \
    IS('S', 's');                                                                                  \
    IS('T', 't');                                                                                  \
    IS('U', 'u');                                                                                  \
    IS('V', 'v');                                                                                  \
    IS('W', 'w');                                                                                  \
    IS('X', 'x');                                                                                  \
    IS('Y', 'y');                                                                                  \
    IS('Z', 'z')
#define AS_CASE(character, value)                                                                  \
    case character:                                                                                \
        return value
/* Hides c before each test, so that no two tests are merged. */
#define AS_TEST(character, value)                                                                  \
    do {                                                                                           \
        BENCH_HIDE(c);                                                                             \
        if (c == (character))                                                                      \
            return value;                                                                          \
    } while (0)
/* Two cases, or tests, with the same answer. */
#define AS_CASES(character, value)                                                                 \
    case character:                                                                                \
    case value:                                                                                    \
        return value
#define AS_TESTS(character, value)                                                                 \
    AS_TEST(character, value);                                                                     \
    AS_TEST(value, value)
#define INLINED static inline __attribute__((always_inline)) uint32_t

/* tolower() of ASCII. */
INLINED lower(uint32_t c)
{
    switch (c) {
        UPPERS(AS_CASE);
    default:
        return c;
    }
}

INLINED lower_tested(uint32_t c)
{
    UPPERS(AS_TEST);
    return c;
}

/* tolower() of an upper-case or lower-case letter; 0 for other characters. With the character
 * itself in place of 0 gcc makes a jump table. */
INLINED lower_of_letter(uint32_t c)
{
    switch (c) {
        UPPERS(AS_CASES);
    default:
        return 0;
    }
}

INLINED lower_of_letter_tested(uint32_t c)
{
    UPPERS(AS_TESTS);
    return 0;
}

/* A known letter: no test is left, and the sum becomes a multiplication. */
SUM_PASS(known_trap, sum += lower(COMPILER_LETTER))
SUM_PASS_OF(known_cure, uint32_t c = COMPILER_LETTER, BENCH_HIDE(c); sum += lower(c))

/* The sum of `fn` over the room's characters. */
#define TEXT_PASS(name_, fn)                                                                       \
    SUM_PASS_OF(name_, const unsigned char *text = (const unsigned char *)table, sum += fn(text[i]))

/* Unknown letters: 26 cases become a subtraction, a comparison and a conditional move. */
TEXT_PASS(lower_trap, lower)
TEXT_PASS(lower_cure, lower_tested)

/* Two cases per answer: 52 cases become one look-up in a table. */
TEXT_PASS(to_table_trap, lower_of_letter)
TEXT_PASS(to_table_cure, lower_of_letter_tested)
