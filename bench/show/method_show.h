/* How the literature's methods stand in the report, each under its own name. */
#ifndef BENCH_SHOW_METHOD_SHOW_H
#define BENCH_SHOW_METHOD_SHOW_H

#include "bench/api/report.h"
#include "bench/model/ahead.h"
#include "bench/model/facts.h"
#include "lib/text/json.h"

/* The column heads above the rows of a suite, when method= is not doubled. */
void method_heading(struct report *r, const struct run_facts *run, const char *suite);
/* What stands under them, behind the row's name; and the lines below that say what to think of
 * it. */
void method_show(struct report *r, const struct run_facts *run, const struct row *row);
void method_notes(struct report *r, const struct run_facts *run, const struct row *row);

/* method=ensembles, ahead of all rows: the bare window by each recipe, a line and a record each. */
void method_bare(struct report *r, const struct run_facts *run,
                 const struct bare_window window[RECIPE_COUNT]);

/* method=plain, ahead of all rows: the C program's table, and a record a step. A step that did not
 * do its work is a failure of the run. */
void method_c_program(struct report *r, const struct run_facts *run, const struct c_program *c);

/* Members of the row's record; and of its per_op. */
void method_record(struct json *j, const struct run_facts *run, const struct row *row);
void method_record_per_op(struct json *j, const struct row *row);

#endif
