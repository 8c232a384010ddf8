/*
 * The report's records in order, with one sequence number for all: boot/ writes an `end` after
 * `help`, kernel/ the `run`, bench/ the rows. The table for people is written beside them, by the
 * same functions.
 */
#ifndef BENCH_API_REPORT_H
#define BENCH_API_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/options.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

#define REPORT_FAILED_NAMES 8 /* kept: as many as the report's last lines can name */

/* A table's width on every console, and one that has room for more columns. */
#define REPORT_COLUMNS      80
#define REPORT_COLUMNS_WIDE 100

struct report {
    struct sink *out;     /* the table, and all else for people */
    struct sink *records; /* `out`, unless the owner says otherwise: then they do not mix */
    struct sink *live;    /* progress lines: `out`, unless the owner keeps what goes there */
    enum format format;
    unsigned columns;  /* of the widest console; REPORT_COLUMNS unless the owner says otherwise */
    uint64_t seq;      /* of the next record */
    uint64_t rows;     /* rows written */
    uint64_t failures; /* rows and self-tests that failed, and the like: see report_failed() */
    uint64_t unproven; /* rows of which no count tells whether they did their work */
    uint64_t smis;     /* while rows were measured, ... */
    bool counts_smis;  /* ... where the platform counts them */
    bool faulted;      /* a core faulted; it is counted in a failure */
    bool progress;     /* a progress line stands on the console without a newline */
    struct json_check check;
    char failed[REPORT_FAILED_NAMES][44]; /* what failed, the first of them by name; "": no more */
};

void report_init(struct report *r, struct sink *out, enum format format);

/* One failure of the run more, by its name: "what", or "what/of" where `of` is not NULL. */
void report_failed(struct report *r, const char *what, const char *of);

/* Whether the table is wanted; then fmt() to r->out at will, lines ended by "\r\n". */
bool report_table(const struct report *r);
/* Whether a line a row is wanted in place of the table. */
bool report_lines(const struct report *r);
/* Either of the two: whether a person reads along. */
bool report_says(const struct report *r);

/* Writes `line` (at most 79 columns) over the progress line before it. Nothing where there is no
 * table. */
void report_progress(struct report *r, const char *line);
/* Wipes the progress line, if one stands there: the next byte goes to the start of an empty line.
 */
void report_fresh_line(struct report *r);

/* Begins a record on a fresh line; false when this format leaves records of this type out (`end`
 * never is). */
bool report_record(struct report *r, struct json *j, const char *type);

/* An `event` record, and in the table, or between the lines, a line "warning: ..." */
void report_event(struct report *r, const char *kind, const char *message);
/* The same with members of its own: true where there is a record, which the caller then ends. */
bool report_event_begin(struct report *r, struct json *j, const char *kind, const char *message);

/* Its record alone. */
bool report_event_record(struct report *r, struct json *j, const char *kind, const char *message);

enum selftest { SELFTEST_PASS, SELFTEST_FAIL, SELFTEST_NOT_JUDGED };

/* One self-test's outcome; a FAIL counts as a failure of the run. `detail` says what was seen. */
void report_selftest(struct report *r, const char *name, enum selftest result, const char *detail);

/* The last record and the last line. `stopped`: by a person, before all rows were done; that is no
 * pass. */
void report_end(struct report *r, bool stopped);

#endif
