/*
 * Shows rows that differ in one thing (`family` of bench/api/bench.h) in one line of a table, one
 * column per row. With many rows this is easier to read than one line per row. The records have all
 * rows. A row with a problem (it failed, was disturbed, its core was shared) is also shown in full,
 * and marked in its column.
 *
 * Lines are kept until the suite ends; a row for which there is no room is shown in full.
 */
#ifndef BENCH_OUTPUT_GROUPED_H
#define BENCH_OUTPUT_GROUPED_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/report.h"
#include "bench/result/facts.h"

#define GROUPED_LINES 256

struct grouped_cell {
    enum { GROUPED_NONE, GROUPED_FIGURE, GROUPED_FAILED } state;
    double value, half; /* UNKNOWN: not known */
    bool modes;         /* several: the value is the median over placements */
    bool in_full;       /* the row is also shown in full */
    bool shared;        /* its figure is that of a shared core */
};

struct grouped_line {
    const struct bench_family *family;
    const char *name;
    uint32_t at; /* the count in a series, which is sorted by it; 0: no series */
    unsigned core;
    struct grouped_cell cell[BENCH_COLUMNS];
};

struct grouped {
    bool on;
    bool cores;       /* several cores measure: lines name the core */
    const char *unit; /* of an operation */
    unsigned percent; /* the confidence of intervals; a row with another is shown in full */
    const char *suite;
    size_t lines;
    struct grouped_line line[GROUPED_LINES];
};

/* Begins the tables, before the first of the `selected` rows. */
void grouped_begin(struct grouped *g, const struct run_facts *run, size_t selected);

/* Takes a row that has ended; `trouble`: it has notes. True: the table needs only its column. */
bool grouped_take(struct grouped *g, const struct run_facts *run, const struct row *row,
                  bool trouble);

/* Returns whether both are in columns of one table, which shows their difference. */
bool grouped_both(const struct grouped *g, const struct bench *a, const struct bench *b);

/* Writes the rows taken as tables, and empties it. */
void grouped_show(struct grouped *g, struct report *r);

#endif
