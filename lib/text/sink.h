/*
 * Takes bytes: a console, a file, a buffer. All output goes to a struct sink, so that the same
 * report code writes to a serial port, to a test's memory and to stdout.
 */
#ifndef LIB_TEXT_SINK_H
#define LIB_TEXT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * A report kept in memory, to be written to files later: its records in one buffer, all other lines
 * in another, in any order. A sink for lines that end in "\r\n", without progress lines. A record
 * is a line that begins with '{'.
 *
 * Only complete lines are kept. Once a line does not fit, a buffer takes no more, except after
 * report_log_end(): REPORT_LOG_END bytes of each buffer are reserved for that, so that even a
 * truncated report ends properly. A missing record shows as a gap in seq.
 */
#define REPORT_LOG_END 4096

struct report_lines {
    char *at;
    size_t size, used;
    size_t begun;  /* where the last line begins */
    bool full;     /* a line did not fit */
    uint64_t lost; /* lines that were not kept */
};

struct report_log {
    struct sink sink;
    struct report_lines records, text;
    struct report_lines *line; /* where the current line goes; NULL: between lines */
    bool skips;                /* the rest of it is dropped */
    bool ends;
};

/* Each buffer: more than REPORT_LOG_END bytes. */
void report_log_init(struct report_log *l, char *records, size_t records_size, char *text,
                     size_t text_size);
/* Call this when the end of the report begins. */
static inline void report_log_end(struct report_log *l)
{
    l->ends = true;
}

#endif
