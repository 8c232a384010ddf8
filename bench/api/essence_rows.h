/*
 * The rows whose figures the essence shows, and the lines that show them.
 * bench/suites/essence_rows.c declares both, next to the suites that have these rows;
 * bench/essence lays out the lines and knows no suite by name.
 */
#ifndef BENCH_API_ESSENCE_ROWS_H
#define BENCH_API_ESSENCE_ROWS_H

#include <stdbool.h>

#define ESSENCE_ROWS    30 /* of all lines together */
#define ESSENCE_PARTS   5  /* lines, or tables of lines */
#define ESSENCE_COLUMNS 4  /* of a table */

struct essence_name {
    const char *suite, *name;
    /* The name is a prefix, which the name of the recipe in use follows. The figure is the median
     * of a bare window. */
    bool is_recipe;
    const char *unit; /* follows the figure; NULL: nothing follows */
};

enum essence_kind {
    ESSENCE_NAMED, /* one line: the name and the figure of each row that was run */
    ESSENCE_PAIR,  /* one line: two rows, and their difference if it has a name */
    ESSENCE_TABLE, /* a line of headings, then a line for each ESSENCE_COLUMNS rows */
    ESSENCE_TIMES, /* up to two lines: rows of several cores, in ns or else in ticks */
};

/* A part of the essence. Its rows are those from index `first` on. */
struct essence_part {
    const char *label;
    enum essence_kind kind;
    unsigned first, rows;
    /* ESSENCE_PAIR: the difference's name on a CPU; elsewhere it is "apart". NULL: not shown. */
    const char *difference;
    const char *const *headings; /* ESSENCE_TABLE: ESSENCE_COLUMNS of them */
};

extern const struct essence_name essence_names[ESSENCE_ROWS];
/* In the order in which they are shown. */
extern const struct essence_part essence_parts[ESSENCE_PARTS];

#endif
