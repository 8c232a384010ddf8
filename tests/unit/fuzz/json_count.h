/* Counts the parts of a line of JSON, for fuzzers of the code that writes it. */
#ifndef TESTS_UNIT_FUZZ_JSON_COUNT_H
#define TESTS_UNIT_FUZZ_JSON_COUNT_H

#include <stdbool.h>
#include "lib/text/sink.h"
#include "tests/unit/fuzz/fuzz.h"

struct json_count {
    struct sink sink;
    size_t lines, quotes;
    char last;
    bool escaped;
};

static void json_count_write(struct sink *self, const char *bytes, size_t n)
{
    struct json_count *c = (struct json_count *)self; /* its first member */

    for (size_t i = 0; i < n; i++) {
        FUZZ_CHECK(bytes[i] == '\n' || (unsigned char)bytes[i] >= ' ');
        c->lines += bytes[i] == '\n';
        c->quotes += bytes[i] == '"' && !c->escaped;
        c->escaped = bytes[i] == '\\' && !c->escaped;
        c->last = bytes[i];
    }
}

#define JSON_COUNT                                                                                 \
    {                                                                                              \
        .sink = { json_count_write }                                                               \
    }

#endif
