/* One measurement of a size: the working set is filled, checked and timed. The witness runs between
 * timed pairs. */
#ifndef BENCH_KINDS_CURVE_VISIT_H
#define BENCH_KINDS_CURVE_VISIT_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/pairs.h"

#define VISIT_PAIRS 7 /* of walks that a figure is the median of */

struct visit {
    const char *wrong;                  /* a check that failed; NULL: none */
    const char *lacks;                  /* why it cannot be measured here; NULL: it can */
    uint64_t elements;                  /* visited in the check */
    struct pairs_figure exclusive, all; /* of the pairs without a neighbour, and of all */
};

/* A working set and the memory for its check. */
struct visit_set {
    const struct bench_curve *kind; /* the load that goes over it */
    const struct platform_area *area;
    uint8_t *at;    /* in the area */
    uint64_t bytes; /* or the offset of an access, converted to this type; or the state */
    uint64_t evict; /* bytes that bring lines into the state */
    uint64_t *map;  /* chase_map_bytes(); only of a chase */
    uint64_t seed;
};

/* Takes at most `pairs` pairs, up to VISIT_PAIRS, and repeats those that a neighbour disturbed a
 * few times. */
void visit_take(struct engine *e, const struct visit_set *set, unsigned pairs, struct visit *v);

#endif
