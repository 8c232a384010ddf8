/* Writes a row to the table and to the records, both from the same struct row. */
#ifndef BENCH_SHOW_SHOW_H
#define BENCH_SHOW_SHOW_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/model/facts.h"

/* Writes the column heads above the rows of a suite. */
void show_heading(struct report *r, const struct run_facts *run, const char *suite);

/* Most bytes of a row's progress, table lines and record with hist=capped, 0.9 s on a serial line
 * at 115200 baud: 256 bins of up to 21 bytes, and 4.6 KB for the rest. */
#define SHOW_ROW_BYTES 10000

/* Writes one finished row: its record; or also its line in the table; or also all its statistics
 * and a drawn histogram. */
enum show { SHOW_RECORD, SHOW_LINE, SHOW_DETAILS };
void show_row(struct report *r, const struct run_facts *run, const struct row *row, enum show how);

/* Returns whether the row has a note about a problem. */
bool show_has_trouble(const struct report *r, const struct run_facts *run, const struct row *row);

#endif
