/* Collects the contents of the essence during the run: from the machine, and from each row when it
 * is shown. Prints nothing and measures nothing. */
#ifndef BENCH_ESSENCE_ESSENCE_TAKE_H
#define BENCH_ESSENCE_ESSENCE_TAKE_H

#include "bench/model/facts.h"
#include "bench/essence/board.h"
#include "bench/essence/essence.h"

/* Sets the machine, with the head of the report; `cores`: the number of its cores. */
void essence_machine(struct essence *s, const struct run_facts *run, unsigned cores,
                     const struct board *b);

/* Begins before the first row. `run`: of the first core that measures. */
void essence_begin(struct essence *s, const struct run_facts *run);

/* Takes a row that has ended, on any core. Keeps it if it is on the first core and the essence
 * shows it. Counts every row of windows. */
void essence_row(struct essence *s, const struct run_facts *run, const struct row *row);

/* Takes a curve, a map of store forwarding, a limit, or the forms of instructions, of a core of
 * this type; NULL: the CPU has one type. */
void essence_curve(struct essence *s, const struct run_facts *run, const struct curve *c,
                   const char *type);
void essence_forward(struct essence *s, const struct run_facts *run, const struct forward_map *m,
                     const char *type);
void essence_limit(struct essence *s, const struct run_facts *run, const struct limit *l,
                   const char *type);
void essence_insn(struct essence *s, const struct run_facts *run, const struct insn_table *t,
                  const char *type);

/* Ends after the last row; `smis`: the SMIs during all rows. */
void essence_end(struct essence *s, const struct run_facts *run, uint64_t smis);

#endif
