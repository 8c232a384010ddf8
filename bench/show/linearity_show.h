/* The linearity table: what each recipe hides of a chain of additions whose length is known. */
#ifndef BENCH_SHOW_LINEARITY_SHOW_H
#define BENCH_SHOW_LINEARITY_SHOW_H

#include "bench/api/report.h"
#include "bench/measure/context.h"
#include "bench/measure/probe.h"

/* The table, and a `linearity` record for each recipe. */
void linearity_show(const struct engine *e, const struct probe *p, struct report *r);

#endif
