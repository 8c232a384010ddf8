/*
 * Rows that differ in one thing (`family` of bench/api/bench.h) stand in one line of a table, a
 * column for each: where there are many rows a person reads that, not a line a row. The records
 * have them all as ever. What is not as it should be of a row (it failed, was disturbed, its core
 * was shared) is shown in full besides, and marked in its column.
 *
 * Lines are kept until the suite is at its end; a row that finds no room is shown in full.
 */
#ifndef BENCH_SHOW_GROUPED_H
#define BENCH_SHOW_GROUPED_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/report.h"
#include "bench/model/facts.h"

#define GROUPED_LINES 256

struct grouped_cell {
    enum { GROUPED_NONE, GROUPED_FIGURE, GROUPED_FAILED } state;
    double value, half; /* UNKNOWN: there is none */
    bool modes;         /* several: the value is the median over placements */
    bool told;          /* the row is shown in full, too */
    bool shared;        /* and its figure is not that of a core alone */
};

struct grouped_line {
    const struct bench_family *family;
    const char *name;
    uint32_t at; /* of a series, which is in order of its counts; 0: of none */
    unsigned core;
    struct grouped_cell cell[BENCH_COLUMNS];
};

struct grouped {
    bool on;
    bool cores;       /* several measure: lines tell which */
    const char *unit; /* of an operation */
    unsigned percent; /* the level of intervals; a row with another one is told in full */
    const char *suite;
    size_t lines;
    struct grouped_line line[GROUPED_LINES];
};

/* Before the first of the `selected` rows. */
void grouped_begin(struct grouped *g, const struct run_facts *run, size_t selected);

/* A row that is at its end; `trouble`: something is to be said of it. True: its column is all that
 * the table needs. */
bool grouped_take(struct grouped *g, const struct run_facts *run, const struct row *row,
                  bool trouble);

/* Whether both stand in columns, where a person sees what is between them. */
bool grouped_both(const struct grouped *g, const struct bench *a, const struct bench *b);

/* What was taken, as tables; then it is empty. */
void grouped_show(struct grouped *g, struct report *r);

#endif
