/*
 * A report kept in memory, to be written to files afterwards: its records in one buffer, all other
 * lines in another, whatever order they come in. A sink, for lines that end in "\n" and hold no
 * progress lines; a record is a line that begins with '{'.
 *
 * Only whole lines are kept. From the first that finds no room on, a buffer takes no more, but for
 * what comes after report_log_end(): for that, REPORT_LOG_END bytes of each are set aside, so that
 * even a cut report ends as it should. A record that is missing shows as a gap in seq.
 */
#ifndef LIB_TEXT_REPORT_LOG_H
#define LIB_TEXT_REPORT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define REPORT_LOG_END 4096

struct report_lines {
    char *at;
    size_t size, used;
    size_t begun;  /* where the last line begins */
    bool full;     /* a line found no room */
    uint64_t lost; /* lines that were not kept */
};

struct report_log {
    struct sink sink;
    struct report_lines records, text;
    struct report_lines *line; /* where the line under way goes; NULL: none is begun */
    bool skips;                /* what is left of it is dropped */
    bool ends;
};

/* Each buffer: more than REPORT_LOG_END bytes. */
void report_log_init(struct report_log *l, char *records, size_t records_size, char *text,
                     size_t text_size);
/* What comes from now on is the end of the report. */
void report_log_end(struct report_log *l);

#endif
