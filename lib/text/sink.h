/*
 * A place that takes bytes: a console, a file, a buffer. Everything that prints takes a struct
 * sink, so that the same report code writes to a serial port, to a test's memory and to stdout.
 */
#ifndef LIB_TEXT_SINK_H
#define LIB_TEXT_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink {
    /* Takes n bytes. Cannot fail: a sink that loses bytes keeps count of it by itself. */
    void (*write)(struct sink *self, const char *bytes, size_t n);
};

/* A sink into a caller's buffer. Always NUL-terminated; bytes that do not fit set `cut`. */
struct sink_buf {
    struct sink sink;
    char *at;
    size_t size; /* of the buffer, the terminating NUL included; at least 1 */
    size_t used; /* bytes written, without the NUL */
    bool cut;    /* something did not fit and was dropped */
};

void sink_buf_init(struct sink_buf *b, char *at, size_t size);

#endif
