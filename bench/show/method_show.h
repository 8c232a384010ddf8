/* How the literature's methods stand in the report, each under its own name. */
#ifndef BENCH_SHOW_METHOD_SHOW_H
#define BENCH_SHOW_METHOD_SHOW_H

#include "bench/api/report.h"
#include "bench/measure/context.h"
#include "lib/text/json.h"

/* The rest of a row's table line, and the members of its record. */
void method_show(struct report *r, const struct engine *e, const struct row *row);
void method_record(struct json *j, const struct engine *e, const struct row *row);

#endif
