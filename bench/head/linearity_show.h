/* Reports the linearity: what each recipe hides of a chain of additions of known length. */
#ifndef BENCH_HEAD_LINEARITY_SHOW_H
#define BENCH_HEAD_LINEARITY_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"

/* Writes two tables, linearity and regression, and a record of each for each recipe. */
void linearity_show(const struct run_facts *run, const struct probe *p, struct report *r);

#endif
