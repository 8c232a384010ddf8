/* The linearity table: what each recipe hides of a chain of additions whose length is known. */
#ifndef BENCH_HEAD_LINEARITY_SHOW_H
#define BENCH_HEAD_LINEARITY_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"

/* The table, and a `linearity` record for each recipe. */
void linearity_show(const struct run_facts *run, const struct probe *p, struct report *r);

#endif
