/*
 * Writes the summary of a run. It fits one screen, because a USB keyboard may not be able to scroll
 * back. It has at most SUMMARY_LINES lines of LINES_COLUMNS columns; with a hint about the keys
 * and the verdict below it there are 20. Its contents were collected before (summary_take.c).
 *
 * Every figure is that of a row's lines and record, and the row is named; nothing is measured for
 * it. Lines without contents are left out. docs/table.md "The summary" explains each line.
 */
#ifndef BENCH_OUTPUT_SUMMARY_H
#define BENCH_OUTPUT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/summary_parts.h"
#include "bench/api/report.h"
#include "bench/output/datasheet.h"
#include "lib/stats/linearity.h"
#include "bench/result/facts.h"
#include "bench/output/board.h"

#define SUMMARY_LINES 18

enum summary_state {
    SUMMARY_NOT_RUN, /* not selected, not supported, or not reached: "-" */
    SUMMARY_FIGURE,
    SUMMARY_FAILED /* with or without a figure */
};

struct summary_figure {
    enum summary_state state;
    const char *name;   /* the row's */
    double value, half; /* UNKNOWN: not known */
    unsigned percent;   /* the interval's confidence; 0: not known */
    bool gross;         /* a bare window in whole ticks or instructions */
    double ns;          /* of rows of several cores */
    bool shared;        /* a neighbour used the core: not judged */
    bool doubt;         /* its method considers it unreliable (the row's lines have the reason) */
};

/* Counts of the events that spoil figures, in all rows of all cores. */
struct summary_spoils {
    bool witness_runs;          /* the witness runs */
    bool never_exclusive;       /* the witness never found the core exclusive */
    bool smis_known;            /* the platform counts them */
    bool throttling_known;      /* for at least one row */
    uint64_t shared, throttled; /* rows */
    uint64_t smis, nmis;
    uint64_t disturbed, windows;
    char process[48]; /* further events of a process; empty: no events, or no process */
};

struct summary {
    enum execution execution;
    char unit[64];        /* of figures per operation: "cycles/op by ruler" */
    char machine[240];    /* its names, separated as in the line */
    char clock[96];       /* empty: not known */
    const char *gross;    /* the unit of a bare window's figure */
    unsigned core, cores; /* the core of these figures; number of cores that measure */
    bool together;        /* all cores measure at once */
    uint64_t rows;        /* rows with figures, on all cores */
    struct summary_figure figure[SUMMARY_PARTS][SUMMARY_ROWS]; /* of the i-th part's rows */
    struct sheet sheet; /* if it has figures, they are shown instead of those of rows */
    struct summary_spoils spoils;
    char stopped[60]; /* "after 3 of 163 rows"; empty: the run was not stopped */
};

/* Writes the record `summary`, and the summary as the last lines of the table, if the report has
 * these. Failures have the names of the report's list. */
void summary_show(const struct summary *s, struct report *r);

/* Collects the contents of the summary during the run: from the machine, and from each row when it
 * is shown. Prints nothing and measures nothing. */

/* Sets the machine, with the head of the report; `cores`: the number of its cores. */
void summary_machine(struct summary *s, const struct run_facts *run, unsigned cores,
                     const struct board *b);

/* Begins before the first row. `run`: of the first core that measures. */
void summary_begin(struct summary *s, const struct run_facts *run);

/* Takes a row that has ended, on any core. Keeps it if it is on the first core and the summary
 * shows it. Counts every row of windows. */
void summary_row(struct summary *s, const struct run_facts *run, const struct row *row);

/* Ends after the last row; `smis`: the SMIs during all rows. */
void summary_end(struct summary *s, const struct run_facts *run, uint64_t smis);

#endif
