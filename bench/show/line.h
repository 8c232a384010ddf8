/* format=lines: a row in one line that a test rack's regular expression takes (docs/ci.md):
 *     BT suite/row@core value unit pass|fail
 * Nothing is written with another format. */
#ifndef BENCH_SHOW_LINE_H
#define BENCH_SHOW_LINE_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

/* The figure that the table shows of an operation; of a row that has none (an empty window), the
 * median window. Where neither is known, "- -". A row that is unsupported here has no line: it
 * neither passed nor failed. */
void line_row(struct report *r, const struct run_facts *run, const struct row *row);

/* The same with a figure that is given; not known (lib/stats/known.h): "- -". */
void line_figure(struct report *r, const struct row *row, double value, const char *unit);

#endif
