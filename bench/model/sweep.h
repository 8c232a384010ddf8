/* layout=sweep: what each offset of code, stack and data costs, out of a row's placements. */
#ifndef BENCH_MODEL_SWEEP_H
#define BENCH_MODEL_SWEEP_H

#include "bench/model/facts.h"

#define LAYOUT_OFFSETS 64 /* a sweep's */
#define LAYOUT_MAX     (3 * LAYOUT_OFFSETS)

enum layout_part { LAYOUT_CODE, LAYOUT_STACK, LAYOUT_DATA, LAYOUT_PARTS };
extern const char *const layout_part_names[LAYOUT_PARTS]; /* "code", "stack", "data" */
extern const uint32_t layout_part_step[LAYOUT_PARTS];     /* bytes between a sweep's offsets */

/* Of one part: cycles an operation over its offsets, layout_part_step[part] bytes apart. */
struct sweep {
    double min, median, max;
    unsigned best, worst; /* indices of the offsets */
};

/* theta: the part's LAYOUT_OFFSETS figures. */
struct sweep sweep_of(const double *theta);
/* Whether the row was swept, and its figures are known. */
bool sweep_made(const struct run_facts *run, const struct row *row);

#endif
