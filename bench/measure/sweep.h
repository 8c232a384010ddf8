/* layout=sweep: what each offset of code, stack and data costs, out of a row's placements. */
#ifndef BENCH_MEASURE_SWEEP_H
#define BENCH_MEASURE_SWEEP_H

#include "bench/measure/context.h"
#include "bench/measure/layout.h"

/* Of one part: cycles an operation over its offsets, layout_part_step[part] bytes apart. */
struct sweep {
    double min, median, max;
    unsigned best, worst; /* indices of the offsets */
};

/* theta: the part's LAYOUT_OFFSETS figures. */
struct sweep sweep_of(const double *theta);
/* Whether the row was swept, and its figures are known. */
bool sweep_made(const struct engine *e, const struct row *row);

#endif
