/*
 * Writes the essence of a run. It fits one screen, because a USB keyboard may not be able to scroll
 * back. It has at most ESSENCE_LINES lines of LINES_COLUMNS columns; with a hint about the keys
 * and the verdict below it there are 20. Its contents were collected before (essence_take.h).
 *
 * Every figure is that of a row's lines and record, and the row is named; nothing is measured for
 * it. Lines without contents are left out. docs/table.md "The essence" explains each line.
 */
#ifndef BENCH_OUTPUT_ESSENCE_H
#define BENCH_OUTPUT_ESSENCE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/essence_parts.h"
#include "bench/api/report.h"
#include "bench/output/datasheet.h"
#include "lib/stats/linearity.h"

#define ESSENCE_LINES 18

enum essence_state {
    ESSENCE_NOT_RUN, /* not selected, not supported, or not reached: "-" */
    ESSENCE_FIGURE,
    ESSENCE_FAILED /* with or without a figure */
};

struct essence_figure {
    enum essence_state state;
    const char *name;   /* the row's */
    double value, half; /* UNKNOWN: not known */
    unsigned percent;   /* the interval's confidence; 0: not known */
    bool gross;         /* a bare window in whole ticks or instructions */
    double ns;          /* of rows of several cores */
    bool shared;        /* a neighbour used the core: not judged */
    bool doubt;         /* its method considers it unreliable (the row's lines have the reason) */
};

/* Counts of the events that spoil figures, in all rows of all cores. */
struct essence_spoils {
    bool witness_runs;          /* the witness runs */
    bool never_exclusive;       /* the witness never found the core exclusive */
    bool smis_known;            /* the platform counts them */
    bool throttling_known;      /* for at least one row */
    uint64_t shared, throttled; /* rows */
    uint64_t smis, nmis;
    uint64_t disturbed, windows;
    char process[48]; /* further events of a process; empty: no events, or no process */
};

struct essence {
    enum execution execution;
    char unit[64];        /* of figures per operation: "cycles/op by ruler" */
    char machine[240];    /* its names, separated as in the line */
    char clock[96];       /* empty: not known */
    const char *gross;    /* the unit of a bare window's figure */
    unsigned core, cores; /* the core of these figures; number of cores that measure */
    bool together;        /* all cores measure at once */
    uint64_t rows;        /* rows with figures, on all cores */
    struct essence_figure figure[ESSENCE_PARTS][ESSENCE_ROWS]; /* of the i-th part's rows */
    struct sheet sheet; /* if it has figures, they are shown instead of those of rows */
    struct essence_spoils spoils;
    char stopped[60]; /* "after 3 of 163 rows"; empty: the run was not stopped */
};

/* Writes the record `essence`, and the essence as the last lines of the table, if the report has
 * these. Failures have the names of the report's list. */
void essence_show(const struct essence *s, struct report *r);

#endif
