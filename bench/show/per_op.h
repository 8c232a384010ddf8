/* The columns that every row ends with, by whatever method: what one operation takes. */
#ifndef BENCH_SHOW_PER_OP_H
#define BENCH_SHOW_PER_OP_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

/* An operation's figure in the unit that the table's column has. */
struct per_op {
    const char *unit; /* "cycles", "instructions", "ticks" */
    /* half: the longer side of its interval. UNKNOWN: not known; this unit has no interval. */
    double value, half;
    unsigned percent; /* the interval's level; 0: none */
};
/* All is UNKNOWN where the row has no figure. */
struct per_op per_op_of(const struct run_facts *run, const struct headline *h);

/* Why a row of method=doubled that passed has no figure in this unit; NULL: it has one, or none by
 * design. */
const char *per_op_missing(const struct run_facts *run, const struct row *row);

/* Whether its figure stands without an interval, since one block alone could be used. */
bool per_op_lacks_interval(const struct run_facts *run, const struct row *row);

/* Their heads, in the unit that is shown below. `error`: over what stands behind core cycles. A
 * wide console has two more for instructions that were counted by stepping. */
void per_op_heading(struct report *r, const struct run_facts *run, const char *error);
/* The columns; nothing where the row has no figure. */
void per_op_show(struct report *r, const struct run_facts *run, const struct row *row);

/* A blank and a number, `?` where it is not known. */
void per_op_number(struct report *r, double v, int decimals, int width);

#endif
