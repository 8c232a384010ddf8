/* A row as people read it and as programs do, both from the same struct row. */
#ifndef BENCH_SHOW_SHOW_H
#define BENCH_SHOW_SHOW_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/model/facts.h"

/* What a figure of this run counts: "ticks", or "instructions" where execution is counted
 * instructions. */
const char *show_unit(const struct run_facts *run);

/* The column heads above the rows of a suite. */
void show_heading(struct report *r, const struct run_facts *run, const char *suite);

/* What a row's progress, table lines and record take at the most with hist=capped, 0.9 s of a line
 * at 115200: 256 bins of up to 21 bytes, and 4.6 KB for all else. */
#define SHOW_ROW_BYTES 10000

/* One finished row: its record, with it its line in the table, and with that all its statistics and
 * its histogram, drawn. */
enum show { SHOW_RECORD, SHOW_LINE, SHOW_DETAILS };
void show_row(struct report *r, const struct run_facts *run, const struct row *row, enum show how);

/* Whether there is anything to say of it that was not as it should be. */
bool show_has_trouble(const struct report *r, const struct run_facts *run, const struct row *row);

#endif
