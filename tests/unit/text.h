/* What a test's code writes. */
#ifndef TESTS_TEXT_H
#define TESTS_TEXT_H

#include "lib/text/sink.h"
#include "tests/unit/cmocka_unit.h"

static char text[16384];

static inline void text_write(struct sink *self, const char *bytes, size_t n)
{
    size_t used = strlen(text);

    assert_in_range(n, 0, sizeof text - used - 1);
    memcpy(text + used, bytes, n);
    text[used + n] = '\0';
}

/* Returns a sink into the text, which is then empty. */
static inline struct sink *text_sink(void)
{
    static struct sink sink = {text_write};

    text[0] = '\0';
    return &sink;
}

#endif
