/*
 * What a figure means beside something else: in base units and seconds, and next to the row that it
 * is set against.
 */
#ifndef BENCH_SHOW_COMPARE_H
#define BENCH_SHOW_COMPARE_H

#include "bench/api/report.h"
#include "bench/measure/context.h"

/* Rows whose operation has base units (bytes): a line of the table, and members of the record. */
void compare_units_show(struct report *r, const struct engine *e, const struct row *row);
void compare_units_record(struct json *j, const struct engine *e, const struct row *row);

/*
 * After the last row: an event for each row that names another of its suite (`beside`), when both
 * have a figure. figures[i]: of the i-th registered row, NaN where it has none.
 */
void compare_rows(struct report *r, const struct engine *e, const struct core_figure *figures);

#endif
