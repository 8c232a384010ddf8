/*
 * Writes the report: its records in order, with one sequence number for all, and next to them the
 * table for the user. boot/ writes an `end` after `help`, kernel/ the `run`, bench/ the rows.
 */
#ifndef BENCH_API_REPORT_H
#define BENCH_API_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/options.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

#define REPORT_FAILED_NAMES 8 /* the number that the report's last lines can name */

/* The width that every console has, and the width of a console with room for more columns. */
#define REPORT_COLUMNS      80
#define REPORT_COLUMNS_WIDE 100

struct report {
    struct sink *out;     /* the table and messages */
    struct sink *records; /* `out`, unless the owner separates the two */
    struct sink *live;    /* consoles on which the progress line is replaced; NULL: no such */
    struct sink *steady;  /* consoles whose lines stay, since they may be logged; NULL: no such */
    enum format format;
    unsigned columns;  /* of the widest console; REPORT_COLUMNS unless the owner says otherwise */
    uint64_t seq;      /* of the next record */
    uint64_t rows;     /* rows written */
    uint64_t curves;   /* curves and maps that were measured, by size or by count */
    uint64_t forms;    /* forms of instructions that ran */
    uint64_t failures; /* calls of report_failed(): rows, self-tests and others */
    uint64_t unproven; /* rows without an instruction count that proves their work */
    uint64_t smis;     /* SMIs while rows were measured */
    bool counts_smis;  /* the platform counts SMIs */
    bool faulted;      /* a core faulted; it is counted as a failure */
    bool progress;     /* `live` shows a progress line without a newline */
    bool verdict_line; /* report_end() writes the line of the verdict, without those of rows */
    struct json_check check;
    char failed[REPORT_FAILED_NAMES][44]; /* names of the first failures; "" ends the list */
};

void report_init(struct report *r, struct sink *out, enum format format);
/* Writes records only from now on, because the reader gets the text elsewhere. A test rack with
 * format=lines still gets the line of the verdict. `error`: what ends the run; this word may follow
 * it, so the line is then also written without the word, unless another one was chosen. */
void report_records_only(struct report *r, bool error);

/* Counts a failure of the run and keeps its name: "what", or "what/of" if `of` is not NULL. */
void report_failed(struct report *r, const char *what, const char *of);

/* Returns whether the table is written. Callers then use fmt() on r->out; lines end in "\r\n". */
bool report_table(const struct report *r);
/* Returns whether one line per row is written in place of the table. */
bool report_lines(const struct report *r);
/* Returns whether either of the two is written. */
bool report_says(const struct report *r);

/* Replaces the progress line by `line` (at most 79 columns). */
void report_progress(struct report *r, const char *line);
/* Writes it on the consoles whose lines stay. False: there are no such. */
bool report_progress_stays(struct report *r, const char *line);
/* Clears the progress line, if there is one: the next byte goes to the start of an empty line. */
void report_fresh_line(struct report *r);

/* Begins a record on a new line. False: this format omits records of this type (never `end`). */
bool report_record(struct report *r, struct json *j, const char *type);

/* Writes an `event` record, and in the table, or between the lines, a line "warning: ..." */
void report_event(struct report *r, const char *kind, const char *message);
/* The same with a message of at most 511 bytes, formatted as by fmt(). */
void report_eventf(struct report *r, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for an event with more members. True: the record is begun, and the caller ends it. */
bool report_event_begin(struct report *r, struct json *j, const char *kind, const char *message);

/* The same without the line: the record only. */
bool report_event_record(struct report *r, struct json *j, const char *kind, const char *message);

/* A sink for the lines of a recording, which end in "\n": writes them as records `machine`, a few
 * lines per record. Longer lines than its room are cut. */
struct report_machine {
    struct sink sink;
    struct report *r;
    struct json record;
    unsigned lines; /* in the open record; 0: none is open */
    unsigned all;   /* in all of them */
    size_t n;
    char line[128];
};

void report_machine_begin(struct report_machine *m, struct report *r);
void report_machine_end(struct report_machine *m);

enum selftest { SELFTEST_PASS, SELFTEST_FAIL, SELFTEST_NOT_JUDGED };

/* Reports a self-test's result; a FAIL counts as a failure of the run. `detail`: what was seen. */
void report_selftest(struct report *r, const char *name, enum selftest result, const char *detail);

/* Writes the last record and the last line. `stopped`: the user ended the run before all rows were
 * done; the verdict is then not PASS. */
void report_end(struct report *r, bool stopped);

/* The schema of a report: every field of every record, in the order of docs/report.md. */

extern const struct json_shape report_shape;

#endif
