/*
 * What a figure means beside something else: in base units and seconds, and next to the row that it
 * is set against.
 */
#ifndef BENCH_SHOW_COMPARE_H
#define BENCH_SHOW_COMPARE_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/show/grouped.h"

/* Rows whose operation has base units (bytes): a line of the table, and members of the record. */
void compare_units_show(struct report *r, const struct run_facts *run, const struct row *row);
void compare_units_record(struct json *j, const struct run_facts *run, const struct row *row);

/* Two rows in the unit of the table's column, by the same source. UNKNOWN: this unit has no
 * interval. */
struct beside {
    const char *unit;
    double mine, theirs;
    double mine_half, theirs_half; /* the longer side of each interval */
    double apart, lo, hi;          /* the first less the second, with its 99% interval */
    /* `placements`: the shift of their figures by ranks; `rounds`: that, and the rounds' means
     * (lib/stats/shift.h); `intervals`: the difference of the two figures. NULL: no interval. */
    const char *by;
    bool shared; /* somebody else had part of the core during one of them */
};

struct beside compare_beside(const struct run_facts *run, const struct core_figure *mine,
                             const struct core_figure *theirs);

/*
 * After the last row: an event for each row that names another of its suite (`beside`), when both
 * have a figure. figures[i]: of the i-th registered row, NaN where it has none. Those that stand in
 * columns side by side are in the records alone; a line of the table tells of them.
 */
void compare_rows(struct report *r, const struct run_facts *run, const struct core_figure *figures,
                  const struct grouped *grouped);

/* Whether the i-th row begins a series of rows that are `alike`: no row before it is like it. A row
 * of no series is not even like itself. */
bool compare_begins_series(const struct bench *const *rows, size_t i,
                           bool (*alike)(const struct bench *a, const struct bench *b));

#endif
