/* Options parsed as from baretick.conf, with the message about a wrong one. */
#ifndef TESTS_MADE_OPTIONS_H
#define TESTS_MADE_OPTIONS_H

#include "lib/config/options.h"
#include "tests/unit/text.h"

static char message[4096]; /* room for the names of more options than there are */

static inline bool parse_bytes(struct options *o, const void *bytes, size_t n)
{
    struct sink_buf err;

    sink_buf_init(&err, message, sizeof message);
    bool good = options_parse_file(o, bytes, n, "baretick.conf", &err.sink);
    assert_false(err.cut);
    assert_int_equal(good, message[0] == '\0');
    return good;
}

static inline bool parse(struct options *o, const char *text)
{
    options_default(o);
    return parse_bytes(o, text, strlen(text));
}

#endif
