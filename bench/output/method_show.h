/* Reports the results of the literature's methods, each under its name. */
#ifndef BENCH_OUTPUT_METHOD_SHOW_H
#define BENCH_OUTPUT_METHOD_SHOW_H

#include "bench/api/report.h"
#include "bench/result/probe.h"
#include "bench/result/facts.h"
#include "lib/text/json.h"

/* Returns whether both sides are ergodic: the figure is their difference. */
static inline bool method_is_ergodic(const struct method_result *m)
{
    return m->body.ensemble.ergodic && (m->empty.all.n == 0 || m->empty.ensemble.ergodic);
}

/* Writes the column heads above the rows of a suite, if method= is not doubled. */
void method_heading(struct report *r, const struct run_facts *run, const char *suite);
/* Writes the notes below the row. */
void method_notes(struct report *r, const struct run_facts *run, const struct row *row);

/* method=ensembles, before all rows: writes a line and a record for each recipe's bare window. */
void method_bare(struct report *r, const struct run_facts *run,
                 const struct bare_window window[RECIPE_COUNT]);

/* method=plain, before all rows: writes the C program's table, and a record per step. A step that
 * did not do its work is a failure of the run (c_program_show.c). */
void c_program_show(struct report *r, const struct run_facts *run, const struct c_program *c);

/* Writes the members of the row's record that methods other than doubled have. */
void method_record(struct json *j, const struct run_facts *run, const struct row *row);

#endif
