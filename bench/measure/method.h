/*
 * The literature's methods, each as its author gave it (docs/method.md, last section), told under
 * its own name beside ours. One placement, aligned; the body's windows and those of what is
 * subtracted go through the same method; a row's figure is the difference. No sample is kept.
 */
#ifndef BENCH_MEASURE_METHOD_H
#define BENCH_MEASURE_METHOD_H

#include "bench/measure/context.h"
#include "bench/measure/place.h"

/* Runs the row's only placement by the method that method= selects; fills row->method, status, why
 * and errors. */
void method_row(struct engine *e, const struct placed *p, struct row *row);

#endif
