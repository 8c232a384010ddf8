/*
 * Takes bytes: a console, a file, a buffer. All output goes to a struct sink, so that the same
 * report code writes to a serial port, to a test's memory and to stdout.
 */
#ifndef LIB_TEXT_SINK_H
#define LIB_TEXT_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink {
    /* Takes n bytes. Cannot fail: a sink that loses bytes counts them itself. */
    void (*write)(struct sink *self, const char *bytes, size_t n);
};

/* A sink into a caller's buffer. Always NUL-terminated; if bytes do not fit, `cut` is set. */
struct sink_buf {
    struct sink sink;
    char *at;
    size_t size; /* of the buffer, including the terminating NUL; at least 1 */
    size_t used; /* bytes written, without the NUL */
    bool cut;    /* something did not fit and was dropped */
};

void sink_buf_init(struct sink_buf *b, char *at, size_t size);

#endif
