/* The last columns of every row, with every method: the cost of one operation. */
#ifndef BENCH_OUTPUT_PER_OP_H
#define BENCH_OUTPUT_PER_OP_H

#include "bench/api/report.h"
#include "bench/result/facts.h"

/* An operation's figure in the unit of the table's column. */
struct per_op {
    const char *unit; /* "cycles", "instructions", "ticks" */
    /* half: the longer side of its interval. UNKNOWN: not known, or the unit has no interval. */
    double value, half;
    unsigned percent; /* the interval's confidence; 0: no interval */
};
/* Returns the figure; all is UNKNOWN if the row has no figure. */
struct per_op per_op_of(const struct run_facts *run, const struct row_figure *h);

/* Returns why a row that passed has no figure in this unit. NULL: it has one, or lacks it by
 * design. */
const char *per_op_missing(const struct run_facts *run, const struct row *row);

/* Returns why its figure in core cycles has no interval. NULL: it has one, or there is no
 * figure. */
const char *per_op_no_interval(const struct run_facts *run, const struct row *row);

/* Writes the heads, with the unit. `error`: the head of the column after core cycles. A wide
 * console has two more columns for instructions that were counted by stepping. */
void per_op_heading(struct report *r, const struct run_facts *run, const char *error);
/* Writes the columns; nothing if the row has no figure. */
void per_op_show(struct report *r, const struct run_facts *run, const struct row *row);

/* Writes a blank and a number; `?` if it is not known. */
void per_op_number(struct report *r, double v, int decimals, int width);

#endif
