/* format=lines: writes a row in one line that a test rack's regular expression matches
 * (docs/ci.md):
 *     BT suite/row@core value unit pass|fail
 * Writes nothing with another format. */
#ifndef BENCH_SHOW_LINE_H
#define BENCH_SHOW_LINE_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

/* Writes an operation's figure as in the table; for a row without one (an empty window) the median
 * window; "- -" if neither is known. A row that is not supported has no line: it neither passed nor
 * failed. */
void line_row(struct report *r, const struct run_facts *run, const struct row *row);

/* The same with the given figure; "- -" if it is not known (lib/stats/known.h). */
void line_figure(struct report *r, const struct row *row, double value, const char *unit);

#endif
