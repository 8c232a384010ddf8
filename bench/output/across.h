/*
 * Reports figures of several rows or cores: before the rows the cores, then rows of several cores,
 * after the last row what the figures of all rows show together. cores_show.c, team_show.c,
 * even_show.c, growth_show.c and exits_show.c define these functions.
 */
#ifndef BENCH_OUTPUT_ACROSS_H
#define BENCH_OUTPUT_ACROSS_H

#include "bench/api/report.h"
#include "bench/result/cores.h"
#include "bench/result/facts.h"
#include "bench/output/grouped.h"

/* Writes, before the rows, a `core` record for each core of the platform; if there are several,
 * also a table. Writes nothing if the platform knows only the running core. */
void cores_show(const struct run_cores *cores, struct report *r);

/* Write the heading above the rows of a suite of several cores; the lines and records of one. */
void team_heading(struct report *r, const struct run_facts *run, const char *suite);
void team_show(const struct team_result *c, struct report *r);

/* Writes, after the last row, a table that compares the cores, and an event for each row in which
 * they differ: a core's figure differs from that of the median core of its type by more than both
 * their intervals. Writes nothing if one core measures. Rows that are already shown in columns are
 * included only if cores differ. */
void cores_compare(const struct run_cores *cores, const struct grouped *g, struct report *r);

/*
 * Writes, after compare_rows(), from which count on one series of rows costs less than another: an
 * event `breaks_even` for each series (`at` in bench/api/bench.h) in which at least two rows and
 * the rows that they are compared with have figures. figures: as for compare_rows().
 */
void even_show(struct report *r, const struct run_facts *run, const struct core_figure *figures);

/*
 * Writes, after the last row, how the cost of a user row grows with its argument: an event `growth`
 * for each row that has arguments (`args` in bench/api/baretick.h) and a figure for at least one of
 * them. Failed rows are excluded. figures: as for compare_rows().
 */
void growth_show(struct report *r, const struct run_facts *run, const struct core_figure *figures);

/*
 * Writes, after the last row, an event `exits` if rows of suite `exits` are selected: nothing exits
 * without a hypervisor; under one, which rows take less than an exit. Not judged in an emulator.
 * figures: as for compare_rows().
 */
void exits_show(struct report *r, const struct run_facts *run, const struct core_figure *figures);

#endif
