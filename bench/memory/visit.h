/* One measurement of a size: the working set is filled, checked and timed, with the witness
 * between. */
#ifndef BENCH_MEMORY_VISIT_H
#define BENCH_MEMORY_VISIT_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/context.h"

#define VISIT_PAIRS 7 /* of walks that a figure is the median of */

/* The median over pairs of walks of steps and twice the steps: the difference per step. */
struct visit_figure {
    uint32_t pairs;
    float ticks;  /* UNKNOWN: there is no pair */
    float cycles; /* core cycles, or instructions; UNKNOWN: not known */
    float se;     /* standard error of cycles; UNKNOWN with one pair */
};

struct visit {
    const char *wrong;              /* a check that failed; NULL: none */
    uint64_t elements;              /* visited in the check */
    struct visit_figure quiet, all; /* of the pairs without a neighbour, and of all */
};

/* A working set and the memory for its check. */
struct visit_set {
    const struct bench_curve *kind; /* how it is gone over */
    uint8_t *at;
    uint64_t bytes; /* of an access by offset: the offset, converted to this type */
    uint64_t *map;  /* chase_map_bytes(); only of a chase */
    uint64_t seed;
};

/* Takes at most `pairs` pairs, up to VISIT_PAIRS, and repeats those that a neighbour disturbed a
 * few times. */
void visit_take(struct engine *e, const struct visit_set *set, unsigned pairs, struct visit *v);

#endif
