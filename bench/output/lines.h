/*
 * Lines of the summary, each of which goes to the table or to the array `lines` of the record. A
 * line has a label, and parts that commas separate, or cells of equal width.
 */
#ifndef BENCH_OUTPUT_LINES_H
#define BENCH_OUTPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

struct json;

#define LINES_COLUMNS 79 /* one less than a screen has, so that no console wraps */
#define LINES_LABEL   10 /* columns of the label of a line of parts */

/* The destination: one of the two, the other is NULL. */
struct lines_to {
    struct sink *table;
    struct json *record;
};

/* A line of parts; `left`, `to` and `label` are set by the caller. */
struct lines_line {
    const struct lines_to *to;
    const char *label;
    unsigned left; /* further lines that it may use in the table */
    bool open;     /* it has a part */
    size_t column; /* in the table */
    bool full;
};

/* Writes a part. If it does not fit, it goes to the next line or is cut. */
void lines_put(struct lines_line *l, const char *text);
/* Writes a part with a number: "3 rows throttled". */
void lines_count(struct lines_line *l, uint64_t n, const char *one, const char *many);
/* Ends the line, if it has a part. */
void lines_end(const struct lines_line *l);

/* Writes a line of n cells. The widths apply to the table. */
void lines_cells(const struct lines_to *to, const char *label, int label_width,
                 const char *const *cell, unsigned n, int cell_width);

#endif
