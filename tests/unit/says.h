/* Messages are checked for the name, the place and what is allowed, not word for word. */
#ifndef TESTS_SAYS_H
#define TESTS_SAYS_H

#include "tests/unit/cmocka_unit.h"

/* Asserts that the text has each of these parts. */
#define assert_says(text, ...)                                                                     \
    assert_says_each(text, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)

static inline void assert_says_each(const char *text, const char *const *part, const char *file,
                                    int line)
{
    for (; *part; part++)
        if (!strstr(text, *part)) {
            print_error("\"%s\" does not have \"%s\"\n", text, *part);
            _fail(file, line);
        }
}

#endif
