/* Collects the contents of the summary during the run: from the machine, and from each row when it
 * is shown. Prints nothing and measures nothing. */
#ifndef BENCH_OUTPUT_SUMMARY_TAKE_H
#define BENCH_OUTPUT_SUMMARY_TAKE_H

#include "bench/result/facts.h"
#include "bench/output/board.h"
#include "bench/output/summary.h"

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
