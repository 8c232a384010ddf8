/* Writes a row to the table and to the records, both from the same struct row. */
#ifndef BENCH_OUTPUT_SHOW_H
#define BENCH_OUTPUT_SHOW_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/result/cores.h"
#include "bench/result/facts.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

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

/* --- record.c: the `row` record of a finished row (docs/report.md) ---------------------------- */

/* The names in records of enum row_status: "ok", "wrong", "unsupported". */
extern const char *const record_status[];

/* Writes it. `team`: what several cores measured, of which it is the row; NULL: one core. */
void record_row(struct report *r, const struct run_facts *run, const struct row *row,
                const struct team_result *team);

/* --- format=lines ----------------------------------------------------------------------------- */

/*
 * Writes a row with this figure in one line that a test rack's regular expression matches
 * (docs/ci.md); nothing with another format:
 *     BT suite/row@core value unit pass|fail
 * The figure is that of an operation as in the table; for a row without one (an empty window) the
 * median window; "- -" if it is UNKNOWN. A row that is not supported has no line: it neither passed
 * nor failed.
 */
void line_figure(struct report *r, const struct row *row, double value, const char *unit);

/* --- slowdown.c: a row with share=together compared with the same row on one core alone ------- */

struct slowdown {
    bool relative; /* a quotient; false: a difference, because the row's cost is close to zero */
    double ticks;  /* by the TSC: includes a lower core clock when all cores run */
    double cycles, low, high; /* by the ruler: only the effect of shared resources is left */
};

/* Returns the slowdown of a row that has figures of both. */
struct slowdown slowdown_of(const struct row *row);

/* Write a line of the table, and members of the row's record; nothing for a row measured alone. */
void slowdown_show(struct report *r, const struct run_facts *run, const struct row *row);
void slowdown_record(struct json *j, const struct run_facts *run, const struct row *row);

/* --- witness_show.c: whether a core is exclusive, by its witness ------------------------------ */

/* Writes a line of the report's head: what was seen while the core was probed. */
void witness_show_head(const struct run_facts *run, struct sink *out);

/* Writes a record `witness`, and a line: what was seen on this core until now, in all rows. */
void witness_show_end(const struct run_facts *run, struct report *r);

/* Writes a note below the row's line if it is shared. */
void witness_show_row(const struct row *row, struct sink *out);

#endif
