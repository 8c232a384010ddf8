/*
 * The essence of a run: what remains on the last screen, where a USB keyboard cannot look back. At
 * most ESSENCE_LINES lines of ESSENCE_COLUMNS columns, so that with a hint at the keys and the
 * verdict below it there are 20. Pure: what it says was collected before (essence_take.h).
 *
 * Every figure is a row's as the row's own lines and record have it, and the row is named; nothing
 * is measured for it. What a run has nothing of is left out. docs/reading.md "The last screen" says
 * what each line means.
 */
#ifndef BENCH_ESSENCE_ESSENCE_H
#define BENCH_ESSENCE_ESSENCE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/report.h"
#include "lib/stats/behave.h"
#include "lib/text/sink.h"

#define ESSENCE_LINES   18
#define ESSENCE_COLUMNS 79 /* one less than a screen has: no console wraps */

/* Ways of calling, each by a line of the matrix, and its columns. */
#define ESSENCE_WAYS  5
#define ESSENCE_FORMS 4

/* The rows that it is made of; those of the matrix way by way. */
enum essence_row {
    ESSENCE_WINDOW, /* the empty window of the recipe in use: a median, gross */
    ESSENCE_NOTHING,
    ESSENCE_CALLS,
    /* Two pairs, each set against each other. */
    ESSENCE_RANDOM = ESSENCE_CALLS + ESSENCE_WAYS * ESSENCE_FORMS,
    ESSENCE_TURN,
    ESSENCE_COLD,
    ESSENCE_WARM,
    ESSENCE_PINGPONG, /* rows of several cores: ticks, and ns where there are */
    ESSENCE_SKEW,
    ESSENCE_WAKE,
    ESSENCE_IPI,
    ESSENCE_ROWS
};

/* Suite and name of each. The window's name is what its recipe makes of it: NULL. */
struct essence_name {
    const char *suite, *name;
};
extern const struct essence_name essence_names[ESSENCE_ROWS];

enum essence_state {
    ESSENCE_NOT_RUN, /* not selected, not possible here, or not reached: "-" */
    ESSENCE_FIGURE,
    ESSENCE_FAILED /* whatever figure it has */
};

struct essence_figure {
    enum essence_state state;
    double value, half; /* UNKNOWN: there is none */
    unsigned percent;   /* the interval's level; 0: not known */
    bool gross;         /* a window in whole ticks or instructions */
    double ns;          /* of rows of several cores */
    bool shared;        /* somebody else had part of the core: not judged */
    bool doubt;         /* its method has its doubts (the row's own lines say which) */
};

/* How often what spoils figures was seen, in all rows of all cores. */
struct essence_spoils {
    bool own_known;             /* a witness looks whether the core is ours alone, ... */
    bool own_never;             /* ... and found no moment in which it is */
    bool smis_known;            /* something counts them */
    bool throttling_known;      /* of each row */
    uint64_t shared, throttled; /* rows */
    uint64_t smis, nmis;
    uint64_t disturbed, windows;
    char process[48]; /* what happened to a process beside that; empty: nothing, or it is none */
};

struct essence {
    enum execution execution;
    char unit[64];        /* of figures of an operation: "cycles/op by ruler" */
    char machine[240];    /* its names, as they are parted in the line */
    char clock[96];       /* empty: nothing is known */
    char window[24];      /* the window's row by its name, and ... */
    const char *gross;    /* ... the unit of its figure */
    unsigned core, cores; /* whose figures these are; how many measure */
    bool together;        /* all cores measure at once */
    uint64_t rows;        /* that have figures, on all cores */
    struct essence_figure figure[ESSENCE_ROWS];
    struct essence_spoils spoils;
    char stopped[60]; /* "after 3 of 163 rows"; empty: it was not */
};

/* Writes the record `essence`, and the essence as the last lines of the table, as far as the report
 * has them. What failed is named as in the list of the report. */
void essence_show(const struct essence *s, struct report *r);

#endif
