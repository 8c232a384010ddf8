/*
 * Relates a figure to base units and seconds, and to the row that it is compared with.
 */
#ifndef BENCH_OUTPUT_COMPARE_H
#define BENCH_OUTPUT_COMPARE_H

#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/output/grouped.h"

/* Writes the base units (bytes) of a row's operation as a line of the table. */
void compare_units_show(struct report *r, const struct run_facts *run, const struct row *row);

/* Two rows in the unit of the table's column, by one source. UNKNOWN: the unit has no interval. */
struct comparison {
    const char *unit;
    double mine, theirs;
    double mine_half, theirs_half; /* the longer side of each interval */
    double apart, lo, hi;          /* the first minus the second, with its 99% interval */
    /* `placements`: the shift of their figures by ranks; `rounds`: that, with a longer interval
     * because rounds differ (lib/stats/shift.h); `intervals`: the difference of the two figures.
     * NULL: no interval. */
    const char *by;
    bool shared; /* a neighbour used the core during one of them */
};

struct comparison compare_figures(const struct run_facts *run, const struct core_figure *mine,
                                  const struct core_figure *theirs);

/* An event on rows that were compared. */
struct compare_event {
    const char *kind, *message;
    const char *suite, *name, *compared_with; /* compared_with NULL: with none */
    const char *unit;
    bool shared;      /* a neighbour used the core during one of them */
    bool only_record; /* the table has it already */
};

/* Begins it. False: there is no record. */
bool compare_event_begin(struct report *r, struct json *j, const struct run_facts *run,
                         const struct compare_event *e);

/*
 * Writes, after the last row, an event for each row that names another of its suite
 * (`compared_with`), if both have a figure. figures[i]: of the i-th registered row; NaN: no figure.
 * Pairs in adjacent columns are only in the records; a line of the table gives their number.
 */
void compare_rows(struct report *r, const struct run_facts *run, const struct core_figure *figures,
                  const struct grouped *grouped);

/* Returns whether the i-th row begins a series of rows that are `alike`: no earlier row belongs to
 * the same series. alike(a, a) is false for a row that is in no series. */
typedef bool compare_alike(const struct bench *a, const struct bench *b);
bool compare_begins_series(const struct bench *const *rows, size_t i, compare_alike *alike);

/* Calls tell(r, run, figures, i) for each registered row that begins a series. */
typedef void compare_tell(struct report *r, const struct run_facts *run,
                          const struct core_figure *figures, size_t first);
void compare_each_series(struct report *r, const struct run_facts *run,
                         const struct core_figure *figures, compare_alike *alike,
                         compare_tell *tell);

#endif
