/* layout=sweep: the cost of each offset of code, stack and data, from a row's placements. */
#ifndef BENCH_RESULT_SWEEP_H
#define BENCH_RESULT_SWEEP_H

#include "bench/result/facts.h"

#define LAYOUT_OFFSETS 64 /* of each part */
#define LAYOUT_MAX     (3 * LAYOUT_OFFSETS)

enum layout_part { LAYOUT_CODE, LAYOUT_STACK, LAYOUT_DATA, LAYOUT_PARTS };
extern const char *const layout_part_names[LAYOUT_PARTS]; /* "code", "stack", "data" */
extern const uint32_t layout_part_step[LAYOUT_PARTS];     /* bytes between a sweep's offsets */

/* One part: core cycles per operation over its offsets, layout_part_step[part] bytes apart.
 * UNKNOWN: no offset has a figure. */
struct sweep {
    unsigned known; /* offsets that have a figure */
    double min, median, max;
    unsigned best, worst; /* indices of the offsets */
};

/* Summarises a part. theta: its LAYOUT_OFFSETS figures; UNKNOWN: every window was disturbed. */
struct sweep sweep_of(const double *theta);
/* Returns whether the row was swept and its figures are known. */
bool sweep_made(const struct run_facts *run, const struct row *row);

#endif
